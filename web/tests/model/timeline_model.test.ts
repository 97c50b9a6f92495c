import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Client } from '../../src/api/client.ts';
import type { Match, SliceDetails, Timeline } from '../../src/api/types.ts';
import { TimelineModel } from '../../src/model/timeline_model.ts';
import { spanOf } from '../../src/model/viewport.ts';
import { settle } from './time.ts';

const info: Timeline = {
  origin_ns: '0', span_ns: 1_000_000, summary_span_ns: 90, reach_start_ns: 0, reach_end_ns: 1_000_000, generation: 1, is_recording: false, counters: [],
  steps: [{ name: 'ProfilerStep#2', start_ns: 100_000, duration_ns: 200_000 }],
  groups: [{ name: 'host', kind: 'host', tracks: [0] }, { name: 'device', kind: 'device', tracks: [1] }],
  tracks: [
    { track: 0, name: 'thread', process: '1', thread: '1', kind: 'host', rows: 2, slices: 2, busy_ns: 1 },
    { track: 1, name: 'stream', process: '0', thread: '7', kind: 'device', rows: 1, slices: 1, busy_ns: 1 },
  ],
};
const kMatches: Match[] = [[5, 10_000, 100, 0, 0, 0], [6, 400_000, 9_000, 0, 0, 0], [7, 700_000, 500, 0, 0, 0]];

function details(slice: number): SliceDetails {
  const match = kMatches.find((one) => one[0] === slice) ?? kMatches[0];
  return {
    slice, name: 'aten::mm', kind: 2, category: 'cpu_op', track: 0, row: 0, start_ns: match[1], duration_ns: match[2], self_ns: 1,
    step: null, device_ns: 0, kernels: 0, launch_delay_ns: null, ancestors: [], links_left_out: 0, args: {},
    links: [{ kind: 'launches', slice: 7, name: 'gemm', track: 1, row: 0, start_ns: 700_000, duration_ns: 500 }],
  };
}

function model(shown: Timeline = info): { model: TimelineModel; asked: string[] } {
  const asked: string[] = [];
  const client = new Client('http://x/', (url) => {
    asked.push(url);
    const query = new URL(url).searchParams;
    const body = url.includes('/search') ? { total: 3, total_ns: 9_600, names: ['aten::mm'], matches: kMatches }
      : url.includes('/slice') ? details(Number(query.get('slice')))
      : url.includes('/selection') ? { span_ns: 1, slices: 3, tracks: [], top: [], names_left_out: 0 }
      : url.includes('/counter') ? { generation: 1, points: [] }
      : { start_ns: 0, end_ns: 1, columns: 1, generation: 1, names: [], rows: [] };
    return Promise.resolve(Response.json(body));
  });
  const made = new TimelineModel(client, 'a.json', shown);
  made.resize(1000, 400, 1);
  return { model: made, asked };
}

test('a search walks through its matches both ways and around', async () => {
  const { model: timeline } = model();
  timeline.setView({ start_ns: 300_000, end_ns: 500_000 });
  await timeline.find('mm', 'first');
  assert.equal(timeline.search.index, 1);
  timeline.nextMatch(1);
  assert.equal(timeline.search.index, 2);
  timeline.nextMatch(1);
  assert.equal(timeline.search.index, 0);
  timeline.nextMatch(-1);
  assert.equal(timeline.search.index, 2);
  await settle();
  assert.equal(timeline.slice?.slice, 7);
});

test('coming from a table, the longest slice is shown', async () => {
  const { model: timeline, asked } = model();
  await timeline.find('=aten::mm', 'longest');
  await settle();
  assert.equal(timeline.slice?.slice, 6);
  const query = new URL(asked.find((url) => url.includes('/search'))!).searchParams;
  assert.equal(query.get('q'), '^aten::mm$');
  assert.equal(query.get('regex'), '1');
});

test('a chosen slice can be followed along its arrow', async () => {
  const { model: timeline } = model();
  await timeline.choose(5, false);
  timeline.followLink();
  await settle();
  assert.equal(timeline.slice?.slice, 7);
});

test('an older request that fails leaves the newer one alone', async () => {
  const answers: { resolve: (response: Response) => void; reject: (reason: Error) => void }[] = [];
  const client = new Client('http://x/', () => new Promise((resolve, reject) => answers.push({ resolve, reject })));
  const timeline = new TimelineModel(client, 'a.json', info);
  const older = timeline.choose(5, false);
  const newer = timeline.choose(6, false);
  answers[0].reject(new Error('gone'));
  await older;
  answers[1].resolve(Response.json(details(6)));
  await newer;
  assert.equal(timeline.slice?.slice, 6);
  assert.equal(timeline.problem, null);
});

test('a slice in a closed group opens it', async () => {
  const { model: timeline } = model();
  timeline.shape('g host', 'closed');
  assert.equal(timeline.rectOf(details(5)), null);
  await timeline.choose(5, true);
  assert.notEqual(timeline.rectOf(details(5)), null);
});

test('an area asks for the tracks it touches, in whole nanoseconds', async () => {
  const { model: timeline, asked } = model();
  const stream = timeline.layout.byTrack.get(1)!;
  const area = timeline.areaBetween(100, stream.top + 2, 300, stream.top + 5);
  assert.deepEqual(area.tracks, [1]);
  await timeline.chooseArea(area);
  const query = new URL(asked.find((url) => url.includes('/selection'))!).searchParams;
  assert.equal(query.get('tracks'), '1');
  assert.match(query.get('start_ns')!, /^\d+$/);
  assert.equal(timeline.areaSums?.slices, 3);
});

test('an area beside all tracks is about all of them', () => {
  const { model: timeline } = model();
  const area = timeline.areaBetween(100, timeline.layout.height + 50, 300, timeline.layout.height + 90);
  assert.deepEqual([area.tracks.length, area.top, area.bottom], [0, 0, timeline.layout.height]);
});

test('an area from a link stands where its tracks are', () => {
  const { model: timeline } = model();
  const stream = timeline.layout.byTrack.get(1)!;
  const area = timeline.areaOf(10, 20, [1]);
  assert.deepEqual([area.top, area.bottom], [stream.top, stream.top + stream.height]);
  assert.equal(timeline.areaOf(10, 20, []).bottom, timeline.layout.height);
});

test('quick zooms add up while a glide is under way', () => {
  const { model: timeline } = model();
  timeline.zoom(2, 500_000, true);
  timeline.zoom(2, 500_000, true);
  assert.ok(Math.abs(spanOf(timeline.goal!) * 4 - spanOf(timeline.view)) < 10);
});

test('times and pixels are two names of one place', () => {
  const { model: timeline } = model();
  assert.ok(Math.abs(timeline.timeAt(timeline.xOf(123_456)) - 123_456) < 1e-6);
});

const recorded: Timeline = { ...info, is_recording: true };
const counter = { counter: 0, name: 'power', label: 'power', key: '', group: 1, track: null, is_main: true, unit: 'W', min: 0, max: 700 };

// The same with another second, an earlier first slice, and a new thread in front.
const grown: Timeline = {
  ...recorded, origin_ns: '-50000', span_ns: 2_000_000, reach_start_ns: -10_000, reach_end_ns: 2_000_000, generation: 2,
  groups: [{ name: 'host', kind: 'host', tracks: [2, 0] }, { name: 'device', kind: 'device', tracks: [1] }],
  tracks: [
    { track: 2, name: 'thread', process: '1', thread: '1', kind: 'host', rows: 2, slices: 3, busy_ns: 1 },
    { track: 0, name: 'other', process: '1', thread: '9', kind: 'host', rows: 1, slices: 1, busy_ns: 1 },
    { track: 1, name: 'stream', process: '0', thread: '7', kind: 'device', rows: 1, slices: 1, busy_ns: 1 },
  ],
};

test('a recording that grows keeps the window and what is chosen, by their own times and tracks', async () => {
  const { model: timeline } = model(recorded);
  timeline.setView({ start_ns: 300_000, end_ns: 500_000 });
  await timeline.choose(6, false);
  await timeline.chooseArea(timeline.areaOf(100_000, 200_000, [0]));
  timeline.renew(grown);
  assert.deepEqual(timeline.view, { start_ns: 350_000, end_ns: 550_000 });
  assert.deepEqual([timeline.slice?.track, timeline.slice?.start_ns, timeline.slice?.name], [2, 450_000, 'aten::mm']);
  assert.deepEqual([timeline.area?.start_ns, timeline.area?.end_ns, timeline.area?.tracks], [150_000, 250_000, [2]]);
  assert.equal(timeline.areaSums?.slices, 3, 'the old sums stay until there are new ones');
  await settle();
  assert.equal(timeline.slice?.start_ns, 450_000, 'this id is another slice now');
});

test('a recording is followed until the user moves, and again on request', () => {
  const { model: timeline } = model(recorded);
  assert.equal(timeline.isFollowing, true);
  timeline.renew(grown);
  assert.ok(timeline.goal!.end_ns >= 2_000_000, 'everything is still shown');
  timeline.zoom(10, 100_000, false);
  assert.equal(timeline.isFollowing, false);
  const before = timeline.view;
  timeline.renew({ ...grown, span_ns: 3_000_000, reach_end_ns: 3_000_000, generation: 3 });
  assert.deepEqual(timeline.view, before);
  timeline.follow(true);
  assert.ok(timeline.goal!.end_ns > 3_000_000 && Math.abs(spanOf(timeline.goal!) - spanOf(before)) < 1, 'the end at the same zoom');
  timeline.renew({ ...grown, generation: 4, is_recording: false });
  assert.equal(timeline.isFollowing, false, 'there is nothing left to follow');
});

test('an answer about newer content is not drawn on the tracks of the old one', async () => {
  const { model: timeline } = model({ ...recorded, generation: 7 });
  let outdated = 0;
  timeline.onOutdated = () => ++outdated;
  timeline.look();
  await settle();
  assert.equal(outdated, 1, 'said once, however many answers say so');
  assert.deepEqual(timeline.patches(), []);
  timeline.stop();
});

test('newer content is asked for again when what came is still older', async () => {
  const { model: timeline } = model({ ...recorded, generation: 7 });
  let outdated = 0;
  timeline.onOutdated = () => ++outdated;
  timeline.look();
  await settle();
  timeline.renew({ ...recorded, generation: 8 }); // tiles are about another generation still
  assert.equal(outdated, 1);
  timeline.tiles.stop(); // ends the pause after a failed request
  timeline.look();
  await settle();
  assert.equal(outdated, 2);
  timeline.stop();
});

test('values are requested of the counters on the screen only', async () => {
  const hidden = { ...counter, counter: 1, name: 'hidden', label: 'hidden', is_main: false };
  const many = [counter, ...[1, 2, 3, 4].map((id) => ({ ...hidden, counter: id, name: `hidden ${id}`, label: `hidden ${id}` }))];
  const { model: timeline, asked } = model({ ...info, counters: many });
  timeline.look();
  await settle();
  const counters = new Set(asked.filter((url) => url.includes('/counter')).map((url) => new URL(url).searchParams.get('counter')));
  assert.deepEqual([...counters], ['0']);
});
