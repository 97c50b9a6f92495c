import { type Viewport, between, clamped, fitted, framing, panned, shifted, spanOf, zoomed } from './viewport.ts';

// The range of time that is on the screen, and how it moves. Timelines that share one move together: they use its time, each
// with its own origin.

export interface Listener {
  moved: () => void; // or is about to
  pointed: () => void;
}

export class TimeWindow {
  reach: Viewport; // everything that can be shown
  view: Viewport;
  goal: Viewport | null = null; // the target of an animation
  pointer_ns: number | null = null; // the time under the pointer, on one of the timelines
  private readonly listeners = new Set<Listener>();
  private frame = -1;

  constructor(reach: Viewport) {
    this.reach = reach;
    this.view = fitted(reach);
  }

  // Returns a function that stops it.
  listen(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  set(view: Viewport): void {
    this.view = clamped(view, this.reach);
    this.goal = null;
    this.changed();
  }

  glideTo(view: Viewport): void {
    this.goal = clamped(view, this.reach);
    this.changed();
  }

  // Zooms and pans add to the target of a running animation, so that quick keys are not lost.
  zoom(factor: number, at_ns: number | null, glide: boolean): void {
    const from = this.goal ?? this.view;
    this.move(zoomed(from, factor, at_ns ?? (from.start_ns + from.end_ns) / 2, this.reach), glide);
  }

  pan(share: number, glide: boolean): void {
    const from = this.goal ?? this.view;
    this.move(panned(from, share * spanOf(from), this.reach), glide);
  }

  fit(): void {
    this.glideTo(fitted(this.reach));
  }

  // The trace has grown, and its times have moved by `by_ns`: what is on the screen stays.
  regrow(reach: Viewport, by_ns: number): void {
    this.reach = reach;
    this.view = clamped(shifted(this.view, by_ns), reach);
    this.goal = this.goal && clamped(shifted(this.goal, by_ns), reach);
    if (this.pointer_ns !== null) this.pointer_ns += by_ns;
    this.changed();
  }

  point(at_ns: number | null): void {
    if (at_ns === this.pointer_ns) return;
    this.pointer_ns = at_ns;
    for (const listener of this.listeners) listener.pointed();
  }

  // One step of the animation, `share` of the remaining way; at most once per frame.
  advance(frame: number, share: number, width_px: number): void {
    if (this.goal === null || frame === this.frame) return;
    this.frame = frame;
    const { goal } = this;
    const next = between(this.view, goal, share);
    const left_ns = Math.abs(next.start_ns - goal.start_ns) + Math.abs(next.end_ns - goal.end_ns);
    const isThere = share === 1 || left_ns < (spanOf(goal) / width_px) * 0.5;
    this.view = isThere ? goal : next;
    if (isThere) this.goal = null;
  }

  private move(view: Viewport, glide: boolean): void {
    if (glide) this.glideTo(view);
    else this.set(view);
  }

  private changed(): void {
    for (const listener of this.listeners) listener.moved();
  }
}

export interface Attached {
  readonly whole: Viewport; // everything it can show, in its own time
  attach: (window: TimeWindow, zero_ns: number) => void;
}

// One window for several timelines, so that the given ranges begin at the same place on the screen and all are fully visible.
export function align(timelines: readonly { timeline: Attached; start_ns: number; duration_ns: number }[]): TimeWindow {
  const extents = timelines.map(({ timeline, start_ns }) => shifted(timeline.whole, -start_ns));
  const window = new TimeWindow({
    start_ns: Math.min(...extents.map((one) => one.start_ns)), end_ns: Math.max(...extents.map((one) => one.end_ns)),
  });
  window.set(framing(0, Math.max(...timelines.map((one) => one.duration_ns)), window.reach, 0.86));
  for (const { timeline, start_ns } of timelines) timeline.attach(window, start_ns);
  return window;
}
