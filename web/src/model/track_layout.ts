import type { Timeline, Track } from '../api/types.ts';

// The vertical layout of the timeline, top to bottom, in pixels of the page.

export type TrackShape = 'open' | 'compact' | 'closed';

export const kRowHeight = 17;
export const kCompactRowHeight = 4;
const kGroupHeight = 24;
const kCounterHeight = 40;
const kTrackGap = 5;
const kOpenCounters = 2; // the others are a click away: tracks need the space
const kDeepRows = 14; // deeper tracks begin compact, so that users need not scroll past sixty rows to a device

export interface Lane {
  kind: 'group' | 'track' | 'counter';
  key: string;
  name: string;
  top: number;
  height: number;
  group: number; // index into timeline.groups; -1 for counters
  track: Track | null;
  counter: number; // id, or -1
  shape: TrackShape;
  rowHeight: number;
}

export interface Layout {
  lanes: Lane[];
  height: number;
  byTrack: Map<number, Lane>;
}

export type Shapes = ReadonlyMap<string, TrackShape>;

export function trackKey(track: Track): string {
  return `t${track.track}`;
}

export function shapeOf(track: Track, shapes: Shapes): TrackShape {
  return shapes.get(trackKey(track)) ?? (track.rows > kDeepRows ? 'compact' : 'open');
}

export function layOut(timeline: Timeline, shapes: Shapes): Layout {
  const lanes: Lane[] = [];
  const byTrack = new Map<number, Lane>();
  const tracks = new Map(timeline.tracks.map((track) => [track.track, track]));
  let top = 0;
  const add = (lane: Omit<Lane, 'top'>, gap = 0): Lane => {
    const placed = { ...lane, top };
    lanes.push(placed);
    top += lane.height + gap;
    return placed;
  };
  const none = { group: -1, track: null, counter: -1, rowHeight: 0, shape: 'open' as TrackShape };

  for (const [index, counter] of timeline.counters.entries()) {
    const key = `c${counter.counter}`;
    const shape = shapes.get(key) ?? (index < kOpenCounters ? 'open' : 'closed');
    add({ ...none, kind: 'counter', key, name: counter.name, shape, counter: counter.counter,
          height: shape === 'closed' ? 18 : kCounterHeight }, 2);
  }
  timeline.groups.forEach((group, index) => {
    const key = `g${index}`;
    const shape = shapes.get(key) ?? 'open';
    add({ ...none, kind: 'group', key, name: group.name, group: index, shape, height: kGroupHeight }, 2);
    if (shape === 'closed') return;
    for (const id of group.tracks) {
      const track = tracks.get(id);
      if (!track) continue;
      const own = shapeOf(track, shapes);
      const rowHeight = own === 'open' ? kRowHeight : kCompactRowHeight;
      const rows = own === 'closed' ? 1 : Math.max(1, track.rows);
      const height = Math.max(rows * rowHeight, kRowHeight);
      const lane = add({ ...none, kind: 'track', key: trackKey(track), name: track.name, group: index, track, shape: own,
                         rowHeight: own === 'closed' ? kRowHeight : rowHeight, height }, kTrackGap);
      byTrack.set(id, lane);
    }
  });
  return { lanes, height: top, byTrack };
}

export function laneAt(layout: Layout, y: number): Lane | null {
  let low = 0;
  let high = layout.lanes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (layout.lanes[middle].top <= y) low = middle + 1;
    else high = middle;
  }
  const lane = layout.lanes[low - 1];
  return lane && y < lane.top + lane.height ? lane : null;
}

// Top and height of one row of a track; null if the track or its group hides it.
export function rowPlace(layout: Layout, track: number, row: number): { top: number; height: number } | null {
  const lane = layout.byTrack.get(track);
  if (!lane) return null;
  if (lane.shape === 'closed') return { top: lane.top, height: lane.rowHeight };
  return { top: lane.top + row * lane.rowHeight, height: lane.rowHeight };
}

// The next shape of a lane after a click. Only deep tracks have a compact shape.
export function nextShape(lane: Lane): TrackShape {
  const isDeep = (lane.track?.rows ?? 1) > 4;
  if (lane.shape === 'closed') return isDeep ? 'compact' : 'open';
  return lane.shape === 'compact' ? 'open' : 'closed';
}

// Tracks that an area of the timeline touches.
export function tracksBetween(layout: Layout, top: number, bottom: number): number[] {
  return layout.lanes
    .filter((lane) => lane.track !== null && lane.top < bottom && lane.top + lane.height > top)
    .map((lane) => lane.track!.track);
}
