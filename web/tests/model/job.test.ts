import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Job, parseRanks } from '../../src/model/job.ts';
import { heatOf, kHeatMetrics, linesFor, rowOfLine, strengthOf } from '../../src/model/job_heat.ts';
import { fleetOf } from './fleet.ts';

const metric = (key: string) => kHeatMetrics.find((one) => one.key === key)!;

test('cells come to their rank and step, and what is not known stays so', () => {
  const job = new Job(fleetOf({ host: [[1, 2], [3, 4]], lateness: [[-5, null], [7, 8]] }, 10));
  assert.deepEqual(job.ranks, [10, 11]);
  assert.deepEqual([...job.column('host_ns')], [1, 2, 3, 4]);
  assert.equal(job.at(job.column('lateness_ns'), { row: 1, step: 0 }), 7);
  assert.ok(Number.isNaN(job.at(job.column('lateness_ns'), { row: 0, step: 1 })));
  assert.equal(job.meanOf('lateness_ns', 0), -5);
  assert.equal(job.meanOf('lateness_ns', 1), 7.5);
});

test('a job without common steps has no cells and still shows ranks', () => {
  const fleet = fleetOf({ host: [[], [], []] });
  delete fleet.document.tables['rank_steps'];
  const job = new Job(fleet);
  assert.equal(job.column('wait_ns').length, 0);
  assert.equal(job.typicalStep(), 0);
  assert.deepEqual(job.usualLanes(), [0, 1, 2]);
});

test('the typical peer does as much itself in that step as the median of the others', () => {
  const job = new Job(fleetOf({ host: [[90, 1], [10, 30], [20, 20], [30, 10]] }));
  assert.equal(job.typicalPeer({ row: 0, step: 0 }), 2);
  assert.equal(job.typicalPeer({ row: 0, step: 1 }), 2);
  assert.equal(job.typicalPeer({ row: 2, step: 0 }), 3, 'of 10, 30 and 90');
});

test('peers are ranks of the same stage, or all others if a stage has one rank', () => {
  const job = new Job(fleetOf({ host: [[1], [50], [60], [2], [9]], stages: [0, 1, 1, 0, 2] }));
  assert.deepEqual(job.peersOf(1), [2]);
  assert.equal(job.typicalPeer({ row: 0, step: 0 }), 3);
  assert.deepEqual(job.peersOf(4), [0, 1, 2, 3]);
});

test('a timeline begins with the slow ranks and typical ones', () => {
  const host = [[10], [10], [11], [99], [10], [10], [98], [50]];
  assert.deepEqual(new Job(fleetOf({ host, stragglers: ['6', '3 6'] })).slowRanks(), [6, 3]);
  assert.deepEqual(new Job(fleetOf({ host, stragglers: ['6', '3 6'] })).usualLanes(), [0, 1, 3, 4, 5, 6]);
  const job = new Job(fleetOf({ host: Array.from({ length: 100 }, (_, at) => [at]), stragglers: [Array.from({ length: 50 }, (_, at) => at).join(' ')] }));
  assert.equal(job.usualLanes().length, 8);
});

test('ranks are typed as numbers and ranges of what there is', () => {
  assert.deepEqual(parseRanks('0-2, 7', [0, 1, 2, 3, 7]), [0, 1, 2, 7]);
  assert.deepEqual(parseRanks('2 1 1', [1, 2]), [1, 2]);
  assert.deepEqual(parseRanks('', [1, 2]), []);
  assert.equal(parseRanks('8', [1, 2]), null);
  assert.equal(parseRanks('1-', [1, 2]), null);
});

test('own work is compared with the median of the stage in that step', () => {
  const job = new Job(fleetOf({ host: [[10, 1], [12, 1], [17, 4], [50, 2]], stages: [0, 0, 0, 1] }));
  assert.deepEqual([...heatOf(job, metric('own')).values], [-2, 0, 0, 0, 5, 3, 0, 0]);
});

test('the colours of a map are full from the 99th percentile on, but not for less than a hundredth of a step', () => {
  const lateness = [Array.from({ length: 200 }, (_, step) => (step === 0 ? -1e6 : step)), Array.from({ length: 200 }, () => 0)];
  const host = lateness.map((row) => row.map(() => 1));
  const heat = heatOf(new Job(fleetOf({ host, lateness, step_ns: 100 })), metric('lateness'));
  assert.equal(heat.reach, 196, 'of 400 sizes, 396 are at most 196');
  assert.ok(heat.isCut);
  assert.equal(strengthOf(heat, -1e6), -1);
  assert.equal(strengthOf(heat, 98), 0.5);
  assert.equal(strengthOf(heat, NaN), 0);
  const calm = heatOf(new Job(fleetOf({ host, lateness, step_ns: 1e9 })), metric('lateness'));
  assert.equal(calm.reach, 1e7);
  assert.ok(!calm.isCut);
});

test('thousands of ranks share lines, each with its most extreme one', () => {
  assert.deepEqual(linesFor(8), { each: 1, count: 8, height_px: 18 });
  const lines = linesFor(4096);
  assert.deepEqual(lines, { each: 10, count: 410, height_px: 1 });
  assert.ok(linesFor(421).count * linesFor(421).height_px <= 420);
  const lateness = Array.from({ length: 4096 }, (_, rank) => [rank === 4095 ? -9 : rank === 4094 ? 8 : rank % 5]);
  const job = new Job(fleetOf({ host: lateness.map(() => [1]), lateness }));
  const heat = heatOf(job, metric('lateness'));
  assert.deepEqual(rowOfLine(job, heat, lines, 409, 0), { row: 4095, step: 0 });
  assert.deepEqual(rowOfLine(job, heat, lines, 0, 0), { row: 4, step: 0 });
});

test('4,096 ranks in 100 steps are read and judged', (context) => {
  const rows = Array.from({ length: 4096 }, (_, rank) => Array.from({ length: 100 }, (__, step) => (rank * 31 + step * 17) % 1000));
  const fleet = fleetOf({ host: rows, lateness: rows, step_ns: 1000 });
  const began = performance.now();
  const job = new Job(fleet);
  for (const one of kHeatMetrics) assert.equal(heatOf(job, one).values.length, 409_600);
  assert.equal(job.usualLanes().length, 4);
  context.diagnostic(`all maps of 4,096 ranks in 100 steps: ${(performance.now() - began).toFixed(0)} ms`);
});
