import type { CounterInfo } from '../../api/types.ts';
import type { LoadedPoints } from '../../model/counter_tiles.ts';
import { scaleOf } from '../../model/counter_scale.ts';
import type { Patch } from '../../model/tile_grid.ts';
import type { TimelineModel } from '../../model/timeline_model.ts';
import type { Lane } from '../../model/track_layout.ts';
import { spanOf } from '../../model/viewport.ts';
import type { Colours } from './colours.ts';

// Counters: one value fills the space below it, several are lines.

const kTop_px = 4; // above the highest value
const kLine_px = 1.5;
const kDashes: readonly (readonly [number, number])[] = [[1, 0], [6, 3], [2, 3]]; // drawn and left out, by line

// A value as it is drawn: from left to right, between its lowest and its highest.
interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
  isJoined: boolean; // begins where the one before it ends
}

export function paintCounter(context: CanvasRenderingContext2D, model: TimelineModel, lane: Lane, colours: Colours): void {
  const base = lane.top + lane.height - model.scrollTop - 1;
  context.fillStyle = colours.line;
  context.fillRect(0, base, model.width_px, 1);
  const scale = scaleOf(lane.counters);
  const y = (value: number): number => base - scale.share(value) * (lane.height - kTop_px - 1);
  lane.counters.forEach((counter, i) => {
    const boxes = boxesOf(model, counter, y);
    if (lane.counters.length > 1 || !scale.isFromZero) paintLine(context, boxes, colours.lines[i % colours.lines.length], kDashes[i % kDashes.length]);
    else paintArea(context, boxes, y(0), colours, counter.unit === 'share');
  });
}

function boxesOf(model: TimelineModel, counter: CounterInfo, y: (value: number) => number): Box[] {
  const boxes: Box[] = [];
  const perNs = model.width_px / spanOf(model.view);
  const x = (at_ns: number): number => (at_ns - model.view.start_ns) * perNs;
  let end_ns = -Infinity;
  for (const patch of model.counters.of(counter).covering(model.view, model.columns)) {
    for (const [from_ns, to_ns, low, high] of stretchesOf(patch, model.whole.end_ns)) {
      boxes.push({ left: x(from_ns), right: x(to_ns), top: y(high), bottom: y(low), isJoined: Math.abs(from_ns - end_ns) < 1 });
      end_ns = to_ns;
    }
  }
  return boxes;
}

// Start, end, lowest and highest: a value holds for its column, or to the next one if that is near.
function* stretchesOf({ tile, start_ns, end_ns }: Patch<LoadedPoints>, last_ns: number): Generator<[number, number, number, number]> {
  const { points, column_ns } = tile;
  const most_ns = Math.min(end_ns, last_ns);
  for (let i = 0; i < points.length; ++i) {
    const [at_ns, low, high] = points[i];
    const next_ns = points[i + 1]?.[0] ?? Infinity;
    const until_ns = next_ns < at_ns + 1.5 * column_ns ? next_ns : at_ns + column_ns;
    const [from_ns, to_ns] = [Math.max(at_ns, start_ns), Math.min(until_ns, most_ns)];
    if (to_ns > from_ns) yield [from_ns, to_ns, low, high];
  }
}

// Between the value and zero.
function paintArea(context: CanvasRenderingContext2D, boxes: readonly Box[], zero: number, colours: Colours, isShare: boolean): void {
  context.fillStyle = colours.counter;
  for (const [edge, alpha] of [['top', 0.3], ['bottom', 0.45]] as const) {
    context.globalAlpha = alpha;
    context.beginPath();
    for (const box of boxes) context.rect(box.left, box[edge], box.right - box.left, zero - box[edge]);
    context.fill();
  }
  context.globalAlpha = 1;
  if (!isShare) paintLine(context, boxes, colours.counter, kDashes[0]);
}

function paintLine(context: CanvasRenderingContext2D, boxes: readonly Box[], colour: string, [drawn, gap]: readonly [number, number]): void {
  context.fillStyle = colour;
  boxes.forEach((box, i) => {
    if (gap > 0 && Math.floor(box.left) % (drawn + gap) >= drawn && box.bottom - box.top < 2 && box.right - box.left < drawn) return;
    let { top, bottom } = box;
    const before = box.isJoined ? boxes[i - 1] : undefined;
    if (before) {
      top = Math.min(top, before.bottom);
      bottom = Math.max(bottom, before.top);
    }
    if (gap > 0 && box.right - box.left >= drawn) {
      for (let x = box.left; x < box.right; x += drawn + gap) context.fillRect(x, box.top - kLine_px / 2, Math.min(drawn, box.right - x), Math.max(kLine_px, box.bottom - box.top));
      return;
    }
    context.fillRect(box.left, top - kLine_px / 2, Math.max(1, box.right - box.left), Math.max(kLine_px, bottom - top + kLine_px));
  });
}
