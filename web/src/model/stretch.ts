import type { Viewport } from './viewport.ts';

// A stretch of time in a link from a table to the timeline. Both count from the earliest slice of the trace.

export function stretchText(start_ns: number, length_ns: number): string {
  return `${Math.round(Math.max(0, start_ns))}-${Math.round(Math.max(0, start_ns) + length_ns)}`;
}

// The stretch in a parameter of a link; null if there is none.
export function stretchIn(text: string | undefined): Viewport | null {
  const [start_ns, end_ns] = (text ?? '').split('-').map(Number);
  return end_ns > start_ns ? { start_ns, end_ns } : null;
}
