import { type Job, type StepOfRank, sortedSizes } from './job.ts';
import { median } from './numbers.ts';

// What the map of ranks and steps shows.

export interface HeatMetric {
  key: string;
  name: string;
  meaning: string;
  less?: string; // of values with a sign: what those below 0 are, and those above
  more: string;
}

export const kHeatMetrics: readonly HeatMetric[] = [
  { key: 'lateness', name: 'lateness', meaning: 'how long after the median of the others a rank comes to the collectives of a step, on average', less: 'early', more: 'late' },
  { key: 'caused', name: 'caused wait', meaning: 'what all others wait in a step while this rank is the last', more: 'they wait' },
  { key: 'wait', name: 'wait', meaning: 'how long a rank waits in a step for others in collectives', more: 'it waits' },
  { key: 'own', name: 'own work', meaning: 'how much longer than the median of its peers a rank works itself in a step', less: 'less', more: 'more' },
  { key: 'transfer', name: 'transfer', meaning: 'how long a rank transfers in a step, after the last has come', more: 'it transfers' },
];

const kColumns: Readonly<Record<string, string>> = { lateness: 'lateness_ns', caused: 'caused_wait_ns', wait: 'wait_ns', transfer: 'transfer_ns' };
const kFullFrom = 0.99; // so many of the values are below full colour
const kLeastOfStep = 0.01; // what is less than that part of a step has no full colour

export interface Heat {
  metric: HeatMetric;
  values: Float64Array; // as a column of the job
  reach: number; // full colour from here on
  isCut: boolean; // some values are beyond it
}

export function heatOf(job: Job, metric: HeatMetric): Heat {
  const values = metric.key === 'own' ? beyondPeers(job) : job.column(kColumns[metric.key]);
  const sizes = sortedSizes(values);
  const reach = Math.max(sizes[Math.ceil(sizes.length * kFullFrom) - 1] ?? 0, job.typicalStep() * kLeastOfStep, 1);
  return { metric, values, reach, isCut: (sizes[sizes.length - 1] ?? 0) > reach };
}

// Own work less the median of the stage in that step.
function beyondPeers(job: Job): Float64Array {
  const [own, count] = [job.ownWork(), job.steps.length];
  const beyond = new Float64Array(own.length).fill(NaN);
  const stages = new Map<number | null, number[]>();
  job.stages.forEach((stage, row) => stages.set(stage, [...(stages.get(stage) ?? []), row]));
  for (const rows of stages.values()) {
    for (let step = 0; step < count; ++step) {
      const known = rows.map((row) => own[row * count + step]).filter((value) => !Number.isNaN(value));
      if (known.length === 0) continue;
      const usual = median(known);
      for (const row of rows) beyond[row * count + step] = own[row * count + step] - usual;
    }
  }
  return beyond;
}

// -1 to 1: the strength of the colour, with the side.
export function strengthOf(heat: Heat, value: number): number {
  return Number.isNaN(value) ? 0 : Math.max(-1, Math.min(1, value / heat.reach));
}

// A map has so many lines; more ranks share them.
export interface HeatLines {
  each: number; // ranks in a line
  count: number;
  height_px: number; // of a line
}

const kMostHeight_px = 420;
const kMostLine_px = 18;

export function linesFor(ranks: number): HeatLines {
  const each = Math.max(1, Math.ceil(ranks / kMostHeight_px));
  const count = Math.ceil(ranks / each);
  return { each, count, height_px: Math.max(1, Math.min(kMostLine_px, Math.floor(kMostHeight_px / Math.max(1, count)))) };
}

// The rank that a line shows in a step: the one with the most extreme value.
export function rowOfLine(job: Job, heat: Heat, lines: HeatLines, line: number, step: number): StepOfRank {
  const first = line * lines.each;
  let [row, most] = [first, -1];
  for (let at = first; at < Math.min(first + lines.each, job.ranks.length); ++at) {
    const size = Math.abs(heat.values[at * job.steps.length + step]);
    if (size > most) [row, most] = [at, size];
  }
  return { row, step };
}
