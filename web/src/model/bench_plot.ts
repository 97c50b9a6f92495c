import type { BenchPoint, BenchPoints } from '../api/bench_types.ts';
import type { Bound, Roof } from '../api/types.ts';
import type { PlotWindow } from './axis.ts';
import type { PlotMark } from './scatter.ts';

// All cells of a case under the roofs of the run: bytes per second over bytes if memory is the limit, operations per second
// over operations per byte otherwise.

export type BenchAxes = 'bandwidth' | 'roofline';

export interface BenchMark extends PlotMark {
  point: BenchPoint;
}

export interface ProviderLook {
  provider: string;
  family: string; // whose colour it has
  bound: Bound; // whose shape
}

const kFamilies = ['elementwise', 'gemm', 'norm', 'attention', 'collective', 'concat'] as const;
const kShapes: readonly Bound[] = ['dram-bound', 'tensor-bound', 'latency-bound', 'l2-bound'];

export function providerLooks(points: readonly BenchPoint[]): ProviderLook[] {
  return [...new Set(points.map((one) => one.provider))].map((provider, i) => ({ provider, family: kFamilies[i % kFamilies.length], bound: kShapes[i % kShapes.length] }));
}

export function benchMarks({ points }: BenchPoints, axes: BenchAxes): BenchMark[] {
  const mark = (point: BenchPoint, kernel: number): BenchMark | null => {
    const [x, y] = axes === 'bandwidth' ? [point.min_bytes, point.bytes_per_s] : [point.flop_per_byte, point.flop_per_s];
    return x && y && x > 0 && y > 0 ? { kernel, x, y, latency_ns: 1, point } : null;
  };
  return points.map(mark).filter((one) => one !== null);
}

// If shapes differ in operations per byte, the picture uses that axis.
export function likelyAxes(points: BenchPoints): BenchAxes {
  const intensities = points.points.map((one) => one.flop_per_byte).filter((one): one is number => one !== null && one > 0);
  return points.roofs.gemm_flop_per_s !== null && intensities.length > 0 && Math.max(...intensities) > 10 ? 'roofline' : 'bandwidth';
}

export function benchRoofs({ roofs }: BenchPoints): { compute: Roof[]; memory: Roof[] } {
  const roof = (name: string, value: number | null): Roof[] => (value === null ? [] : [{ name, value, source: 'measured' }]);
  return { compute: roof('GEMM', roofs.gemm_flop_per_s), memory: roof('Copy', roofs.copy_bytes_per_s) };
}

export function benchWindow(marks: readonly BenchMark[], axes: BenchAxes, roofs: { compute: readonly Roof[]; memory: readonly Roof[] }): PlotWindow {
  const tops = axes === 'bandwidth' ? roofs.memory.map((one) => one.value) : roofs.compute.map((one) => one.value);
  const ridge = axes === 'roofline' && roofs.compute[0] && roofs.memory[0] ? [roofs.compute[0].value / roofs.memory[0].value] : [];
  const xs = [...marks.map((one) => one.x), ...ridge];
  const ys = [...marks.map((one) => one.y), ...tops];
  const span = (values: readonly number[], below: number, above: number): { isLog: boolean; low: number; high: number } =>
    (values.length === 0 ? { isLog: true, low: 1, high: 10 } : { isLog: true, low: Math.min(...values) / below, high: Math.max(...values) * above });
  return { x: span(xs, 2.2, 2.2), y: span(ys, 2, 2.6) };
}
