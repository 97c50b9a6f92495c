import type { Change, CompareAnswer, ComparedFunction, ComparedMetric, Comparison, Row, Table } from '../api/types.ts';
import { prefixOf, threeDigits } from './units.ts';

// The words and rows of a comparison on the page.

export const kAnswers: Record<CompareAnswer, { word: string; tone: 'bad' | 'good' | 'plain' | 'warn' }> = {
  slower: { word: 'Slower', tone: 'bad' },
  faster: { word: 'Faster', tone: 'good' },
  shifted: { word: 'Shifted', tone: 'warn' },
  no_change: { word: 'No change', tone: 'plain' },
  unclear: { word: 'Unclear', tone: 'warn' },
  cannot_tell: { word: 'Cannot tell', tone: 'warn' },
};

const kConfidentScore = 0.75; // as in the sentences of the verdict

// The certainty of a cause, in words and with its score.
export function certaintyText(score: number): string {
  return `${isConfident(score) ? 'confident' : 'not sure'}, score ${score.toFixed(2)} of 1`;
}

export function isConfident(score: number): boolean {
  return score >= kConfidentScore;
}

export function isChanged(row: ComparedFunction): boolean {
  return row.verdict !== '~' && !row.verdict.startsWith('too few');
}

function ns(ms: number | null): number | null {
  return ms === null ? null : ms * 1e6;
}

// One row per function, device, rank and type of cycles; `index` refers to it.
export function functionTable(comparison: Comparison, onlyChanged: boolean): Table {
  const several = (key: 'rank' | 'cycle_type'): boolean => new Set(comparison.functions.map((row) => row[key])).size > 1;
  const [hasRanks, hasTypes] = [several('rank'), several('cycle_type')];
  const rows = comparison.functions.flatMap((row, index): Row[] => (onlyChanged && !isChanged(row) ? [] : [{
    index, function: row.function, device: row.device, rank: hasRanks ? String(row.rank) : null, cycle_type: hasTypes ? row.cycle_type : null,
    kind: row.kind, normal_ns: ns(row.ms.median_normal), abnormal_ns: ns(row.ms.median_abnormal),
    change_ns: ns(row.ms.shift), change_low_ns: ns(row.ms.shift_low), change_high_ns: ns(row.ms.shift_high),
    beta_change: row.dbeta, calls_normal: row.calls_normal, calls_abnormal: row.calls_abnormal, q: row.ms.q, cliffs_delta: row.cliffs_delta,
    verdict: row.verdict_text, suspicion: row.suspicion,
  }]));
  return {
    title: 'What changed', rows, rows_left_out: 0, notes: [],
    columns: [
      { key: 'function', type: 'name' }, { key: 'device', type: 'text' }, { key: 'rank', type: 'text' }, { key: 'cycle_type', type: 'text' },
      { key: 'kind', type: 'text' }, { key: 'normal_ns', type: 'duration_ns' }, { key: 'abnormal_ns', type: 'duration_ns' },
      { key: 'change_ns', type: 'duration_ns' }, { key: 'change_low_ns', type: 'duration_ns' }, { key: 'change_high_ns', type: 'duration_ns' },
      { key: 'beta_change', type: 'count' }, { key: 'calls_normal', type: 'count' }, { key: 'calls_abnormal', type: 'count' }, { key: 'q', type: 'count' },
      { key: 'cliffs_delta', type: 'count' }, { key: 'verdict', type: 'text' }, { key: 'suspicion', type: 'count' },
    ],
  };
}

export const kFunctionColumns = ['function', 'device', 'rank', 'cycle_type', 'normal_ns', 'abnormal_ns', 'change_ns', 'beta_change', 'q', 'verdict'] as const;

// q for people: very small ones have no useful digits.
export function probabilityText(q: number | null): string {
  if (q === null) return '–';
  return q < 0.001 ? '<0.001' : q.toFixed(3);
}

export interface Span {
  low: number; // 0 to 1, on a scale with zero in it
  high: number;
  middle: number;
  zero: number;
}

// The position of an interval on a scale that all rows share. Changes differ by orders of magnitude, so positions use the
// square root; otherwise the largest would reduce all others to a point at zero.
export function spanOn(scale: { low: number; high: number }, low: number | null, middle: number | null, high: number | null): Span | null {
  if (middle === null) return null;
  const root = (value: number): number => Math.sign(value) * Math.sqrt(Math.abs(value));
  const width = root(scale.high) - root(scale.low) || 1;
  const place = (value: number): number => Math.min(1, Math.max(0, (root(value) - root(scale.low)) / width));
  return { low: place(low ?? scale.low), high: place(high ?? scale.high), middle: place(middle), zero: place(0) };
}

// The scale of all changes, with room for their intervals.
export function changeScale(rows: readonly Row[]): { low: number; high: number } {
  const values = rows.flatMap((row) => [row['change_low_ns'], row['change_ns'], row['change_high_ns']]).filter((one): one is number => typeof one === 'number');
  return { low: Math.min(0, ...values), high: Math.max(0, ...values) };
}

export interface MetricLine {
  names: string[]; // equal series have one line
  device: string;
  rank: number;
  unit: string;
  change: Change;
}

function isSame(a: Change, b: Change): boolean {
  return a.mean_normal === b.mean_normal && a.mean_abnormal === b.mean_abnormal && a.shift === b.shift && a.q === b.q;
}

// Both runs have values, but too few for a test.
export function isUntested(change: Change): boolean {
  return change.q === null && change.n_normal > 0 && change.n_abnormal > 0;
}

// As large as a change must be, without its test.
function differsUntested(change: Change): boolean {
  if (!isUntested(change) || change.shift === null || change.median_normal === null || change.cliffs_delta === null) return false;
  return Math.abs(change.cliffs_delta) >= 0.474 && Math.abs(change.shift) > 0.02 * Math.abs(change.median_normal);
}

// Those that changed, then those that differ but have too few samples for a test.
export function changedMetrics(metrics: readonly ComparedMetric[]): MetricLine[] {
  const lines: MetricLine[] = [];
  const untested = metrics.filter((metric) => !metric.changed && differsUntested(metric[metric.told_by]));
  for (const metric of [...metrics.filter((one) => one.changed), ...untested]) {
    const change = metric[metric.told_by];
    const twin = lines.find((one) => one.device === metric.device && one.rank === metric.rank && one.unit === metric.unit && isSame(one.change, change));
    if (twin) twin.names.push(metric.metric);
    else lines.push({ names: [metric.metric], device: metric.device, rank: metric.rank, unit: metric.unit, change });
  }
  return lines;
}

// "1.98 GB/s", "600 MHz": units that take a prefix get one.
export function quantityText(value: number | null, unit: string): string {
  if (value === null) return '–';
  if (unit === 'B/s' || unit === 'B') {
    const prefix = prefixOf(value);
    return `${threeDigits(value / prefix.size)} ${prefix.name}${unit}`.replace('-', '−');
  }
  return `${threeDigits(value)}${unit === '' ? '' : ` ${unit}`}`.replace('-', '−');
}

export function ratioText(change: Change): string {
  const { median_normal: from, median_abnormal: to } = change;
  if (from === null || to === null || from === 0) return '';
  return `× ${(to / from).toFixed(2)}`;
}

// A change of a share, in points: percents of a percent would be misread.
export function pointsText(points: number): string {
  const text = `${Math.abs(points) < 0.005 ? '0' : Math.abs(points).toFixed(2)} pt`;
  return Math.abs(points) < 0.005 ? text : points < 0 ? `−${text}` : `+${text}`;
}
