import type { Link, SliceDetails, SliceRef } from '../../api/types.ts';
import type { Hit } from '../../model/pixels.ts';
import type { TimelineModel } from '../../model/timeline_model.ts';
import { durationText } from '../../model/units.ts';
import type { Colours } from './colours.ts';
import type { Layer } from './layer.ts';
import { kFont } from './words.ts';

// What changes with the pointer and the selection, on its own layer: the selected slice and its arrows, the area, the mark.

export interface Pointer {
  x: number;
  y: number;
}

export interface Overlay {
  pointer: Pointer | null;
  hover: (Hit & { track: number; row: number }) | null;
  dragged: { x0: number; y0: number; x1: number; y1: number } | null;
}

interface Point {
  x: number;
  y: number;
}

export interface Arrow {
  link: Link;
  from: Point;
  to: Point;
}

function isInside(inner: SliceRef, outer: SliceRef): boolean {
  return inner.track === outer.track && inner.row > outer.row && inner.start_ns >= outer.start_ns
    && inner.start_ns + inner.duration_ns <= outer.start_ns + outer.duration_ns;
}

// Nesting is visible without an arrow: of all slices that launched a kernel, only the innermost points to it.
function drawnLinks(slice: SliceDetails): Link[] {
  return slice.links.filter((link) => {
    if (isInside(slice, link) || isInside(link, slice)) return false;
    return link.kind !== 'launched_by' || !slice.links.some((other) => other.kind === 'launched_by' && isInside(other, link));
  });
}

// Arrows follow time: from the call to the kernel, forward to backward.
export function arrowsOf(model: TimelineModel): Arrow[] {
  const { slice } = model;
  if (!slice) return [];
  const arrows: Arrow[] = [];
  for (const link of drawnLinks(slice)) {
    const isOut = link.kind === 'launches' || link.kind === 'backward' || link.kind === 'flow_out';
    const [source, target]: SliceRef[] = isOut ? [slice, link] : [link, slice];
    const a = model.rectOf(source);
    const b = model.rectOf(target);
    if (!a || !b) continue;
    const down = b.y >= a.y;
    arrows.push({
      link,
      from: { x: a.x + Math.min(a.width / 2, 6), y: down ? a.y + a.height : a.y },
      to: { x: b.x, y: b.y + b.height / 2 },
    });
  }
  return arrows;
}

function controls({ from, to }: Arrow): [Point, Point] {
  const reach = Math.min(160, Math.max(24, Math.abs(to.x - from.x) * 0.4));
  return [{ x: from.x, y: from.y + Math.sign(to.y - from.y || 1) * Math.min(40, Math.abs(to.y - from.y) * 0.6 + 8) }, { x: to.x - reach, y: to.y }];
}

// The arrow under the pointer.
export function arrowAt(model: TimelineModel, pointer: Pointer): Arrow | null {
  for (const arrow of arrowsOf(model)) {
    const [c1, c2] = controls(arrow);
    for (let t = 0.04; t <= 1; t += 0.02) {
      const u = 1 - t;
      const mix = (a: number, b: number, c: number, d: number): number =>
        u * u * u * a + 3 * u * u * t * b + 3 * u * t * t * c + t * t * t * d;
      const x = mix(arrow.from.x, c1.x, c2.x, arrow.to.x);
      const y = mix(arrow.from.y, c1.y, c2.y, arrow.to.y);
      if (Math.hypot(x - pointer.x, y - pointer.y) < 5) return arrow;
    }
  }
  return null;
}

export function paintOverlay(canvas: HTMLCanvasElement, model: TimelineModel, colours: Colours, overlay: Overlay, layer: Layer | null): void {
  const context = canvas.getContext('2d')!;
  const { density, width_px, height_px } = model;
  const [w, h] = [Math.round(width_px * density), Math.round(height_px * density)];
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
  }
  context.setTransform(density, 0, 0, density, 0, 0);
  context.clearRect(0, 0, width_px, height_px);
  context.font = kFont;
  if (model.pointer_ns !== null) verticalLine(context, model.xOf(model.pointer_ns), height_px, colours.muted, 0.45);
  if (model.mark_ns !== null) paintMark(context, model, colours, overlay.pointer);
  paintArea(context, model, colours, overlay);
  paintChosen(context, model, colours, overlay);
  layer?.paintOverlay(context, model, colours, overlay.hover || overlay.dragged ? null : overlay.pointer);
}

function verticalLine(context: CanvasRenderingContext2D, x: number, height: number, colour: string, alpha: number): void {
  context.globalAlpha = alpha;
  context.fillStyle = colour;
  context.fillRect(Math.round(x), 0, 1, height);
  context.globalAlpha = 1;
}

function paintMark(context: CanvasRenderingContext2D, model: TimelineModel, colours: Colours, pointer: Pointer | null): void {
  const x = model.xOf(model.mark_ns!);
  verticalLine(context, x, model.height_px, colours.accent, 1);
  if (!pointer) return;
  const y = Math.min(Math.max(pointer.y, 20), model.height_px - 12);
  ruler(context, x, pointer.x, y, durationText(Math.abs(model.timeAt(pointer.x) - model.mark_ns!)), colours);
}

// |<---- 1.23 ms ---->|
function ruler(context: CanvasRenderingContext2D, x0: number, x1: number, y: number, text: string, colours: Colours): void {
  const [left, right] = [Math.min(x0, x1), Math.max(x0, x1)];
  context.fillStyle = colours.accent;
  context.fillRect(left, y, right - left, 1);
  for (const x of [left, right]) context.fillRect(x, y - 4, 1, 9);
  chip(context, (left + right) / 2, y, text, colours.accent, colours.background);
}

function chip(context: CanvasRenderingContext2D, x: number, y: number, text: string, fill: string, ink: string): void {
  const width = context.measureText(text).width + 12;
  context.fillStyle = fill;
  context.beginPath();
  context.roundRect(x - width / 2, y - 9, width, 18, 4);
  context.fill();
  context.fillStyle = ink;
  context.textBaseline = 'middle';
  context.fillText(text, x - width / 2 + 6, y + 0.5);
}

function paintArea(context: CanvasRenderingContext2D, model: TimelineModel, colours: Colours, overlay: Overlay): void {
  const area = overlay.dragged
    ? model.areaBetween(overlay.dragged.x0, overlay.dragged.y0, overlay.dragged.x1, overlay.dragged.y1) : model.area;
  if (!area) return;
  const left = model.xOf(area.start_ns);
  const right = model.xOf(area.end_ns);
  const top = area.top - model.scrollTop;
  const height = area.bottom - area.top;
  context.fillStyle = colours.accent;
  context.globalAlpha = 0.12;
  context.fillRect(left, top, right - left, height);
  context.globalAlpha = 1;
  context.strokeStyle = colours.accent;
  context.lineWidth = 1;
  context.strokeRect(left + 0.5, top + 0.5, right - left, height);
  ruler(context, left, right, Math.min(Math.max(top + 14, 14), model.height_px - 14), durationText(area.end_ns - area.start_ns), colours);
}

function paintChosen(context: CanvasRenderingContext2D, model: TimelineModel, colours: Colours, overlay: Overlay): void {
  const { hover, pointer } = overlay;
  if (hover) {
    const box = model.rectOf({ slice: 0, ...hover });
    if (box) outline(context, box, colours.text, 1);
  }
  if (!model.slice) return;
  const under = pointer && !hover ? arrowAt(model, pointer) : null;
  const arrows = arrowsOf(model);
  for (const arrow of arrows) {
    const isThick = under?.link.slice === arrow.link.slice;
    paintArrow(context, arrow, colours.accent, isThick ? 2.5 : 1.25, arrows.length > 30 && !isThick ? 0.35 : 0.9);
  }
  for (const { link } of arrows) {
    const box = model.rectOf(link);
    if (box && box.x < model.width_px && box.x + box.width > 0) outline(context, box, colours.accent, 1);
  }
  const box = model.rectOf(model.slice);
  if (box) outline(context, box, colours.accent, 2);
}

function outline(context: CanvasRenderingContext2D, box: { x: number; y: number; width: number; height: number }, colour: string, line: number): void {
  context.strokeStyle = colour;
  context.lineWidth = line;
  const left = Math.max(box.x, -4);
  const right = Math.min(box.x + box.width, 8000);
  if (right > left) context.strokeRect(left - line / 2, box.y - line / 2, right - left + line / 2, box.height);
}

function paintArrow(context: CanvasRenderingContext2D, arrow: Arrow, colour: string, line: number, alpha: number): void {
  const [c1, c2] = controls(arrow);
  const { from, to } = arrow;
  context.globalAlpha = alpha;
  context.strokeStyle = colour;
  context.fillStyle = colour;
  context.lineWidth = line;
  context.beginPath();
  context.moveTo(from.x, from.y);
  context.bezierCurveTo(c1.x, c1.y, c2.x, c2.y, to.x - 5, to.y);
  context.stroke();
  context.beginPath();
  context.moveTo(to.x, to.y);
  context.lineTo(to.x - 7, to.y - 4);
  context.lineTo(to.x - 7, to.y + 4);
  context.fill();
  context.globalAlpha = 1;
}
