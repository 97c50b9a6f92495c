import type { Run, Runs, TraceEntry } from '../api/types.ts';

// Which runs of the folder can be compared, and which two are probably meant.

export interface RunChoice {
  name: string; // as the API takes it
  label: string;
  group: string; // the run of a single trace; otherwise ''
}

const kRankFolder = /^(.+)\/rank[_-]?\d+$/;

function areRanks(run: Run): boolean {
  const ranks = run.traces.map((entry) => entry.rank);
  return !ranks.includes(null) && new Set(ranks).size === ranks.length;
}

// Folders of one trace, folders of ranks, and every trace of other folders.
export function runChoices(runs: Runs): RunChoice[] {
  const choices: RunChoice[] = [];
  const parents = new Set<string>();
  for (const run of runs.runs) {
    const parent = kRankFolder.exec(run.name)?.[1];
    if (parent !== undefined && !parents.has(parent)) {
      parents.add(parent);
      choices.push({ name: parent, label: parent, group: '' });
    }
    const usable = run.traces.filter((entry) => entry.state !== 'failed');
    if (usable.length === 0) continue;
    if (run.traces.length === 1 || areRanks(run)) choices.push({ name: run.name, label: run.name, group: '' });
    if (run.traces.length === 1) continue;
    for (const entry of usable) {
      choices.push({ name: entry.trace, label: `${entry.worker}${entry.span === 'default' ? '' : ` · ${entry.span}`}`, group: run.name });
    }
  }
  return choices;
}

const kAbnormal = /abnormal|slow|fault|bad|after|regress|broken/i;
const kNormal = /normal|baseline|base|good|before|healthy|reference/i;

export interface RunPair {
  normal: string;
  abnormal: string;
}

// By the names, else the first two. `given` takes precedence if set.
export function likelyRuns(choices: readonly RunChoice[], given: Partial<RunPair>): Partial<RunPair> {
  const taken = new Set([given.normal, given.abnormal]);
  const free = choices.filter((one) => !taken.has(one.name));
  const take = (wanted: (name: string) => boolean): string | undefined => {
    const index = free.findIndex((one) => wanted(one.name));
    return index < 0 ? undefined : free.splice(index, 1)[0].name;
  };
  const isAbnormal = (name: string): boolean => kAbnormal.test(name);
  const isNormal = (name: string): boolean => !isAbnormal(name) && kNormal.test(name);
  const named = { normal: given.normal ?? take(isNormal), abnormal: given.abnormal ?? take(isAbnormal) };
  const normal = named.normal ?? take((name) => !isAbnormal(name)) ?? take(() => true);
  return { normal, abnormal: named.abnormal ?? take(() => true) };
}

// The traces behind a name.
export function tracesOf(runs: Runs, name: string): TraceEntry[] {
  return runs.runs.flatMap((run) => run.traces
    .filter((entry) => entry.trace === name || run.name === name || kRankFolder.exec(run.name)?.[1] === name));
}

// Traces that load by themselves; one that waits for memory is loaded when it is requested.
export function loadingOf(runs: Runs, traces: readonly TraceEntry[]): TraceEntry[] {
  return traces.filter((entry) => entry.state === 'loading' || (entry.state === 'queued' && runs.loading));
}
