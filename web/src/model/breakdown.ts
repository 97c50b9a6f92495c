import type { Row, Summary } from '../api/types.ts';
import { balancedShares, shareText } from './units.ts';

// The step breakdown of a summary as stacks of parts that add up.

export interface Part {
  word: string; // "kernel", "idle"
  label: string;
  value_ns: number;
}

// The text beside each part: shares that add up to 100 %.
export function shareTexts(stack: Stack): Map<Part, string> {
  const shares = stack.parts.map((part) => part.value_ns / (stack.total_ns || 1));
  const balanced = balancedShares(shares);
  return new Map(stack.parts.map((part, i) => [part, shareText(balanced[i] === 0 ? shares[i] : balanced[i])]));
}

export interface Stack {
  name: string;
  total_ns: number;
  parts: Part[];
}

function number(row: Row, key: string): number {
  const cell = row[key];
  return typeof cell === 'number' ? cell : 0;
}

export function averageStack(summary: Summary): Stack | null {
  const rows = summary.tables['step_breakdown']?.rows ?? [];
  const total = rows.find((row) => row['word'] === 'all');
  if (!total) return null;
  const parts: Part[] = rows.filter((row) => row['word'] !== 'all').map((row) => ({
    word: String(row['word']), label: String(row['label']), value_ns: number(row, 'per_step_ns'),
  }));
  return { name: 'average step', total_ns: number(total, 'per_step_ns'), parts };
}

export function stepStacks(summary: Summary, average: Stack | null): Stack[] {
  const words = (summary.tables['steps']?.columns ?? [])
    .map((column) => column.key.replace(/_ns$/, ''))
    .filter((word) => !['rank', 'step', 'start', 'duration'].includes(word) && !word.startsWith('launched'));
  const labels = new Map(average?.parts.map((part) => [part.word, part.label]));
  return (summary.tables['steps']?.rows ?? []).map((row) => ({
    name: String(row['step']),
    total_ns: number(row, 'duration_ns'),
    parts: words.map((word) => ({ word, label: labels.get(word) ?? word.replaceAll('_', ' '), value_ns: number(row, `${word}_ns`) })),
  }));
}

// Smallest, middle and largest step.
export function spread(stacks: readonly Stack[]): { low_ns: number; middle_ns: number; high_ns: number } | null {
  if (stacks.length === 0) return null;
  const sorted = stacks.map((stack) => stack.total_ns).sort((a, b) => a - b);
  const half = sorted.length >> 1;
  const middle = sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  return { low_ns: sorted[0], middle_ns: middle, high_ns: sorted[sorted.length - 1] };
}
