import type { BenchCell, BenchFile, BenchGrids, BenchPanel, BenchRun, BenchSection, BenchTable, GridMetric, GridTable } from '../api/bench_types.ts';
import type { BenchQuestion } from '../api/client.ts';
import type { Column, Row } from '../api/types.ts';
import { csvText } from './table.ts';
import { grouped, threeDigits } from './units.ts';

// Which table of a benchmark is shown, and how its cells read.

type Parameters = Readonly<Record<string, string>>;

export function likelyFile(files: readonly BenchFile[], wanted: string | undefined): BenchFile | null {
  if (wanted !== undefined) return files.find((one) => one.file === wanted) ?? null;
  return files.find((one) => one.kind === 'run') ?? files[0] ?? null;
}

// What people use today; the other side is what they might use.
const kBaselines: readonly RegExp[] = [/eager/, /unfused/, /torch/];
const kContenders: readonly RegExp[] = [/^cuda-fused/, /inductor/, /fused/];

function firstOf(names: readonly string[], wanted: readonly RegExp[], but: string | null): string | null {
  const others = names.filter((name) => name !== but);
  for (const pattern of wanted) {
    const found = others.find((name) => pattern.test(name) && !(pattern === kContenders[2] && /unfused/.test(name)));
    if (found !== undefined) return found;
  }
  return others[0] ?? null;
}

export function likelyProviders(providers: readonly string[], wanted: { baseline?: string; contender?: string }): { baseline: string; contender: string } {
  const known = (name: string | undefined): string | null => (name !== undefined && providers.includes(name) ? name : null);
  const contenderAsked = known(wanted.contender);
  const baseline = known(wanted.baseline) ?? firstOf(providers, kBaselines, contenderAsked) ?? providers[0] ?? '';
  const contender = contenderAsked ?? firstOf(providers, kContenders, baseline) ?? baseline;
  return { baseline, contender };
}

export function sectionOf(run: BenchRun, parameters: Parameters): BenchSection | null {
  const ofCase = run.sections.filter((one) => one.case === parameters['case']);
  return ofCase.find((one) => one.dtype === parameters['dtype']) ?? ofCase[0] ?? run.sections[0] ?? null;
}

export function casesOf(sections: readonly { case: string }[]): string[] {
  return [...new Set(sections.map((one) => one.case))];
}

export function runQuestion(run: BenchRun, parameters: Parameters): BenchQuestion | null {
  const section = sectionOf(run, parameters);
  if (!section) return null;
  const pair = likelyProviders(section.providers.map((one) => one.name), { baseline: parameters['baseline'], contender: parameters['contender'] });
  const asked = parameters['time'];
  const time = asked !== undefined && asked !== headlineOf(section.times) && section.times.includes(asked) ? asked : undefined;
  return { file: run.file, case: section.case, dtype: section.dtype, ...pair, time };
}

// The default time: the device's, or the host's without a device.
export function headlineOf(times: readonly string[]): string {
  return ['device', 'cpu'].find((mode) => times.includes(mode)) ?? times[0] ?? '';
}

const kTableWords = ['version', 'device', 'case', 'dtype', 'baseline', 'contender', 'metric'] as const;
export type TableWord = (typeof kTableWords)[number];

// The table that matches most of the request, earlier parameters first.
export function tableOf(grids: BenchGrids, parameters: Parameters): GridTable | null {
  let left: readonly GridTable[] = grids.tables;
  for (const word of kTableWords) {
    const fitting = left.filter((one) => one[word] === (parameters[word] ?? one[word]));
    if (fitting.length > 0) left = fitting;
  }
  return left[0] ?? null;
}

// The possible values of a parameter, given the earlier ones.
export function wordChoices(grids: BenchGrids, chosen: GridTable, word: TableWord): string[] {
  const before = kTableWords.slice(0, kTableWords.indexOf(word));
  const fitting = grids.tables.filter((one) => before.every((key) => one[key] === chosen[key]));
  return [...new Set(fitting.map((one) => one[word]))];
}

export function gridQuestion(grids: BenchGrids, parameters: Parameters): BenchQuestion | null {
  const table = tableOf(grids, parameters);
  if (!table) return null;
  const { version, device, case: caseId, dtype, baseline, contender, metric } = table;
  return { file: grids.file, version, device, case: caseId, dtype, baseline, contender, metric };
}

const kMetricTexts: Readonly<Record<GridMetric, string>> = {
  relative_performance_pct: 'speed, 100 % is the baseline',
  relative_overhead: 'time over the baseline\'s',
  device_speedup_pct: 'speed, 100 % is the other device',
  gbps: 'GB/s',
};
export const metricText = (metric: GridMetric): string => kMetricTexts[metric] ?? metric;

export function valueText(value: number, metric: GridMetric): string {
  if (metric === 'gbps') return `${threeDigits(value)} GB/s`;
  if (metric === 'relative_overhead') return value >= 1e4 ? `${value.toExponential(1)}×` : `${threeDigits(value)}×`;
  return percentText(value);
}

export function percentText(percent: number): string {
  if (percent >= 9999.5) return `${percent.toExponential(1)} %`;
  return percent >= 999.95 ? `${grouped(Math.round(percent))} %` : `${percent.toFixed(1)} %`;
}

const kStateTexts: Readonly<Record<string, string>> = { oom: 'OOM', oom_predicted: 'OOM*', error: 'ERR', not_there: 'n/a' };

export const hasValue = (cell: BenchCell): boolean => cell.value !== null && kStateTexts[cell.state] === undefined;

export function cellText(cell: BenchCell, metric: GridMetric): string {
  const missing = kStateTexts[cell.state];
  if (missing !== undefined || cell.value === null) return missing ?? 'n/a';
  return `${cell.state === 'same_kernels' ? '= ' : ''}${valueText(cell.value, metric)}`;
}

export interface FlagLook {
  sign: string;
  text: string;
}

export const kFlags: Readonly<Record<string, FlagLook>> = {
  noisy: { sign: '~', text: 'noisy: the limit came before the interval was narrow' },
  throttled: { sign: '▾', text: 'throttled: the clock was held down' },
  near_floor: { sign: '≈', text: 'near the floor: about as long as an empty kernel' },
  host_bound: { sign: 'h', text: 'host-bound: a call takes over 20 % longer than its device time' },
  fell_back: { sign: '↩', text: 'fell back: ran the baseline\'s kernels, none of its own' },
  math_differs: { sign: '≠', text: 'math differs: the sides compute in different precisions' },
  unrepeatable: { sign: '!', text: 'unrepeatable: other bits in another call' },
};
export const flagSigns = (cell: BenchCell): string => cell.flags.map((flag) => kFlags[flag]?.sign ?? '').join('');

export interface LegendEntry {
  sign: string;
  text: string;
}

// The meanings of the signs that occur in the table.
export function legendOf(table: BenchTable): LegendEntry[] {
  const states = new Set(table.cells.map((cell) => cell.state));
  const flags = new Set(table.cells.flatMap((cell) => cell.flags));
  const entries: LegendEntry[] = [];
  if (states.has('same_kernels')) entries.push({ sign: '=', text: 'both sides ran the same kernels: not in the mean' });
  if (states.has('wrong')) entries.push({ sign: 'struck out', text: 'wrong values: not in the mean' });
  if (states.has('oom')) entries.push({ sign: 'OOM', text: 'out of memory' });
  if (states.has('oom_predicted')) entries.push({ sign: 'OOM*', text: 'would not fit, not run' });
  if (states.has('error')) entries.push({ sign: 'ERR', text: 'failed or took too long' });
  if (states.has('not_there')) entries.push({ sign: 'n/a', text: 'not supported or not run' });
  for (const [flag, look] of Object.entries(kFlags)) if (flags.has(flag)) entries.push(look);
  return entries;
}

export interface Heat {
  side: 'faster' | 'slower' | 'even' | 'none';
  strength: number; // 0 to 1, of the full colour
}

const kLeastReach = 1; // a factor of 2 is the least that gets the full colour
const kMostReach = 3; // and 8 the largest that is distinguished

// Up to which factor colours grow, as a power of two.
export function reachOf(cells: readonly BenchCell[]): number {
  const most = cells.reduce((sum, cell) => (cell.gain !== null && cell.gain > 0 ? Math.max(sum, Math.abs(Math.log2(cell.gain))) : sum), 0);
  return Math.min(kMostReach, Math.max(kLeastReach, most));
}

// Half the time and twice the time are equally strong.
export function heatOf(cell: BenchCell, reach: number): Heat {
  if (!hasValue(cell) || cell.gain === null || !(cell.gain > 0) || cell.state === 'wrong') return { side: 'none', strength: 0 };
  const power = Math.log2(cell.gain);
  const strength = Math.min(1, Math.abs(power) / reach);
  return { side: Math.abs(power) < 0.0072 ? 'even' : power > 0 ? 'faster' : 'slower', strength };
}

export interface Place {
  panel: number;
  row: number;
  column: number;
}

export function placeOf(table: BenchTable, shape: string | undefined): Place | null {
  if (shape === undefined) return null;
  for (const [panel, one] of table.panels.entries()) {
    for (const [row, cells] of one.cells.entries()) {
      const column = cells.findIndex((index) => index !== null && table.cells[index].shape === shape);
      if (column >= 0) return { panel, row, column };
    }
  }
  return null;
}

// The next cell in that direction; holes are skipped, edges hold.
export function stepFrom(panel: BenchPanel, row: number, column: number, down: number, right: number): { row: number; column: number } {
  let [r, c] = [row + down, column + right];
  while (panel.cells[r]?.[c] !== undefined) {
    if (panel.cells[r][c] !== null) return { row: r, column: c };
    [r, c] = [r + down, c + right];
  }
  return { row, column };
}

export function firstOfPanel(panel: BenchPanel): { row: number; column: number } {
  for (const [row, cells] of panel.cells.entries()) {
    const column = cells.findIndex((cell) => cell !== null);
    if (column >= 0) return { row, column };
  }
  return { row: 0, column: 0 };
}

const kCsvColumns: readonly Column[] = [
  { key: 'case', type: 'text' }, { key: 'shape', type: 'text' }, { key: 'dtype', type: 'text' }, { key: 'baseline', type: 'text' }, { key: 'contender', type: 'text' },
  { key: 'state', type: 'text' }, { key: 'value', type: 'count' }, { key: 'low', type: 'count' }, { key: 'high', type: 'count' }, { key: 'baseline_us', type: 'count' },
  { key: 'contender_us', type: 'count' }, { key: 'ceiling_pct', type: 'count' }, { key: 'flags', type: 'text' },
];

export function tableCsv(table: BenchTable): string {
  const columns = kCsvColumns.map((column) => (column.key === 'value' ? { ...column, key: table.metric } : column));
  const rows = table.cells.map((cell): Row => ({
    case: table.case, shape: cell.shape, dtype: table.dtype, baseline: table.baseline, contender: table.contender, state: cell.state, [table.metric]: cell.value, low: cell.low, high: cell.high,
    baseline_us: cell.baseline_us, contender_us: cell.contender_us, ceiling_pct: cell.ceiling, flags: cell.flags.join(' '),
  }));
  return csvText(columns, rows);
}

// "bench/h200.json.gz" -> "h200"
export function benchLabel(file: string): string {
  return file.slice(file.lastIndexOf('/') + 1).replace(/\.(?:gz|zst)$/, '').replace(/\.(?:json|csv)$/, '');
}
