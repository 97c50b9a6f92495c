import type { Client } from '../api/client.ts';
import type { CounterPoints, SearchResult, Selection, SliceDetails, SliceRef, Timeline } from '../api/types.ts';
import { type Hit, type LoadedTile, hitTest, judgeNames, loadTile, rowKey } from './pixels.ts';
import { matcherOf, parseQuery } from './query.ts';
import { type Patch, TileGrid } from './tile_grid.ts';
import { type Lane, type Layout, type TrackShape, laneAt, layOut, nextShape, rowPlace, tracksBetween } from './track_layout.ts';
import { TimeWindow } from './time_window.ts';
import { type Viewport, framing, revealing, shifted, spanOf } from './viewport.ts';

// What the timeline shows and what is selected on it; no drawing, no DOM. Two kinds of listeners: `repaint` and `pointed` for
// every change of the picture (the painter waits for the next frame), `changed` for the panels around it.

export interface Area {
  start_ns: number;
  end_ns: number;
  tracks: number[];
  top: number;
  bottom: number;
}

export interface Search {
  typed: string;
  result: SearchResult | null;
  index: number; // of the match shown; -1: none yet
  problem: string;
}

const kSearchLimit = 5000;
const kNoSearch: Search = { typed: '', result: null, index: -1, problem: '' };

export class TimelineModel {
  readonly trace: string;
  readonly info: Timeline;
  readonly tiles: TileGrid<LoadedTile>;
  readonly counters = new Map<number, TileGrid<CounterPoints>>();
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
  private readonly client: Client;
  private readonly shapes = new Map<string, TrackShape>();
  private stopListening: () => void = () => {};
  private asked = new AbortController();
  private areaAsked = new AbortController();

  constructor(client: Client, trace: string, info: Timeline) {
    this.client = client;
    this.trace = trace;
    this.info = info;
    this.window = new TimeWindow({ start_ns: 0, end_ns: info.span_ns });
    this.attach(this.window, 0);
    this.layout = layOut(info, this.shapes);
    const repaint = (): void => this.onRepaint();
    this.tiles = new TileGrid(
      info.span_ns, async (...window) => loadTile(await client.tile(trace, ...window)), repaint);
    for (const { counter } of info.counters) {
      this.counters.set(counter, new TileGrid<CounterPoints>(
        info.span_ns, (...window) => client.counter(trace, counter, ...window), repaint));
    }
  }

  stop(): void {
    this.stopListening();
    this.tiles.stop();
    for (const grid of this.counters.values()) grid.stop();
    this.asked.abort();
    this.areaAsked.abort();
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
    this.window.set(shifted(view, -this.zero_ns));
  }

  glideTo(view: Viewport): void {
    this.window.glideTo(shifted(view, -this.zero_ns));
  }

  zoom(factor: number, at_ns: number | null, glide: boolean): void {
    this.window.zoom(factor, at_ns === null ? null : at_ns - this.zero_ns, glide);
  }

  pan(share: number, glide: boolean): void {
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
    for (const grid of this.counters.values()) grid.look(this.goal ?? this.view, this.columns);
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
      const details = await this.client.slice(this.trace, slice);
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
    const group = this.info.groups.findIndex((one) => one.tracks.includes(ref.track));
    if (!this.layout.byTrack.has(ref.track) && group >= 0) this.shape(`g${group}`, 'open');
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

  // Follows the first arrow: to the kernel, or back to the call that launched it.
  followLink(): void {
    const links = this.slice?.links ?? [];
    const launchers = links.filter((one) => one.kind === 'launched_by');
    const innermost = launchers.reduce<SliceRef | undefined>((a, b) => (a && a.row >= b.row ? a : b), undefined);
    const link = links.find((one) => one.kind === 'launches') ?? innermost ?? links[0];
    if (link) void this.choose(link.slice, true);
  }

  // ---- the chosen area

  async chooseArea(area: Area | null): Promise<void> {
    this.areaAsked.abort();
    this.areaAsked = new AbortController();
    this.area = area;
    this.areaSums = null;
    this.onChanged();
    this.onRepaint();
    if (!area) return;
    const { signal } = this.areaAsked;
    try {
      this.areaSums = await this.client.selection(
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
    const span = this.info.span_ns;
    const within = (at: number): number => Math.min(Math.max(at, 0), span);
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

  async find(typed: string, settle: 'first' | 'longest' | 'stay'): Promise<void> {
    this.asked.abort();
    this.asked = new AbortController();
    const { signal } = this.asked;
    const query = parseQuery(typed);
    const { problem } = matcherOf(typed);
    this.search = { typed: query ? typed : '', result: null, index: -1, problem };
    this.onChanged();
    this.onRepaint();
    if (!query || problem !== '') return;
    try {
      const result = await this.client.search(this.trace, query.text, query.regex, kSearchLimit, signal);
      this.search = { typed, result, index: -1, problem: '' };
      if (settle === 'longest') this.showMatch(longestOf(result));
      else if (settle === 'first') this.showMatch(this.firstInView(result));
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
    this.showMatch(index < 0 ? this.firstInView(result) : (index + by + count) % count);
  }

  private firstInView(result: SearchResult): number {
    const at = result.matches.findIndex((match) => match[1] >= this.view.start_ns);
    return at >= 0 ? at : 0;
  }

  private showMatch(index: number): void {
    const match = this.search.result?.matches[index];
    if (!match) return;
    this.search = { ...this.search, index };
    void this.choose(match[0], true);
  }
}

function longestOf(result: SearchResult): number {
  let best = 0;
  result.matches.forEach((match, i) => {
    if (match[2] > result.matches[best][2]) best = i;
  });
  return best;
}
