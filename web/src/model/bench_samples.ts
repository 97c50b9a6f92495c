import { durationText } from './units.ts';

// The distribution of a cell's samples.

export interface Histogram {
  low: number;
  high: number;
  counts: number[];
  beyond: number; // samples above the last bin: an outlier must not squeeze the rest
}

const kMostBins = 48;
const kWithin = 0.99;

export function histogramOf(samples: readonly number[]): Histogram | null {
  const sorted = samples.filter(Number.isFinite).sort((a, b) => a - b);
  if (sorted.length < 2) return null;
  const low = sorted[0];
  const last = sorted[sorted.length - 1];
  const within = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * kWithin))];
  // Only far outliers are left out.
  const high = last - low > 2 * (within - low) && within > low ? within : last;
  const bins = Math.max(8, Math.min(kMostBins, Math.ceil(Math.sqrt(sorted.length) * 1.5)));
  const counts = new Array<number>(bins).fill(0);
  let beyond = 0;
  for (const sample of sorted) {
    if (sample > high) ++beyond;
    else ++counts[high > low ? Math.min(bins - 1, Math.floor(((sample - low) / (high - low)) * bins)) : 0];
  }
  return { low, high, counts, beyond };
}

export const microText = (us: number): string => durationText(us * 1e3);

// "507 µs ± 0.4 %": half the width of the interval, of the median.
export function halfWidthText(time: { p50_us: number; low_us: number | null; high_us: number | null }): string {
  if (time.low_us === null || time.high_us === null || time.p50_us <= 0) return '';
  const share = (time.high_us - time.low_us) / 2 / time.p50_us;
  return `± ${(share * 100).toFixed(share < 0.0095 ? 2 : 1)} %`;
}
