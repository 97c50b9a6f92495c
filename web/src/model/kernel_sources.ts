import type { Runs } from '../api/types.ts';
import { traceLabel } from './names.ts';
import { allTraces } from './session.ts';

// The sources of the Roofline screen: files that list kernels with counters, and traces, which only have times.

export interface KernelSource {
  name: string;
  label: string;
  isTrace: boolean;
}

export function kernelSources(runs: Runs): KernelSource[] {
  return [
    ...runs.kernel_files.map((one) => ({ name: one.file, label: one.file, isTrace: false })),
    ...allTraces(runs).filter((entry) => entry.state !== 'failed' && entry.kind !== 'snapshot').map((entry) => ({ name: entry.trace, label: entry.trace, isTrace: true })),
  ];
}

const folderOf = (name: string): string => name.slice(0, name.lastIndexOf('/') + 1);

// The requested one; else counters next to the open trace, that trace, the first file, the first trace.
export function likelySource(sources: readonly KernelSource[], wanted: string | undefined, trace: string | undefined): KernelSource | null {
  if (wanted !== undefined) return sources.find((one) => one.name === wanted) ?? null;
  const files = sources.filter((one) => !one.isTrace);
  const beside = trace === undefined ? undefined : files.find((one) => folderOf(one.name) === folderOf(trace));
  return beside ?? sources.find((one) => one.isTrace && one.name === trace) ?? files[0] ?? sources[0] ?? null;
}

// "gpt/k.csv.gz" -> "k"
export function sourceLabel(name: string): string {
  return traceLabel(name).replace(/\.(?:csv|txt|ncu-rep)$/, '');
}
