import type { SliceRef, Timeline } from '../api/types.ts';
import { trackKey } from './track_layout.ts';
import { type Viewport, spanOf } from './viewport.ts';

// What stays the same when a recording has grown. Ids belong to one content; times count from its first slice, which may have
// come late.

// Whether a window shows about everything.
export function isWhole(view: Viewport, whole: Viewport): boolean {
  return spanOf(view) >= spanOf(whole) * 0.99;
}

export class Growth {
  readonly by_ns: number; // how far times have moved
  readonly changesNothing: boolean; // tracks have their ids, times are the same
  private readonly ids: ReadonlyMap<number, number>; // new ones by old ones

  constructor(before: Timeline, now: Timeline) {
    this.by_ns = Number(BigInt(before.origin_ns) - BigInt(now.origin_ns));
    const newIds = new Map(now.tracks.map((track) => [trackKey(track), track.track]));
    this.ids = new Map(before.tracks.flatMap((track) => {
      const id = newIds.get(trackKey(track));
      return id === undefined ? [] : [[track.track, id] as const];
    }));
    this.changesNothing = this.by_ns === 0 && before.tracks.every(({ track }) => this.ids.get(track) === track);
  }

  track(old: number): number | undefined {
    return this.ids.get(old);
  }

  // The same slice now; nothing if its track is gone.
  slices<T extends SliceRef>(old: readonly T[]): T[] {
    return old.flatMap((one) => {
      const track = this.ids.get(one.track);
      return track === undefined ? [] : [{ ...one, track, start_ns: one.start_ns + this.by_ns }];
    });
  }
}
