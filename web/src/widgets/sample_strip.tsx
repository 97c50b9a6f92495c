import type { JSX } from 'preact';

import type { BenchTime } from '../api/bench_types.ts';
import { histogramOf, microText } from '../model/bench_samples.ts';

// The samples of one time as a histogram, with the median and its interval.

const kWidth = 372;
const kHeight = 46;

export function SampleStrip({ time, name, look }: { time: BenchTime; name: string; look: 'baseline' | 'contender' }): JSX.Element | null {
  const histogram = histogramOf(time.samples_us);
  if (!histogram) return null;
  const { low, high, counts, beyond } = histogram;
  const most = Math.max(1, ...counts);
  const wide = kWidth / counts.length;
  const at = (us: number): number => (high > low ? Math.min(kWidth, Math.max(0, ((us - low) / (high - low)) * kWidth)) : kWidth / 2);
  const left = time.low_us === null ? null : at(time.low_us);
  const right = time.high_us === null ? null : at(time.high_us);
  return (
    <figure class={`sample-strip ${look}`}>
      <figcaption><span class="strip-name">{name}</span><span class="muted number">{time.samples_us.length} samples{time.set_aside > 0 ? `, ${time.set_aside} set aside` : ''}</span></figcaption>
      <svg viewBox={`0 0 ${kWidth} ${kHeight + 14}`} role="img" aria-label={`${name}: ${time.samples_us.length} samples from ${microText(low)} to ${microText(high)}, median ${microText(time.p50_us)}`}>
        {left !== null && right !== null && <rect class="interval-band" x={left} width={Math.max(1, right - left)} y={0} height={kHeight} />}
        {counts.map((count, i) => count > 0 && <rect key={i} class="bin" x={i * wide + 0.5} width={Math.max(1, wide - 1)} y={kHeight - (count / most) * (kHeight - 4)} height={(count / most) * (kHeight - 4)} />)}
        <line class="base" x1={0} x2={kWidth} y1={kHeight + 0.5} y2={kHeight + 0.5} />
        <line class="median" x1={at(time.p50_us)} x2={at(time.p50_us)} y1={0} y2={kHeight} />
        <text x={0} y={kHeight + 12}>{microText(low)}</text>
        <text x={kWidth} y={kHeight + 12} class="end">{beyond > 0 ? `${beyond} beyond ` : ''}{microText(high)}</text>
      </svg>
    </figure>
  );
}
