import type { Cell, Table } from './types.ts';

// The answers about the ranks of a job: fleet and fleet/exchanges of docs/api.md.

// The document of `strobe fleet --format json` about traces of ranks.
export interface JobDocument {
  schema: string;
  version: number;
  facts: Record<string, Cell>;
  tables: Record<string, Table>;
  verdict: string[];
}

// A rank of a job. Times of the job count on the common clock: job_ns + (t - trace_ns) * (1 - gains_ppm / 1e6) is that of a time t of the trace.
export interface JobRank {
  rank: number;
  trace: string;
  host: string | null;
  clock: { trace_ns: number; job_ns: number; gains_ppm: number };
  steps: number[]; // start and end of each common step
}

export interface Fleet {
  generation: number;
  document: JobDocument;
  step_names: string[]; // the common steps
  ranks: JobRank[];
}

// What ranks do together.
export interface ExchangeKind {
  kind: string;
  group: string;
  bytes: number | null;
  runs_on: string;
}

export interface Exchange {
  kind: number; // index into kinds
  sequence: number | null;
  step: number | null; // index into the common steps
  parts: number[]; // four each: rank, start, length, wait
}

export interface Exchanges {
  generation: number;
  kinds: ExchangeKind[];
  exchanges: Exchange[];
  narrower: number;
}
