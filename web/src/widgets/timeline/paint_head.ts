import type { TimelineModel } from '../../model/timeline_model.ts';
import { durationText } from '../../model/units.ts';
import { fitted, spanOf, ticks } from '../../model/viewport.ts';
import type { Colours } from './colours.ts';
import { kFont } from './words.ts';

// Above the tracks: the whole trace with the window in it, the axis, the steps.

export const kStrip_px = 26;
export const kAxis_px = 22;
export const kSteps_px = 18;

export function headHeight(model: TimelineModel): number {
  return kStrip_px + kAxis_px + (model.info.steps.length > 0 ? kSteps_px : 0);
}

// A time of the whole trace on the strip.
export function stripX(model: TimelineModel, at_ns: number): number {
  const whole = fitted(model.reach);
  return ((at_ns - whole.start_ns) / spanOf(whole)) * model.width_px;
}

export function stripTime(model: TimelineModel, x: number): number {
  const whole = fitted(model.reach);
  return whole.start_ns + (x / model.width_px) * spanOf(whole);
}

export function paintHead(canvas: HTMLCanvasElement, model: TimelineModel, colours: Colours, pointer_ns: number | null): void {
  const context = canvas.getContext('2d', { alpha: false })!;
  const { density, width_px } = model;
  const height = headHeight(model);
  const [w, h] = [Math.round(width_px * density), Math.round(height * density)];
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
  }
  context.setTransform(density, 0, 0, density, 0, 0);
  context.fillStyle = colours.background;
  context.fillRect(0, 0, width_px, height);
  context.font = kFont;
  context.textBaseline = 'middle';
  paintStrip(context, model, colours);
  paintAxis(context, model, colours);
  if (model.info.steps.length > 0) paintStepNames(context, model, colours);
  if (pointer_ns !== null) paintPointer(context, model, colours, pointer_ns);
  context.fillStyle = colours.line;
  context.fillRect(0, height - 1, width_px, 1);
}

function paintStrip(context: CanvasRenderingContext2D, model: TimelineModel, colours: Colours): void {
  const whole = fitted(model.reach);
  const base = kStrip_px - 1;
  const info = model.stripCounter;
  context.fillStyle = colours.counter;
  context.globalAlpha = 0.55;
  if (info) {
    for (const { tile, end_ns } of model.counters.of(info).covering(whole, 1)) {
      const { points } = tile;
      // The whole trace in a few pixels: scaled to its own maximum, not to the possible one.
      const most = points.reduce((a, point) => Math.max(a, point[2]), 0) || 1;
      points.forEach(([at, , high], i) => {
        const x = stripX(model, at);
        const next = stripX(model, points[i + 1]?.[0] ?? Math.min(end_ns, model.whole.end_ns));
        const tall = (high / most) * (kStrip_px - 6);
        context.fillRect(x, base - tall, Math.max(1, next - x), tall);
      });
    }
  }
  const left = stripX(model, model.view.start_ns);
  const right = Math.max(left + 3, stripX(model, model.view.end_ns));
  context.globalAlpha = 0.62;
  context.fillStyle = colours.band;
  context.fillRect(0, 0, Math.max(0, left), kStrip_px);
  context.fillRect(right, 0, model.width_px - right, kStrip_px);
  context.globalAlpha = 1;
  context.strokeStyle = colours.accent;
  context.lineWidth = 1.5;
  context.strokeRect(left + 0.5, 1, right - left - 1, kStrip_px - 2);
}

function paintAxis(context: CanvasRenderingContext2D, model: TimelineModel, colours: Colours): void {
  const top = kStrip_px;
  context.fillStyle = colours.muted;
  for (const tick of ticks(model.window.view, model.width_px, model.window.reach.start_ns)) {
    const x = Math.round(model.xOf(tick.at_ns + model.zero_ns));
    context.globalAlpha = 0.5;
    context.fillRect(x, top + 4, 1, kAxis_px - 4);
    context.globalAlpha = 1;
    const left = x + 5;
    if (left + context.measureText(tick.text).width <= model.width_px) context.fillText(tick.text, left, top + kAxis_px / 2 + 1);
  }
}

function paintStepNames(context: CanvasRenderingContext2D, model: TimelineModel, colours: Colours): void {
  const top = kStrip_px + kAxis_px;
  let free = -Infinity;
  for (const [i, step] of model.info.steps.entries()) {
    const from = model.xOf(step.start_ns);
    const to = model.xOf(step.start_ns + step.duration_ns);
    if (to < 0 || from > model.width_px) continue;
    context.fillStyle = colours.muted;
    context.globalAlpha = i % 2 === 0 ? 0.2 : 0.12;
    context.fillRect(from, top + 1, Math.max(1, to - from - 1), kSteps_px - 3);
    if (model.focus?.start_ns === step.start_ns) {
      context.globalAlpha = 1;
      context.strokeStyle = colours.accent;
      context.lineWidth = 1.5;
      context.strokeRect(from + 0.5, top + 1.5, Math.max(1, to - from - 2), kSteps_px - 4);
    }
    context.globalAlpha = 1;
    const left = Math.max(from, 0) + 5;
    const name = step.name;
    const text = context.measureText(name).width < to - left - 4 ? name : (/#?\d+$/.exec(name)?.[0] ?? '');
    const width = context.measureText(text).width;
    if (text === '' || left < free || width > to - left) continue;
    context.fillStyle = colours.text;
    context.fillText(text, left, top + kSteps_px / 2);
    free = left + width + 6;
  }
}

function paintPointer(context: CanvasRenderingContext2D, model: TimelineModel, colours: Colours, at_ns: number): void {
  const x = model.xOf(at_ns);
  const text = model.mark_ns === null ? preciseTime(at_ns - model.zero_ns, spanOf(model.view) / model.width_px)
    : `Δ ${durationText(Math.abs(at_ns - model.mark_ns))}`;
  const width = context.measureText(text).width + 10;
  const left = Math.min(Math.max(0, x - width / 2), model.width_px - width);
  context.fillStyle = colours.text;
  context.fillRect(left, kStrip_px + 2, width, kAxis_px - 4);
  context.fillStyle = colours.background;
  context.fillText(text, left + 5, kStrip_px + kAxis_px / 2 + 0.5);
}

// As many digits as the width of a pixel justifies.
export function preciseTime(at_ns: number, pixel_ns: number): string {
  const [name, size] = Math.abs(at_ns) >= 1e9 ? ['s', 1e9] as const : Math.abs(at_ns) >= 1e6 ? ['ms', 1e6] as const : ['µs', 1e3] as const;
  const decimals = Math.max(0, Math.min(9, Math.ceil(Math.log10(size / Math.max(pixel_ns, 1)))));
  return `${(at_ns / size).toFixed(decimals)} ${name}`;
}
