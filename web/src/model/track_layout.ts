import type { CounterInfo, Timeline, Track, TrackGroup } from '../api/types.ts';

// The vertical layout of the timeline, top to bottom, in pixels of the page.

export type TrackShape = 'open' | 'compact' | 'closed';

export const kRowHeight = 17;
export const kCompactRowHeight = 4;
export const kBandHeight = 14; // of conditions
const kGroupHeight = 24;
const kFoldHeight = 18;
const kCounterHeight = 36;
const kLinesHeight = 48; // of several lines: their names need space
const kTrackGap = 5;
const kFewCounters = 3; // so many are all shown; of more, the main ones
const kFirstCounters = 2; // if none is a main one
const kFirstThreads = 4;
const kDeepRows = 14; // deeper tracks begin compact, so that users need not scroll past sixty rows to a device

// A fold hides what is seldom needed: more metrics, threads without slices.
export type LaneKind = 'group' | 'track' | 'counter' | 'fold';

export interface Lane {
  kind: LaneKind;
  key: string; // stays the same while a recording grows
  name: string;
  top: number;
  height: number;
  depth: number; // 1: below a thread
  group: number; // index into timeline.groups; -1: none
  track: Track | null;
  counters: readonly CounterInfo[]; // the lines of a counter
  metrics: number; // of a thread: how many counters a click would show
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
  return `t ${track.kind} ${track.process} ${track.thread}`;
}

// The counters of a thread.
export function metricsKey(track: Track): string {
  return `m ${trackKey(track)}`;
}

// Names of groups are nearly always different.
export function groupKey(timeline: Timeline, index: number): string {
  const { name } = timeline.groups[index];
  const same = timeline.groups.slice(0, index).filter((group) => group.name === name).length;
  return `g ${name}${same > 0 ? ` ${same}` : ''}`;
}

export function threadsKey(group: string): string {
  return `f threads ${group}`;
}

export function shapeOf(track: Track, shapes: Shapes): TrackShape {
  return shapes.get(trackKey(track)) ?? (track.rows > kDeepRows ? 'compact' : 'open');
}

export function isCondition(track: Track | null): boolean {
  return track?.kind === 'condition';
}

// Whether the counters of a thread are shown: a thread without slices has nothing else.
export function metricsShape(track: Track): TrackShape {
  return track.slices === 0 ? 'open' : 'closed';
}

// Threads without slices, and the conditions that are about them, come after everything else. If there are no others, the first
// ones are shown.
function quietThreads(tracks: readonly Track[]): { main: Track[]; quiet: Track[] } {
  const threads = tracks.filter((track) => track.kind === 'host');
  const hasOthers = threads.some((track) => track.slices > 0);
  const hidden = threads.filter((track) => track.slices === 0).slice(hasOthers ? 0 : kFirstThreads);
  const isHidden = (track: Track): boolean => hidden.some((one) => one === track || (isCondition(track) && track.thread.startsWith(`${one.thread} `)));
  return { main: tracks.filter((track) => !isHidden(track)), quiet: tracks.filter(isHidden) };
}

// "4711 waits for a core" stands below thread 4711.
function laneName(track: Track): string {
  return isCondition(track) ? track.name.replace(/^\d+ (?=\D)/, '') : track.name;
}

// Counters with one label and unit are lines of one lane, in the order of their first one.
function linesOf(counters: readonly CounterInfo[]): CounterInfo[][] {
  const lanes = new Map<string, CounterInfo[]>();
  for (const counter of counters) {
    const key = `${counter.label}\n${counter.unit}`;
    const known = lanes.get(key);
    if (known) known.push(counter);
    else lanes.set(key, [counter]);
  }
  return [...lanes.values()];
}

// Which lanes are shown without a click.
function mainLines(lanes: readonly CounterInfo[][]): { shown: CounterInfo[][]; folded: CounterInfo[][] } {
  if (lanes.length <= kFewCounters) return { shown: [...lanes], folded: [] };
  const isMain = (lane: CounterInfo[]): boolean => lane.some((counter) => counter.is_main);
  const shown = lanes.some(isMain) ? lanes.filter(isMain) : lanes.slice(0, kFirstCounters);
  return { shown, folded: lanes.filter((lane) => !shown.includes(lane)) };
}

class Builder {
  readonly lanes: Lane[] = [];
  readonly byTrack = new Map<number, Lane>();
  top = 0;
  private readonly shapes: Shapes;
  private readonly counters: readonly CounterInfo[];
  private readonly tracks: ReadonlyMap<number, Track>;

  constructor(timeline: Timeline, shapes: Shapes) {
    this.shapes = shapes;
    this.counters = timeline.counters;
    this.tracks = new Map(timeline.tracks.map((track) => [track.track, track]));
  }

  private add(lane: Partial<Lane> & Pick<Lane, 'kind' | 'key' | 'name' | 'height'>, gap: number): Lane {
    const placed: Lane = { depth: 0, group: -1, track: null, counters: [], metrics: 0, shape: 'open', rowHeight: 0, ...lane, top: this.top };
    this.lanes.push(placed);
    this.top += placed.height + gap;
    return placed;
  }

  private shape(key: string, otherwise: TrackShape): TrackShape {
    return this.shapes.get(key) ?? otherwise;
  }

  // The lines of each lane.
  addCounters(lanes: readonly CounterInfo[][], owner: string, group: number, depth: number): void {
    for (const counters of lanes) {
      const [{ label, unit }] = counters;
      const key = `c ${owner} ${label} ${unit}`;
      const shape = this.shape(key, 'open');
      const open = counters.length > 1 ? kLinesHeight : kCounterHeight;
      this.add({ kind: 'counter', key, name: label, depth, group, counters, shape, height: shape === 'closed' ? kFoldHeight : open }, 2);
    }
  }

  // True if what it hides is to be shown.
  private addFold(key: string, name: string, group: number, depth: number): boolean {
    const shape = this.shape(key, 'closed');
    this.add({ kind: 'fold', key, name, depth, group, shape, height: kFoldHeight }, 2);
    return shape !== 'closed';
  }

  addGroup(group: TrackGroup, key: string, index: number): void {
    const shape = this.shape(key, 'open');
    this.add({ kind: 'group', key, name: group.name, group: index, shape, height: kGroupHeight }, 2);
    if (shape === 'closed') return;
    const { main, quiet } = quietThreads(group.tracks.flatMap((id) => this.tracks.get(id) ?? []));
    for (const track of main) this.addTrack(track, index);
    this.addMetrics(this.counters.filter((one) => one.group === index && one.track === null), key, index, 0);
    const count = quiet.filter((track) => !isCondition(track)).length;
    const name = count === 1 ? '1 thread without slices' : `${count} threads without slices`;
    if (count > 0 && this.addFold(threadsKey(key), name, index, 0)) for (const track of quiet) this.addTrack(track, index);
  }

  private addMetrics(counters: readonly CounterInfo[], owner: string, group: number, depth: number): void {
    const { shown, folded } = mainLines(linesOf(counters));
    this.addCounters(shown, owner, group, depth);
    const name = folded.length === 1 ? '1 more metric' : `${folded.length} more metrics`;
    if (folded.length > 0 && this.addFold(`f metrics ${owner}`, name, group, depth)) this.addCounters(folded, owner, group, depth);
  }

  private addTrack(track: Track, group: number): void {
    const own = shapeOf(track, this.shapes);
    const isBand = isCondition(track);
    const rowHeight = isBand ? kBandHeight : own === 'open' ? kRowHeight : kCompactRowHeight;
    const rows = own === 'closed' ? 1 : Math.max(1, track.rows);
    const height = Math.max(rows * rowHeight, isBand ? kBandHeight : kRowHeight);
    const metrics = this.counters.filter((one) => one.track === track.track);
    const name = laneName(track);
    const lane = this.add({ kind: 'track', key: trackKey(track), name, depth: name === track.name ? 0 : 1, group, track, metrics: linesOf(metrics).length,
                            shape: own, rowHeight: own === 'closed' && !isBand ? kRowHeight : rowHeight, height }, kTrackGap);
    this.byTrack.set(track.track, lane);
    if (this.shape(metricsKey(track), metricsShape(track)) !== 'closed') this.addMetrics(metrics, trackKey(track), group, 1);
  }
}

export function layOut(timeline: Timeline, shapes: Shapes): Layout {
  const builder = new Builder(timeline, shapes);
  builder.addCounters(linesOf(timeline.counters.filter((one) => one.group === null)), '', -1, 0);
  timeline.groups.forEach((group, index) => builder.addGroup(group, groupKey(timeline, index), index));
  return { lanes: builder.lanes, height: builder.top, byTrack: builder.byTrack };
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
