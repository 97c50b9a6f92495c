import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { CounterInfo } from '../../src/api/types.ts';
import { scaleOf, scaleText } from '../../src/model/counter_scale.ts';
import { CounterTiles, valueAt } from '../../src/model/counter_tiles.ts';
import { valueText } from '../../src/model/units.ts';
import { settle } from './time.ts';

function counter(unit: string, min: number, max: number): CounterInfo {
  return { counter: 3, name: 'c', label: 'c', key: '', group: 0, track: null, is_main: true, unit, min, max };
}

test('values are told in their unit', () => {
  assert.equal(valueText('share', 0.5), '50.0 %');
  assert.equal(valueText('bytes', 2 ** 30), '1.00 GiB');
  assert.equal(valueText('%', 99.94), '99.9 %');
  assert.equal(valueText('MHz', 1980), '1980 MHz');
  assert.equal(valueText('W', 87.25), '87.3 W');
  assert.equal(valueText('B/s', 12_400_000_000), '12.4 GB/s');
  assert.equal(valueText('B/s', 0), '0 B/s');
  assert.equal(valueText('1/s', 12_500), '12\u202f500 /s');
  assert.equal(valueText('ms/s', 431.2), '431 ms/s');
});

test('a share of power is seen from zero; a clock is not, and noise is not a change', () => {
  const power = scaleOf([counter('W', 100, 700)]);
  assert.deepEqual([power.share(0), power.share(350), power.share(700), power.isFromZero], [0, 0.5, 1, true]);
  const clock = scaleOf([counter('MHz', 1200, 1980)]);
  assert.ok(clock.share(1200) > 0.1 && clock.share(1200) < 0.2 && clock.share(1980) === 1);
  const noise = scaleOf([counter('MHz', 1965, 1980)]);
  assert.ok(noise.share(1980) - noise.share(1965) < 0.1);
});

test('values below zero have room, and a flat zero divides nothing by nothing', () => {
  const drift = scaleOf([counter('number', -10, 30)]);
  assert.deepEqual([drift.share(-10), drift.share(0), drift.share(30)], [0, 0.25, 1]);
  assert.equal(scaleOf([counter('number', 0, 0)]).share(0), 0);
});

test('the height of a lane is told beside its name', () => {
  assert.equal(scaleText([counter('W', 100, 700), counter('W', 600, 710)]), 'max 710 W');
  assert.equal(scaleText([counter('MHz', 1200, 1980)]), '1200 to 1980 MHz');
  assert.equal(scaleText([counter('MHz', 1980, 1980)]), 'max 1980 MHz');
});

test('between samples that stay away there is no value', async () => {
  const tiles = new CounterTiles({ start_ns: 0, end_ns: 2048 }, () => () => Promise.resolve({ generation: 1, points: [[0, 1, 2], [1, 3, 4], [100, 5, 6]] }), () => {});
  const grid = tiles.of(counter('number', 0, 6));
  const view = { start_ns: 0, end_ns: 2048 };
  grid.look(view, 2048);
  await settle();
  const at = (time: number): number | null => valueAt(grid, view, 2048, time);
  assert.deepEqual([at(0.5), at(1.2), at(50), at(100.4), at(200)], [2, 4, null, 6, null]);
});
