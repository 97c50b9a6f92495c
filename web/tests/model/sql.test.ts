import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { QueryAnswer } from '../../src/api/types.ts';
import { answerTable, inserted, kRowNumber, placeOf, sliceOf } from '../../src/model/sql.ts';

const kSql = 'select name,\n  namee\nfrom kernels';

function wordAt(where: string, sql = kSql): string | null {
  const place = placeOf(where, sql);
  return place && sql.slice(place.start, place.end);
}

test('an error marks the word at its place', () => {
  assert.equal(wordAt('line 1 of the query, column 1'), 'select');
  assert.equal(wordAt('line 2 of the query, column 3'), 'namee');
  assert.equal(wordAt('line 1 of the query, column 12'), ',');
  assert.equal(wordAt('line 1 of the query, column 8', 'select "a b" from x'), '"a b"');
});

test('an error behind the end, or without a place, marks nothing', () => {
  assert.equal(wordAt('line 3 of the query, column 13'), '');
  assert.equal(wordAt('line 9 of the query, column 1'), null);
  assert.equal(wordAt(''), null);
});

const kAnswer: QueryAnswer = {
  traces: [{ trace: 'run/a.json', run: 'run', rank: 0 }, { trace: 'run/b.json', run: 'run', rank: 1 }],
  columns: [{ name: 'slice_id', type: 'whole', unit: null }, { name: 'dur', type: 'whole', unit: 'ns' }, { name: 'dur', type: 'real', unit: null }, { name: 'ok', type: 'bool', unit: null }],
  rows: [[7, 1500, 0.5, true], [8, null, null, false]],
  is_cut: false,
  elapsed_ns: 1,
};

test('an answer becomes a table: units are types, and columns of one name have two keys', () => {
  const table = answerTable(kAnswer);
  assert.deepEqual(table.columns, [{ key: 'slice_id', type: 'count' }, { key: 'dur', type: 'duration_ns' }, { key: 'dur (2)', type: 'number' }, { key: 'ok', type: 'text' }]);
  assert.deepEqual(table.rows[1], { [kRowNumber]: 1, 'slice_id': 8, 'dur': null, 'dur (2)': null, 'ok': 'false' });
});

test('a row leads to a slice if it is clear of which trace', () => {
  assert.equal(sliceOf(kAnswer, { slice_id: 7 }), null);
  assert.deepEqual(sliceOf(kAnswer, { slice_id: 7, rank: 1 }), { trace: 'run/b.json', slice: 7 });
  assert.equal(sliceOf(kAnswer, { slice_id: 7, rank: 9 }), null);
  assert.equal(sliceOf(kAnswer, { rank: 1 }), null);
  const one = { ...kAnswer, traces: kAnswer.traces.slice(0, 1) };
  assert.deepEqual(sliceOf(one, { slice_id: 7 }), { trace: 'run/a.json', slice: 7 });
});

test('what is inserted does not touch its neighbours', () => {
  assert.deepEqual(inserted('select from', 6, 6, 'name'), { sql: 'select name from', caret: 11 });
  assert.deepEqual(inserted('select x, y', 7, 8, 'dur'), { sql: 'select dur, y', caret: 10 });
});
