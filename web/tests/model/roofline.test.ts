import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Bound, KernelStudy, KernelSums, RooflinePoint, Runs, StudiedKernel } from '../../src/api/types.ts';
import { familyLetter, kBounds, shapePath } from '../../src/model/kernel_look.ts';
import { kernelSources, likelySource, sourceLabel } from '../../src/model/kernel_sources.ts';
import {
  byteRateText, flopRateText, flopRateTick, intensityText, kKernelColumns, kernelTable, kernelsInSight, levelsOf, marksOf, parseFamilies, plainTick, roofLines, roofText, roofsOf, shareOutside,
  toggledFamily, viewsOf, wholeWindow, withoutFlops,
} from '../../src/model/roofline.ts';
import { type Placed, cutName, labelsFor, markAt, place, radiusOf, spreadOut, coveredMarks, freeShare } from '../../src/model/scatter.ts';
import { csvText } from '../../src/model/table.ts';

function sums(latency_ns: number, share: number, tensor: number | null, dram: number | null): KernelSums {
  return { launches: 2, latency_ns, share, mean_ns: latency_ns / 2, least_ns: 1, most_ns: latency_ns, tensor_share: tensor, dram_share: dram, headroom_ns: tensor === null ? null : latency_ns / 2,
           achievable_headroom_ns: tensor === null ? null : latency_ns / 4 };
}

function kernel(name: string, family: string, bound: Bound, latency_ns: number, tensor: number | null = null, dram: number | null = null): StudiedKernel {
  return { ...sums(latency_ns, latency_ns / 1000, tensor, dram), name, full_name: `void lib::${name}<float>(int)`, family, bound };
}

function point(index: number, one: StudiedKernel, more: Partial<RooflinePoint> = {}): RooflinePoint {
  return { kernel: index, launches: 2, latency_ns: one.latency_ns, tensor_share: one.tensor_share, dram_share: one.dram_share, flop_per_s: null, flop_per_byte: null, dram_bytes_per_s: null,
           l2_bytes_per_s: null, attainable_flop_per_s: null, flops_are_estimated: false, bytes_are_estimated: false, ...more };
}

const gemm = kernel('gemm', 'gemm', 'tensor-bound', 600, 0.7, 0.2);
const scale = kernel('scale', 'elementwise', 'dram-leaning', 300, 0, 0.5);
const tiny = kernel('tiny', 'other', 'latency-bound', 100, 0, 0.01);

function study(points: RooflinePoint[], kernels = [gemm, scale, tiny]): KernelStudy {
  return {
    source: { name: 'k.csv', kind: '', clock: null }, device: null, chip: null, chips: [], achievable: { tensor: 0.9, dram: 0.9 }, totals: sums(1000, 1, 0.4, 0.3), kernels, kernels_left_out: 0,
    families: [], bounds: [],
    roofline: {
      compute: [{ name: 'f16 matrix', value: 1000e12, source: 'data sheet' }, { name: 'f32', value: 60e12, source: 'data sheet' }],
      memory: [{ name: 'L2', value: 10e12, source: 'measured' }, { name: 'DRAM', value: 5e12, source: 'data sheet' }], ridge_flop_per_byte: 200, points,
    },
    layers: null, fusion: { runs: 0, launches: 0, latency_ns: 0, saved_ns: 0, groups: [], groups_left_out: 0 }, warnings: [], remarks: [], findings: [],
  };
}

const counted = study([
  point(2, tiny), point(0, gemm, { flop_per_s: 700e12, flop_per_byte: 700, dram_bytes_per_s: 1e12, l2_bytes_per_s: 7e12 }), point(1, scale, { dram_bytes_per_s: 2.5e12 }),
]);

test('counted operations and bytes make a roofline, fractions alone another picture', () => {
  assert.deepEqual(viewsOf(counted), ['roofline', 'fractions']);
  assert.deepEqual(marksOf(counted, 'roofline').map((mark) => [mark.kernel, mark.x, mark.y]), [[0, 700, 700e12]]);
  assert.deepEqual(marksOf(counted, 'fractions').map((mark) => [mark.kernel, mark.x, mark.y]), [[0, 0.2, 0.7], [1, 0.5, 0], [2, 0.01, 0]]);
  assert.deepEqual(viewsOf(study([point(0, gemm)])), ['fractions']);
  const times = kernel('k', 'other', 'unknown', 1000);
  assert.deepEqual(viewsOf(study([point(0, times)], [times])), []);
});

test('the intensity can be that of the cache', () => {
  assert.deepEqual(levelsOf(counted), ['dram', 'l2']);
  assert.equal(marksOf(counted, 'roofline', 'l2')[0].x, 100);
  assert.deepEqual(roofsOf(counted, 'l2').memory.map((roof) => roof.name), ['L2']);
  assert.deepEqual(roofsOf(counted, 'dram').memory.map((roof) => roof.name), ['DRAM']);
});

test('what a roofline has no place for is told, and drawn by its rate where that is known', () => {
  assert.deepEqual(withoutFlops(counted).map((mark) => [mark.kernel, mark.y]), [[1, 2.5e12]]);
  assert.equal(withoutFlops(study([point(0, gemm, { dram_bytes_per_s: 0 })])).length, 1);
  assert.ok(Math.abs(shareOutside(counted, [...marksOf(counted, 'roofline'), ...withoutFlops(counted)]) - 0.1) < 1e-12);
  assert.equal(shareOutside(counted, marksOf(counted, 'fractions')), 0);
});

test('the whole picture holds every mark and the highest roof', () => {
  const { x, y } = wholeWindow(marksOf(counted, 'roofline'), 'roofline', roofsOf(counted, 'dram'));
  assert.ok(x.isLog && x.low < 200 && x.high > 700);
  assert.ok(y.low < 700e12 && y.high > 1000e12);
  const bare = wholeWindow(marksOf(counted, 'roofline'), 'roofline', { compute: [], memory: [] });
  assert.ok([bare.x.low, bare.x.high, bare.y.low, bare.y.high].every(Number.isFinite));
  const fractions = wholeWindow([], 'fractions', { compute: [], memory: [] });
  assert.ok(!fractions.x.isLog && fractions.x.low <= 0 && fractions.x.high >= 1);
});

test('roofs meet at their ridge and end at the frame', () => {
  const window = { x: { isLog: true, low: 1, high: 10_000 }, y: { isLog: true, low: 1e13, high: 1e16 } };
  const lines = roofLines(roofsOf(counted, 'dram'), window, 200);
  assert.deepEqual(lines.map((line) => [line.roof.name, line.from.x, line.to.x]), [['f16 matrix', 200, 10_000], ['f32', 12, 10_000], ['DRAM', 2, 200]]);
  assert.equal(lines[2].to.y, 1000e12);
  assert.deepEqual(lines.map((line) => line.isMain), [true, false, true]);
  assert.deepEqual(roofLines(roofsOf(counted, 'dram'), { ...window, y: { isLog: true, low: 1e16, high: 1e17 } }, 200), []);
  assert.deepEqual(roofLines({ compute: roofsOf(counted, 'dram').compute, memory: [] }, window, null).map((line) => line.from.x), [1, 1]);
  assert.equal(roofText(lines[0]), 'f16 matrix 1 PFLOP/s · data sheet');
  assert.equal(roofText(lines[2]), 'DRAM 5 TB/s · data sheet');
});

test('area is time, down to what one can still point at', () => {
  assert.equal(radiusOf(100, 100), 2 * radiusOf(25, 100));
  assert.equal(radiusOf(0, 100), radiusOf(1, 1e9));
  assert.ok(radiusOf(1, 0) > 0);
});

const room = { left: 100, top: 10, width: 400, height: 200 };

test('marks lie where their values are', () => {
  const [placed] = place(marksOf(counted, 'fractions'), { x: { isLog: false, low: 0, high: 1 }, y: { isLog: false, low: 0, high: 1 } }, room, 600);
  assert.deepEqual([placed.x, placed.y].map(Math.round), [180, 70]);
});

function at(x: number, y: number, radius: number, index = 0): Placed {
  return { x, y, radius, mark: { kernel: index, x, y, latency_ns: 1 } };
}

test('the pointer finds the smallest mark below it, else the nearest', () => {
  const large = at(50, 50, 30, 1);
  const small = at(60, 50, 4, 2);
  assert.equal(markAt([large, small], 61, 50), small);
  assert.equal(markAt([small, large], 61, 50), small);
  assert.equal(markAt([large, small], 40, 50), large);
  assert.equal(markAt([small], 70, 50), small);
  assert.equal(markAt([small], 90, 50), null);
});

test('marks of one rate stand side by side, within reach', () => {
  const placed = spreadOut([at(0, 50, 10, 0), at(0, 52, 8, 1), at(0, 50, 6, 2), at(0, 150, 6, 3)], 100, 60);
  assert.equal(placed[0].x, 100);
  assert.equal(placed[3].x, 100);
  for (const one of placed) assert.ok(Math.abs(one.x - 100) <= 60);
  for (let i = 0; i < 3; ++i) for (let k = 0; k < i; ++k) assert.ok(Math.hypot(placed[i].x - placed[k].x, placed[i].y - placed[k].y) >= placed[i].radius + placed[k].radius);
});

test('names stand beside their marks, inside the frame and never on each other', () => {
  const placed = [at(120, 100, 10, 0), at(125, 104, 8, 1), at(480, 100, 6, 2), at(300, 30, 4, 3)];
  const labels = labelsFor(placed, (index) => `kernel number ${index}`, room, 9);
  assert.ok(labels.length >= 3);
  for (const label of labels) assert.ok(label.x >= room.left && label.x + label.width <= room.left + room.width, label.text);
  for (const a of labels) for (const b of labels) assert.ok(a === b || Math.abs(a.y - b.y) >= 12 || a.x + a.width <= b.x || b.x + b.width <= a.x, `${a.text} and ${b.text}`);
  assert.equal(labelsFor(placed, () => 'x', room, 1).length, 1);
  const [free] = labelsFor([at(300, 100, 10)], () => 'name', room, 1);
  const [moved] = labelsFor([at(300, 100, 10)], () => 'name', room, 1, [{ x: free.x, y: 90, width: 10, height: 20 }]);
  assert.ok(moved.x + moved.width < 300);
});

test('long names lose their middle', () => {
  assert.equal(cutName('short', 20), 'short');
  const cut = cutName('ampere_fp16_s16816gemm_fp16_64x128_ldg8_relu_tn', 20);
  assert.equal(cut.length, 20);
  assert.match(cut, /^ampere.*….*relu_tn$/);
});

test('a filter looks at names, families and bounds; families add up', () => {
  const names = (filter: string, families: string[] = []): string[] => [...kernelsInSight(counted, filter, families).kernels].map((i) => counted.kernels[i].name);
  assert.deepEqual(names(''), ['gemm', 'scale', 'tiny']);
  assert.deepEqual(names('SCALE'), ['scale']);
  assert.deepEqual(names('/^(gemm|tiny)$/'), ['gemm', 'tiny']);
  assert.deepEqual(names('lib::tiny'), ['tiny']);
  assert.deepEqual(names('dram-leaning'), ['scale']);
  assert.deepEqual(names('', ['gemm', 'other']), ['gemm', 'tiny']);
  assert.deepEqual(names('tiny', ['gemm']), []);
  assert.notEqual(kernelsInSight(counted, '/(/', []).problem, '');
  assert.deepEqual(parseFamilies(undefined), []);
  assert.deepEqual(toggledFamily(parseFamilies('gemm,other'), 'gemm'), ['other']);
  assert.deepEqual(toggledFamily(['gemm'], 'norm'), ['gemm', 'norm']);
});

test('the table has a row per kernel in sight, and copies with every number', () => {
  const table = kernelTable(counted, new Set([0, 2]));
  assert.deepEqual(table.rows.map((row) => row['index']), [0, 2]);
  for (const key of kKernelColumns) assert.ok(table.columns.some((column) => column.key === key), key);
  const [header, first] = csvText(table.columns, table.rows).split('\r\n');
  assert.equal(header, 'name,family,launches,latency_ns,share,mean_ns,least_ns,most_ns,tensor_share,dram_share,bound,headroom_ns,achievable_headroom_ns,full_name');
  assert.equal(first, 'gemm,gemm,2,600,0.6,300,1,600,0.7,0.2,tensor-bound,300,150,void lib::gemm<float>(int)');
  const times = kernel('k', 'other', 'unknown', 1000);
  assert.equal(kernelTable(study([], [times]), new Set([0])).rows[0]['bound'], null);
});

test('rates have the unit people use', () => {
  assert.equal(flopRateText(635e12), '635 TFLOP/s');
  assert.equal(byteRateText(4.81e12), '4.81 TB/s');
  assert.equal(byteRateText(0), '0 B/s');
  assert.equal(flopRateTick(1e15), '1 PFLOP/s');
  assert.equal(intensityText(184.2), '184 FLOP/B');
  assert.deepEqual([0.001, 0.5, 20, 1e5].map(plainTick), ['1e-3', '0.5', '20', '1e5']);
});

test('every bound and family can be told without colour', () => {
  const looks = Object.values(kBounds).map((look) => `${look.shape} ${look.isLeaning}`);
  assert.equal(new Set(looks).size, looks.length);
  const families = ['gemm', 'conv', 'attention', 'softmax', 'norm', 'concat', 'gather', 'reduce', 'collective', 'copy', 'rng', 'elementwise', 'other'];
  assert.equal(new Set(families.map(familyLetter)).size, families.length);
  const paths = (['circle', 'square', 'diamond', 'triangle'] as const).map((shape) => shapePath(shape, 5));
  assert.equal(new Set(paths).size, 4);
});

const entry = { worker: 't', span: 'default', rank: null, progress: 1, error: null, file_bytes: 1, dialect: null, device: null, slices: 1, span_ns: 1, import_warning: null, generation: 1, is_recording: false, kind: 'trace' as const };
const runs: Runs = {
  strobe: '', folder: '', generation: 1, loading: false, kernel_files: [{ file: 'a/k.csv', file_bytes: 1 }, { file: 'b/k.txt', file_bytes: 1 }], bench_files: [],
  runs: [{ name: 'b', recorded: null, traces: [{ ...entry, trace: 'b/t.json', state: 'ready' }, { ...entry, trace: 'b/bad.json', state: 'failed' }] }, { name: 'c', recorded: null, traces: [{ ...entry, trace: 'c/t.json', state: 'ready' }] }],
};

test('counters beside the open trace come first, then the trace, then any counters', () => {
  const sources = kernelSources(runs);
  assert.deepEqual(sources.map((one) => one.name), ['a/k.csv', 'b/k.txt', 'b/t.json', 'c/t.json']);
  const snapshot = { ...entry, trace: 'd/memory.pickle', state: 'ready' as const, kind: 'snapshot' as const };
  assert.deepEqual(kernelSources({ ...runs, runs: [...runs.runs, { name: 'd', recorded: null, traces: [snapshot] }] }), sources);
  const name = (wanted?: string, trace?: string): string | undefined => likelySource(sources, wanted, trace)?.name;
  assert.equal(name(undefined, 'b/t.json'), 'b/k.txt');
  assert.equal(name(undefined, 'c/t.json'), 'c/t.json');
  assert.equal(name(), 'a/k.csv');
  assert.equal(name('c/t.json', 'b/t.json'), 'c/t.json');
  assert.equal(name('gone'), undefined);
  assert.equal(likelySource([], undefined, undefined), null);
  assert.equal(sourceLabel('gpt/k.csv.gz'), 'k');
});

test('the text of a roof moves along it to where no mark is', () => {
  const line = { x1: 0, y1: 100, x2: 500, y2: 100 };
  const at = (x: number, radius: number): Placed => ({ mark: { kernel: 0, x: 0, y: 0, latency_ns: 1 }, x, y: 100, radius });
  assert.equal(freeShare(line, 100, [], [0.9, 0.5]), 0.9);
  assert.equal(freeShare(line, 100, [at(480, 20)], [0.9, 0.7, 0.5]), 0.7);
  assert.equal(freeShare(line, 100, [at(0, 250), at(500, 90)], [0.9, 0.7]), 0.7, 'the least bad');
});

test('a mark whose middle is covered by a later one has no letter', () => {
  const at = (x: number, radius: number): Placed => ({ mark: { kernel: 0, x: 0, y: 0, latency_ns: 1 }, x, y: 0, radius });
  assert.deepEqual([...coveredMarks([at(0, 20), at(10, 12), at(100, 12)])], [0]);
});
