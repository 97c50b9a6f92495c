import { type PlotWindow, shareAlong } from './axis.ts';

// The positions of marks and their names on the screen.

export interface PlotMark {
  kernel: number; // index of the thing it represents
  x: number;
  y: number;
  latency_ns: number;
}

const kMostRadius = 24;
const kLeastRadius = 3;

// Area is time; marks too small to point at are drawn a little larger.
export function radiusOf(latency_ns: number, most_ns: number): number {
  return Math.max(kLeastRadius, kMostRadius * Math.sqrt(latency_ns / Math.max(1, most_ns)));
}

export interface Placed<M extends PlotMark = PlotMark> {
  mark: M;
  x: number; // pixels
  y: number;
  radius: number;
}

export interface Room {
  left: number;
  top: number;
  width: number;
  height: number;
}

export function place<M extends PlotMark>(marks: readonly M[], window: PlotWindow, room: Room, most_ns: number): Placed<M>[] {
  return marks.map((mark) => ({
    mark,
    x: room.left + shareAlong(window.x, mark.x) * room.width,
    y: room.top + (1 - shareAlong(window.y, mark.y)) * room.height,
    radius: radiusOf(mark.latency_ns, most_ns),
  }));
}

function roomiest(steps: readonly number[], clearance: (step: number) => number): number {
  return steps.reduce((best, step) => (clearance(step) > clearance(best) ? step : best), 0);
}

// Side by side along one axis instead of on top of each other: the larger ones near `middle`.
export function spreadOut<M extends PlotMark>(placed: readonly Placed<M>[], middle: number, reach: number): Placed<M>[] {
  const done: Placed<M>[] = [];
  for (const one of placed) {
    const steps = Array.from({ length: 2 * Math.ceil(reach / 2) + 1 }, (_, i) => (i % 2 === 0 ? 1 : -1) * Math.ceil(i / 2) * 2);
    const isFree = (x: number): boolean => done.every((other) => Math.hypot(other.x - x, other.y - one.y) >= 1.2 * (other.radius + one.radius)); // corners reach out
    const allowed = steps.filter((step) => Math.abs(step) + one.radius <= reach);
    const offset = allowed.find((step) => isFree(middle + step)) ?? roomiest(allowed, (step) => Math.min(...done.map((other) => Math.hypot(other.x - middle - step, other.y - one.y) - other.radius)));
    done.push({ ...one, x: middle + offset });
  }
  return done;
}

export interface Label {
  text: string;
  x: number;
  y: number;
  width: number;
  kernel: number;
}

const kLetterWidth = 6.1;
const kLabelHeight = 13;
const kMostInTheWay = 80; // marks that labels keep clear of; the rest are small

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

const meet = (a: Box, b: Box): boolean => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

// Names beside the largest marks, where `others` leave room for them.
export function labelsFor(placed: readonly Placed[], nameOf: (kernel: number) => string, room: Room, most: number, others: readonly Box[] = []): Label[] {
  const taken: Box[] = [...others, ...placed.slice(0, kMostInTheWay).map((one) => ({ x: one.x - one.radius, y: one.y - one.radius, width: 2 * one.radius, height: 2 * one.radius }))];
  const labels: Label[] = [];
  for (const one of placed) {
    if (labels.length >= most) break;
    const text = nameOf(one.mark.kernel);
    if (text === '') continue;
    const width = text.length * kLetterWidth;
    const sides = [
      { x: one.x + one.radius + 4, y: one.y - kLabelHeight / 2 }, { x: one.x - one.radius - 4 - width, y: one.y - kLabelHeight / 2 },
      { x: one.x - width / 2, y: one.y - one.radius - 3 - kLabelHeight }, { x: one.x - width / 2, y: one.y + one.radius + 3 },
    ];
    const fits = (box: Box): boolean => box.x >= room.left && box.x + box.width <= room.left + room.width && box.y >= room.top && box.y + box.height <= room.top + room.height;
    const box = sides.map((side) => ({ ...side, width, height: kLabelHeight })).find((side) => fits(side) && !taken.some((other) => meet(side, other)));
    if (!box) continue;
    taken.push(box);
    labels.push({ text, x: box.x, y: box.y + kLabelHeight - 3, width, kernel: one.mark.kernel });
  }
  return labels;
}

// Cut in the middle: names of one library begin alike and differ at the end.
export function cutName(name: string, most: number): string {
  if (name.length <= most) return name;
  const front = Math.floor((most - 1) * 0.45);
  return `${name.slice(0, front)}…${name.slice(name.length - (most - 1 - front))}`;
}

const kReach = 9;

// The mark under the pointer, or the nearest within reach; of several, the smallest.
export function markAt<M extends PlotMark>(placed: readonly Placed<M>[], x: number, y: number): Placed<M> | null {
  let best: Placed<M> | null = null;
  let least = kReach;
  for (const one of placed) {
    const beyond = Math.max(0, Math.hypot(one.x - x, one.y - y) - one.radius);
    if (beyond > least || (beyond === least && best && best.radius < one.radius)) continue;
    [best, least] = [one, beyond];
  }
  return best;
}
