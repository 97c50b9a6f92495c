import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Module, Summary } from '../../src/api/types.ts';
import { type Stack, averageStack, countSteps, spread, stepStacks, thinned, unitOf, warmUpOf, warmUpText, withWarmUpWords } from '../../src/model/breakdown.ts';
import { diffLines, orderedDiff } from '../../src/model/diff_rows.ts';
import { filteredModules, firstOpen, moduleRows } from '../../src/model/module_tree.ts';
import { kKinds, kTones, rgbOf, toneOf, toned } from '../../src/model/kinds.ts';

const summary: Summary = {
  schema: 'strobe.summary', version: 1, facts: {}, findings: [],
  tables: {
    step_breakdown: {
      title: '', rows_left_out: 0, notes: [], columns: [],
      rows: [
        { label: 'GPU computes', word: 'kernel', per_step_ns: 60 }, { label: 'nothing recorded', word: 'idle', per_step_ns: 40 },
        { label: 'step', word: 'all', per_step_ns: 100 },
      ],
    },
    steps: {
      title: '', rows_left_out: 0, notes: [],
      columns: ['rank', 'step', 'start_ns', 'duration_ns', 'kernel_ns', 'idle_ns', 'launched_kernel_ns'].map((key) => ({ key, type: 'name' })),
      rows: [
        { rank: 'r', step: 'ProfilerStep#1', start_ns: 0, duration_ns: 90, kernel_ns: 50, idle_ns: 40, launched_kernel_ns: 50 },
        { rank: 'r', step: 'ProfilerStep#2', start_ns: 90, duration_ns: 110, kernel_ns: 70, idle_ns: 40, launched_kernel_ns: 70 },
      ],
    },
  },
};

test('the parts of every step add up to the step', () => {
  const average = averageStack(summary)!;
  assert.equal(average.total_ns, 100);
  assert.deepEqual(average.parts.map((part) => part.word), ['kernel', 'idle']);
  for (const stack of [average, ...stepStacks(summary, average)]) {
    assert.equal(stack.parts.reduce((sum, part) => sum + part.value_ns, 0), stack.total_ns);
  }
  assert.equal(stepStacks(summary, average)[1].parts[0].label, 'GPU computes');
});

test('the spread of the steps is told with its middle', () => {
  assert.deepEqual(spread(stepStacks(summary, null)), { low_ns: 90, middle_ns: 100, high_ns: 110 });
  assert.equal(spread([]), null);
});

const cold: Summary = { ...summary, facts: { warm_up_steps: 1 }, tables: { ...summary.tables, steps: { ...summary.tables['steps'],
  rows: [['Step#0', 5000, 'warm_up'], ['Step#1', 90, 'steady'], ['Step#2', 110, 'steady']].map(([step, duration_ns, state]) => ({ rank: 'r', step, start_ns: 0, duration_ns, state })) } } };

test('warm-up is no part of averages and of the spread', () => {
  const stacks = stepStacks(cold, null);
  assert.deepEqual(stacks.map((stack) => stack.isWarmUp), [true, false, false]);
  assert.deepEqual(spread(stacks), { low_ns: 90, middle_ns: 100, high_ns: 110 });
  assert.equal(averageStack(cold)!.name, 'average steady step');
  assert.deepEqual(warmUpOf(stacks), { steps: 1, total_ns: 5000 });
  assert.equal(warmUpText({ steps: 1, total_ns: 4_220_000 }, 'step'), 'the first step, 4.22 ms');
  assert.equal(warmUpText({ steps: 3, total_ns: 481_000_000 }, 'cycle'), 'the first 3 cycles, 481 ms in all');
  assert.equal(warmUpText({ steps: 4, total_ns: 481_000_000 }, 'step', 2), '4 steps at the start of the ranks, 481 ms in all');
  assert.deepEqual(withWarmUpWords(cold.tables['steps']).rows.map((row) => row['state']), ['warm-up', null, null]);
});

test('bars that are drawn as one are the longest of their kind', () => {
  const stack = (total_ns: number, isWarmUp = false): Stack => ({ name: '', short: '', rank: '', start_ns: 0, total_ns, parts: [], isWarmUp });
  const many = [stack(900, true), ...[3, 5, 4, 7, 6].map((length) => stack(length))];
  assert.deepEqual(thinned(many, 2).map((one) => one.total_ns), [900, 5, 7, 6]);
  assert.deepEqual(thinned(many.slice(1), 3).map((one) => one.total_ns), [5, 7]);
});

test('a trace without steps is accounted for as a whole', () => {
  const empty = { ...summary, tables: {} };
  assert.equal(averageStack(empty), null);
  assert.deepEqual(stepStacks(empty, null), []);
  const rows = [{ label: 'GPU computes', word: 'kernel', per_step_ns: null, total_ns: 70 }, { label: 'trace', word: 'all', per_step_ns: null, total_ns: 70 }];
  const whole = { ...summary, tables: { step_breakdown: { ...summary.tables['step_breakdown'], rows } } };
  assert.equal(unitOf(whole), 'trace');
  assert.deepEqual([averageStack(whole)!.name, averageStack(whole)!.total_ns, averageStack(whole)!.parts[0].value_ns], ['trace', 70, 70]);
});

test('cycles that were found are not called steps', () => {
  assert.equal(unitOf(summary), 'step');
  const cycles = { ...summary, facts: { cycles_found_by: 'a host range that recurs: decode' } };
  assert.equal(averageStack(cycles)!.name, 'average cycle');
});

test('bars of several ranks tell their rank', () => {
  assert.deepEqual(stepStacks(summary, null).map((one) => one.short), ['1', '2']);
  const of = (ranks: string[]): Summary => ({ ...summary, tables: { ...summary.tables, steps: { ...summary.tables['steps'],
    rows: ranks.map((rank, i) => ({ rank, step: `ProfilerStep#${i % 2 + 3}`, start_ns: 0, duration_ns: 1 })) } } });
  assert.deepEqual(stepStacks(of(['rank 0', 'rank 1']), null).map((one) => one.short), ['rank 0', 'rank 1']);
  assert.deepEqual(stepStacks(of(['rank 0', 'rank 0', 'rank 1', 'rank 1']), null).map((one) => one.short), ['0·3', '0·4', '1·3', '1·4']);
  assert.deepEqual(countSteps(of(['rank 0', 'rank 0', 'rank 1', 'rank 1'])), { steps: 4, ranks: 2 });
});

const lines = diffLines([
  { name: 'small', base: { calls: 1, device_ns: 10, low_ns: 9, high_ns: 11 }, other: { calls: 1, device_ns: 14, low_ns: 13, high_ns: 15 }, beyond_spread: true },
  { name: 'faster', base: { calls: 1, device_ns: 100, low_ns: 90, high_ns: 110 }, other: { calls: 1, device_ns: 80, low_ns: 70, high_ns: 95 }, beyond_spread: false },
  { name: 'new', base: null, other: { calls: 2, device_ns: 5, low_ns: 5, high_ns: 5 }, beyond_spread: true },
]);

test('differences come largest first, whichever way they go', () => {
  assert.deepEqual(orderedDiff(lines, 'delta', '', false).map((line) => [line.name, line.delta_ns]), [['faster', -20], ['new', 5], ['small', 4]]);
  assert.equal(lines[0].relative, 0.3999999999999999);
  assert.equal(lines[2].relative, null);
});

test('differences can be narrowed to a name and to those beyond the spread', () => {
  assert.deepEqual(orderedDiff(lines, 'name', '', true).map((line) => line.name), ['new', 'small']);
  assert.deepEqual(orderedDiff(lines, 'delta', 'fast', false).map((line) => line.name), ['faster']);
});

function module(name: string, device_ns: number, children: Module[] = []): Module {
  return { name, calls: 1, host_ns: 1, host_self_ns: 1, device_ns, device_self_ns: 1, first_slice: 0, children };
}

const tree = [module('GPT', 10, [module('Block_0', 3, [module('Linear_0', 1)]), module('Block_1', 7, [module('Linear_1', 2)])])];

test('a tree of modules shows what is open, sorted within each parent', () => {
  const open = firstOpen(tree);
  assert.deepEqual(moduleRows(tree, open, null).map((row) => row.module.name), ['GPT', 'Block_0', 'Linear_0', 'Block_1', 'Linear_1']);
  assert.deepEqual(moduleRows(tree, new Set(['/0']), 'device_ns').map((row) => row.module.name), ['GPT', 'Block_1', 'Block_0']);
  assert.deepEqual(moduleRows(tree, new Set(), null).length, 1);
});

test('a filter keeps the way to what matches', () => {
  const found = filteredModules(tree, (name) => name === 'Linear_1');
  assert.deepEqual(found[0].children.map((child) => child.name), ['Block_1']);
});

test('a name keeps its tone, and all tones are used', () => {
  const tones = new Set(Array.from({ length: 200 }, (_, i) => toneOf(`kernel_${i}`)));
  assert.equal(toneOf('aten::mm'), toneOf('aten::mm'));
  assert.equal(tones.size, kTones);
});

// Relative luminance and contrast as WCAG 2 defines them.
function luminance([r, g, b]: readonly number[]): number {
  const [x, y, z] = [r, g, b].map((value) => (value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * x + 0.7152 * y + 0.0722 * z;
}

test('words on slices can be read in both themes', () => {
  for (const [theme, ink] of [['light', '#16202c'], ['dark', '#f2f5f8']] as const) {
    for (const kind of kKinds) {
      for (let tone = 0; tone < kTones; ++tone) {
        const [a, b] = [luminance(rgbOf(ink)), luminance(toned(rgbOf(kind[theme]), tone, theme))].sort((x, y) => y - x);
        const contrast = (a + 0.05) / (b + 0.05);
        assert.ok(contrast >= 4.5, `${kind.name}, tone ${tone}, ${theme}: ${contrast.toFixed(2)}`);
      }
    }
  }
});
