import type { Client } from '../api/client.ts';
import type { CounterInfo, Selection, SliceDetails, SliceRef, Timeline } from '../api/types.ts';
import { CounterTiles } from './counter_tiles.ts';
import { Growth, isWhole } from './growth.ts';
import { type Search, firstFrom, kNoSearch, longestOf, sameMatch } from './matches.ts';
import { type Hit, type LoadedTile, hitTest, judgeNames, loadTile, rowKey } from './pixels.ts';
import { matcherOf, parseQuery } from './query.ts';
import { type Patch, TileGrid } from './tile_grid.ts';
import {
  type Lane, type Layout, type TrackShape, groupKey, laneAt, layOut, metricsKey, metricsShape, nextShape, rowPlace, threadsKey, tracksBetween,
} from './track_layout.ts';
import { TimeWindow } from './time_window.ts';
import { type Viewport, fitted, framing, revealing, shifted, spanOf } from './viewport.ts';

// What the timeline shows and what is selected on it; no drawing, no DOM. Two kinds of listeners: `repaint` and `pointed` for
// every change of the picture (the painter waits for the next frame), `changed` for the panels around it.

export interface Area {
  start_ns: number;
  end_ns: number;
  tracks: number[];
  top: number;
  bottom: number;
}

// Who answers about the slices: the server, or something that puts several traces together. It may not know everything.
export type TraceSource = Pick<Client, 'tile' | 'slice'> & Partial<Pick<Client, 'counter' | 'search' | 'selection'>>;

const kSearchLimit = 5000;
const kEndMargin = 0.03; // beside the end of a recording, as a share of the window

export class TimelineModel {
  readonly trace: string;
  info: Timeline;
  readonly tiles: TileGrid<LoadedTile>;
  readonly counters: CounterTiles;
  isFollowing: boolean; // the window stays at the end of the recording
  window: TimeWindow;
  zero_ns = 0; // the origin of the window and the axis
  scrollTop = 0;
  scrollGoal: number | null = null;
  layout: Layout;
  width_px = 1000;
  height_px = 600;
  density = 1; // device pixels per pixel of the page
  slice: SliceDetails | null = null;
  slicePending: number | null = null;
  area: Area | null = null;
  areaSums: Selection | null = null;
  mark_ns: number | null = null;
  focus: { start_ns: number; duration_ns: number } | null = null; // a highlighted step
  search: Search = kNoSearch;
  problem: unknown = null;
  onRepaint: () => void = () => {};
  onPointed: () => void = () => {};
  onChanged: () => void = () => {};
  onOutdated: () => void = () => {}; // the server has newer content
  onSlid: () => void = () => {}; // other things are under the pointer, which has not moved
  private readonly source: TraceSource;
  private readonly shapes = new Map<string, TrackShape>();
  private stopListening: () => void = () => {};
  private newerSeen = -1; // a generation that onOutdated was called for
  private asked = new AbortController();
  private areaAsked = new AbortController();

  constructor(source: TraceSource, trace: string, info: Timeline) {
    this.source = source;
    this.trace = trace;
    this.info = info;
    this.isFollowing = info.is_recording;
    this.window = new TimeWindow(this.whole);
    this.attach(this.window, 0);
    this.layout = layOut(info, this.shapes);
    const repaint = (): void => this.onRepaint();
    this.tiles = new TileGrid(this.whole, async (...window) => loadTile(this.current(await source.tile(trace, ...window))), repaint);
    this.counters = new CounterTiles(
      this.whole, (counter) => async (...window) => this.current(await source.counter!(trace, counter, ...window)), repaint);
  }

  stop(): void {
    this.stopListening();
    this.tiles.stop();
    this.counters.stop();
    this.asked.abort();
    this.areaAsked.abort();
  }

  // ---- the content

  // Everything that can be shown.
  get whole(): Viewport {
    return { start_ns: this.info.reach_start_ns, end_ns: this.info.reach_end_ns };
  }

  // Answers about other content than that of `info` would be drawn on the wrong tracks.
  private current<T extends { generation: number }>(answer: T): T {
    if (answer.generation === this.info.generation) return answer;
    if (this.newerSeen !== answer.generation) this.onOutdated();
    this.newerSeen = answer.generation;
    throw new Error('the trace has changed');
  }

  // The recording has grown. What is on the screen and what is chosen stays, unless the window follows the end.
  renew(info: Timeline): void {
    const growth = new Growth(this.info, info);
    const showedAll = isWhole(this.goal ?? this.view, this.whole);
    const topLane = this.laneAt(0);
    const hasCounters = this.info.counters.every((one, i) => info.counters[i]?.name === one.name);
    this.info = info;
    this.newerSeen = -1;
    this.window.regrow(this.whole, growth.by_ns);
    this.tiles.renew(this.whole, growth.changesNothing);
    this.counters.renew(this.whole, growth.changesNothing && hasCounters);
    this.layout = layOut(info, this.shapes);
    this.keepScroll(topLane);
    if (this.isFollowing) this.showEnd(showedAll);
    this.isFollowing = this.isFollowing && info.is_recording;
    this.moveChosen(growth);
    this.onChanged();
    this.onRepaint();
  }

  // The lane at the top of the screen stays there.
  private keepScroll(before: Lane | null): void {
    const now = before && this.layout.lanes.find((lane) => lane.key === before.key);
    if (before && now && now.top !== before.top) this.scrollGoal = Math.min(this.mostScroll, Math.max(0, this.scrollTop + now.top - before.top));
  }

  private moveChosen(growth: Growth): void {
    if (this.mark_ns !== null) this.mark_ns += growth.by_ns;
    if (this.slice) {
      const [moved] = growth.slices([this.slice]);
      this.slice = moved ? { ...moved, links: growth.slices(moved.links), ancestors: growth.slices(moved.ancestors) } : null;
      if (this.slice) void this.chooseAgain(this.slice);
    }
    if (this.area) {
      const { start_ns, end_ns } = shifted(this.area, growth.by_ns);
      const tracks = this.area.tracks.flatMap((track) => growth.track(track) ?? []);
      const isLeft = this.area.tracks.length === 0 || tracks.length > 0;
      void this.chooseArea(isLeft ? this.areaOf(start_ns, end_ns, tracks) : null, true);
    }
    if (this.search.typed !== '') void this.find(this.search.typed, 'stay', true);
  }

  // Ids of slices may have changed with the content; the details stay if this id is another slice now.
  private async chooseAgain(known: SliceDetails): Promise<void> {
    try {
      const details = await this.source.slice(this.trace, known.slice);
      const isSame = details.name === known.name && details.start_ns === known.start_ns && details.track === known.track;
      if (!isSame || this.slice !== known) return;
      this.slice = details;
      this.onChanged();
      this.onRepaint();
    } catch {
      // There is no such slice any more: what is known of it is still true.
    }
  }

  follow(isOn: boolean): void {
    this.isFollowing = isOn;
    if (isOn) this.showEnd(isWhole(this.goal ?? this.view, this.whole));
    this.onChanged();
  }

  // The end of the recording at the same zoom.
  private showEnd(all: boolean): void {
    const span = spanOf(this.goal ?? this.view);
    const { end_ns } = this.reach;
    const view = all ? fitted(this.reach) : { start_ns: end_ns - span * (1 - kEndMargin), end_ns: end_ns + span * kEndMargin };
    this.window.glideTo(shifted(view, -this.zero_ns));
    this.pointAt(null);
    this.onSlid();
  }

  // The user looks elsewhere.
  private letGo(): void {
    if (!this.isFollowing) return;
    this.isFollowing = false;
    this.onChanged();
  }

  // ---- the window

  // Timelines that share a window move together.
  attach(window: TimeWindow, zero_ns: number): void {
    this.stopListening();
    this.window = window;
    this.zero_ns = zero_ns;
    this.stopListening = window.listen({ moved: () => this.onRepaint(), pointed: () => this.onPointed() });
    this.onRepaint();
  }

  resize(width_px: number, height_px: number, density: number): void {
    if (width_px === this.width_px && height_px === this.height_px && density === this.density) return;
    this.width_px = width_px;
    this.height_px = height_px;
    this.density = density;
    this.onRepaint();
  }

  get view(): Viewport {
    return this.zero_ns === 0 ? this.window.view : shifted(this.window.view, this.zero_ns);
  }

  get goal(): Viewport | null {
    return this.window.goal && shifted(this.window.goal, this.zero_ns);
  }

  // The position of the pointer, on this timeline or on one that moves with it.
  get pointer_ns(): number | null {
    return this.window.pointer_ns === null ? null : this.window.pointer_ns + this.zero_ns;
  }

  pointAt(at_ns: number | null): void {
    this.window.point(at_ns === null ? null : at_ns - this.zero_ns);
  }

  // Everything that the window can show.
  get reach(): Viewport {
    return shifted(this.window.reach, this.zero_ns);
  }

  setView(view: Viewport): void {
    this.letGo();
    this.window.set(shifted(view, -this.zero_ns));
  }

  glideTo(view: Viewport): void {
    this.letGo();
    this.window.glideTo(shifted(view, -this.zero_ns));
  }

  zoom(factor: number, at_ns: number | null, glide: boolean): void {
    this.letGo();
    this.window.zoom(factor, at_ns === null ? null : at_ns - this.zero_ns, glide);
  }

  pan(share: number, glide: boolean): void {
    this.letGo();
    this.window.pan(share, glide);
  }

  fit(): void {
    this.window.fit();
  }

  // The selected area, else the selected slice.
  frameChosen(): boolean {
    if (this.area) this.glideTo(framing(this.area.start_ns, this.area.end_ns - this.area.start_ns, this.reach, 0.96));
    else if (this.slice) this.glideTo(framing(this.slice.start_ns, this.slice.duration_ns, this.reach));
    else return false;
    return true;
  }

  get mostScroll(): number {
    return Math.max(0, this.layout.height - this.height_px);
  }

  scrollTo(top: number): void {
    this.scrollTop = Math.min(Math.max(0, top), this.mostScroll);
    this.scrollGoal = null;
    this.onRepaint();
  }

  // ---- tracks

  toggle(lane: Lane): void {
    this.shape(lane.key, nextShape(lane));
  }

  // The counters of a thread.
  toggleMetrics(lane: Lane): void {
    if (lane.track) this.shape(metricsKey(lane.track), this.hasMetrics(lane) ? 'closed' : 'open');
  }

  hasMetrics({ track }: Lane): boolean {
    return track !== null && (this.shapes.get(metricsKey(track)) ?? metricsShape(track)) !== 'closed';
  }

  shape(key: string, shape: TrackShape): void {
    this.shapes.set(key, shape);
    this.layout = layOut(this.info, this.shapes);
    this.scrollTo(this.scrollTop);
    this.onChanged();
  }

  // ---- what is where

  // The resolution of the requested tiles.
  get columns(): number {
    return Math.round(this.width_px * this.density);
  }

  get isComplete(): boolean {
    return this.goal === null && this.tiles.isComplete(this.view, this.columns);
  }

  // Requests the tiles that the window needs and that are not loaded.
  look(): void {
    this.tiles.look(this.goal ?? this.view, this.columns);
    const strip = this.stripCounter;
    for (const counter of this.drawnCounters()) this.counters.of(counter).look(this.goal ?? this.view, this.columns, counter === strip);
  }

  // The one in the strip above the tracks, and those on the screen.
  drawnCounters(): Set<CounterInfo> {
    const bottom = this.scrollTop + this.height_px;
    const lanes = this.layout.lanes.filter((lane) => lane.shape !== 'closed' && lane.top < bottom && lane.top + lane.height > this.scrollTop);
    const drawn = new Set(lanes.flatMap((lane) => lane.counters));
    const strip = this.stripCounter;
    return strip ? drawn.add(strip) : drawn;
  }

  // Shows where something happens in the whole trace: how busy the first device is, else the first important value.
  get stripCounter(): CounterInfo | null {
    const { counters } = this.info;
    return counters.find((one) => one.unit === 'share') ?? counters.find((one) => one.is_main) ?? counters[0] ?? null;
  }

  patches(): Patch<LoadedTile>[] {
    const patches = this.tiles.covering(this.view, this.columns);
    const { matches } = matcherOf(this.search.typed);
    for (const { tile } of patches) judgeNames(tile, this.search.typed, matches);
    return patches;
  }

  timeAt(x: number): number {
    return this.view.start_ns + (x / this.width_px) * spanOf(this.view);
  }

  xOf(at_ns: number): number {
    return ((at_ns - this.view.start_ns) / spanOf(this.view)) * this.width_px;
  }

  laneAt(y: number): Lane | null {
    return laneAt(this.layout, y + this.scrollTop);
  }

  hitAt(x: number, y: number): (Hit & { track: number; row: number }) | null {
    const lane = this.laneAt(y);
    if (!lane?.track) return null;
    const row = lane.shape === 'closed' ? 0 : Math.floor((y + this.scrollTop - lane.top) / lane.rowHeight);
    const reach_ns = (3 * spanOf(this.view)) / this.width_px;
    const hit = hitTest(this.patches(), rowKey(lane.track.track, row), this.timeAt(x), reach_ns);
    return hit && { ...hit, track: lane.track.track, row };
  }

  // On the screen, in pixels from its top left; null: hidden by a closed track.
  rectOf(ref: SliceRef): { x: number; y: number; width: number; height: number } | null {
    const place = rowPlace(this.layout, ref.track, ref.row);
    if (!place) return null;
    const x = this.xOf(ref.start_ns);
    return { x, y: place.top - this.scrollTop, width: Math.max(1, this.xOf(ref.start_ns + ref.duration_ns) - x),
             height: place.height };
  }

  // ---- the chosen slice

  async choose(slice: number | null, reveal: boolean): Promise<void> {
    this.slicePending = slice;
    if (slice === null) {
      this.slice = null;
      this.onChanged();
      this.onRepaint();
      return;
    }
    try {
      const details = await this.source.slice(this.trace, slice);
      if (this.slicePending !== slice) return;
      this.slice = details;
      this.problem = null;
      if (reveal) this.reveal(details);
    } catch (reason) {
      if (this.slicePending !== slice) return;
      this.problem = reason;
    }
    this.slicePending = null;
    this.onChanged();
    this.onRepaint();
  }

  reveal(ref: SliceRef): void {
    this.glideTo(revealing(this.goal ?? this.view, ref.start_ns, ref.duration_ns, this.reach));
    this.unhide(ref.track);
    const lane = this.layout.byTrack.get(ref.track);
    if (lane?.shape === 'closed' && ref.row > 0) this.shape(lane.key, 'open');
    const place = rowPlace(this.layout, ref.track, ref.row);
    if (!place) return;
    const margin = Math.min(60, this.height_px / 4);
    const top = this.scrollGoal ?? this.scrollTop;
    if (place.top - margin < top) this.scrollGoal = Math.max(0, place.top - margin);
    else if (place.top + place.height + margin > top + this.height_px) {
      this.scrollGoal = Math.min(this.mostScroll, place.top + place.height + margin - this.height_px);
    }
  }

  // Opens what hides a track: its group, the threads without slices.
  private unhide(track: number): void {
    const group = this.info.groups.findIndex((one) => one.tracks.includes(track));
    if (this.layout.byTrack.has(track) || group < 0) return;
    const key = groupKey(this.info, group);
    this.shape(key, 'open');
    if (!this.layout.byTrack.has(track)) this.shape(threadsKey(key), 'open');
  }

  // Follows the first arrow: to the kernel, or back to the call that launched it.
  followLink(): void {
    const links = this.slice?.links ?? [];
    const launchers = links.filter((one) => one.kind === 'launched_by');
    const innermost = launchers.reduce<SliceRef | undefined>((a, b) => (a && a.row >= b.row ? a : b), undefined);
    const link = links.find((one) => one.kind === 'launches') ?? innermost ?? links[0];
    if (link) void this.choose(link.slice, true);
  }

  // ---- the chosen area

  // `again`: about the same, so the sums stay until there are new ones.
  async chooseArea(area: Area | null, again = false): Promise<void> {
    this.areaAsked.abort();
    this.areaAsked = new AbortController();
    this.area = area;
    if (!again) this.areaSums = null;
    this.onChanged();
    this.onRepaint();
    if (!area || !this.source.selection) return;
    const { signal } = this.areaAsked;
    try {
      this.areaSums = await this.source.selection(
        this.trace, Math.floor(area.start_ns), Math.ceil(area.end_ns), area.tracks, signal);
      this.problem = null;
    } catch (reason) {
      if (signal.aborted) return;
      this.problem = reason;
    }
    this.onChanged();
  }

  // An area given by its tracks, as in a link; without tracks it covers all.
  areaOf(start_ns: number, end_ns: number, tracks: number[]): Area {
    const lanes = tracks.flatMap((track) => this.layout.byTrack.get(track) ?? []);
    const top = lanes.length > 0 ? Math.min(...lanes.map((lane) => lane.top)) : 0;
    const bottom = lanes.length > 0 ? Math.max(...lanes.map((lane) => lane.top + lane.height)) : this.layout.height;
    return { start_ns, end_ns, tracks, top, bottom };
  }

  areaBetween(x0: number, y0: number, x1: number, y1: number): Area {
    const { start_ns, end_ns } = this.whole;
    const within = (at: number): number => Math.min(Math.max(at, start_ns), end_ns);
    const tracks = tracksBetween(this.layout, Math.min(y0, y1) + this.scrollTop, Math.max(y0, y1) + this.scrollTop);
    // Outside all tracks means all tracks.
    const [top, bottom] = tracks.length === 0
      ? [0, this.layout.height] : [Math.min(y0, y1) + this.scrollTop, Math.max(y0, y1) + this.scrollTop];
    return {
      start_ns: within(this.timeAt(Math.min(x0, x1))),
      end_ns: within(this.timeAt(Math.max(x0, x1))),
      tracks,
      top,
      bottom,
    };
  }

  // ---- search

  // `again`: the same in more content, so the matches stay until there are new ones.
  async find(typed: string, settle: 'first' | 'longest' | 'stay', again = false): Promise<void> {
    this.asked.abort();
    this.asked = new AbortController();
    const { signal } = this.asked;
    const query = parseQuery(typed);
    const { problem } = matcherOf(typed);
    if (!again) this.search = { typed: query ? typed : '', result: null, index: -1, problem };
    this.onChanged();
    this.onRepaint();
    if (!query || problem !== '' || !this.source.search) return;
    try {
      const result = await this.source.search(this.trace, query.text, query.regex, kSearchLimit, signal);
      this.search = { typed, result, index: again ? sameMatch(result, this.search) : -1, problem: '' };
      if (settle === 'longest') this.showMatch(longestOf(result));
      else if (settle === 'first') this.showMatch(firstFrom(result, this.view.start_ns));
    } catch (reason) {
      if (signal.aborted) return;
      this.search = { typed, result: null, index: -1, problem: reason instanceof Error ? reason.message : String(reason) };
    }
    this.onChanged();
  }

  nextMatch(by: 1 | -1): void {
    const { result, index } = this.search;
    if (!result || result.matches.length === 0) return;
    const count = result.matches.length;
    this.showMatch(index < 0 ? firstFrom(result, this.view.start_ns) : (index + by + count) % count);
  }

  private showMatch(index: number): void {
    const match = this.search.result?.matches[index];
    if (!match) return;
    this.search = { ...this.search, index };
    void this.choose(match[0], true);
  }
}
