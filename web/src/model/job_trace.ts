import type { Client } from '../api/client.ts';
import type { JobRank } from '../api/job_types.ts';
import type { SliceDetails, SliceRef, Tile, TileRow, Timeline, Track } from '../api/types.ts';
import type { TraceSource } from './timeline_model.ts';

// Several ranks of a job as one trace on the job's clock: a group of tracks for each rank, with the main thread of its host and
// its busiest streams. Tiles are asked of the traces of the ranks, each in its own time.

type Clock = JobRank['clock'];

export function jobTime({ trace_ns, job_ns, gains_ppm }: Clock, at_ns: number): number {
  return job_ns + (at_ns - trace_ns) * (1 - gains_ppm / 1e6);
}

export function traceTime({ trace_ns, job_ns, gains_ppm }: Clock, at_ns: number): number {
  return trace_ns + (at_ns - job_ns) / (1 - gains_ppm / 1e6);
}

// Generations of what is put together here: of the tracks, and of other content.
const kOwn = 1;
const kOther = 2;
const kMostStreams = 3;
const kSlices = 2 ** 32; // ids of slices of a trace are below

// The main thread of the host, then the busiest streams.
function chosenTracks(info: Timeline): Track[] {
  const busiest = (kind: Track['kind']): Track[] => info.tracks.filter((track) => track.kind === kind && track.slices > 0).sort((a, b) => b.busy_ns - a.busy_ns);
  const streams = busiest('device').slice(0, kMostStreams).sort((a, b) => a.track - b.track);
  return [...busiest('host').slice(0, 1), ...streams];
}

interface Lane {
  rank: JobRank;
  generation: number;
  tracks: number[]; // of its trace
  first: number; // the number of the first of them here
}

export class JobTrace implements TraceSource {
  readonly info: Timeline;
  private readonly client: Client;
  private readonly lanes: readonly Lane[];

  // `infos`: the timelines of the ranks' traces.
  constructor(client: Client, ranks: readonly JobRank[], infos: readonly Timeline[], step_names: readonly string[]) {
    this.client = client;
    const tracks: Track[] = [];
    this.lanes = ranks.map((rank, i) => {
      const chosen = chosenTracks(infos[i]);
      const first = tracks.length;
      tracks.push(...chosen.map((track, at) => ({ ...track, track: first + at, process: `rank ${rank.rank}` })));
      return { rank, generation: infos[i].generation, tracks: chosen.map((track) => track.track), first };
    });
    const start_ns = Math.min(...ranks.map(({ clock }, i) => jobTime(clock, infos[i].reach_start_ns)));
    const end_ns = Math.max(...ranks.map(({ clock }, i) => jobTime(clock, infos[i].reach_end_ns)));
    this.info = {
      origin_ns: '0', span_ns: end_ns - start_ns, summary_span_ns: end_ns - start_ns, reach_start_ns: start_ns, reach_end_ns: end_ns,
      generation: kOwn, is_recording: false, counters: [], tracks, steps: stepsOf(ranks, step_names),
      groups: this.lanes.map(({ rank, first, tracks: own }) => ({
        name: [`rank ${rank.rank}`, rank.host].filter(Boolean).join(' · '), kind: 'host', tracks: own.map((_, at) => first + at),
      })),
    };
  }

  // The trace and the slice there of a slice here.
  sourceOf(slice: number): { rank: JobRank; slice: number } {
    return { rank: this.lanes[Math.floor(slice / kSlices)].rank, slice: slice % kSlices };
  }

  tile = async (_: string, start_ns: number, end_ns: number, columns: number, signal?: AbortSignal): Promise<Tile> => {
    const tiles = await Promise.all(this.lanes.map(({ rank, tracks }) => {
      const [from, to] = [traceTime(rank.clock, start_ns), traceTime(rank.clock, end_ns)].map(Math.round);
      return this.client.tile(rank.trace, from, to, columns, signal, tracks);
    }));
    const isCurrent = tiles.every((tile, i) => tile.generation === this.lanes[i].generation);
    const all: Tile = { start_ns, end_ns, columns, generation: isCurrent ? this.info.generation : kOther, names: [], rows: [] };
    tiles.forEach((tile, i) => {
      const first = all.names.length;
      all.names = all.names.concat(tile.names);
      for (const row of tile.rows) all.rows.push(this.moved(row, i, first));
    });
    return all;
  };

  slice = async (_: string, slice: number): Promise<SliceDetails> => {
    const lane = Math.floor(slice / kSlices);
    const details = await this.client.slice(this.lanes[lane].rank.trace, slice % kSlices);
    const here = <T extends SliceRef>(refs: readonly T[]): T[] => refs.filter((ref) => this.lanes[lane].tracks.includes(ref.track)).map((ref) => this.refHere(ref, lane));
    return { ...this.refHere(details, lane), ancestors: here(details.ancestors), links: here(details.links) };
  };

  private refHere<T extends SliceRef>(ref: T, lane: number): T {
    const { rank, tracks, first } = this.lanes[lane];
    const start_ns = jobTime(rank.clock, ref.start_ns);
    return {
      ...ref, slice: lane * kSlices + ref.slice, track: first + tracks.indexOf(ref.track), start_ns,
      duration_ns: jobTime(rank.clock, ref.start_ns + ref.duration_ns) - start_ns,
    };
  }

  // Columns of a tile here and there differ by the rounding of its ends only.
  private moved({ track, row, slices, dense }: TileRow, lane: number, firstName: number): TileRow {
    const { rank: { clock }, tracks, first } = this.lanes[lane];
    const here: number[] = [];
    for (let i = 0; i < slices.length; i += 5) {
      const start_ns = jobTime(clock, slices[i + 1]);
      const length_ns = jobTime(clock, slices[i + 1] + slices[i + 2]) - start_ns;
      here.push(lane * kSlices + slices[i], start_ns, length_ns, slices[i + 3] + firstName, slices[i + 4]);
    }
    return { track: first + tracks.indexOf(track), row, slices: here, dense: dense.map((value, i) => (i % 6 === 4 ? value + firstName : value)) };
  }
}

// A step begins with the first rank and lasts until the next one begins, or its last rank has ended.
function stepsOf(ranks: readonly JobRank[], names: readonly string[]): Timeline['steps'] {
  const starts = names.map((_, step) => Math.min(...ranks.map((rank) => rank.steps[2 * step])));
  const ends = names.map((_, step) => Math.max(...ranks.map((rank) => rank.steps[2 * step + 1])));
  return names.map((name, step) => {
    const end_ns = Math.min(ends[step], starts[step + 1] ?? Infinity);
    return { name, start_ns: starts[step], duration_ns: Math.max(0, end_ns - starts[step]) };
  });
}
