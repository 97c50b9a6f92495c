import type { Fleet } from '../api/job_types.ts';
import type { Cell, Table } from '../api/types.ts';
import { median } from './numbers.ts';
import { numberAt } from './table.ts';

// The numbers of a job, rank by step, and which ranks belong beside each other.

// What a step of a rank consists of. `kind`: whose colour it has; waiting is a lighter transfer.
export interface Part {
  key: string; // in the table of ranks and steps
  name: string;
  kind: number;
  isWork: boolean; // of the rank itself
}

export const kParts: readonly Part[] = [
  { key: 'compute_ns', name: 'compute', kind: 9, isWork: true },
  { key: 'copy_ns', name: 'copy', kind: 10, isWork: true },
  { key: 'input_ns', name: 'input', kind: 4, isWork: true },
  { key: 'host_ns', name: 'host', kind: 2, isWork: true },
  { key: 'wait_ns', name: 'wait', kind: 5, isWork: false },
  { key: 'transfer_ns', name: 'transfer', kind: 5, isWork: false },
];

const kWork = kParts.filter((part) => part.isWork).map((part) => part.key);
const kMostSlow = 4;
const kPeers = 4; // shown beside them
export const kMostLanes = 8;

// A rank in a step, by their places in `ranks` and `steps`.
export interface StepOfRank {
  row: number;
  step: number;
}

export class Job {
  readonly ranks: readonly number[];
  readonly stages: readonly (number | null)[];
  readonly steps: readonly string[];
  private readonly columns = new Map<string, Float64Array>();
  private readonly table: Table | undefined;
  private readonly stragglers: Table | undefined;
  private own: Float64Array | null = null;
  private step_ns: number | null = null;

  constructor({ document, ranks, step_names }: Fleet) {
    const stages = new Map((document.tables['ranks']?.rows ?? []).map((row) => [row['rank'], numberAt(row, 'stage', null)]));
    this.ranks = ranks.map((one) => one.rank);
    this.stages = ranks.map((one) => stages.get(one.rank) ?? null);
    this.steps = step_names;
    this.table = document.tables['rank_steps'];
    this.stragglers = document.tables['stragglers'];
  }

  // A column of the table of ranks and steps: all steps of the first rank, then those of the next one. NaN: not known.
  column(key: string): Float64Array {
    let column = this.columns.get(key);
    if (!column) this.columns.set(key, (column = this.read(key)));
    return column;
  }

  // What the rank itself does in a step: everything except waiting and transfer.
  ownWork(): Float64Array {
    if (!this.own) {
      const own = new Float64Array(this.ranks.length * this.steps.length);
      for (const column of kWork.map((key) => this.column(key))) for (let at = 0; at < own.length; ++at) own[at] += column[at];
      this.own = own;
    }
    return this.own;
  }

  // The median step of all ranks; 0 if there is none.
  typicalStep(): number {
    if (this.step_ns === null) {
      const sorted = sortedSizes(this.column('step_ns'));
      this.step_ns = sorted[sorted.length >> 1] ?? 0;
    }
    return this.step_ns;
  }

  at(column: Float64Array, { row, step }: StepOfRank): number {
    return column[row * this.steps.length + step];
  }

  // Ranks of the same stage of a pipeline; if there are no others, or stages are not known, all others.
  peersOf(row: number): number[] {
    const others = this.ranks.map((_, at) => at).filter((at) => at !== row);
    const peers = others.filter((at) => this.stages[at] === this.stages[row]);
    return peers.length > 0 ? peers : others;
  }

  // The peer whose own work in this step is the median of the peers (of an even number, the lower one in the middle).
  typicalPeer({ row, step }: StepOfRank): number | null {
    const own = this.ownWork();
    return this.middle(this.peersOf(row), (at) => this.at(own, { row: at, step }));
  }

  // The ranks that hold others up, the costliest first.
  slowRanks(): number[] {
    const named = (this.stragglers?.rows ?? []).flatMap((row) => String(row['ranks'] ?? '').split(' ').filter((text) => text !== '').map(Number));
    return [...new Set(named)].filter((rank) => this.ranks.includes(rank));
  }

  // What a timeline shows first: the slowest ranks and typical ones, or just typical ones; by number.
  usualLanes(): number[] {
    const slow = this.slowRanks().slice(0, kMostSlow);
    const bad = new Set(this.slowRanks());
    const means = this.ranks.map((_, row) => this.mean(this.ownWork(), row) ?? 0);
    const others = this.ranks.map((_, at) => at).filter((at) => !bad.has(this.ranks[at]));
    if (others.length === 0) return [...slow].sort((a, b) => a - b);
    const typical = median(others.map((at) => means[at]));
    others.sort((a, b) => Math.abs(means[a] - typical) - Math.abs(means[b] - typical) || a - b);
    return [...slow, ...others.slice(0, kPeers).map((at) => this.ranks[at])].sort((a, b) => a - b);
  }

  // Over the steps of a rank; null if it is not known in any.
  meanOf(key: string, row: number): number | null {
    return this.mean(this.column(key), row);
  }

  private mean(column: Float64Array, row: number): number | null {
    let [sum, count] = [0, 0];
    for (let at = row * this.steps.length; at < (row + 1) * this.steps.length; ++at) {
      if (Number.isNaN(column[at])) continue;
      sum += column[at];
      ++count;
    }
    return count === 0 ? null : sum / count;
  }

  private middle(rows: number[], valueOf: (row: number) => number): number | null {
    const known = rows.filter((row) => !Number.isNaN(valueOf(row))).sort((a, b) => valueOf(a) - valueOf(b) || a - b);
    return known.length === 0 ? null : known[(known.length - 1) >> 1];
  }

  // The rows of a rank come in the order of its steps.
  private read(key: string): Float64Array {
    const count = this.steps.length;
    const column = new Float64Array(this.ranks.length * count).fill(NaN);
    const next = new Map<Cell, number>(this.ranks.map((rank, row) => [rank, row * count]));
    for (const row of this.table?.rows ?? []) {
      const at = next.get(row['rank']);
      if (at === undefined) continue;
      column[at] = numberAt(row, key, NaN);
      next.set(row['rank'], at + 1);
    }
    return column;
  }
}

// Without the unknown ones. Numbers sort much faster in a typed array.
export function sortedSizes(values: Float64Array): Float64Array {
  let count = 0;
  const sizes = new Float64Array(values.length);
  for (const value of values) if (!Number.isNaN(value)) sizes[count++] = Math.abs(value);
  return sizes.subarray(0, count).sort();
}

// "0-2, 7" of the ranks that there are; null if it is something else.
export function parseRanks(text: string, all: readonly number[]): number[] | null {
  const found = new Set<number>();
  for (const part of text.split(/[\s,]+/).filter((one) => one !== '')) {
    const ends = /^(\d+)(?:-(\d+))?$/.exec(part);
    if (!ends) return null;
    const [first, last] = [Number(ends[1]), Number(ends[2] ?? ends[1])];
    const named = all.filter((rank) => rank >= first && rank <= last);
    if (named.length === 0) return null;
    for (const rank of named) found.add(rank);
  }
  return [...found].sort((a, b) => a - b);
}
