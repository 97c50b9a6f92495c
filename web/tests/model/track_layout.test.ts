import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Timeline, Track } from '../../src/api/types.ts';
import { type TrackShape, kRowHeight, laneAt, layOut, nextShape, rowPlace, tracksBetween } from '../../src/model/track_layout.ts';

function track(id: number, rows: number): Track {
  return { track: id, name: `t${id}`, process: '1', thread: String(id), kind: 'host', rows, slices: 1, busy_ns: 1 };
}

const timeline: Timeline = {
  origin_ns: '0', span_ns: 100, summary_span_ns: 90, steps: [], counters: [{ counter: 0, name: 'busy', unit: 'share', max: 1 }],
  tracks: [track(1, 3), track(2, 40), track(3, 1)],
  groups: [{ name: 'host', kind: 'host', tracks: [1, 2] }, { name: 'device', kind: 'device', tracks: [3] }],
};

test('lanes follow each other without overlap', () => {
  const layout = layOut(timeline, new Map());
  assert.deepEqual(layout.lanes.map((lane) => lane.kind), ['counter', 'group', 'track', 'track', 'group', 'track']);
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
  const layout = layOut(timeline, new Map<string, TrackShape>([['g0', 'closed'], ['t3', 'closed']]));
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
    shapes = new Map([['t2', nextShape(lane)]]);
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
