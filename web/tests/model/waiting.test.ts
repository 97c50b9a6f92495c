import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { TraceEntry } from '../../src/api/types.ts';
import { rankName, shownTrace, traceOfRank } from '../../src/model/ranks.ts';
import { atScreen } from '../../src/model/route.ts';
import { kLongestKeys, stretchOf, withIdleWords } from '../../src/model/waiting.ts';

test('the longest of a row has a place on the timeline of its rank', () => {
  assert.deepEqual(stretchOf({ idle_max_ns: 40, longest_at_ns: 100, longest_rank: 'rank 3' }), { rank: 'rank 3', start_ns: 100, length_ns: 40 });
  assert.deepEqual(stretchOf({ host_max_ns: 7, longest_at_ns: 5 }), { rank: '', start_ns: 5, length_ns: 7 });
  assert.deepEqual(kLongestKeys, ['idle_max_ns', 'host_max_ns', 'max_delay_ns']);
});

test('a delay ends where the work begins', () => {
  assert.deepEqual(stretchOf({ max_delay_ns: 30, max_delay_at_ns: 100, rank: 'rank 0' }), { rank: 'rank 0', start_ns: 70, length_ns: 30 });
  assert.equal(stretchOf({ max_delay_ns: null, max_delay_at_ns: null }), null);
  assert.equal(stretchOf({ max_delay_ns: 0, max_delay_at_ns: 5 }), null);
});

test('kinds of idle time are words for people, and unknown ones stay', () => {
  const table = { title: '', columns: [], rows: [{ word: 'runtime_call' }, { word: 'new_kind' }], rows_left_out: 0, notes: [] };
  assert.deepEqual(withIdleWords(table).rows.map((row) => row['word']), ['runtime call', 'new_kind']);
});

function entry(trace: string, rank: number | null): TraceEntry {
  return { trace, worker: '', span: 'default', rank, state: 'ready', progress: 1, error: null, file_bytes: 1, dialect: '', device: '', slices: 1, span_ns: 1, import_warning: null, generation: 1, is_recording: false, kind: 'trace' };
}

test('a rank of a table is one of the chosen traces', () => {
  const ranks = [entry('m/a.json', 0), entry('m/b.json', 1)];
  assert.deepEqual(ranks.map(rankName), ['rank 0', 'rank 1']);
  assert.equal(traceOfRank(ranks, 'rank 1'), 'm/b.json');
  assert.equal(traceOfRank([entry('m/a.json', null), entry('m/b.json', null)], 'b.json'), 'm/b.json');
  assert.equal(traceOfRank(ranks, ''), null);
  assert.equal(traceOfRank([ranks[0]], ''), 'm/a.json', 'there is only one');
});

test('of several traces the first is shown until another is chosen, and it stays chosen', () => {
  const route = { screen: 'timeline', traces: ['a', 'b'], parameters: {} };
  assert.equal(shownTrace(route), 'a');
  const chosen = { ...route, parameters: { shown: 'b', from: '1' } };
  assert.equal(shownTrace(chosen), 'b');
  assert.deepEqual(atScreen(chosen, 'memory').parameters, { shown: 'b' });
  assert.equal(shownTrace({ ...route, parameters: { shown: 'gone' } }), 'a');
});
