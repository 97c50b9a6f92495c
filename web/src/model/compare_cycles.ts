import type { ComparedCycle, ComparedRank, ComparedRun, Comparison } from '../api/types.ts';
import { median, roundStep } from './numbers.ts';

// The cycles of two runs as marks on one scale, and the two selected ones.

export type Side = 'normal' | 'abnormal';
export const kSides: readonly Side[] = ['normal', 'abnormal'];

export type Chosen = Record<Side, number>; // numbers of cycles, from 1

export interface CycleRow {
  side: Side;
  type: string;
  label: string;
  cycles: readonly ComparedCycle[];
  median_ns: number;
}

export function rankOf(run: ComparedRun, rank: number | null): ComparedRank {
  return run.ranks.find((one) => one.rank === rank) ?? run.ranks[0];
}

// Ranks that both runs have.
export function commonRanks(comparison: Comparison): number[] {
  const { normal, abnormal } = comparison.runs;
  return normal.ranks.map((one) => one.rank).filter((rank) => abnormal.ranks.some((one) => one.rank === rank));
}

export function isLeftOut(cycle: ComparedCycle): boolean {
  return cycle.left_out_on.length > 0;
}

// Short and long cycles are not compared with each other and get rows of their own.
export function cycleRows(comparison: Comparison, rank: number | null): CycleRow[] {
  const ranks = kSides.map((side) => ({ side, run: comparison.runs[side], list: rankOf(comparison.runs[side], rank).cycles.list }));
  const types = [...new Set(ranks.flatMap(({ list }) => list.map((cycle) => cycle.type)))];
  return types.flatMap((type) => ranks.flatMap(({ side, run, list }) => {
    const cycles = list.filter((cycle) => cycle.type === type);
    if (cycles.length === 0) return [];
    return [{ side, type, cycles, label: run.label, median_ns: median(cycles.map((cycle) => cycle.duration_ns)) }];
  }));
}

// A typical cycle: the one nearest to the median, a complete one if possible.
export function typicalCycle(rank: ComparedRank): number {
  const { list } = rank.cycles;
  const whole = list.filter((cycle) => !isLeftOut(cycle));
  const candidates = whole.length > 0 ? whole : list;
  if (candidates.length === 0) return 1;
  const middle = median(candidates.map((cycle) => cycle.duration_ns));
  const distance = (cycle: ComparedCycle): number => Math.abs(cycle.duration_ns - middle);
  return candidates.reduce((best, cycle) => (distance(cycle) < distance(best) ? cycle : best)).cycle;
}

// "7,9" in the address: of the normal and of the abnormal run; a number that does not exist is replaced by a typical cycle.
export function parseChosen(text: string | undefined, comparison: Comparison, rank: number | null): Chosen {
  const typed = (text ?? '').split(',').map(Number);
  const pick = (side: Side, wanted: number | undefined): number => {
    const of = rankOf(comparison.runs[side], rank);
    return of.cycles.list.some((cycle) => cycle.cycle === wanted) ? wanted! : typicalCycle(of);
  };
  return { normal: pick('normal', typed[0]), abnormal: pick('abnormal', typed[1]) };
}

export function chosenText(chosen: Chosen): string {
  return `${chosen.normal},${chosen.abnormal}`;
}

// The cycle before or after, in the order of the run.
export function stepped(list: readonly ComparedCycle[], cycle: number, by: number): number {
  const index = list.findIndex((one) => one.cycle === cycle);
  return list[Math.min(list.length - 1, Math.max(0, index + by))]?.cycle ?? cycle;
}

export interface Scale {
  low_ns: number;
  high_ns: number;
  ticks_ns: number[];
}

// Round limits around all values. Marks show a position, not a length, so the scale need not begin at 0.
export function scaleOf(values_ns: readonly number[], ticks = 5): Scale {
  const least = Math.min(...values_ns);
  const most = Math.max(...values_ns);
  const span = Math.max(most - least, most * 0.02, 1);
  const step = roundStep(span / ticks);
  const low = Math.floor(least / step) * step;
  const high = Math.max(Math.ceil(most / step) * step, low + step);
  const ticks_ns: number[] = [];
  for (let i = 0; low + i * step <= high + step / 2; ++i) ticks_ns.push(low + i * step);
  return { low_ns: low, high_ns: high, ticks_ns };
}
