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
  short: string; // below its bar
  rank: string; // as the summary calls it
  start_ns: number;
  total_ns: number;
  parts: Part[];
}

// What one row of the account is about: a step, a cycle that was found instead, or the whole trace.
export function unitOf(summary: Summary): 'step' | 'cycle' | 'trace' {
  const rows = summary.tables['step_breakdown']?.rows ?? [];
  if (!rows.some((row) => typeof row['per_step_ns'] === 'number')) return 'trace';
  return summary.facts['cycles_found_by'] ? 'cycle' : 'step';
}

// The average step, or the whole trace if no steps are known.
export function averageStack(summary: Summary): Stack | null {
  const rows = summary.tables['step_breakdown']?.rows ?? [];
  const total = rows.find((row) => row['word'] === 'all');
  if (!total) return null;
  const unit = unitOf(summary);
  const key = unit === 'trace' ? 'total_ns' : 'per_step_ns';
  const parts: Part[] = rows.filter((row) => row['word'] !== 'all').map((row) => ({
    word: String(row['word']), label: String(row['label']), value_ns: numberAt(row, key, 0),
  }));
  const name = unit === 'trace' ? String(total['label']) : `average ${unit}`;
  return { name, short: '', rank: '', start_ns: 0, total_ns: numberAt(total, key, 0), parts };
}

function numberIn(name: string): string {
  return /#?(\d+)$/.exec(name)?.[1] ?? name.slice(0, 6);
}

const kNoLabels = new Set(['rank', 'step', 'start', 'duration']);

// A bar per step. Of several ranks, the bar also tells the rank: by its name if it has only one step, else by its number.
export function stepStacks(summary: Summary, average: Stack | null): Stack[] {
  const rows = summary.tables['steps']?.rows ?? [];
  const words = (summary.tables['steps']?.columns ?? [])
    .filter((column) => column.key.endsWith('_ns')).map((column) => column.key.replace(/_ns$/, ''))
    .filter((word) => !kNoLabels.has(word) && !word.startsWith('launched'));
  const labels = new Map(average?.parts.map((part) => [part.word, part.label]));
  const ranks = [...new Set(rows.map((row) => String(row['rank'] ?? '')))];
  return rows.map((row) => {
    const [rank, step] = [String(row['rank'] ?? ''), String(row['step'])];
    const isOnly = ranks.length === rows.length;
    return {
      name: ranks.length > 1 ? `${rank}, ${step}` : step,
      short: ranks.length < 2 ? numberIn(step) : isOnly ? rank : `${numberIn(rank)}·${numberIn(step)}`,
      rank,
      start_ns: numberAt(row, 'start_ns', 0),
      total_ns: numberAt(row, 'duration_ns', 0),
      parts: words.map((word) => ({ word, label: labels.get(word) ?? word.replaceAll('_', ' '), value_ns: numberAt(row, `${word}_ns`, 0) })),
    };
  });
}

export interface StepCount {
  steps: number;
  ranks: number;
}

export function countSteps(summary: Summary): StepCount {
  const rows = summary.tables['steps']?.rows ?? [];
  return { steps: rows.length, ranks: new Set(rows.map((row) => row['rank'] ?? '')).size };
}

// Smallest, middle and largest step.
export function spread(stacks: readonly Stack[]): { low_ns: number; middle_ns: number; high_ns: number } | null {
  if (stacks.length === 0) return null;
  const sorted = stacks.map((stack) => stack.total_ns).sort((a, b) => a - b);
  return { low_ns: sorted[0], middle_ns: median(sorted), high_ns: sorted[sorted.length - 1] };
}
