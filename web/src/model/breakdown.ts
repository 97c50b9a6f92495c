import type { Summary, Table } from '../api/types.ts';
import { median } from './numbers.ts';
import { numberAt } from './table.ts';
import { balancedShares, countText, durationText, shareText } from './units.ts';

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
  isWarmUp?: boolean; // averages leave it out
}

// What one row of the account is about: a step, a cycle that was found instead, or the whole trace.
export function unitOf(summary: Summary): 'step' | 'cycle' | 'trace' {
  const rows = summary.tables['step_breakdown']?.rows ?? [];
  if (!rows.some((row) => typeof row['per_step_ns'] === 'number')) return 'trace';
  return summary.facts['cycles_found_by'] ? 'cycle' : 'step';
}

export const kWarmUpWords = 'Warm-up: the program still loads code, allocates memory or tunes libraries. Averages leave it out.';

// The word of the file is for scripts, and that a step is steady goes without saying.
export function withWarmUpWords(table: Table): Table {
  return { ...table, rows: table.rows.map((row) => ({ ...row, state: row['state'] === 'warm_up' ? 'warm-up' : null })) };
}

// Steps at the start of each rank that averages leave out: they load code, allocate memory and tune libraries.
function warmUpCount(summary: Summary): number {
  return Number(summary.facts['warm_up_steps'] ?? 0);
}

export interface WarmUp {
  steps: number;
  total_ns: number;
}

export function warmUpOf(stacks: readonly Stack[]): WarmUp {
  const steps = stacks.filter((stack) => stack.isWarmUp);
  return { steps: steps.length, total_ns: steps.reduce((sum, stack) => sum + stack.total_ns, 0) };
}

// "the first step, 4.22 ms", "the first 3 steps, 481 ms in all"
export function warmUpText({ steps, total_ns }: WarmUp, unit: string, ranks = 1): string {
  const which = ranks > 1 ? `${countText(steps)} ${unit}${steps === 1 ? '' : 's'} at the start of the ranks` : `the first ${steps === 1 ? unit : `${countText(steps)} ${unit}s`}`;
  return `${which}, ${durationText(total_ns)}${steps === 1 ? '' : ' in all'}`;
}

// The average step after the warm-up, or the whole trace if no steps are known.
export function averageStack(summary: Summary): Stack | null {
  const rows = summary.tables['step_breakdown']?.rows ?? [];
  const total = rows.find((row) => row['word'] === 'all');
  if (!total) return null;
  const unit = unitOf(summary);
  const key = unit === 'trace' ? 'total_ns' : 'per_step_ns';
  const parts: Part[] = rows.filter((row) => row['word'] !== 'all').map((row) => ({
    word: String(row['word']), label: String(row['label']), value_ns: numberAt(row, key, 0),
  }));
  const steady = warmUpCount(summary) > 0 ? 'steady ' : '';
  const name = unit === 'trace' ? String(total['label']) : `average ${steady}${unit}`;
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
      isWarmUp: row['state'] === 'warm_up',
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

// Smallest, middle and largest step after the warm-up.
export function spread(stacks: readonly Stack[]): { low_ns: number; middle_ns: number; high_ns: number } | null {
  const steady = stacks.filter((stack) => !stack.isWarmUp);
  if (steady.length === 0) return null;
  const sorted = steady.map((stack) => stack.total_ns).sort((a, b) => a - b);
  return { low_ns: sorted[0], middle_ns: median(sorted), high_ns: sorted[sorted.length - 1] };
}

// The longest of every so many neighbours. Warm-up has bars of its own.
export function thinned(stacks: readonly Stack[], every: number): Stack[] {
  const out: Stack[] = [];
  let inLast = every;
  for (const stack of stacks) {
    const last = out[out.length - 1];
    if (inLast === every || last.isWarmUp !== stack.isWarmUp) {
      out.push(stack);
      inLast = 0;
    } else if (stack.total_ns > last.total_ns) out[out.length - 1] = stack;
    ++inLast;
  }
  return out;
}
