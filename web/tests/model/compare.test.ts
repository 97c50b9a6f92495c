import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Change, ComparedCycle, ComparedFunction, ComparedMetric, Comparison, Runs, TraceEntry } from '../../src/api/types.ts';
import { chosenText, commonRanks, cycleRows, parseChosen, scaleOf, stepped, typicalCycle } from '../../src/model/compare_cycles.ts';
import { certaintyText, changeScale, changedMetrics, functionTable, pointsText, probabilityText, quantityText, ratioText, spanOn } from '../../src/model/compare_rows.ts';
import { type RunChoice, likelyRuns, likeness, loadingOf, runChoices, tracesOf } from '../../src/model/compare_runs.ts';
import { asksForCycles, canAlign, hintForPage, withSigns, withoutAnswer, withoutShare } from '../../src/model/error_words.ts';

function entry(trace: string, rank: number | null = null, state: TraceEntry['state'] = 'ready'): TraceEntry {
  const worker = trace.slice(trace.lastIndexOf('/') + 1).replace('.json', '');
  return { trace, worker, span: 'default', rank, state, progress: 1, error: null, file_bytes: 1, dialect: '', device: '', slices: 1, span_ns: 1, import_warning: null, generation: 1, is_recording: false, kind: 'trace' };
}

const runs: Runs = {
  strobe: '', folder: '', generation: 1, loading: false, kernel_files: [], bench_files: [],
  runs: [
    { name: 'a', recorded: null, traces: [entry('a/t.json')] },
    { name: 'broken', recorded: null, traces: [entry('broken/t.json', null, 'failed')] },
    { name: 'mixed', recorded: null, traces: [entry('mixed/one.json'), entry('mixed/two.json')] },
    { name: 'r/rank0', recorded: null, traces: [entry('r/rank0/t.json')] },
    { name: 'r/rank1', recorded: null, traces: [entry('r/rank1/t.json')] },
    { name: 'told', recorded: null, traces: [entry('told/x.json', 0), entry('told/y.json', 1)] },
  ],
};

test('a folder of one trace, a folder of ranks and every other trace can be compared', () => {
  assert.deepEqual(runChoices(runs).map((one) => one.name),
                   ['a', 'mixed/one.json', 'mixed/two.json', 'r', 'r/rank0', 'r/rank1', 'told', 'told/x.json', 'told/y.json']);
  assert.deepEqual(tracesOf(runs, 'r').map((one) => one.trace), ['r/rank0/t.json', 'r/rank1/t.json']);
  assert.deepEqual(tracesOf(runs, 'mixed/two.json').map((one) => one.trace), ['mixed/two.json']);
});

test('a snapshot of an allocator has no cycles to compare', () => {
  const snapshot: TraceEntry = { ...entry('x/memory.pickle'), kind: 'snapshot' };
  const alone = { ...runs, runs: [{ name: 'x', recorded: null, traces: [snapshot] }] };
  assert.deepEqual(runChoices(alone), []);
  const beside = { ...runs, runs: [{ name: 'x', recorded: null, traces: [entry('x/t.json'), snapshot] }] };
  assert.deepEqual(runChoices(beside).map((one) => one.name), ['x/t.json']);
});

test('a trace that waits for room is asked for, one on its way is waited for', () => {
  const traces = [entry('a', null, 'queued'), entry('b', null, 'loading'), entry('c')];
  assert.deepEqual(loadingOf({ ...runs, loading: true }, traces).map((one) => one.trace), ['a', 'b']);
  assert.deepEqual(loadingOf(runs, [traces[0], traces[2]]), []);
});

function choices(...names: string[]): RunChoice[] {
  return names.map((name) => choice(name));
}

function choice(name: string, more: Partial<TraceEntry> = {}, group = ''): RunChoice {
  return { name, label: name, group, traces: [{ ...entry(`${name}/t.json`), slices: 1000, dialect: 'kineto', device: 'H200', ...more }] };
}

test('the names say which run is which; else the last two that are alike are taken', () => {
  assert.deepEqual(likelyRuns(choices('abnormal', 'normal'), {}), { normal: 'normal', abnormal: 'abnormal' });
  assert.deepEqual(likelyRuns(choices('x', 'fault_3', 'baseline'), {}), { normal: 'baseline', abnormal: 'fault_3' });
  assert.deepEqual(likelyRuns(choices('a', 'b', 'c'), {}), { normal: 'b', abnormal: 'c' });
  assert.deepEqual(likelyRuns(choices('slow', 'zero'), {}), { normal: 'zero', abnormal: 'slow' });
  assert.deepEqual(likelyRuns(choices('a', 'b'), { abnormal: 'a' }), { normal: 'b', abnormal: 'a' });
  assert.deepEqual(likelyRuns(choices('only'), {}), {});
  assert.deepEqual(likelyRuns(choices('a', 'b'), { normal: 'x', abnormal: 'y' }), { normal: 'x', abnormal: 'y' });
});

test('runs that do not look like one workload are not compared by themselves', () => {
  assert.deepEqual(likelyRuns([choice('a'), choice('b', { device: 'MI300' })], {}), {});
  assert.deepEqual(likelyRuns([choice('a'), choice('b', { dialect: 'paddle' })], {}), {});
  assert.deepEqual(likelyRuns([choice('a'), choice('b', { slices: 100 })], {}), {});
  assert.deepEqual(likelyRuns([choice('a'), choice('b', { slices: null })], {}), {}, 'not loaded yet');
  assert.deepEqual(likelyRuns([choice('a'), choice('b', { slices: 100 })], { normal: 'a' }), { normal: 'a' });
  const [near, far] = [choice('x/1', { slices: 900 }), choice('y/1')];
  assert.deepEqual(likelyRuns([choice('x/0'), near, far], {}), { normal: 'x/0', abnormal: 'x/1' }, 'one folder');
});

test('the ranks of one run are not two runs', () => {
  assert.equal(likeness(choice('r/rank0'), choice('r/rank1')), 0);
  assert.equal(likeness(choice('m/0.json', { rank: 0 }, 'm'), choice('m/1.json', { rank: 1 }, 'm')), 0);
  const whole = runChoices(runs).find((one) => one.name === 'told')!;
  assert.equal(likeness(whole, runChoices(runs).find((one) => one.name === 'told/x.json')!), 0);
});

test('an error on the page does not speak of the command line', () => {
  assert.equal(hintForPage('--align compares them by their position'), '');
  assert.equal(hintForPage('align=1 compares them by their position'), '');
  assert.equal(hintForPage('record more steps; or use `--cycle marker=REGEX`'), 'record more steps');
  assert.equal(hintForPage('a folder of ranks, or two runs'), 'a folder of ranks, or two runs');
  assert.ok(canAlign('align=1 compares them by their position') && !canAlign('realigned'));
  assert.ok(asksForCycles('name the range of one cycle with cycle marker=REGEX'));
});

test('the answer is not said twice', () => {
  assert.equal(withoutAnswer('Slower: the median rose, 1 -> 2.', 'Slower'), 'The median rose, 1 -> 2.');
  assert.equal(withoutAnswer('No significant change of it.', 'Shifted'), 'No significant change of it.');
});

test('a share is not said twice', () => {
  assert.equal(withoutShare('92.2 % of the time goes there', '92.2 %'), 'of the time goes there');
  assert.equal(withoutShare('kernels take 92.2 %', '92.2 %'), 'kernels take 92.2 %');
});

test('sentences have the signs of the page', () => {
  assert.equal(withSigns('rose, 900 us -> 1.2 ms (+300 us; bus us)'), 'rose, 900 µs → 1.2 ms (+300 µs; bus us)');
});

function cycles(durations: number[], leftOut: number[] = []): ComparedCycle[] {
  return durations.map((duration_ns, i) => ({
    cycle: i + 1, name: `step ${i + 1}`, type: duration_ns > 1000 ? 'long' : 'short', start_ns: i * 2000, duration_ns, left_out_on: leftOut.includes(i + 1) ? ['GPU 0'] : [],
  }));
}

function change(shift: number | null, more: Partial<Change> = {}): Change {
  return { n_normal: 8, n_abnormal: 8, mean_normal: 1, mean_abnormal: 2, median_normal: 1, median_abnormal: 2, shift, shift_low: shift === null ? null : shift - 0.5,
           shift_high: shift === null ? null : shift + 0.5, cliffs_delta: 1, q: 0.01, ...more };
}

function row(name: string, verdict: string, shift: number | null): ComparedFunction {
  return { function: name, device: 'GPU 0', kind: 'kernel', rank: 0, cycle_type: 'step', verdict, verdict_text: verdict, dbeta: 1, calls_normal: 1, calls_abnormal: 1, q_bh: 0.01, cliffs_delta: 1,
           suspicion: 1, ms: change(shift) };
}

function compared(normal: ComparedCycle[], abnormal: ComparedCycle[], functions: ComparedFunction[] = []): Comparison {
  const run = (label: string, list: ComparedCycle[]): Comparison['runs']['normal'] => ({
    label, path: label, runs: 1, ranks: [{ rank: 0, path: `${label}/t.json`, cycles: { count: list.length, method: '', confidence: '', marker: '', list } }],
  });
  return {
    schema: '', version: 1, verdict: { answer: 'slower', sentences: [], cause: null, confidence: '' }, runs: { normal: run('n', normal), abnormal: run('a', abnormal) },
    cycles: { types: [] }, causes: [], functions, metrics: [], quality: [],
  };
}

test('short and long cycles have rows of their own, each with its median', () => {
  const rows = cycleRows(compared(cycles([100, 5000, 300]), cycles([200, 400])), null);
  assert.deepEqual(rows.map((one) => [one.side, one.type, one.cycles.length, one.median_ns]),
                   [['normal', 'short', 2, 200], ['abnormal', 'short', 2, 300], ['normal', 'long', 1, 5000]]);
});

test('the typical cycle is complete and near the median', () => {
  const of = (list: ComparedCycle[]): number => typicalCycle(compared(list, list).runs.normal.ranks[0]);
  assert.equal(of(cycles([100, 900, 110, 130], [3])), 4);
  assert.equal(of(cycles([100, 120], [1, 2])), 1);
});

test('chosen cycles read back from the address; what is not there gives way to a typical one', () => {
  const both = compared(cycles([100, 110, 120]), cycles([200, 210, 900]));
  assert.deepEqual(parseChosen(chosenText({ normal: 3, abnormal: 1 }), both, 0), { normal: 3, abnormal: 1 });
  assert.deepEqual(parseChosen('9,x', both, 0), { normal: 2, abnormal: 2 });
  assert.deepEqual(parseChosen(undefined, both, null), { normal: 2, abnormal: 2 });
  assert.deepEqual(commonRanks(both), [0]);
});

test('stepping through cycles stops at the ends', () => {
  const list = cycles([1, 2, 3]);
  assert.deepEqual([stepped(list, 2, 1), stepped(list, 3, 1), stepped(list, 1, -1), stepped(list, 2, -9)], [3, 3, 1, 1]);
});

test('a scale has round ticks around all values, also around equal ones', () => {
  const scale = scaleOf([751e6, 1001e6, 735e6]);
  assert.deepEqual([scale.low_ns, scale.high_ns], [700e6, 1100e6]);
  const flat = scaleOf([1000, 1000]);
  assert.ok(flat.low_ns <= 1000 && flat.high_ns > 1000 && flat.ticks_ns.length >= 2);
});

test('the table has all functions or those that changed, in nanoseconds', () => {
  const all = compared([], [], [row('f', 'changed', 2), row('g', '~', -1), row('h', 'too few cycles', null)]);
  assert.deepEqual(functionTable(all, false).rows.map((one) => [one['function'], one['change_ns'], one['change_low_ns']]), [['f', 2e6, 1.5e6], ['g', -1e6, -1.5e6], ['h', null, null]]);
  assert.deepEqual(functionTable(all, true).rows.map((one) => one['index']), [0]);
  assert.equal(functionTable(all, false).rows[0]['rank'], null, 'with one rank its column says nothing');
});

test('intervals stand on one scale with zero in it; open ends reach its border', () => {
  const scale = changeScale([{ change_ns: 4, change_low_ns: 1, change_high_ns: 9 }, { change_ns: null }]);
  assert.deepEqual(scale, { low: 0, high: 9 });
  const span = spanOn(scale, 1, 4, 9)!;
  assert.deepEqual([span.zero, span.low, span.middle, span.high].map((one) => Math.round(one * 3)), [0, 1, 2, 3]);
  assert.equal(spanOn(scale, null, 4, null)!.high, 1);
  assert.equal(spanOn(scale, 1, null, 9), null);
});

function metric(name: string, changed: boolean, told_by: 'all' | 'busy', of: Change): ComparedMetric {
  return { device: 'GPU 0', metric: name, unit: 'MHz', rank: 0, told_by, changed, all: change(0), busy: change(0), [told_by]: of };
}

test('equal series are one line, and what did not change is none', () => {
  const clock = change(-900, { median_normal: 1000, median_abnormal: 100 });
  const lines = changedMetrics([metric('clock', true, 'busy', clock), metric('sm_clock', true, 'busy', clock), metric('memory', false, 'busy', clock), metric('power', true, 'all', change(5))]);
  assert.deepEqual(lines.map((one) => one.names), [['clock', 'sm_clock'], ['power']]);
  assert.equal(ratioText(lines[0].change), '× 0.10');
  assert.equal(ratioText(change(1, { median_normal: 0 })), '');
});

test('a large difference with too few samples for a test comes after what changed', () => {
  const few = { n_normal: 2, n_abnormal: 3, q: null, median_normal: 1000, median_abnormal: 100 };
  const lines = changedMetrics([
    metric('untested', false, 'all', change(-900, few)), metric('small', false, 'all', change(-10, few)),
    metric('mixed', false, 'all', change(-900, { ...few, cliffs_delta: -0.3 })), metric('changed', true, 'all', change(5)),
  ]);
  assert.deepEqual(lines.map((one) => one.names), [['changed'], ['untested']]);
});

test('numbers read as people write them', () => {
  assert.deepEqual([probabilityText(1e-8), probabilityText(0.0321), probabilityText(null)], ['<0.001', '0.032', '–']);
  assert.deepEqual([pointsText(31.662), pointsText(-0.5), pointsText(0.001)], ['+31.66 pt', '−0.50 pt', '0 pt']);
  assert.deepEqual([quantityText(1.84e9, 'B/s'), quantityText(600, 'MHz'), quantityText(-3, '%'), quantityText(null, 'W')], ['1.84 GB/s', '600 MHz', '−3.00 %', '–']);
  assert.equal(certaintyText(0.9), 'confident, score 0.90 of 1');
  assert.equal(certaintyText(0.5), 'not sure, score 0.50 of 1');
});
