import type { Tile, TileRow } from '../api/types.ts';
import { type Rgb, type Theme, kConditionKind, kKinds, kTones, mixed, rgbOf, toned, toneOf } from './kinds.ts';
import type { Patch } from './tile_grid.ts';
import { type Viewport, spanOf } from './viewport.ts';

// Paints rows of slices into an image, without a canvas. A row of the timeline looks the same from top to bottom, so one line
// of pixels is made from its slices and then repeated: the cost is one fill per slice, however tall the row.

const kHatch_px = 7; // between two stripes
const kCovers = 16; // levels of cover that dense parts distinguish

// A tile with its rows indexed and its names checked against the search.
export interface LoadedTile {
  start_ns: number;
  column_ns: number;
  names: string[];
  tones: Uint8Array; // of each name
  dimmed: Uint8Array; // 1: the search excludes this name
  searched: string; // the search that `dimmed` belongs to
  rows: Map<number, TileRow>;
}

const kRowsPerTrack = 65536;
export function rowKey(track: number, row: number): number {
  return track * kRowsPerTrack + row;
}

export function loadTile(tile: Tile): LoadedTile {
  return {
    start_ns: tile.start_ns,
    column_ns: (tile.end_ns - tile.start_ns) / tile.columns,
    names: tile.names,
    tones: Uint8Array.from(tile.names, toneOf),
    dimmed: new Uint8Array(tile.names.length),
    searched: '',
    rows: new Map(tile.rows.map((row) => [rowKey(row.track, row.row), row])),
  };
}

export function judgeNames(tile: LoadedTile, typed: string, matches: (name: string) => boolean): void {
  if (tile.searched === typed) return;
  tile.searched = typed;
  tile.names.forEach((name, i) => (tile.dimmed[i] = typed !== '' && !matches(name) ? 1 : 0));
}

// Pixels in the memory layout of canvas image data on a little-endian machine; all browsers run on one.
function pixelOf([r, g, b]: Rgb): number {
  return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
}

export interface Inks {
  background: number;
  hatch: number;
  // [dimmed][kind][tone][cover]: full cover is the colour of a whole slice
  pixels: Uint32Array;
}

export function inksOf(theme: Theme, background: string): Inks {
  const base = rgbOf(background);
  const pixels = new Uint32Array(2 * kKinds.length * kTones * (kCovers + 1));
  let next = 0;
  for (const dim of [0, 0.72]) {
    for (const kind of kKinds) {
      for (let tone = 0; tone < kTones; ++tone) {
        const colour = mixed(toned(rgbOf(kind[theme]), tone, theme), base, dim);
        for (let cover = 0; cover <= kCovers; ++cover) {
          // Even a little must be visible, and half must look like half.
          pixels[next++] = pixelOf(mixed(base, colour, cover === 0 ? 0 : 0.36 + (0.64 * cover) / kCovers));
        }
      }
    }
  }
  const condition = rgbOf(kKinds[kConditionKind][theme]);
  const hatch = mixed(condition, theme === 'light' ? [90, 20, 10] : [255, 225, 220], 0.34);
  return { background: pixelOf(base), hatch: pixelOf(hatch), pixels };
}

function ink(inks: Inks, dimmed: number, kind: number, tone: number, cover: number): number {
  const known = kind < kKinds.length ? kind : 0;
  return inks.pixels[((dimmed * kKinds.length + known) * kTones + tone) * (kCovers + 1) + cover];
}

export interface Label {
  x: number;
  width: number;
  name: string;
  dimmed: boolean;
}

// Makes one line of pixels from the tiles of a row. Slices wide enough for text are passed to `label`.
export function paintLine(
  line: Uint32Array, patches: readonly Patch<LoadedTile>[], key: number, view: Viewport, inks: Inks,
  least_label_px: number, label: (label: Label) => void,
): boolean {
  const width = line.length;
  const perNs = width / spanOf(view);
  line.fill(inks.background);
  let painted = false;
  patches.forEach(({ tile, start_ns, end_ns }, index) => {
    const row = tile.rows.get(key);
    if (!row) return;
    painted = true;
    const left = Math.max(0, Math.round((start_ns - view.start_ns) * perNs));
    const right = Math.min(width, Math.round((end_ns - view.start_ns) * perNs));

    const { dense, slices } = row;
    const column_px = tile.column_ns * perNs;
    const tile_px = (tile.start_ns - view.start_ns) * perNs;
    for (let i = 0; i < dense.length; i += 6) {
      const from = Math.floor(tile_px + dense[i] * column_px);
      const to = Math.max(from + 1, Math.round(tile_px + (dense[i] + dense[i + 1]) * column_px));
      if (to <= left || from >= right) continue;
      const cover = Math.max(1, Math.round((dense[i + 2] * kCovers) / 1000));
      const name = dense[i + 4];
      line.fill(ink(inks, tile.dimmed[name], dense[i + 5], tile.tones[name], cover),
                Math.max(from, left), Math.min(to, right));
    }

    for (let i = 0; i < slices.length; i += 5) {
      const start = slices[i + 1];
      const end = start + slices[i + 2];
      if (end <= start_ns || start >= end_ns) continue;
      const from = (start - view.start_ns) * perNs;
      const to = (end - view.start_ns) * perNs;
      const first = Math.max(left, Math.floor(from));
      let last = Math.min(right, Math.max(Math.round(to), Math.floor(from) + 1));
      if (last <= first) continue;
      const name = slices[i + 3];
      const dimmed = tile.dimmed[name];
      const drawn = last;
      // A gap separates neighbours if there is room for one.
      if (last - first > 2 && to <= right) --last;
      line.fill(ink(inks, dimmed, slices[i + 4], tile.tones[name], kCovers), first, last);
      // A slice across several tiles has its label in the first of them.
      if (index > 0 && start < start_ns) continue;
      const shown = Math.min(width, Math.round(to)) - Math.max(0, Math.floor(from));
      if (shown >= least_label_px && drawn > first) {
        label({ x: Math.max(0, Math.floor(from)), width: shown, name: tile.names[name], dimmed: dimmed === 1 });
      }
    }
  });
  return painted;
}

// Repeats a line downwards, `top` to `bottom` of an image.
export function repeatLine(image: Uint32Array, line: Uint32Array, top: number, bottom: number): void {
  const width = line.length;
  const last = Math.min(bottom, image.length / width);
  for (let y = Math.max(0, top); y < last; ++y) image.set(line, y * width);
}

// The same with stripes on everything that is painted, so that it reads without colour.
export function hatchLine(
  image: Uint32Array, line: Uint32Array, top: number, bottom: number, inks: Inks, density: number,
): void {
  const width = line.length;
  const last = Math.min(bottom, image.length / width);
  const [period, thick] = [Math.round(kHatch_px * density), Math.max(1, Math.round(density))];
  for (let y = Math.max(0, top); y < last; ++y) {
    image.set(line, y * width);
    for (let x = (period - (y % period)) % period; x < width; x += period) {
      for (let i = x; i < Math.min(width, x + thick); ++i) if (line[i] !== inks.background) image[y * width + i] = inks.hatch;
    }
  }
}

export type Hit =
  | { is: 'slice'; slice: number; name: string; kind: number; start_ns: number; duration_ns: number }
  | { is: 'dense'; name: string; kind: number; start_ns: number; duration_ns: number; slices: number; cover: number };

// The slice at a time on a row; slices close to the pointer count too, because some are narrow.
export function hitTest(
  patches: readonly Patch<LoadedTile>[], key: number, at_ns: number, reach_ns: number,
): Hit | null {
  let near: Hit | null = null;
  let nearest = reach_ns;
  for (const { tile, start_ns, end_ns } of patches) {
    if (at_ns + reach_ns < start_ns || at_ns - reach_ns > end_ns) continue;
    const row = tile.rows.get(key);
    if (!row) continue;
    const { slices, dense } = row;
    for (let i = 0; i < slices.length; i += 5) {
      const start = slices[i + 1];
      const away = Math.max(start - at_ns, at_ns - (start + slices[i + 2]), 0);
      if (away > nearest || (near && away === nearest)) continue;
      nearest = away;
      near = { is: 'slice', slice: slices[i], name: tile.names[slices[i + 3]], kind: slices[i + 4],
               start_ns: start, duration_ns: slices[i + 2] };
    }
    for (let i = 0; i < dense.length; i += 6) {
      const start = tile.start_ns + dense[i] * tile.column_ns;
      const length = dense[i + 1] * tile.column_ns;
      const away = Math.max(start - at_ns, at_ns - (start + length), 0);
      if (away > nearest || (near && away === nearest)) continue;
      nearest = away;
      near = { is: 'dense', name: tile.names[dense[i + 4]], kind: dense[i + 5], start_ns: start, duration_ns: length,
               slices: dense[i + 3], cover: dense[i + 2] / 1000 };
    }
  }
  return near;
}
