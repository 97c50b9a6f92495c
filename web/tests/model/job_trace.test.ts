import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Client } from '../../src/api/client.ts';
import type { JobRank } from '../../src/api/job_types.ts';
import type { Runs, Timeline, TraceEntry } from '../../src/api/types.ts';
import { ExchangeTiles, exchangeAt, lastOf, loadExchanges } from '../../src/model/exchange_tiles.ts';
import { JobTrace, jobTime, traceTime } from '../../src/model/job_trace.ts';
import { jobOf } from '../../src/model/ranks.ts';
import { TimelineModel } from '../../src/model/timeline_model.ts';
import { settle } from './time.ts';

const info: Timeline = {
  origin_ns: '0', span_ns: 1_000_000, summary_span_ns: 90, reach_start_ns: 0, reach_end_ns: 1_000_000, generation: 7, is_recording: false, counters: [], steps: [],
  groups: [{ name: 'p', kind: 'host', tracks: [0, 1] }, { name: 'GPU 0', kind: 'device', tracks: [2, 3, 4, 5] }],
  tracks: [
    { track: 0, name: 'helper', process: '1', thread: '2', kind: 'host', rows: 1, slices: 90, busy_ns: 1 },
    { track: 1, name: 'main', process: '1', thread: '1', kind: 'host', rows: 2, slices: 2, busy_ns: 9 },
    { track: 2, name: 'stream 7', process: '0', thread: '7', kind: 'device', rows: 1, slices: 1, busy_ns: 4 },
    { track: 3, name: 'stream 8', process: '0', thread: '8', kind: 'device', rows: 1, slices: 0, busy_ns: 0 },
    { track: 4, name: 'stream 9', process: '0', thread: '9', kind: 'device', rows: 1, slices: 1, busy_ns: 8 },
  ],
};

const kRanks: JobRank[] = [
  { rank: 0, trace: 'a', host: null, clock: { trace_ns: 0, job_ns: 0, gains_ppm: 0 }, steps: [100, 200, 300, 420] },
  { rank: 5, trace: 'b', host: 'n1', clock: { trace_ns: 1000, job_ns: 500_000, gains_ppm: 50 }, steps: [90, 210, 310, 400] },
];

function joined(generations = [7, 7]): { trace: JobTrace; asked: URL[] } {
  const asked: URL[] = [];
  const client = new Client('http://x/', (url) => {
    const parsed = new URL(url);
    asked.push(parsed);
    const [name, of] = [parsed.searchParams.get('trace')!, ['a', 'b'].indexOf(parsed.searchParams.get('trace')!)];
    const start = Number(parsed.searchParams.get('start_ns'));
    const body = parsed.pathname.endsWith('/slice')
      ? { slice: 3, name: 'mm', track: 1, row: 1, start_ns: 1000, duration_ns: 100, ancestors: [{ slice: 2, name: 'f', track: 1, row: 0, start_ns: 1000, duration_ns: 200 }],
          links: [{ kind: 'launches', slice: 8, name: 'k', track: 4, row: 0, start_ns: 1200, duration_ns: 10 }, { kind: 'flow_out', slice: 9, name: 'h', track: 0, row: 0, start_ns: 1, duration_ns: 1 }] }
      : { start_ns: start, end_ns: start + 10, columns: 10, generation: generations[of], names: [`${name} mm`],
          rows: [{ track: 4, row: 0, slices: [3, 1000, 100, 0, 9], dense: [2, 1, 500, 4, 0, 9] }] };
    return Promise.resolve(Response.json(body));
  });
  return { trace: new JobTrace(client, kRanks, [info, info], ['s1', 's2']), asked };
}

test('times of a trace and of the job are each other\'s inverse, with offset and drift', () => {
  const { clock } = kRanks[1];
  assert.equal(jobTime(clock, 1000), 500_000);
  assert.equal(jobTime(clock, 1_001_000), 1_499_950);
  for (const at of [-5e9, 0, 123_456_789]) assert.ok(Math.abs(traceTime(clock, jobTime(clock, at)) - at) < 1e-3);
});

test('each rank is a group with its main thread and its busiest streams', () => {
  const { trace } = joined();
  assert.deepEqual(trace.info.groups.map((group) => [group.name, group.tracks]), [['rank 0', [0, 1, 2]], ['rank 5 · n1', [3, 4, 5]]]);
  assert.deepEqual(trace.info.tracks.map((track) => [track.track, track.name, track.process]), [
    [0, 'main', 'rank 0'], [1, 'stream 7', 'rank 0'], [2, 'stream 9', 'rank 0'], [3, 'main', 'rank 5'], [4, 'stream 7', 'rank 5'], [5, 'stream 9', 'rank 5']]);
  assert.deepEqual([trace.info.reach_start_ns, Math.round(trace.info.reach_end_ns)], [0, Math.round(jobTime(kRanks[1].clock, 1_000_000))]);
});

test('a step begins with its first rank and ends before the next one', () => {
  assert.deepEqual(joined().trace.info.steps, [{ name: 's1', start_ns: 90, duration_ns: 120 }, { name: 's2', start_ns: 300, duration_ns: 120 }]);
});

test('a tile is asked of every rank in the time of its trace, and put together on the clock of the job', async () => {
  const { trace, asked } = joined();
  const tile = await trace.tile('', 500_000, 1_500_000, 10);
  assert.deepEqual(asked.map((url) => [url.searchParams.get('trace'), url.searchParams.get('start_ns'), url.searchParams.get('end_ns'), url.searchParams.get('tracks')]), [
    ['a', '500000', '1500000', '1,2,4'], ['b', '1000', '1001050', '1,2,4']]);
  assert.deepEqual([tile.start_ns, tile.end_ns, tile.columns, tile.generation], [500_000, 1_500_000, 10, trace.info.generation]);
  assert.deepEqual(tile.names, ['a mm', 'b mm']);
  assert.deepEqual(tile.rows.map((row) => row.track), [2, 5]);
  assert.deepEqual(tile.rows[0].slices, [3, 1000, 100, 0, 9]);
  const [slice, start, length, name] = tile.rows[1].slices;
  assert.deepEqual([trace.sourceOf(slice).rank.rank, trace.sourceOf(slice).slice, start, Math.round(length), name], [5, 3, 500_000, 100, 1]);
  assert.deepEqual(tile.rows[1].dense, [2, 1, 500, 4, 1, 9]);
});

test('a tile of other content than that of the tracks is not drawn', async () => {
  const { trace } = joined([7, 8]);
  const model = new TimelineModel(trace, 'job', trace.info);
  let outdated = 0;
  model.onOutdated = () => ++outdated;
  model.look();
  await settle();
  model.stop();
  assert.equal(outdated, 1);
  assert.equal(model.patches().length, 0);
});

test('a slice has its place in the job, with the links to tracks that are shown', async () => {
  const { trace } = joined();
  const { rows } = await trace.tile('', 0, 10, 10);
  const details = await trace.slice('', rows[1].slices[0]);
  assert.deepEqual([details.slice, details.track, details.start_ns], [rows[1].slices[0], 3, 500_000]);
  assert.deepEqual(details.links.map((link) => [link.name, link.track, trace.sourceOf(link.slice).slice]), [['k', 5, 8]]);
  assert.equal(details.ancestors[0].track, 3);
});

const kKinds = [{ kind: 'all_reduce', group: 'g', bytes: 8, runs_on: 'host' }];

test('what an exchange is: who waited, and who came last, if he is shown', () => {
  const [one, two] = loadExchanges({ generation: 1, kinds: kKinds, narrower: 0, exchanges: [
    { kind: 0, sequence: 1, step: 0, parts: [0, 100, 50, 30, 5, 130, 20, 0] }, { kind: 0, sequence: 2, step: 0, parts: [0, 200, 10, 30] }] }).exchanges;
  assert.equal(one.arrival_ns, 130);
  assert.equal(lastOf(one)?.rank, 5);
  assert.equal(lastOf(two), null);
  assert.equal(two.parts[0].wait_ns, 10, 'no longer than it lasts');
  assert.equal(exchangeAt([one, two], 5, 145, 3)?.exchange, one);
  assert.equal(exchangeAt([one, two], 5, 152, 3)?.exchange, one, 'close to it');
  assert.equal(exchangeAt([one, two], 5, 160, 3), null);
  assert.equal(exchangeAt([one, two], 0, 205, 3)?.exchange, two);
});

test('an exchange that reaches over two tiles is there once', async () => {
  const reach = { start_ns: 0, end_ns: 8192 };
  const tiles = new ExchangeTiles(reach, (start_ns) => Promise.resolve({
    generation: 1, kinds: kKinds, narrower: start_ns === 0 ? 2 : 0, exchanges: [{ kind: 0, sequence: 1, step: null, parts: [0, 2000, 100, 0] }] }), () => {});
  const view = { start_ns: 0, end_ns: 4096 };
  tiles.look(view, 4096);
  await settle();
  const seen = tiles.seen(view, 4096);
  tiles.stop();
  assert.equal(seen.exchanges.length, 1);
  assert.ok(seen.hidden);
});

test('a whole run is asked for by its name, a part of it by its traces', () => {
  const runs = { runs: [{ name: 'run', traces: ['a', 'b'].map((trace) => ({ trace }) as TraceEntry) }] } as Runs;
  assert.deepEqual(jobOf(runs, ['b', 'a']), { run: 'run' });
  assert.deepEqual(jobOf(runs, ['a']), { trace: ['a'] });
  assert.deepEqual(jobOf(runs, ['x', 'y']), { trace: ['x', 'y'] });
});
