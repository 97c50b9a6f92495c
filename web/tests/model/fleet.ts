import type { Fleet } from '../../src/api/job_types.ts';
import type { Row, Table } from '../../src/api/types.ts';

// Answers about jobs, made up.

export interface Cells {
  host?: number[][]; // ns, by rank and step; the rest of a step of `step_ns` is waiting
  lateness?: (number | null)[][];
  step_ns?: number;
  stages?: (number | null)[];
  stragglers?: string[]; // numbers of ranks, as the table has them
}

function table(rows: Row[]): Table {
  return { title: '', columns: [], rows, rows_left_out: 0, notes: [] };
}

export function fleetOf({ host = [[1], [1]], lateness, step_ns = 100, stages, stragglers = [] }: Cells, first = 0): Fleet {
  const steps = host[0].length;
  const rows = host.flatMap((own, at) => own.map((host_ns, step): Row => ({
    rank: first + at, step: `step ${step}`, start_ns: step * step_ns, step_ns, compute_ns: 0, copy_ns: 0, input_ns: 0, host_ns, wait_ns: step_ns - host_ns, transfer_ns: 0,
    lateness_ns: lateness?.[at][step] ?? null, caused_wait_ns: 0, last: 0, collectives: 1, kernels: 0,
  })));
  return {
    generation: 1, step_names: Array.from({ length: steps }, (_, step) => `step ${step}`),
    ranks: host.map((_, at) => ({ rank: first + at, trace: `r${at}.json`, host: null, clock: { trace_ns: 0, job_ns: 0, gains_ppm: 0 }, steps: [] })),
    document: {
      schema: 'strobe.job', version: 1, facts: {}, verdict: ['x'],
      tables: {
        ranks: table(host.map((_, at) => ({ rank: first + at, stage: stages?.[at] ?? null }))), rank_steps: table(rows),
        ...(stragglers.length > 0 ? { stragglers: table(stragglers.map((ranks) => ({ ranks }))) } : {}),
      },
    },
  };
}
