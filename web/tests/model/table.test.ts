import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Column, Table } from '../../src/api/types.ts';
import { csvText, filterRows, givenOrder, nextOrder, orderText, parseOrder, sortRows, speakingColumns, visibleRange } from '../../src/model/table.ts';

const kName: Column = { key: 'name', type: 'name' };
const kTime: Column = { key: 'time_ns', type: 'duration_ns' };
const table: Table = {
  title: 'Kernels', rows_left_out: 0, notes: [],
  columns: [kName, kTime, { key: 'flops', type: 'count' }],
  rows: [
    { name: 'gemm_10', time_ns: 5, flops: null }, { name: 'gemm_9', time_ns: null, flops: null },
    { name: 'copy', time_ns: 50, flops: null },
  ],
};

function names(rows: readonly { name?: unknown }[]): unknown[] {
  return rows.map((row) => row.name);
}

test('absent cells stay at the end whichever way a column is sorted', () => {
  assert.deepEqual(names(sortRows(table.rows, { key: 'time_ns', descending: true })), ['copy', 'gemm_10', 'gemm_9']);
  assert.deepEqual(names(sortRows(table.rows, { key: 'time_ns', descending: false })), ['gemm_10', 'copy', 'gemm_9']);
});

test('names are sorted as people count', () => {
  assert.deepEqual(names(sortRows(table.rows, { key: 'name', descending: false })), ['copy', 'gemm_9', 'gemm_10']);
});

test('three clicks on a header sort, turn around and let go', () => {
  const first = nextOrder(null, kTime);
  assert.deepEqual(first, { key: 'time_ns', descending: true });
  const second = nextOrder(first, kTime);
  assert.deepEqual(second, { key: 'time_ns', descending: false });
  assert.equal(nextOrder(second, kTime), null);
  assert.deepEqual(nextOrder(second, kName), { key: 'name', descending: false });
});

test('an order reads back from the address', () => {
  assert.deepEqual(parseOrder(orderText({ key: 'time_ns', descending: true })), { key: 'time_ns', descending: true });
  assert.equal(parseOrder(orderText(null)), null);
});

test('a filter looks at names and texts only', () => {
  assert.deepEqual(names(filterRows(table, 'GEMM').rows), ['gemm_10', 'gemm_9']);
  assert.deepEqual(names(filterRows(table, '50').rows), []);
  assert.deepEqual(names(filterRows(table, '/_\\d$/').rows), ['gemm_9']);
  assert.notEqual(filterRows(table, '/[/').problem, '');
});

test('without a filter a table of numbers keeps its rows', () => {
  const numbers = { ...table, columns: [kTime] };
  assert.equal(filterRows(numbers, ' ').rows.length, 3);
  assert.equal(filterRows(numbers, 'x').rows.length, 0);
});

test('a column without a single value is not shown', () => {
  assert.deepEqual(speakingColumns(table).map((column) => column.key), ['name', 'time_ns']);
});

test('CSV has the exact numbers, and quotes what needs quotes', () => {
  assert.equal(csvText([kName, kTime], [{ name: 'f<int, "x">', time_ns: 1.5 }, { name: 'g', time_ns: null }]),
               'name,time_ns\r\n"f<int, ""x"">",1.5\r\ng,\r\n');
});

test('only the rows on the screen are drawn, and some to spare', () => {
  assert.deepEqual(visibleRange(0, 260, 26, 10_000), { first: 0, last: 18 });
  assert.deepEqual(visibleRange(26_000, 260, 26, 10_000), { first: 992, last: 1018 });
  assert.deepEqual(visibleRange(1e9, 260, 26, 100), { first: 100, last: 100 });
});

test('what is unfolded below a row moves the rows after it', () => {
  const unfolded = { index: 1, height: 260 };
  assert.deepEqual(visibleRange(0, 260, 26, 10_000, unfolded), { first: 0, last: 10 }); // two rows and their spare ones; the rest of the screen is unfolded
  assert.deepEqual(visibleRange(26_000 + 260, 260, 26, 10_000, unfolded), { first: 992, last: 1018 }); // far below as without it
  assert.deepEqual(visibleRange(100, 52, 26, 10_000, unfolded), { first: 0, last: 10 }); // the screen is inside of it
});

test('the order in which rows came is found, from times before counts', () => {
  const columns: Column[] = [{ key: 'name', type: 'name' }, { key: 'calls', type: 'count' }, { key: 'time_ns', type: 'duration_ns' }];
  const rows = [{ name: 'a', calls: 9, time_ns: 7 }, { name: 'b', calls: 3, time_ns: 7 }, { name: 'c', calls: 1, time_ns: 2 }];
  assert.deepEqual(givenOrder(columns, rows), { key: 'time_ns', descending: true });
  assert.deepEqual(givenOrder(columns, [rows[0], { ...rows[1], time_ns: 8 }]), { key: 'calls', descending: true });
  assert.equal(givenOrder(columns, [rows[1], rows[0]]), null);
  assert.equal(givenOrder(columns, [rows[0]]), null);
  assert.equal(givenOrder([columns[2]], [rows[0], { ...rows[1], time_ns: null }]), null);
});
