import { kRoundDigits, roundStep } from './numbers.ts';

// One axis of a plot: from values to pixels, which ticks to show, and how it zooms.

export interface Axis {
  isLog: boolean;
  low: number;
  high: number;
}

const inside = (axis: Axis, value: number): number => (axis.isLog ? Math.log10(value) : value);
const outside = (axis: Axis, value: number): number => (axis.isLog ? 10 ** value : value);

// 0 at the low end, 1 at the high end; beyond them too.
export function shareAlong(axis: Axis, value: number): number {
  const [low, high] = [inside(axis, axis.low), inside(axis, axis.high)];
  return (inside(axis, value) - low) / (high - low);
}

export function valueAt(axis: Axis, share: number): number {
  const [low, high] = [inside(axis, axis.low), inside(axis, axis.high)];
  return outside(axis, low + share * (high - low));
}

// The same axis around `share`, `factor` times as long.
export function zoomedAxis(axis: Axis, share: number, factor: number): Axis {
  return { ...axis, low: valueAt(axis, share - share * factor), high: valueAt(axis, share + (1 - share) * factor) };
}

export function movedAxis(axis: Axis, by: number): Axis {
  return { ...axis, low: valueAt(axis, by), high: valueAt(axis, 1 + by) };
}

export function partOfAxis(axis: Axis, from: number, to: number): Axis {
  return { ...axis, low: valueAt(axis, Math.min(from, to)), high: valueAt(axis, Math.max(from, to)) };
}

export interface Tick {
  value: number;
  isMajor: boolean; // with a number beside it
}

function linearTicks(axis: Axis, most: number): Tick[] {
  const step = roundStep((axis.high - axis.low) / Math.max(1, most));
  const ticks: Tick[] = [];
  const first = Math.ceil(axis.low / step - 1e-9) + 0; // never minus zero
  for (let i = first; i * step <= axis.high + step * 1e-9; ++i) ticks.push({ value: i * step, isMajor: true });
  return ticks;
}

// Powers of ten have numbers; if only few are visible, the 2 and the 5 between them do, too.
function logTicks(axis: Axis, most: number): Tick[] {
  const [first, last] = [Math.floor(Math.log10(axis.low)), Math.ceil(Math.log10(axis.high))];
  const decades = Math.log10(axis.high / axis.low);
  if (decades < 0.5) return linearTicks(axis, most);
  const every = Math.max(1, Math.ceil(decades / most));
  const ticks: Tick[] = [];
  for (let power = first; power <= last; ++power) {
    for (let digit = 1; digit < 10; ++digit) {
      const value = digit * 10 ** power;
      if (value < axis.low * 0.999 || value > axis.high * 1.001) continue;
      if (digit !== 1 && decades > 8) continue;
      const isMajor = digit === 1 ? power % every === 0 : decades * 3 <= most && kRoundDigits.includes(digit);
      ticks.push({ value, isMajor });
    }
  }
  return ticks;
}

export function ticksOf(axis: Axis, most: number): Tick[] {
  return axis.isLog ? logTicks(axis, most) : linearTicks(axis, most);
}

export interface PlotWindow {
  x: Axis;
  y: Axis;
}

// "12:400:1e+12:2e+15" in the URL.
export function windowText({ x, y }: PlotWindow): string {
  return [x.low, x.high, y.low, y.high].map((value) => String(Number(value.toPrecision(4)))).join(':');
}

// Nothing for a text that is not a window of these axes.
export function parseWindow(text: string | undefined, whole: PlotWindow): PlotWindow | null {
  const parts = (text ?? '').split(':').map(Number);
  if (parts.length !== 4 || parts.some((part) => !Number.isFinite(part))) return null;
  const [left, right, bottom, top] = parts;
  const fits = (axis: Axis, low: number, high: number): boolean => low < high && (!axis.isLog || low > 0);
  if (!fits(whole.x, left, right) || !fits(whole.y, bottom, top)) return null;
  return { x: { ...whole.x, low: left, high: right }, y: { ...whole.y, low: bottom, high: top } };
}

const kLeastShare = 1e-3; // smaller differences are not visible

// Neither so close that nothing moves, nor further out than twice the whole.
export function withinReason(window: PlotWindow, whole: PlotWindow): PlotWindow {
  const bounded = (axis: Axis, all: Axis): Axis => {
    const part = shareAlong(all, axis.high) - shareAlong(all, axis.low);
    if (part > 2) return all;
    if (part >= kLeastShare) return axis;
    const middle = (shareAlong(all, axis.high) + shareAlong(all, axis.low)) / 2;
    return partOfAxis(all, middle - kLeastShare / 2, middle + kLeastShare / 2);
  };
  return { x: bounded(window.x, whole.x), y: bounded(window.y, whole.y) };
}
