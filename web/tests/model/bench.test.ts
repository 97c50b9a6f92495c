import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import type { BenchCell, BenchGrids, BenchPanel, BenchPoints, BenchRun, BenchTable, GridTable } from '../../src/api/bench_types.ts';
import {
  benchLabel, cellText, firstOfPanel, gridQuestion, headlineOf, heatOf, legendOf, likelyFile, likelyProviders, percentText, placeOf, reachOf, runQuestion, stepFrom, tableCsv, tableOf, valueText, wordChoices,
} from '../../src/model/bench.ts';
import { benchMarks, benchRoofs, benchWindow, likelyAxes, providerLooks } from '../../src/model/bench_plot.ts';
import { halfWidthText, histogramOf } from '../../src/model/bench_samples.ts';
import { type Rgb, mixed, rgbOf } from '../../src/model/kinds.ts';

function cell(shape: string, value: number | null, more: Partial<BenchCell> = {}): BenchCell {
  return {
    shape, dims: shape.split('x').map(Number), state: value === null ? 'oom' : 'ratio', value, gain: value === null ? null : value / 100, low: null, high: null, ceiling: null, baseline_us: null,
    contender_us: null, flags: [], remarks: [], ...more,
  };
}

const panel: BenchPanel = { title: '', row_axis: 'dim0', column_axis: 'dim1', rows: ['1', '2', '3'], columns: ['1', '2'], cells: [[null, 0], [1, null], [null, 2]] };

const table: BenchTable = {
  file: 'a.json', case: 'softmax', definition: null, dtype: 'f32', time: null, device: 'D', baseline: 'eager', contender: 'fused', metric: 'relative_performance_pct', mean: null, alerts: [], panels: [panel],
  cells: [cell('1x2', 400), cell('2x1', 50, { flags: ['noisy'] }), cell('3x2', null)],
};

test('the baseline is what people have, the contender what they might get', () => {
  assert.deepEqual(likelyProviders(['cuda-fused', 'cuda-unfused', 'torch-eager', 'torch-inductor'], {}), { baseline: 'torch-eager', contender: 'cuda-fused' });
  assert.deepEqual(likelyProviders(['cpu', 'cpu-unfused'], {}), { baseline: 'cpu-unfused', contender: 'cpu' });
  assert.deepEqual(likelyProviders(['cuda-fused', 'cuda-unfused'], {}), { baseline: 'cuda-unfused', contender: 'cuda-fused' });
  assert.deepEqual(likelyProviders(['torch-eager', 'torch-inductor', 'cudnn'], { contender: 'torch-eager' }), { baseline: 'torch-inductor', contender: 'torch-eager' });
  assert.deepEqual(likelyProviders(['a', 'b'], { baseline: 'b', contender: 'gone' }), { baseline: 'b', contender: 'a' });
  assert.deepEqual(likelyProviders(['only'], {}), { baseline: 'only', contender: 'only' });
});

const run: BenchRun = {
  file: 'a.json', kind: 'run', remarks: [],
  header: { run: '', strobe: '', device: '', driver: '', started: '', command_line: '', libraries: {}, device_facts: {}, floors_us: {}, roofs: { copy_bytes_per_s: null, read_bytes_per_s: null, write_bytes_per_s: null, gemm_flop_per_s: null }, method: { flush: '', stop: '', seed: 0, is_held: true, modes: [] } },
  sections: [
    { case: 'softmax', dtype: 'f32', definition: null, cells: 4, shapes: 2, providers: [{ name: 'eager', ok: 2 }, { name: 'fused', ok: 2 }], times: ['device', 'call'] },
    { case: 'softmax', dtype: 'bf16', definition: null, cells: 4, shapes: 2, providers: [{ name: 'eager', ok: 2 }, { name: 'fused', ok: 2 }], times: ['device'] },
  ],
};

test('a question is what the address says, as far as the run has it', () => {
  assert.deepEqual(runQuestion(run, {}), { file: 'a.json', case: 'softmax', dtype: 'f32', baseline: 'eager', contender: 'fused', time: undefined });
  assert.equal(runQuestion(run, { case: 'softmax', dtype: 'bf16', time: 'call' })?.time, undefined);
  assert.equal(runQuestion(run, { time: 'call' })?.time, 'call');
  assert.equal(runQuestion(run, { time: 'device' })?.time, undefined); // one table, one address
  assert.equal(runQuestion(run, { case: 'unheard_of' })?.case, 'softmax');
  assert.equal(runQuestion({ ...run, sections: [] }, {}), null);
  assert.equal(headlineOf(['graph', 'cpu']), 'cpu');
});

function gridTable(version: string, device: string, name: string, contender: string): GridTable {
  return { version, device, case: name, dtype: '', baseline: 'eager', contender, metric: 'relative_performance_pct', cells: 1, with_value: 1, mean: null, is_flat: false };
}
const grids: BenchGrids = {
  file: 'g.csv', kind: 'grids', rows: 4, tables_left_out: 0, identities: [], alerts: [], remarks: [],
  tables: [gridTable('v1', 'A', 'softmax', 'inductor'), gridTable('v3', 'A', 'softmax', 'inductor'), gridTable('v3', 'B', 'attention', 'flash'), gridTable('v3', 'B', 'attention', 'triton')],
};

test('a table of ratios is found by the words asked for, the rest follows', () => {
  assert.equal(tableOf(grids, {}), grids.tables[0]);
  assert.equal(tableOf(grids, { version: 'v3', device: 'B', contender: 'triton' }), grids.tables[3]);
  assert.equal(tableOf(grids, { version: 'v3', case: 'gone' }), grids.tables[1]);
  assert.deepEqual(wordChoices(grids, grids.tables[2], 'device'), ['A', 'B']);
  assert.deepEqual(wordChoices(grids, grids.tables[2], 'contender'), ['flash', 'triton']);
  assert.equal(gridQuestion(grids, { device: 'B', version: 'v3' })?.case, 'attention');
  assert.equal(gridQuestion({ ...grids, tables: [] }, {}), null);
});

test('runs come before tables of ratios when nothing is asked for', () => {
  const files = [{ file: 'g.csv', file_bytes: 1, modified_ms: 1, kind: 'grids' }, { file: 'a.json', file_bytes: 1, modified_ms: 1, kind: 'run' }] as const;
  assert.equal(likelyFile(files, undefined)?.file, 'a.json');
  assert.equal(likelyFile(files, 'g.csv')?.file, 'g.csv');
  assert.equal(likelyFile(files, 'gone'), null);
  assert.equal(benchLabel('deep/run.json.gz'), 'run');
});

test('cells say what they hold, with the unit', () => {
  assert.equal(cellText(cell('1x1', 545.92), 'relative_performance_pct'), '545.9 %');
  assert.equal(cellText(cell('1x1', 5.03), 'relative_overhead'), '5.03×');
  assert.equal(cellText(cell('1x1', 868.04), 'gbps'), '868 GB/s');
  assert.equal(cellText(cell('1x1', 100.2, { state: 'same_kernels' }), 'relative_performance_pct'), '= 100.2 %');
  assert.deepEqual((['oom', 'oom_predicted', 'error', 'not_there'] as const).map((state) => cellText(cell('1x1', null, { state }), 'gbps')), ['OOM', 'OOM*', 'ERR', 'n/a']);
  assert.equal(percentText(1778.7), '1779 %');
  assert.equal(percentText(123456), '1.2e+5 %');
  assert.equal(valueText(99.95, 'device_speedup_pct'), '100.0 %');
});

test('half the time and twice the time are equally strong', () => {
  const reach = reachOf([cell('1x1', 400), cell('1x1', 50)]);
  assert.equal(reach, 2);
  assert.deepEqual(heatOf(cell('1x1', 200), reach), { side: 'faster', strength: 0.5 });
  assert.deepEqual(heatOf(cell('1x1', 50), reach), { side: 'slower', strength: 0.5 });
  assert.equal(heatOf(cell('1x1', 100.3), reach).side, 'even');
  assert.equal(heatOf(cell('1x1', 6400), 3).strength, 1);
  assert.equal(reachOf([cell('1x1', 101)]), 1); // a percent is never a strong colour
  assert.equal(reachOf([]), 1);
  assert.equal(heatOf(cell('1x1', 300, { state: 'wrong' }), 1).side, 'none');
  assert.equal(heatOf(cell('1x1', null), 1).side, 'none');
});

test('arrows step over holes and stop at the edges', () => {
  assert.deepEqual(stepFrom(panel, 0, 1, 1, 0), { row: 2, column: 1 });
  assert.deepEqual(stepFrom(panel, 2, 1, 1, 0), { row: 2, column: 1 });
  assert.deepEqual(stepFrom(panel, 1, 0, 0, 1), { row: 1, column: 0 });
  assert.deepEqual(firstOfPanel(panel), { row: 0, column: 1 });
  assert.deepEqual(placeOf(table, '2x1'), { panel: 0, row: 1, column: 0 });
  assert.equal(placeOf(table, '9x9'), null);
  assert.equal(placeOf(table, undefined), null);
});

test('the legend has what is in the table', () => {
  assert.deepEqual(legendOf(table).map((entry) => entry.sign), ['OOM', '~']);
});

test('a table is copied with exact numbers under the name of its metric', () => {
  const [header, first, second, third] = tableCsv(table).split('\r\n');
  assert.equal(header, 'case,shape,dtype,baseline,contender,state,relative_performance_pct,low,high,baseline_us,contender_us,ceiling_pct,flags');
  assert.equal(first, 'softmax,1x2,f32,eager,fused,ratio,400,,,,,,');
  assert.equal(second, 'softmax,2x1,f32,eager,fused,ratio,50,,,,,,noisy');
  assert.equal(third, 'softmax,3x2,f32,eager,fused,oom,,,,,,,');
});

test('a histogram keeps every sample, and a hiccup does not squeeze the rest', () => {
  const even = Array.from({ length: 100 }, (_, i) => 10 + i / 100);
  const plain = histogramOf(even)!;
  assert.equal(plain.counts.reduce((sum, one) => sum + one, 0), 100);
  assert.deepEqual([plain.low, plain.high, plain.beyond], [10, 10.99, 0]);
  const hiccup = histogramOf([...even, 500])!;
  assert.equal(hiccup.beyond, 1);
  assert.ok(hiccup.high < 11);
  assert.equal(hiccup.counts.reduce((sum, one) => sum + one, 0), 100);
  assert.deepEqual(histogramOf([5, 5, 5])!.counts[0], 3);
  assert.equal(histogramOf([5]), null);
});

test('an uncertainty is told as half the width of its interval', () => {
  assert.equal(halfWidthText({ p50_us: 100, low_us: 99.5, high_us: 100.5 }), '± 0.50 %');
  assert.equal(halfWidthText({ p50_us: 100, low_us: 95, high_us: 105 }), '± 5.0 %');
  assert.equal(halfWidthText({ p50_us: 100, low_us: null, high_us: null }), '');
});

const points: BenchPoints = {
  file: 'a', case: 'softmax', dtype: 'f32', time: null, points_left_out: 0, roofs: { copy_bytes_per_s: 4e12, read_bytes_per_s: null, write_bytes_per_s: null, gemm_flop_per_s: 8e14 },
  points: [
    { provider: 'eager', shape: '1x1', time_us: 10, min_bytes: 1e6, bytes_per_s: 1e11, flop_per_s: 5e10, flop_per_byte: 0.5, copy_roof_share: 0.025 },
    { provider: 'fused', shape: '1x1', time_us: 5, min_bytes: 1e6, bytes_per_s: 2e11, flop_per_s: null, flop_per_byte: null, copy_roof_share: 0.05 },
  ],
};

test('cells are points over bytes, or over operations per byte where the matrix pipe may be the limit', () => {
  assert.equal(likelyAxes(points), 'bandwidth');
  assert.equal(likelyAxes({ ...points, points: [{ ...points.points[0], flop_per_byte: 400 }] }), 'roofline');
  assert.deepEqual(benchMarks(points, 'bandwidth').map((mark) => [mark.x, mark.y]), [[1e6, 1e11], [1e6, 2e11]]);
  assert.deepEqual(benchMarks(points, 'roofline').map((mark) => mark.kernel), [0]);
  const roofs = benchRoofs(points);
  assert.deepEqual(roofs.memory.map((roof) => roof.value), [4e12]);
  const window = benchWindow(benchMarks(points, 'bandwidth'), 'bandwidth', roofs);
  assert.ok(window.y.high > 4e12 && window.y.low < 1e11 && window.x.low < 1e6 && window.x.high > 1e6);
  const [eager, fused] = providerLooks(points.points);
  assert.ok(eager.family !== fused.family && eager.bound !== fused.bound); // distinguishable without colour
});

function luminance(colour: Rgb): number {
  const [r, g, b] = colour.map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

test('values on the strongest and the weakest colour can be read in both themes', () => {
  const style = (name: string): string => readFileSync(join(process.cwd(), 'src', 'style', name), 'utf8');
  const inTheme = (sheet: string, variable: string): string[] => [...style(sheet).matchAll(new RegExp(`--${variable}: (#[0-9a-f]{6})`, 'g'))].map((match) => match[1]);
  for (const side of ['faster', 'slower']) {
    for (const theme of [0, 1]) {
      const [full, band, ink] = [inTheme('bench.css', side)[theme], inTheme('base.css', 'band')[theme], inTheme('base.css', 'text')[theme]].map(rgbOf);
      for (const share of [0, 0.25, 0.5, 0.75, 1]) {
        const [light, dark] = [luminance(ink), luminance(mixed(band, full, share))].sort((a, b) => b - a);
        const contrast = (light + 0.05) / (dark + 0.05);
        assert.ok(contrast >= 4.5, `${side}, ${share}, theme ${theme}: ${contrast.toFixed(2)}`);
      }
    }
  }
});
