import assert from 'node:assert/strict';
import { test } from 'node:test';

import { TileGrid, kTileColumns, keysCovering, levelFor, tileEnd, tileStart, topLevel } from '../../src/model/tile_grid.ts';
import { Clock, settle } from './time.ts';

const kSpan = kTileColumns * 1024; // level 10 holds it in one tile
const kWhole = { start_ns: 0, end_ns: kSpan };

interface Asked {
  start_ns: number;
  end_ns: number;
  signal: AbortSignal;
  answer: (tile: string) => void;
  fail: (reason: Error) => void;
}

// A server that answers when the test says so.
function scripted(retryMs?: number): { grid: TileGrid<string>; asked: Asked[]; changes: () => number } {
  const asked: Asked[] = [];
  let changes = 0;
  const grid = new TileGrid<string>(
    kWhole,
    (start_ns, end_ns, _, signal) => new Promise((answer, fail) => {
      signal.addEventListener('abort', () => fail(new Error('aborted')));
      asked.push({ start_ns, end_ns, signal, answer, fail });
    }),
    () => ++changes, retryMs);
  return { grid, asked, changes: () => changes };
}

test('a level has columns as wide as a pixel or a little narrower', () => {
  assert.equal(levelFor({ start_ns: 0, end_ns: 1000 * 64 }, 1000), 6);
  assert.equal(levelFor({ start_ns: 0, end_ns: 1000 * 100 }, 1000), 6);
  assert.equal(levelFor({ start_ns: 0, end_ns: 20 }, 1000), 0);
});

test('one tile of the top level holds the whole trace', () => {
  assert.equal(topLevel(kSpan), 10);
  assert.equal(topLevel(kSpan + 1), 11);
  assert.equal(topLevel(1), 0);
});

test('tiles of a level cover the window and nothing outside the trace', () => {
  const keys = keysCovering({ start_ns: -500, end_ns: kSpan * 2 }, 9, kWhole);
  assert.deepEqual(keys, [{ level: 9, index: 0 }, { level: 9, index: 1 }]);
  assert.equal(tileStart(keys[1]), tileEnd(keys[0]));
});

test('the whole trace is asked for first, so that nothing is ever blank', () => {
  const { grid, asked } = scripted();
  grid.look({ start_ns: 0, end_ns: kTileColumns * 4 }, kTileColumns);
  assert.equal(asked[0].start_ns, 0);
  assert.equal(asked[0].end_ns, kSpan);
});

test('a coarse tile stands in until the fine one is there', async () => {
  const { grid, asked, changes } = scripted();
  const view = { start_ns: 0, end_ns: kTileColumns * 4 };
  grid.look(view, kTileColumns);
  assert.deepEqual(grid.covering(view, kTileColumns), []);
  asked[0].answer('all');
  await settle();
  assert.ok(changes() > 0);
  assert.equal(grid.isComplete(view, kTileColumns), false);
  assert.deepEqual(grid.covering(view, kTileColumns).map((patch) => patch.tile), ['all', 'all']);
  for (const one of asked.slice(1)) one.answer(`fine ${one.start_ns}`);
  await settle();
  assert.equal(grid.isComplete(view, kTileColumns), true);
  assert.equal(grid.covering(view, kTileColumns)[0].tile, 'fine 0');
});

test('finer tiles stand in when zooming out', async () => {
  const { grid, asked } = scripted();
  const half = kTileColumns * 512;
  const drain = async (): Promise<void> => {
    for (let i = 0; i < asked.length; ++i) {
      asked[i].answer(`${asked[i].start_ns}-${asked[i].end_ns}`);
      await settle();
    }
  };
  grid.look({ start_ns: 0, end_ns: half - 1 }, kTileColumns / 4); // level 9 fits this window: both halves are neighbours
  await drain();
  const patches = grid.covering({ start_ns: 0, end_ns: kSpan - 1 }, kTileColumns);
  const covered = patches.reduce((sum, patch) => sum + patch.end_ns - patch.start_ns, 0);
  assert.equal(covered, kSpan);
});

test('what is no longer on the screen is called off', () => {
  const { grid, asked } = scripted();
  grid.look({ start_ns: 0, end_ns: kTileColumns }, kTileColumns);
  const first = asked.length;
  grid.look({ start_ns: kSpan - kTileColumns, end_ns: kSpan }, kTileColumns);
  const gone = asked.slice(1, first);
  assert.ok(gone.length > 0);
  gone.forEach((one) => assert.equal(one.signal.aborted, true));
  assert.equal(asked[0].signal.aborted, false);
});

test('after a failed request nothing is fetched until a moment has passed', async (context) => {
  const clock = new Clock(context);
  const { grid, asked, changes } = scripted(200);
  const view = { start_ns: 0, end_ns: kSpan };
  grid.look(view, kTileColumns);
  const before = asked.length;
  asked.forEach((one) => one.fail(new Error('gone')));
  await settle();
  grid.look(view, kTileColumns);
  assert.equal(asked.length, before);
  const changed = changes();
  clock.pass(199);
  assert.equal(changes(), changed);
  clock.pass(1);
  assert.equal(changes(), changed + 1);
  grid.look(view, kTileColumns);
  assert.ok(asked.length > before);
});

test('samples before the first slice are on tiles with times below zero', () => {
  const reach = { start_ns: -kTileColumns, end_ns: kTileColumns };
  assert.deepEqual(keysCovering({ start_ns: -10 * kTileColumns, end_ns: 10 }, 0, reach), [{ level: 0, index: -1 }, { level: 0, index: 0 }]);
  assert.equal(tileStart({ level: 0, index: -1 }), -kTileColumns);
});

test('after the trace has grown, old tiles are drawn until the new ones are there', async () => {
  const { grid, asked } = scripted();
  const view = { start_ns: 0, end_ns: kSpan };
  grid.look(view, kTileColumns);
  asked.forEach((one) => one.answer('old'));
  await settle();
  assert.equal(grid.isComplete(view, kTileColumns), true);
  const before = asked.length;
  grid.renew({ start_ns: 0, end_ns: kSpan + 5 }, true);
  assert.equal(grid.isComplete(view, kTileColumns), false);
  assert.deepEqual(grid.covering(view, kTileColumns).map((patch) => patch.tile), ['old']);
  grid.look(view, kTileColumns);
  assert.ok(asked.length > before);
  for (let i = before; i < asked.length; ++i) {
    asked[i].answer('new');
    await settle();
  }
  assert.ok(grid.covering(view, kTileColumns).every((patch) => patch.tile === 'new'));
});

test('tiles that have become wrong are not drawn, and a late answer about them is dropped', async () => {
  const { grid, asked } = scripted();
  const view = { start_ns: 0, end_ns: kSpan };
  grid.look(view, kTileColumns);
  asked[0].answer('old');
  await settle();
  grid.renew({ start_ns: 0, end_ns: kSpan }, false);
  asked.slice(1).forEach((one) => one.answer('late'));
  await settle();
  assert.deepEqual(grid.covering(view, kTileColumns), []);
});
