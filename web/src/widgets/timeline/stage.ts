import type { TimelineModel } from '../../model/timeline_model.ts';
import { prefersStill } from '../hooks.ts';
import type { Colours } from './colours.ts';
import type { Layer } from './layer.ts';
import { BodyPainter } from './paint_body.ts';
import { paintHead } from './paint_head.ts';
import { type Overlay, paintOverlay } from './paint_overlay.ts';

// Connects model and canvases: at most one painting per frame, with animations in between.

export interface Canvases {
  head: HTMLCanvasElement;
  body: HTMLCanvasElement;
  overlay: HTMLCanvasElement;
  scroller: HTMLElement;
}

const kGlideMs = 70; // time in which an animation covers two thirds of the way

export class Stage {
  readonly model: TimelineModel;
  readonly overlay: Overlay = { pointer: null, hover: null, dragged: null };
  readonly pressed = new Map<string, number>(); // keys held down, and since when
  private readonly canvases: Canvases;
  readonly layer: Layer | null;
  private readonly painter: BodyPainter;
  private readonly onSettled: () => void; // painted, and nothing moves
  private colours: Colours;
  private frame = 0;
  private lastFrame = 0;
  private isBodyStale = true;

  constructor(model: TimelineModel, canvases: Canvases, colours: Colours, onSettled: () => void, layer: Layer | null = null) {
    this.model = model;
    this.layer = layer;
    this.canvases = canvases;
    this.colours = colours;
    this.painter = new BodyPainter(canvases.body);
    this.onSettled = onSettled;
    model.onRepaint = () => this.repaint();
    model.onPointed = () => this.repaintOverlay();
  }

  stop(): void {
    cancelAnimationFrame(this.frame);
    this.model.onRepaint = () => {};
    this.model.onPointed = () => {};
  }

  recolour(colours: Colours): void {
    this.colours = colours;
    this.repaint();
  }

  repaint(): void {
    this.isBodyStale = true;
    this.repaintOverlay();
  }

  repaintOverlay(): void {
    if (this.frame === 0) this.frame = requestAnimationFrame((now) => this.paint(now));
  }

  private paint(now: number): void {
    this.frame = 0;
    const { model, canvases, colours } = this;
    const passed = Math.min(50, now - this.lastFrame);
    this.lastFrame = now;
    const moves = this.advance(passed, now);
    const began = performance.now();
    if (this.isBodyStale) {
      model.look();
      this.layer?.look(model);
      this.painter.paint(model, colours, this.layer);
      this.isBodyStale = false;
    }
    paintHead(canvases.head, model, colours, model.pointer_ns);
    paintOverlay(canvases.overlay, model, colours, this.overlay, this.layer);
    this.report(performance.now() - began);
    if (moves) {
      this.isBodyStale = true;
      this.repaintOverlay();
    } else this.onSettled();
  }

  // For tests and the curious: how long the last painting took, whether all tiles are loaded.
  private report(took: number): void {
    const { dataset } = this.canvases.body;
    dataset['paintMs'] = took.toFixed(1);
    const complete = String(this.model.isComplete && (this.layer?.isComplete(this.model) ?? true));
    if (dataset['complete'] !== complete) dataset['complete'] = complete;
    const box = this.model.slice ? this.model.rectOf(this.model.slice) : null;
    dataset['chosen'] = box ? [box.x, box.y, box.width, box.height].map(Math.round).join(' ') : '';
    dataset['window'] = `${Math.round(this.model.view.start_ns)} ${Math.round(this.model.view.end_ns)}`;
  }

  // Advances animations and held keys; true while there is more to do.
  private advance(passed: number, now: number): boolean {
    const { model } = this;
    const held = this.advanceHeld(passed, now);
    const share = prefersStill() ? 1 : 1 - Math.exp(-passed / kGlideMs);
    if (model.goal) {
      model.window.advance(now, share, model.width_px);
      this.isBodyStale = true;
    }
    if (model.scrollGoal !== null) {
      const { scroller } = this.canvases;
      const left = model.scrollGoal - scroller.scrollTop;
      const isThere = Math.abs(left) < 1 || share === 1;
      scroller.scrollTop = isThere ? model.scrollGoal : scroller.scrollTop + Math.trunc(left * share) + Math.sign(left);
      model.scrollTop = scroller.scrollTop;
      if (isThere) model.scrollGoal = null;
      this.isBodyStale = true;
    }
    return held || model.goal !== null || model.scrollGoal !== null;
  }

  private advanceHeld(passed: number, now: number): boolean {
    const { model, overlay } = this;
    const kHoldMs = 160; // a short press is one step; a long one is a movement
    for (const [key, since] of this.pressed) {
      if (now - since < kHoldMs) continue;
      const at = overlay.pointer ? model.timeAt(overlay.pointer.x) : null;
      if (key === 'w') model.zoom(Math.exp(passed * 0.0042), at, false);
      else if (key === 's') model.zoom(Math.exp(-passed * 0.0042), at, false);
      else model.pan((key === 'a' ? -1 : 1) * passed * 0.0012, false);
      this.isBodyStale = true;
    }
    return this.pressed.size > 0;
  }
}
