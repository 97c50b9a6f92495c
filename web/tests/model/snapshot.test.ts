import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import type { Memory, MemorySnapshot } from '../../src/api/types.ts';
import { courseOf, devicesOf, framesOf, partsOf, partsOfFrame, placeOf, tableOf } from '../../src/model/snapshot.ts';

// The answers of the API that its own tests prove.
function answer(name: string): MemorySnapshot {
  const file = join(process.cwd(), '..', 'tests', 'golden', 'api', `${name}.json`);
  return (JSON.parse(readFileSync(file, 'utf8')) as Memory).snapshot!;
}

const own = answer('memory_of_snapshot');
const real = answer('memory_of_shared_snapshot');

test('a table of one device has its rows only, and no column for it', () => {
  const now = [0, 1].map((device) => tableOf(own, 'holders', device));
  assert.deepEqual(now.map((table) => table.rows.length), [2, 1]);
  assert.ok(now[0].rows.every((row) => row['device'] === 0));
  assert.ok(!now[0].columns.some((column) => column.key === 'device'));
  assert.deepEqual(tableOf(own, 'no such table', 0).rows, []);
});

test('who holds memory adds up to what is in use, now and at the peak', () => {
  for (const [snapshot, device] of [own, real].flatMap((one) => devicesOf(one).map((row) => [one, row] as const))) {
    const sum = (key: string): number => tableOf(snapshot, key, Number(device['device'])).rows.reduce((total, row) => total + Number(row['bytes']), 0);
    assert.equal(sum('holders'), device['requested_bytes']);
    assert.equal(sum('holders_at_peak'), device['peak_allocated_bytes']);
  }
});

test('the parts of reserved memory add up to it', () => {
  for (const device of [own, real].flatMap(devicesOf)) {
    assert.equal(partsOf(device).reduce((sum, part) => sum + part.bytes, 0), device['reserved_bytes']);
  }
  assert.deepEqual(partsOf({ reserved_bytes: 100, requested_bytes: 40, active_bytes: 50, awaiting_free_bytes: 0, stuck_bytes: 20, releasable_bytes: 0 }),
    [{ word: 'used', bytes: 40 }, { word: 'rounding', bytes: 10 }, { word: 'stuck', bytes: 20 }, { word: 'other', bytes: 30 }]);
});

test('a curve runs over time where events have times, else over events', () => {
  const timed = courseOf(own.curves.find((one) => one.device === 0));
  assert.equal(timed.hasTimes, true);
  assert.equal(timed.points[1].x, 500_000);
  assert.equal(Math.max(...timed.points.map((point) => point.used)), devicesOf(own)[0]['peak_allocated_bytes']);
  const untimed = courseOf(real.curves[0]);
  assert.equal(untimed.hasTimes, false);
  assert.equal(untimed.points[0].x, real.curves[0].points[0][0]);
  assert.deepEqual(courseOf(undefined), { hasTimes: false, points: [] });
  assert.equal(placeOf(timed, 7, 900), 900);
  assert.equal(placeOf(untimed, 7, null), 7);
});

test('times that go back are no axis', () => {
  const course = courseOf({ device: 0, points: [[0, 0, 1, 1], [1, 20, 2, 2], [2, 10, 3, 3]] });
  assert.equal(course.hasTimes, false);
  assert.deepEqual(course.points.map((point) => point.x), [0, 1, 2]);
});

test('a stack is a frame per line, the innermost first', () => {
  const [row] = tableOf(own, 'holders', 0).rows;
  assert.deepEqual(framesOf(row), ['at::native::empty_cuda(c10::ArrayRef<long>, c10::Device) (EmptyTensor.cpp:217)', '__init__ (model.py:12)', '<module> (train.py:90)']);
  assert.deepEqual(framesOf({ stack: null }), []);
  assert.deepEqual(partsOfFrame('f(int) (a.cpp:3)'), { function: 'f(int)', place: 'a.cpp:3' });
  assert.deepEqual(partsOfFrame('no place'), { function: 'no place', place: '' });
});
