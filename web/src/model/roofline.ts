import type { KernelStudy, Roof, RooflinePoint, Row, StudiedKernel, Table } from '../api/types.ts';
import type { Axis, PlotWindow } from './axis.ts';
import { matcherOf } from './query.ts';
import type { PlotMark } from './scatter.ts';
import { prefixOf, threeDigits } from './units.ts';

// Kernels compared with the limits of the chip. With counted operations and bytes they are points of a roofline; with
// fractions of the peaks alone, points of (DRAM, tensor).

export type View = 'roofline' | 'fractions';
export type Level = 'dram' | 'l2';

// `kernel`: index into the study's kernels.
export interface Mark extends PlotMark {
  point: RooflinePoint;
}

function roofMark(point: RooflinePoint, level: Level): Mark | null {
  const { kernel, latency_ns, flop_per_s } = point;
  const byteRate = level === 'l2' ? point.l2_bytes_per_s : point.dram_bytes_per_s;
  const intensity = level === 'dram' ? point.flop_per_byte : flop_per_s !== null && byteRate ? flop_per_s / byteRate : null;
  if (!flop_per_s || !intensity) return null;
  return { kernel, x: intensity, y: flop_per_s, latency_ns, point };
}

function fractionMark(point: RooflinePoint): Mark | null {
  const { kernel, latency_ns, tensor_share, dram_share } = point;
  if (tensor_share === null && dram_share === null) return null;
  return { kernel, x: dram_share ?? 0, y: tensor_share ?? 0, latency_ns, point };
}

// Large ones first, so that small ones are drawn on top of them.
export function marksOf(study: KernelStudy, view: View, level: Level = 'dram'): Mark[] {
  const marks = study.roofline.points.map((point) => (view === 'roofline' ? roofMark(point, level) : fractionMark(point)));
  return marks.filter((mark) => mark !== null).sort((a, b) => b.latency_ns - a.latency_ns);
}

// The views that have something to draw, the better one first.
export function viewsOf(study: KernelStudy): View[] {
  return (['roofline', 'fractions'] as const).filter((view) => marksOf(study, view).length > 0);
}

export function levelsOf(study: KernelStudy): Level[] {
  return (['dram', 'l2'] as const).filter((level) => marksOf(study, 'roofline', level).length > 0);
}

// Points that cannot be in a roofline: bytes were counted, operations were not.
export function withoutFlops(study: KernelStudy): Mark[] {
  return study.roofline.points
    .filter((point) => !point.flop_per_s && point.dram_bytes_per_s !== null)
    .map((point) => ({ kernel: point.kernel, x: 0, y: point.dram_bytes_per_s ?? 0, latency_ns: point.latency_ns, point }))
    .sort((a, b) => b.latency_ns - a.latency_ns);
}

// What a plot leaves out, as a share of the time.
export function shareOutside(study: KernelStudy, marks: readonly Mark[]): number {
  const drawn = marks.reduce((sum, mark) => sum + mark.latency_ns, 0);
  return study.totals.latency_ns > 0 ? Math.max(0, 1 - drawn / study.totals.latency_ns) : 0;
}

export function roofsOf(study: KernelStudy, level: Level): { compute: Roof[]; memory: Roof[] } {
  const isOfLevel = (roof: Roof): boolean => /^l2/i.test(roof.name) === (level === 'l2');
  return { compute: study.roofline.compute, memory: study.roofline.memory.filter(isOfLevel) };
}

// Marks on the edge are not cut.
const kDramAxis: Axis = { isLog: false, low: -0.03, high: 1.005 };
const kTensorAxis: Axis = { isLog: false, low: -0.085, high: 1.005 };

// Everything, with room around it: points, and the roofs near them.
export function wholeWindow(marks: readonly Mark[], view: View, roofs: { compute: readonly Roof[]; memory: readonly Roof[] }): PlotWindow {
  if (view === 'fractions') return { x: kDramAxis, y: kTensorAxis };
  const highest = Math.max(...roofs.compute.map((roof) => roof.value));
  const fastest = Math.max(...roofs.memory.map((roof) => roof.value));
  const ridges = Number.isFinite(highest / fastest) ? [highest / fastest] : [];
  const xs = [...marks.map((mark) => mark.x), ...ridges];
  const ys = [...marks.map((mark) => mark.y), ...(Number.isFinite(highest) ? [highest] : [])];
  return {
    x: { isLog: true, low: Math.min(...xs) / 3, high: Math.max(...xs) * 4 },
    y: { isLog: true, low: Math.min(...ys) / 4, high: Math.max(...ys) * 2.2 },
  };
}

export interface RoofLine {
  roof: Roof;
  isMemory: boolean;
  isMain: boolean; // they meet at the ridge
  from: { x: number; y: number }; // values, inside the window
  to: { x: number; y: number };
}

// Memory roofs rise until they meet the highest compute roof; compute roofs begin where memory stops being the limit.
export function roofLines(roofs: { compute: readonly Roof[]; memory: readonly Roof[] }, { x, y }: PlotWindow, ridge: number | null): RoofLine[] {
  const lines: RoofLine[] = [];
  const highest = Math.max(...roofs.compute.map((roof) => roof.value));
  const fastest = Math.max(...roofs.memory.map((roof) => roof.value));
  const isAtRidge = (roof: Roof): boolean => ridge === null || Math.abs(roof.value / fastest / ridge - 1) < 1e-6;
  for (const roof of roofs.compute) {
    if (roof.value < y.low || roof.value > y.high) continue;
    const start = Number.isFinite(fastest) ? Math.max(x.low, roof.value / fastest) : x.low;
    if (start < x.high) lines.push({ roof, isMemory: false, isMain: isAtRidge(roof), from: { x: start, y: roof.value }, to: { x: x.high, y: roof.value } });
  }
  for (const roof of roofs.memory) {
    const start = Math.max(x.low, y.low / roof.value);
    const end = Math.min(x.high, y.high / roof.value, Number.isFinite(highest) ? highest / roof.value : Infinity);
    if (start < end) lines.push({ roof, isMemory: true, isMain: true, from: { x: start, y: start * roof.value }, to: { x: end, y: end * roof.value } });
  }
  return lines;
}

// Which kernels are shown: those whose name matches, in the chosen families; all if none is chosen.
export function kernelsInSight(study: KernelStudy, filter: string, families: readonly string[]): { kernels: Set<number>; problem: string } {
  const { matches, problem } = matcherOf(filter);
  const kernels = new Set<number>();
  study.kernels.forEach((one, i) => {
    const isOfFamily = families.length === 0 || families.includes(one.family);
    if (isOfFamily && (matches(one.name) || matches(one.full_name) || matches(one.family) || matches(one.bound))) kernels.add(i);
  });
  return { kernels, problem };
}

export function parseFamilies(text: string | undefined): string[] {
  return (text ?? '').split(',').filter((one) => one !== '');
}

export function toggledFamily(families: readonly string[], family: string): string[] {
  return families.includes(family) ? families.filter((one) => one !== family) : [...families, family];
}

export const kKernelColumns = ['name', 'family', 'launches', 'latency_ns', 'share', 'mean_ns', 'tensor_share', 'dram_share', 'bound', 'achievable_headroom_ns'] as const;

export function kernelTable(study: KernelStudy, inSight: ReadonlySet<number>): Table {
  const row = (one: StudiedKernel, index: number): Row => ({
    name: one.name, family: one.family, launches: one.launches, latency_ns: one.latency_ns, share: one.share, mean_ns: one.mean_ns, least_ns: one.least_ns, most_ns: one.most_ns,
    tensor_share: one.tensor_share, dram_share: one.dram_share, bound: one.bound === 'unknown' ? null : one.bound, headroom_ns: one.headroom_ns,
    achievable_headroom_ns: one.achievable_headroom_ns, full_name: one.full_name, index,
  });
  return {
    title: 'Kernels', rows_left_out: study.kernels_left_out, notes: [],
    columns: [
      { key: 'name', type: 'name' }, { key: 'family', type: 'text' }, { key: 'launches', type: 'count' }, { key: 'latency_ns', type: 'duration_ns' },
      { key: 'share', type: 'share', share_of: 'the time of all kernels' }, { key: 'mean_ns', type: 'duration_ns' }, { key: 'least_ns', type: 'duration_ns' }, { key: 'most_ns', type: 'duration_ns' },
      { key: 'tensor_share', type: 'share', share_of: 'the cycles: the matrix pipe was busy' }, { key: 'dram_share', type: 'share', share_of: 'the peak rate of DRAM' }, { key: 'bound', type: 'text' },
      { key: 'headroom_ns', type: 'duration_ns' }, { key: 'achievable_headroom_ns', type: 'duration_ns' }, { key: 'full_name', type: 'text' },
    ],
    rows: study.kernels.map(row).filter((_, index) => inSight.has(index)),
  };
}

const kRounding = 0.9995; // 999.6 G is printed as 1.00 T

function rateText(value: number, unit: string, digits: (value: number) => string = threeDigits): string {
  const prefix = prefixOf(value, kRounding);
  return `${digits(value / prefix.size)} ${prefix.name}${unit}`;
}

const tickDigits = (value: number): string => String(Number(value.toPrecision(3)));

export const flopRateText = (value: number): string => rateText(value, 'FLOP/s');
export const byteRateText = (value: number): string => rateText(value, 'B/s');
export const byteTick = (value: number): string => rateText(value, 'B', tickDigits);
export const flopRateTick = (value: number): string => rateText(value, 'FLOP/s', tickDigits);
export const byteRateTick = (value: number): string => rateText(value, 'B/s', tickDigits);
export const intensityText = (value: number): string => `${threeDigits(value)} FLOP/B`;
export const plainTick = (value: number): string => (value >= 1e4 || value < 1e-2 ? value.toExponential(0).replace('e+', 'e') : tickDigits(value));

export function roofText({ roof, isMemory }: { roof: Roof; isMemory: boolean }): string {
  const height = isMemory ? byteRateTick(roof.value) : flopRateTick(roof.value);
  return `${roof.name} ${height} · ${roof.source}`;
}
