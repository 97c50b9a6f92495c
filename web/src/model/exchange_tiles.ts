import type { ExchangeKind, Exchanges } from '../api/job_types.ts';
import { type FetchTile, TileGrid } from './tile_grid.ts';
import type { Viewport } from './viewport.ts';

// What ranks do together, as far as it is on the screen.

export interface ExchangePart {
  rank: number;
  start_ns: number;
  length_ns: number;
  wait_ns: number; // of it, for the last rank
}

export interface SeenExchange {
  key: string; // the same in every tile
  kind: ExchangeKind;
  sequence: number | null;
  parts: ExchangePart[]; // of the shown ranks
  arrival_ns: number; // of the last rank of all
}

export interface ExchangeTile {
  exchanges: SeenExchange[];
  narrower: number; // that are not here
}

export function loadExchanges({ kinds, exchanges, narrower }: Exchanges): ExchangeTile {
  return {
    narrower,
    exchanges: exchanges.map(({ kind, sequence, parts: numbers }) => {
      const parts: ExchangePart[] = [];
      for (let i = 0; i < numbers.length; i += 4) {
        parts.push({ rank: numbers[i], start_ns: numbers[i + 1], length_ns: numbers[i + 2], wait_ns: Math.min(numbers[i + 3], numbers[i + 2]) });
      }
      const { kind: name, group } = kinds[kind];
      return {
        key: `${name} ${group} ${sequence} ${parts[0]?.start_ns}`, kind: kinds[kind], sequence, parts,
        arrival_ns: Math.max(...parts.map((part) => part.start_ns + part.wait_ns)),
      };
    }),
  };
}

// Which of these parts came last; null: a rank that is not shown.
export function lastOf({ parts }: SeenExchange): ExchangePart | null {
  return parts.find((part) => part.wait_ns === 0) ?? null;
}

export class ExchangeTiles {
  private readonly grid: TileGrid<ExchangeTile>;

  constructor(reach: Viewport, fetchTile: FetchTile<Exchanges>, changed: () => void) {
    this.grid = new TileGrid(reach, async (...window) => loadExchanges(await fetchTile(...window)), changed);
  }

  look(view: Viewport, columns: number): void {
    this.grid.look(view, columns);
  }

  isComplete(view: Viewport, columns: number): boolean {
    return this.grid.isComplete(view, columns);
  }

  stop(): void {
    this.grid.stop();
  }

  // Each once, though it may reach over several tiles; `hidden`: there are others, too narrow to be drawn.
  seen(view: Viewport, columns: number): { exchanges: SeenExchange[]; hidden: boolean } {
    const found = new Map<string, SeenExchange>();
    let hidden = false;
    for (const { tile } of this.grid.covering(view, columns)) {
      hidden ||= tile.narrower > 0;
      for (const one of tile.exchanges) found.set(one.key, one);
    }
    return { exchanges: [...found.values()], hidden };
  }
}

export interface ExchangeHit {
  exchange: SeenExchange;
  part: ExchangePart;
}

// The part of a rank at this time; those close to it count too.
export function exchangeAt(exchanges: readonly SeenExchange[], rank: number, at_ns: number, reach_ns: number): ExchangeHit | null {
  let hit: ExchangeHit | null = null;
  let nearest = reach_ns;
  for (const exchange of exchanges) {
    for (const part of exchange.parts) {
      const away = Math.max(part.start_ns - at_ns, at_ns - (part.start_ns + part.length_ns), 0);
      if (part.rank !== rank || away > nearest || (hit && away === nearest)) continue;
      nearest = away;
      hit = { exchange, part };
    }
  }
  return hit;
}
