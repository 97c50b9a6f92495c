import { type Label, hatchLine, paintLine, repeatLine, rowKey } from '../../model/pixels.ts';
import type { TimelineModel } from '../../model/timeline_model.ts';
import { type Lane, isCondition } from '../../model/track_layout.ts';
import type { Colours } from './colours.ts';
import type { Layer } from './layer.ts';
import { paintCounter } from './paint_counters.ts';
import { Words, kFont } from './words.ts';

// The rows of slices: pixels first, in one image, then words and counters on top of it.

const kLeastLabel_px = 26;
const kLeastStep_px = 24; // lines between narrower steps would become a grey area

interface PlacedLabel extends Label {
  y: number;
  height: number;
}

export class BodyPainter {
  private readonly canvas: HTMLCanvasElement;
  private readonly context: CanvasRenderingContext2D;
  private readonly words: Words;
  private image: ImageData | null = null;
  private pixels = new Uint32Array(0);
  private line = new Uint32Array(0);

  constructor(canvas: HTMLCanvasElement) {
    this.canvas = canvas;
    this.context = canvas.getContext('2d', { alpha: false })!;
    this.context.font = kFont;
    this.words = new Words(this.context);
  }

  // A layer draws the steps itself.
  paint(model: TimelineModel, colours: Colours, layer: Layer | null): void {
    const { density } = model;
    const width = Math.max(1, model.columns);
    const height = Math.max(1, Math.round(model.height_px * density));
    this.resize(width, height);
    this.pixels.fill(colours.inks.background);
    const labels: PlacedLabel[] = [];
    const lanes = visibleLanes(model);
    const patches = model.patches();
    for (const lane of lanes) {
      if (!lane.track) continue;
      const rows = lane.shape === 'closed' ? 1 : lane.track.rows;
      const gap = lane.rowHeight > 8 ? Math.max(1, Math.round(density)) : 0;
      for (let row = 0; row < rows; ++row) {
        const y = lane.top + row * lane.rowHeight - model.scrollTop;
        if (y + lane.rowHeight < 0 || y > model.height_px) continue;
        const least = lane.rowHeight > 8 ? kLeastLabel_px * density : Infinity;
        const isPainted = paintLine(this.line, patches, rowKey(lane.track.track, row), model.view, colours.inks, least,
                                    (label) => labels.push({ ...label, y, height: lane.rowHeight }));
        if (!isPainted) continue;
        const top = Math.round(y * density);
        const bottom = Math.round((y + lane.rowHeight) * density) - gap;
        if (isCondition(lane.track)) hatchLine(this.pixels, this.line, top, bottom, colours.inks, density);
        else repeatLine(this.pixels, this.line, top, bottom);
      }
    }
    this.context.putImageData(this.image!, 0, 0);

    const context = this.context;
    context.setTransform(density, 0, 0, density, 0, 0);
    this.paintBands(model, lanes, colours);
    if (!layer) this.paintSteps(model, colours);
    for (const lane of lanes) if (lane.counters.length > 0 && lane.shape !== 'closed') paintCounter(context, model, lane, colours);
    this.paintLabels(labels, density, colours);
    layer?.paint(context, model, colours);
    context.setTransform(1, 0, 0, 1, 0, 0);
  }

  private resize(width: number, height: number): void {
    if (this.image && this.image.width === width && this.image.height === height) return;
    this.canvas.width = width;
    this.canvas.height = height;
    this.image = new ImageData(width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.line = new Uint32Array(width);
  }

  private paintBands(model: TimelineModel, lanes: readonly Lane[], colours: Colours): void {
    this.context.fillStyle = colours.band;
    for (const lane of lanes) {
      if (lane.kind === 'group') this.context.fillRect(0, lane.top - model.scrollTop, model.width_px, lane.height);
    }
  }

  private paintSteps(model: TimelineModel, colours: Colours): void {
    const { context } = this;
    context.fillStyle = colours.muted;
    context.globalAlpha = 0.28;
    for (const step of model.info.steps) {
      const x = Math.round(model.xOf(step.start_ns));
      const width = model.xOf(step.start_ns + step.duration_ns) - x;
      if (x >= 0 && x <= model.width_px && width >= kLeastStep_px) context.fillRect(x, 0, 1, model.height_px);
    }
    context.globalAlpha = 1;
  }

  private paintLabels(labels: readonly PlacedLabel[], density: number, colours: Colours): void {
    const { context } = this;
    context.font = kFont;
    context.textBaseline = 'middle';
    context.fillStyle = colours.sliceText;
    for (const label of labels) {
      const text = this.words.fitting(label.name, label.width / density - 9);
      if (text === '') continue;
      context.globalAlpha = label.dimmed ? 0.45 : 1;
      context.fillText(text, label.x / density + 4, label.y + label.height / 2);
    }
    context.globalAlpha = 1;
  }
}

export function visibleLanes(model: TimelineModel): Lane[] {
  const bottom = model.scrollTop + model.height_px;
  return model.layout.lanes.filter((lane) => lane.top + lane.height > model.scrollTop && lane.top < bottom);
}
