import { roundStep } from './numbers.ts';

// The part of a trace's time that is on the screen.
export interface Viewport {
  start_ns: number;
  end_ns: number;
}

const kLeastSpan_ns = 20;
// How much empty space may be shown beside the trace, as a share of the window.
const kMargin = 0.04;

export function spanOf(view: Viewport): number {
  return view.end_ns - view.start_ns;
}

export function shifted(view: Viewport, by_ns: number): Viewport {
  return { start_ns: view.start_ns + by_ns, end_ns: view.end_ns + by_ns };
}

// Keeps the window within `reach`, which is everything that can be shown, and its span within drawable limits.
export function clamped(view: Viewport, reach: Viewport): Viewport {
  const whole = Math.max(spanOf(reach), kLeastSpan_ns);
  const width = Math.min(Math.max(spanOf(view), kLeastSpan_ns), whole * (1 + 2 * kMargin));
  const margin = width * kMargin;
  const least = reach.start_ns - margin;
  const most = Math.max(reach.start_ns + whole + margin - width, least);
  const centre = (view.start_ns + view.end_ns) / 2;
  const start = Math.min(Math.max(centre - width / 2, least), most);
  return { start_ns: start, end_ns: start + width };
}

export function fitted(reach: Viewport): Viewport {
  const margin = spanOf(reach) * 0.01;
  return clamped({ start_ns: reach.start_ns - margin, end_ns: reach.end_ns + margin }, reach);
}

// `at_ns` stays where it is on the screen; factor 2 shows half as much time.
export function zoomed(view: Viewport, factor: number, at_ns: number, reach: Viewport): Viewport {
  const width = Math.min(Math.max(spanOf(view) / factor, kLeastSpan_ns), spanOf(reach) * (1 + 2 * kMargin));
  const share = (at_ns - view.start_ns) / spanOf(view);
  const start = at_ns - share * width;
  return clamped({ start_ns: start, end_ns: start + width }, reach);
}

export function panned(view: Viewport, by_ns: number, reach: Viewport): Viewport {
  return clamped(shifted(view, by_ns), reach);
}

// Centres `start`..`end` on the screen, with some context.
export function framing(start_ns: number, duration_ns: number, reach: Viewport, share = 0.6): Viewport {
  const width = Math.max(duration_ns / share, kLeastSpan_ns * 4);
  const centre = start_ns + duration_ns / 2;
  return clamped({ start_ns: centre - width / 2, end_ns: centre + width / 2 }, reach);
}

// The same zoom, moved just enough to show a slice; framed if it would be too small or too large.
export function revealing(view: Viewport, start_ns: number, duration_ns: number, reach: Viewport): Viewport {
  const width = spanOf(view);
  const share = duration_ns / width;
  if (share < 0.01 || share > 0.9) return framing(start_ns, duration_ns, reach, 0.25);
  const end = start_ns + duration_ns;
  if (start_ns >= view.start_ns && end <= view.end_ns) return view;
  const centre = start_ns + duration_ns / 2;
  return clamped({ start_ns: centre - width / 2, end_ns: centre + width / 2 }, reach);
}

export function between(from: Viewport, to: Viewport, share: number): Viewport {
  // Widths are interpolated as ratios, so that zooming feels even at every scale.
  const width = spanOf(from) * (spanOf(to) / spanOf(from)) ** share;
  const ratio = spanOf(to) === spanOf(from) ? share : (width - spanOf(from)) / (spanOf(to) - spanOf(from));
  const start = from.start_ns + (to.start_ns - from.start_ns) * ratio;
  return { start_ns: start, end_ns: start + width };
}

export interface Tick {
  at_ns: number;
  text: string;
}

// Round times for the axis, and their texts: as many digits as needed to distinguish neighbours. None before `from_ns`.
export function ticks(view: Viewport, width_px: number, from_ns = 0, least_px = 110): Tick[] {
  const most = Math.max(1, Math.floor(width_px / least_px));
  const step = Math.max(1, roundStep(spanOf(view) / most));
  const out: Tick[] = [];
  for (let i = Math.ceil(view.start_ns / step); i * step <= view.end_ns; ++i) {
    const at = i * step;
    if (at >= from_ns) out.push({ at_ns: at, text: tickText(at, step) });
  }
  return out;
}

function tickText(at_ns: number, step_ns: number): string {
  const far_ns = Math.max(Math.abs(at_ns), step_ns);
  const [name, size] = far_ns >= 1e9 ? ['s', 1e9] : far_ns >= 1e6 ? ['ms', 1e6] : far_ns >= 1e3 ? ['µs', 1e3] : ['ns', 1];
  if (at_ns === 0) return '0';
  const decimals = Math.max(0, Math.round(Math.log10(size as number) - Math.floor(Math.log10(step_ns) + 1e-9)));
  return `${at_ns < 0 ? '−' : ''}${(Math.abs(at_ns) / (size as number)).toFixed(decimals)} ${name}`;
}
