import type { RecordedRun, Run, Runs } from '../api/types.ts';
import { findTrace } from './session.ts';
import { countText, durationText } from './units.ts';

// A recorded run in words.

export interface Outcome {
  is: 'recording' | 'good' | 'bad';
  text: string;
}

export function recordedOutcome({ state, exit_code, signal, duration_ns }: RecordedRun): Outcome {
  if (state === 'recording') return { is: 'recording', text: `recording… ${duration_ns === null ? '' : durationText(duration_ns)}`.trim() };
  if (state === 'killed') return { is: 'bad', text: 'the recorder was killed' };
  if (signal !== null) return { is: 'bad', text: `ended by signal ${signal}` };
  if (exit_code === null) return { is: 'good', text: 'finished' };
  return { is: exit_code === 0 ? 'good' : 'bad', text: `exit code ${exit_code}` };
}

function counted(count: number, one: string): string {
  return `${countText(count)} ${count === 1 ? one : one.endsWith('s') ? `${one}es` : `${one}s`}`;
}

// How long it took, of how many processes, and when it began.
export function recordedFacts({ state, duration_ns, processes, ranks, started_ms }: RecordedRun): string[] {
  return [
    state !== 'recording' && duration_ns !== null ? durationText(duration_ns) : '',
    processes > 0 ? counted(processes, 'process') : '',
    ranks > 0 ? counted(ranks, 'rank') : '',
    started_ms === null ? '' : startText(started_ms),
  ].filter(Boolean);
}

function startText(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, 16).replace('T', ' ') + ' UTC';
}

const kSources: Record<string, string> = {
  gpu_work: 'GPU work', launches: 'launches', ranges: 'ranges', device_metrics: 'device metrics', host: 'host metrics', scheduler: 'waits for a core',
};

// What the recording lacks, and what it has lost.
export function recordedNotes({ missing, losses }: RecordedRun): { what: string; why: string }[] {
  return [
    ...losses.map((loss) => ({ what: 'lost', why: loss })),
    ...missing.map(({ source, is_partial, why }) => ({ what: `${is_partial ? 'only a part of' : 'no'} ${kSources[source] ?? source}`, why })),
  ];
}

// The recorded runs of these traces, each once.
export function recordedRuns(runs: Runs, traces: readonly string[]): Run[] {
  const found = traces.flatMap((trace) => findTrace(runs, trace)?.run ?? []);
  return [...new Set(found)].filter((run) => run.recorded !== null);
}
