import type { Summary } from '../api/types.ts';
import { median } from './numbers.ts';
import { numberAt } from './table.ts';
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

export function averageStack(summary: Summary): Stack | null {
  const rows = summary.tables['step_breakdown']?.rows ?? [];
  const total = rows.find((row) => row['word'] === 'all');
  if (!total) return null;
  const parts: Part[] = rows.filter((row) => row['word'] !== 'all').map((row) => ({
    word: String(row['word']), label: String(row['label']), value_ns: numberAt(row, 'per_step_ns', 0),
  }));
  return { name: 'average step', total_ns: numberAt(total, 'per_step_ns', 0), parts };
}

export function stepStacks(summary: Summary, average: Stack | null): Stack[] {
  const words = (summary.tables['steps']?.columns ?? [])
    .map((column) => column.key.replace(/_ns$/, ''))
    .filter((word) => !['rank', 'step', 'start', 'duration'].includes(word) && !word.startsWith('launched'));
  const labels = new Map(average?.parts.map((part) => [part.word, part.label]));
  return (summary.tables['steps']?.rows ?? []).map((row) => ({
    name: String(row['step']),
    total_ns: numberAt(row, 'duration_ns', 0),
    parts: words.map((word) => ({ word, label: labels.get(word) ?? word.replaceAll('_', ' '), value_ns: numberAt(row, `${word}_ns`, 0) })),
  }));
}

// Smallest, middle and largest step.
export function spread(stacks: readonly Stack[]): { low_ns: number; middle_ns: number; high_ns: number } | null {
  if (stacks.length === 0) return null;
  const sorted = stacks.map((stack) => stack.total_ns).sort((a, b) => a - b);
  return { low_ns: sorted[0], middle_ns: median(sorted), high_ns: sorted[sorted.length - 1] };
}
