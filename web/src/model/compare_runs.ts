import type { Run, Runs, TraceEntry } from '../api/types.ts';

// Which runs of the folder can be compared, and which two are probably meant.

export interface RunChoice {
  name: string; // as the API takes it
  label: string;
  group: string; // the run of a single trace; otherwise ''
  traces: readonly TraceEntry[];
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
      choices.push({ name: parent, label: parent, group: '', traces: tracesOf(runs, parent) });
    }
    const usable = run.traces.filter((entry) => entry.state !== 'failed' && entry.kind !== 'snapshot');
    if (usable.length === 0) continue;
    if (run.traces.length === 1 || areRanks(run)) choices.push({ name: run.name, label: run.name, group: '', traces: run.traces });
    if (run.traces.length === 1) continue;
    for (const entry of usable) {
      choices.push({ name: entry.trace, label: `${entry.worker}${entry.span === 'default' ? '' : ` · ${entry.span}`}`, group: run.name, traces: [entry] });
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

function folderOf(name: string): string {
  return name.slice(0, Math.max(0, name.lastIndexOf('/')));
}

const isAbnormal = (name: string): boolean => kAbnormal.test(name);
const isNormal = (name: string): boolean => !isAbnormal(name) && kNormal.test(name);

// Ranks of one run work together; they are not two runs.
function areOneRun(a: RunChoice, b: RunChoice): boolean {
  if (a.traces.some((one) => b.traces.some((other) => other.trace === one.trace))) return true;
  const parent = kRankFolder.exec(a.name)?.[1];
  if (parent !== undefined && parent === kRankFolder.exec(b.name)?.[1]) return true;
  return a.group !== '' && a.group === b.group && a.traces[0].rank !== b.traces[0].rank;
}

const kLeastAlike = 0.5; // of the slices

// How much two runs look like the same workload, 0 if they do not: the same writer, device and number of ranks, and about as
// many slices. Runs of one folder were probably put there to be compared.
export function likeness(a: RunChoice, b: RunChoice): number {
  if (areOneRun(a, b)) return 0;
  const isNamed = (isNormal(a.name) && isAbnormal(b.name)) || (isAbnormal(a.name) && isNormal(b.name));
  const isNear = folderOf(a.name) === folderOf(b.name);
  if (isNamed && isNear) return 3;
  const slices = (run: RunChoice): number => run.traces.reduce((sum, entry) => sum + (entry.slices ?? 0), 0);
  const [first, second] = [slices(a), slices(b)];
  if (first === 0 || second === 0 || a.traces.length !== b.traces.length) return 0;
  if (a.traces[0].dialect !== b.traces[0].dialect || a.traces[0].device !== b.traces[0].device) return 0;
  const share = Math.min(first, second) / Math.max(first, second);
  return share < kLeastAlike ? 0 : share + (isNear ? 1 : 0);
}

// Which of two is the normal one: by the names, else the first.
function inOrder(a: RunChoice, b: RunChoice): RunPair {
  const isTurned = (isAbnormal(a.name) && !isAbnormal(b.name)) || (isNormal(b.name) && !isNormal(a.name));
  return isTurned ? { normal: b.name, abnormal: a.name } : { normal: a.name, abnormal: b.name };
}

// The two that are most alike, of equal ones the last; nothing if none are. `given` takes precedence.
export function likelyRuns(choices: readonly RunChoice[], given: Partial<RunPair>): Partial<RunPair> {
  const fixed = given.normal ?? given.abnormal;
  if (given.normal !== undefined && given.abnormal !== undefined) return { ...given };
  let best: RunPair | null = null;
  let most = 0;
  choices.forEach((a, i) => choices.slice(i + 1).forEach((b) => {
    if (fixed !== undefined && a.name !== fixed && b.name !== fixed) return;
    const score = likeness(a, b);
    if (score === 0 || score < most) return;
    best = fixed === undefined ? inOrder(a, b) : withGiven(given, a.name === fixed ? b.name : a.name);
    most = score;
  }));
  return best ?? { ...given };
}

function withGiven(given: Partial<RunPair>, other: string): RunPair {
  return { normal: given.normal ?? other, abnormal: given.abnormal ?? other };
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
