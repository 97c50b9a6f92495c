import type { CounterInfo } from '../api/types.ts';
import { valueText } from './units.ts';

// How high the values of a lane are drawn.

// Nothing near zero is of interest: a clock of 1,400 instead of 1,980 MHz must be visible.
const kFarFromZero: readonly string[] = ['MHz', '°C'];
const kLeastRange = 0.1; // of the highest value: noise must not look like a change
const kBelow = 0.15; // of the range: the lowest value is not on the ground

export interface CounterScale {
  low: number;
  high: number;
  isFromZero: boolean;
  share: (value: number) => number; // 0 at the bottom, 1 at the top
}

export function scaleOf(counters: readonly CounterInfo[]): CounterScale {
  const least = Math.min(...counters.map((one) => one.min));
  const most = Math.max(...counters.map((one) => one.max));
  const isFromZero = !kFarFromZero.includes(counters[0].unit) || least <= 0;
  const range = Math.max(most - least, kLeastRange * most);
  const low = isFromZero ? Math.min(0, least) : most - range * (1 + kBelow);
  const high = isFromZero ? Math.max(0, most) : most;
  return { low, high, isFromZero, share: (value) => (high > low ? Math.min(1, Math.max(0, (value - low) / (high - low))) : 0) };
}

// Beside the name of the lane: what its height means.
export function scaleText(counters: readonly CounterInfo[]): string {
  const { unit } = counters[0];
  const { isFromZero } = scaleOf(counters);
  const most = Math.max(...counters.map((one) => one.max));
  const least = Math.min(...counters.map((one) => one.min));
  const top = valueText(unit, most);
  if (isFromZero || valueText(unit, least) === top) return `max ${top}`;
  return `${valueText(unit, least).replace(/ \D+$/, '')} to ${top}`;
}
