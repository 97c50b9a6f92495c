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
const kCorners = 1.15; // triangles and squares reach beyond their radius

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

const meet = (a: Box, b: Box): boolean => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

// Names beside the largest marks, where `others` leave room for them.
export function labelsFor(
  placed: readonly Placed[], nameOf: (kernel: number) => string, room: Room, most: number, others: readonly Box[] = [], widthOf: (text: string) => number = (text) => text.length * kLetterWidth,
): Label[] {
  const taken: Box[] = [...others, ...placed.map(({ x, y, radius }) => ({ x: x - radius * kCorners, y: y - radius * kCorners, width: 2 * radius * kCorners, height: 2 * radius * kCorners }))];
  const labels: Label[] = [];
  for (const one of placed) {
    if (labels.length >= most) break;
    const text = nameOf(one.mark.kernel);
    if (text === '') continue;
    const width = widthOf(text);
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

// Marks are drawn in their order: those whose middle is covered by a later one.
export function coveredMarks(placed: readonly Placed[]): Set<number> {
  const covered = new Set<number>();
  placed.forEach((one, i) => {
    if (placed.slice(i + 1).some((later) => Math.hypot(later.x - one.x, later.y - one.y) < later.radius + 4)) covered.add(i);
  });
  return covered;
}

export interface Segment {
  x1: number;
  y1: number;
  x2: number;
  y2: number;
}

function pointAlong({ x1, y1, x2, y2 }: Segment, share: number): { x: number; y: number } {
  return { x: x1 + (x2 - x1) * share, y: y1 + (y2 - y1) * share };
}

function distanceTo(segment: Segment, x: number, y: number): number {
  const [dx, dy] = [segment.x2 - segment.x1, segment.y2 - segment.y1];
  const length = dx * dx + dy * dy || 1;
  const at = pointAlong(segment, Math.min(1, Math.max(0, ((x - segment.x1) * dx + (y - segment.y1) * dy) / length)));
  return Math.hypot(at.x - x, at.y - y);
}

const kTextClearance = 12;

// Where along a line the middle of its text keeps clear of all marks: the first of the shares that does, else the one with
// the most room.
export function freeShare(line: Segment, width: number, placed: readonly Placed[], shares: readonly number[]): number {
  const half = width / 2 / (Math.hypot(line.x2 - line.x1, line.y2 - line.y1) || 1);
  const clearance = (share: number): number => {
    const [from, to] = [pointAlong(line, share - half), pointAlong(line, share + half)];
    const text = { x1: from.x, y1: from.y, x2: to.x, y2: to.y };
    return Math.min(Infinity, ...placed.map((one) => distanceTo(text, one.x, one.y) - one.radius * kCorners));
  };
  return shares.find((share) => clearance(share) > kTextClearance)
    ?? shares.reduce((best, share) => (clearance(share) > clearance(best) ? share : best));
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
