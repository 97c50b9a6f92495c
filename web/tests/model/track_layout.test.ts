import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { CounterInfo, Timeline, Track } from '../../src/api/types.ts';
import {
  type Layout, type TrackShape, kBandHeight, kRowHeight, laneAt, layOut, metricsKey, nextShape, rowPlace, trackKey, tracksBetween,
} from '../../src/model/track_layout.ts';

function track(id: number, rows: number, more: Partial<Track> = {}): Track {
  return { track: id, name: `t${id}`, process: '1', thread: String(id), kind: 'host', rows, slices: rows, busy_ns: 1, ...more };
}

function counter(id: number, label: string, more: Partial<CounterInfo> = {}): CounterInfo {
  return { counter: id, name: `${label} ${id}`, label, key: '', group: 1, track: null, is_main: false, unit: 'number', min: 0, max: 1, ...more };
}

const timeline: Timeline = {
  origin_ns: '0', span_ns: 100, summary_span_ns: 90, reach_start_ns: 0, reach_end_ns: 100, generation: 1, is_recording: false, steps: [],
  counters: [counter(0, 'busy')],
  tracks: [track(1, 3), track(2, 40), track(3, 1, { kind: 'device' })],
  groups: [{ name: 'host', kind: 'host', tracks: [1, 2] }, { name: 'device', kind: 'device', tracks: [3] }],
};

function names(layout: Layout): string[] {
  return layout.lanes.map((lane) => lane.name);
}

test('lanes follow each other without overlap, counters below the tracks of their group', () => {
  const layout = layOut(timeline, new Map());
  assert.deepEqual(layout.lanes.map((lane) => lane.kind), ['group', 'track', 'track', 'group', 'track', 'counter']);
  layout.lanes.slice(1).forEach((lane, i) => assert.ok(lane.top >= layout.lanes[i].top + layout.lanes[i].height));
  assert.ok(layout.height >= layout.lanes[5].top + layout.lanes[5].height);
});

test('a deep track begins compact', () => {
  const layout = layOut(timeline, new Map());
  assert.equal(layout.byTrack.get(1)!.shape, 'open');
  assert.equal(layout.byTrack.get(2)!.shape, 'compact');
  assert.ok(layout.byTrack.get(2)!.height < 40 * kRowHeight);
});

test('a closed group hides its tracks, a closed track shows its first row', () => {
  const layout = layOut(timeline, new Map<string, TrackShape>([['g host', 'closed'], [trackKey(timeline.tracks[2]), 'closed']]));
  assert.equal(layout.byTrack.has(1), false);
  assert.equal(rowPlace(layout, 1, 0), null);
  assert.equal(layout.byTrack.get(3)!.height, kRowHeight);
});

test('a row of a track is found from above and from below', () => {
  const layout = layOut(timeline, new Map());
  const place = rowPlace(layout, 1, 2)!;
  assert.equal(laneAt(layout, place.top + 1)!.track!.track, 1);
  assert.equal(place.height, kRowHeight);
  assert.equal(laneAt(layout, -1), null);
  assert.equal(laneAt(layout, layout.height + 10), null);
});

test('clicks take a lane through its shapes and back', () => {
  let shapes = new Map<string, TrackShape>();
  const seen: TrackShape[] = [];
  for (let i = 0; i < 3; ++i) {
    const lane = layOut(timeline, shapes).byTrack.get(2)!;
    seen.push(lane.shape);
    shapes = new Map([[lane.key, nextShape(lane)]]);
  }
  assert.deepEqual(seen, ['compact', 'open', 'closed']);
  assert.equal(nextShape(layOut(timeline, shapes).byTrack.get(1)!), 'closed');
});

test('an area touches the tracks it overlaps', () => {
  const layout = layOut(timeline, new Map());
  const one = layout.byTrack.get(1)!;
  const two = layout.byTrack.get(2)!;
  assert.deepEqual(tracksBetween(layout, one.top + 1, one.top + 2), [1]);
  assert.deepEqual(tracksBetween(layout, one.top + 1, two.top + 1), [1, 2]);
});

test('lines of one label and unit share a lane; other units do not', () => {
  const counters = [
    counter(0, 'power', { key: 'draw', unit: 'W' }), counter(1, 'power', { key: 'limit', unit: 'W' }), counter(2, 'memory', { unit: '%' }),
    counter(3, 'memory', { unit: 'bytes' }),
  ];
  const lanes = layOut({ ...timeline, counters }, new Map([['f metrics g device', 'open']])).lanes.filter((lane) => lane.kind === 'counter');
  assert.deepEqual(lanes.map((lane) => lane.counters.map((one) => one.counter)), [[0, 1], [2], [3]]);
});

test('of many metrics the main ones are shown, the others after one click', () => {
  const counters = ['a', 'clock', 'b', 'power', 'c'].map((label, i) => counter(i, label, { is_main: label.length > 1 }));
  const shapes = new Map<string, TrackShape>();
  assert.deepEqual(names(layOut({ ...timeline, counters }, shapes)).slice(4), ['t3', 'clock', 'power', '3 more metrics']);
  shapes.set('f metrics g device', 'open');
  assert.deepEqual(names(layOut({ ...timeline, counters }, shapes)).slice(5), ['clock', 'power', '3 more metrics', 'a', 'b', 'c']);
});

test('counters of another tool, which are all alike, are shown if they are few', () => {
  const of = (count: number): string[] =>
    names(layOut({ ...timeline, counters: Array.from({ length: count }, (_, i) => counter(i, `c${i}`)) }, new Map())).slice(5);
  assert.deepEqual(of(3), ['c0', 'c1', 'c2']);
  assert.deepEqual(of(5), ['c0', 'c1', '3 more metrics']);
});

test('counters of no group stand on top', () => {
  assert.equal(names(layOut({ ...timeline, counters: [counter(0, 'odd', { group: null })] }, new Map()))[0], 'odd');
});

const waits = track(4, 1, { kind: 'condition', name: '1 waits for a core', thread: '1 waits for a core' });
const busy: Timeline = {
  ...timeline,
  tracks: [track(1, 3), waits, track(5, 0), track(6, 0), timeline.tracks[2]],
  groups: [{ name: 'host', kind: 'host', tracks: [1, 4, 5, 6] }, timeline.groups[1]],
  counters: [counter(0, 'core time', { group: 0, track: 1 }), counter(1, 'core time', { group: 0, track: 5 }), counter(2, 'CPU', { group: 0 })],
};

test('a band stands thin below its thread', () => {
  const layout = layOut(busy, new Map());
  assert.deepEqual(names(layout).slice(0, 3), ['host', 't1', 'waits for a core']);
  assert.deepEqual([layout.byTrack.get(4)!.height, layout.byTrack.get(4)!.depth], [kBandHeight, 1]);
});

test('the counters of a thread are a click away', () => {
  const thread = busy.tracks[0];
  assert.equal(layOut(busy, new Map()).byTrack.get(1)!.metrics, 1);
  const open = layOut(busy, new Map<string, TrackShape>([[metricsKey(thread), 'open']]));
  assert.deepEqual(names(open).slice(1, 4), ['t1', 'core time', 'waits for a core']);
});

test('threads without slices are behind a fold, unless there are no others', () => {
  assert.deepEqual(names(layOut(busy, new Map())), ['host', 't1', 'waits for a core', 'CPU', '2 threads without slices', 'device', 't3']);
  const open = names(layOut(busy, new Map<string, TrackShape>([['f threads g host', 'open']])));
  assert.deepEqual(open.slice(4, 8), ['2 threads without slices', 't5', 'core time', 't6']);
  const idle = { ...busy, tracks: [track(5, 0), track(6, 0)], groups: [{ name: 'host', kind: 'host' as const, tracks: [5, 6] }] };
  assert.deepEqual(names(layOut(idle, new Map())), ['host', 't5', 'core time', 't6', 'CPU']);
});
