import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Tile } from '../../src/api/types.ts';
import { type Label, type LoadedTile, hatchLine, hitTest, inksOf, judgeNames, loadTile, paintLine, repeatLine, rowKey } from '../../src/model/pixels.ts';
import type { Patch } from '../../src/model/tile_grid.ts';

const inks = inksOf('light', '#ffffff');
const kBlank = inks.background;

// 100 ns over 100 columns; one row of track 4.
function patch(slices: number[], dense: number[] = [], start = 0, end = 100): Patch<LoadedTile> {
  const tile: Tile = { start_ns: start, end_ns: end, columns: 100, generation: 1, names: ['gemm', 'copy'], rows: [{ track: 4, row: 0, slices, dense }] };
  return { tile: loadTile(tile), start_ns: start, end_ns: end };
}

function paint(patches: Patch<LoadedTile>[], view = { start_ns: 0, end_ns: 100 }, width = 100): { line: Uint32Array; labels: Label[] } {
  const line = new Uint32Array(width);
  const labels: Label[] = [];
  paintLine(line, patches, rowKey(4, 0), view, inks, 10, (label) => labels.push(label));
  return { line, labels };
}

function painted(line: Uint32Array): number[] {
  return [...line].flatMap((pixel, x) => (pixel === kBlank ? [] : [x]));
}

test('a slice fills its pixels and leaves one between itself and the next', () => {
  const { line } = paint([patch([1, 10, 10, 0, 9, 2, 20, 10, 1, 10])]);
  assert.deepEqual(painted(line), [10, 11, 12, 13, 14, 15, 16, 17, 18, 20, 21, 22, 23, 24, 25, 26, 27, 28]);
  assert.notEqual(line[10], line[20]);
});

test('a slice narrower than a pixel is still seen', () => {
  assert.deepEqual(painted(paint([patch([1, 50, 1, 0, 9])], { start_ns: 0, end_ns: 1000 }).line), [5]);
});

test('a dense stretch is paler the less it covers, and never invisible', () => {
  const faint = paint([patch([], [10, 5, 1, 9, 0, 9])]).line;
  const full = paint([patch([], [10, 5, 1000, 9, 0, 9])]).line;
  const whole = paint([patch([1, 10, 50, 0, 9])]).line;
  assert.deepEqual(painted(faint), [10, 11, 12, 13, 14]);
  assert.notEqual(faint[10], full[10]);
  assert.equal(full[10], whole[10]);
});

test('a stale tile is drawn only where it speaks', () => {
  const stale = { ...patch([1, 0, 100, 0, 9]), start_ns: 50, end_ns: 100 };
  const { line } = paint([stale]);
  assert.equal(painted(line)[0], 50);
});

test('a slice across two tiles has one label', () => {
  const first = patch([1, 10, 80, 0, 9], [], 0, 50);
  const second = { ...patch([1, 10, 80, 0, 9], [], 50, 100) };
  const { line, labels } = paint([first, second]);
  assert.equal(labels.length, 1);
  assert.deepEqual([labels[0].x, labels[0].width, labels[0].name], [10, 80, 'gemm']);
  assert.equal(painted(line).length, 79);
});

test('a label begins where its slice comes into view', () => {
  const { labels } = paint([patch([1, 0, 100, 0, 9])], { start_ns: 40, end_ns: 90 });
  assert.deepEqual([labels[0].x, labels[0].width], [0, 100]);
});

test('names that a search leaves out are dimmed', () => {
  const one = patch([1, 10, 20, 0, 9, 2, 50, 20, 1, 9]);
  judgeNames(one.tile, 'gemm', (name) => name === 'gemm');
  const { labels } = paint([one]);
  assert.deepEqual(labels.map((label) => label.dimmed), [false, true]);
});

test('a line is repeated within the image only', () => {
  const image = new Uint32Array(4 * 3);
  repeatLine(image, new Uint32Array(4).fill(7), -2, 2);
  assert.deepEqual([...image], [7, 7, 7, 7, 7, 7, 7, 7, 0, 0, 0, 0]);
});

test('the pointer finds the slice under it, or a narrow one beside it', () => {
  const patches = [patch([1, 10, 10, 0, 9, 2, 50, 1, 1, 10], [70, 10, 300, 25, 0, 9])];
  assert.equal((hitTest(patches, rowKey(4, 0), 15, 2) as { slice: number }).slice, 1);
  assert.equal((hitTest(patches, rowKey(4, 0), 52.5, 2) as { slice: number }).slice, 2);
  assert.equal(hitTest(patches, rowKey(4, 0), 40, 2), null);
  assert.equal(hitTest(patches, rowKey(4, 1), 15, 2), null);
  const dense = hitTest(patches, rowKey(4, 0), 75, 2);
  assert.deepEqual(dense, { is: 'dense', name: 'gemm', kind: 9, start_ns: 70, duration_ns: 10, slices: 25, cover: 0.3 });
});

test('a condition is striped where it is painted, and nowhere else', () => {
  const { line } = paint([patch([1, 20, 40, 0, 13])]);
  const image = new Uint32Array(100 * 8).fill(kBlank);
  hatchLine(image, line, 0, 8, inks, 1);
  const columns = (y: number): number[] => [...image.subarray(y * 100, y * 100 + 100)].flatMap((pixel, x) => (pixel === inks.hatch ? [x] : []));
  assert.deepEqual(columns(0), [21, 28, 35, 42, 49, 56]);
  assert.deepEqual(columns(1), [20, 27, 34, 41, 48, 55], 'stripes are oblique');
  assert.equal(image[10], kBlank);
  assert.equal(image[70], kBlank);
});
