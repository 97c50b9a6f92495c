import type { JobQuestion } from '../api/client.ts';
import type { Runs, TraceEntry } from '../api/types.ts';
import { traceLabel } from './names.ts';
import type { Route } from './route.ts';
import { findTrace } from './session.ts';

// Several traces that are the ranks of one run: screens of a single trace show one of them at a time.

export function chosenEntries(runs: Runs, route: Route): TraceEntry[] {
  return route.traces.flatMap((trace) => findTrace(runs, trace)?.entry ?? []);
}

// Asks about these traces: by the name of their run, if they are all of it.
export function jobOf(runs: Runs, traces: readonly string[]): JobQuestion {
  const run = findTrace(runs, traces[0])?.run;
  const chosen = new Set(traces);
  const isWhole = run !== undefined && run.traces.length === chosen.size && run.traces.every((entry) => chosen.has(entry.trace));
  return isWhole ? { run: run.name } : { trace: traces };
}

export function rankName(entry: TraceEntry): string {
  return entry.rank === null ? traceLabel(entry.trace) : `rank ${entry.rank}`;
}

// The trace that a table of the summary calls by this name.
export function traceOfRank(entries: readonly TraceEntry[], name: string): string | null {
  const found = entries.find((entry) => rankName(entry) === name || entry.trace === name || entry.trace.endsWith(`/${name}`));
  return found?.trace ?? (entries.length === 1 ? entries[0].trace : null);
}

// The trace that a screen of a single trace shows.
export function shownTrace(route: Route): string {
  const wanted = route.parameters['shown'];
  return wanted !== undefined && route.traces.includes(wanted) ? wanted : route.traces[0];
}
