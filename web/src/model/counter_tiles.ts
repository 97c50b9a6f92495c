import type { CounterInfo, CounterPoints } from '../api/types.ts';
import { type FetchTile, TileGrid } from './tile_grid.ts';
import type { Viewport } from './viewport.ts';

// A counter's values at the resolution of a tile.
export interface LoadedPoints extends CounterPoints {
  column_ns: number; // a point is about so much time
}

// The values of counters; requested only of those that are drawn.
export class CounterTiles {
  private readonly grids = new Map<number, TileGrid<LoadedPoints>>();
  private reach: Viewport;
  private readonly fetchPoints: (counter: number) => FetchTile<CounterPoints>;
  private readonly changed: () => void;

  constructor(reach: Viewport, fetchPoints: (counter: number) => FetchTile<CounterPoints>, changed: () => void) {
    this.reach = reach;
    this.fetchPoints = fetchPoints;
    this.changed = changed;
  }

  of(counter: CounterInfo): TileGrid<LoadedPoints> {
    let grid = this.grids.get(counter.counter);
    if (!grid) {
      const fetchPoints = this.fetchPoints(counter.counter);
      grid = new TileGrid<LoadedPoints>(this.reach, async (start_ns, end_ns, columns, signal) =>
        ({ ...await fetchPoints(start_ns, end_ns, columns, signal), column_ns: Math.max(1, (end_ns - start_ns) / columns) }), this.changed);
      this.grids.set(counter.counter, grid);
    }
    return grid;
  }

  // `keepsOld`: counters have the numbers they had.
  renew(reach: Viewport, keepsOld: boolean): void {
    this.reach = reach;
    for (const grid of this.grids.values()) {
      if (keepsOld) grid.renew(reach, true);
      else grid.stop();
    }
    if (!keepsOld) this.grids.clear();
  }

  stop(): void {
    for (const grid of this.grids.values()) grid.stop();
  }
}

// The highest value at a time, or null if it is not known.
export function valueAt(grid: TileGrid<LoadedPoints>, view: Viewport, width_px: number, at_ns: number): number | null {
  for (const { tile, start_ns, end_ns } of grid.covering(view, width_px)) {
    if (at_ns < start_ns || at_ns >= end_ns) continue;
    const after = tile.points.findIndex((point) => point[0] > at_ns);
    const point = tile.points[(after < 0 ? tile.points.length : after) - 1];
    return point && at_ns < point[0] + tile.column_ns * 1.5 ? point[2] : null;
  }
  return null;
}
