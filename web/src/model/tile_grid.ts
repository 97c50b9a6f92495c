import { type Viewport, spanOf } from './viewport.ts';

// Tiles are on a grid: level L has 2^L nanoseconds per column and kTileColumns columns per tile, so that panning and zooming
// back reuse existing tiles. While the right ones are loading, those of other levels are shown: the picture is stale or
// coarse for a moment, never blank.

export const kTileColumns = 2048;

export interface TileKey {
  level: number;
  index: number;
}

export function tileStart(key: TileKey): number {
  return key.index * kTileColumns * 2 ** key.level;
}

export function tileEnd(key: TileKey): number {
  return (key.index + 1) * kTileColumns * 2 ** key.level;
}

// The level whose columns are as wide as a pixel or a little narrower.
export function levelFor(view: Viewport, width_px: number): number {
  const perPixel = spanOf(view) / Math.max(1, width_px);
  return Math.max(0, Math.floor(Math.log2(perPixel) + 1e-9));
}

// The level at which one tile holds the whole trace.
export function topLevel(span_ns: number): number {
  return Math.max(0, Math.ceil(Math.log2(Math.max(1, span_ns) / kTileColumns)));
}

// Within `reach`, which is everything that can be shown.
export function keysCovering(view: Viewport, level: number, reach: Viewport): TileKey[] {
  const width = kTileColumns * 2 ** level;
  const first = Math.floor(Math.max(reach.start_ns, view.start_ns) / width);
  const last = Math.floor(Math.min(Math.max(reach.start_ns, reach.end_ns - 1), view.end_ns) / width);
  const keys: TileKey[] = [];
  for (let index = first; index <= last; ++index) keys.push({ level, index });
  return keys;
}

// A tile and the part of time that it covers.
export interface Patch<T> {
  tile: T;
  start_ns: number;
  end_ns: number;
}

export type FetchTile<T> = (start_ns: number, end_ns: number, columns: number, signal: AbortSignal) => Promise<T>;

function textOf(key: TileKey): string {
  return `${key.level}/${key.index}`;
}

const kAtOnce = 4;
const kMostTiles = 160;
const kRetryMs = 1000;

interface Held<T> {
  level: number;
  tile: T;
  isOld: boolean; // there is more to show by now; it is drawn until then
}

export class TileGrid<T> {
  private readonly loaded = new Map<string, Held<T>>(); // least recently drawn first
  private readonly pending = new Map<string, AbortController>();
  private wanted: TileKey[] = [];
  private drawn = new Set<string>(); // of those: what must be up to date
  private reach: Viewport;
  private top: number;
  private readonly fetchTile: FetchTile<T>;
  private readonly changed: () => void;
  private readonly retryMs: number;
  private retry: ReturnType<typeof setTimeout> | null = null; // while it runs, nothing is fetched

  constructor(reach: Viewport, fetchTile: FetchTile<T>, changed: () => void, retryMs = kRetryMs) {
    this.reach = reach;
    this.top = topLevel(spanOf(reach));
    this.fetchTile = fetchTile;
    this.changed = changed;
    this.retryMs = retryMs;
  }

  // The trace has grown: every tile is fetched again when it is on the screen. Until then the old ones are drawn, unless they
  // have become wrong.
  renew(reach: Viewport, keepsOld: boolean): void {
    this.reach = reach;
    this.top = topLevel(spanOf(reach));
    for (const abort of this.pending.values()) abort.abort();
    this.pending.clear();
    if (!keepsOld) this.loaded.clear();
    for (const held of this.loaded.values()) held.isOld = true;
  }

  // Says what is on the screen. Its tiles are fetched first, then its surroundings; requests that are no longer needed are
  // cancelled. After a failed request, nothing is fetched for a moment; then `changed` is called.
  // With `whole`, the tiles of the whole trace are on the screen too; else they stand in for others, and may be old.
  look(view: Viewport, width_px: number, whole = false): void {
    const level = this.levelOf(view, width_px);
    const [top, shown] = [keysCovering(this.reach, this.top, this.reach), keysCovering(view, level, this.reach)];
    this.drawn = new Set([...(whole ? top : []), ...shown].map(textOf));
    const margin = spanOf(view) * 0.5;
    const wide = { start_ns: view.start_ns - margin, end_ns: view.end_ns + margin };
    this.wanted = [
      ...top,
      ...shown,
      ...keysCovering(wide, level, this.reach),
      ...keysCovering(view, Math.min(level + 1, this.top), this.reach),
    ];
    const names = new Set(this.wanted.map(textOf));
    for (const [name, abort] of this.pending) if (!names.has(name)) abort.abort();
    this.fetchMore();
  }

  // Tiles that together show the window, without overlap, in time order.
  covering(view: Viewport, width_px: number): Patch<T>[] {
    return keysCovering(view, this.levelOf(view, width_px), this.reach).flatMap((key) => this.bestFor(key));
  }

  isComplete(view: Viewport, width_px: number): boolean {
    return keysCovering(view, this.levelOf(view, width_px), this.reach)
      .every((key) => this.loaded.get(textOf(key))?.isOld === false);
  }

  stop(): void {
    this.wanted = [];
    if (this.retry !== null) clearTimeout(this.retry);
    this.retry = null;
    for (const abort of this.pending.values()) abort.abort();
  }

  private levelOf(view: Viewport, width_px: number): number {
    return Math.min(levelFor(view, width_px), this.top);
  }

  private get(key: TileKey): T | undefined {
    const name = textOf(key);
    const found = this.loaded.get(name);
    if (!found) return undefined;
    this.loaded.delete(name);
    this.loaded.set(name, found);
    return found.tile;
  }

  private bestFor(key: TileKey): Patch<T>[] {
    const start_ns = tileStart(key);
    const end_ns = tileEnd(key);
    const own = this.get(key);
    if (own !== undefined) return [{ tile: own, start_ns, end_ns }];
    const halves = this.halvesOf(key);
    if (halves) return halves;
    for (let level = key.level + 1; level <= this.top; ++level) {
      const tile = this.get({ level, index: Math.floor(key.index / 2 ** (level - key.level)) });
      if (tile !== undefined) return [{ tile, start_ns, end_ns }];
    }
    return [];
  }

  private halvesOf(key: TileKey): Patch<T>[] | null {
    if (key.level === 0) return null;
    const patches: Patch<T>[] = [];
    for (const index of [key.index * 2, key.index * 2 + 1]) {
      const half = { level: key.level - 1, index };
      if (tileStart(half) >= this.reach.end_ns || tileEnd(half) <= this.reach.start_ns) continue;
      const tile = this.get(half);
      if (tile === undefined) return null;
      patches.push({ tile, start_ns: tileStart(half), end_ns: tileEnd(half) });
    }
    return patches;
  }

  private fetchMore(): void {
    if (this.retry !== null) return;
    for (const key of this.wanted) {
      if (this.pending.size >= kAtOnce) return;
      const name = textOf(key);
      const held = this.loaded.get(name);
      const isNeeded = held === undefined || (held.isOld && this.drawn.has(name));
      if (isNeeded && !this.pending.has(name)) void this.fetch(key, name);
    }
  }

  private async fetch(key: TileKey, name: string): Promise<void> {
    const abort = new AbortController();
    this.pending.set(name, abort);
    try {
      const tile = await this.fetchTile(tileStart(key), tileEnd(key), kTileColumns, abort.signal);
      if (!abort.signal.aborted) this.keep(name, key.level, tile);
    } catch {
      if (!abort.signal.aborted) this.waitForRetry();
    }
    if (this.pending.get(name) === abort) this.pending.delete(name);
    this.fetchMore();
    this.changed();
  }

  private waitForRetry(): void {
    this.retry ??= setTimeout(() => {
      this.retry = null;
      this.changed();
    }, this.retryMs);
  }

  private keep(name: string, level: number, tile: T): void {
    this.loaded.delete(name);
    this.loaded.set(name, { level, tile, isOld: false });
    for (const [old, { level: oldLevel }] of this.loaded) {
      if (this.loaded.size <= kMostTiles) break;
      if (oldLevel !== this.top) this.loaded.delete(old);
    }
  }
}
