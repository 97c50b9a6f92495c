import type { Row, Table } from '../api/types.ts';
import { numberAt } from './table.ts';

// The tables about waiting on the page.

// The words of the file are for scripts.
const kIdleWords: Readonly<Record<string, string>> = {
  overhead: 'profiler',
  runtime_call: 'runtime call',
  data_loading: 'data loading',
  operator: 'operator',
  range: 'range',
  script: 'script',
  nothing: 'nothing',
  launched: 'waits for the device',
};

export function withIdleWords(table: Table): Table {
  return { ...table, rows: table.rows.map((row) => ({ ...row, word: kIdleWords[String(row['word'])] ?? row['word'] })) };
}

export interface Stretch {
  rank: string; // as the summary calls it; '' if the row names none
  start_ns: number;
  length_ns: number;
}

// How long the longest was, and when it began, in the three tables.
const kStretches: readonly (readonly [string, string])[] = [
  ['idle_max_ns', 'longest_at_ns'], ['host_max_ns', 'longest_at_ns'], ['max_delay_ns', 'max_delay_at_ns'],
];
export const kLongestKeys: readonly string[] = kStretches.map(([length]) => length);

// Where the longest of a row is on the timeline. A delay ends where the work begins.
export function stretchOf(row: Row): Stretch | null {
  for (const [length, start] of kStretches) {
    const [length_ns, start_ns] = [numberAt(row, length, null), numberAt(row, start, null)];
    if (length_ns === null || start_ns === null || length_ns <= 0) continue;
    return { rank: String(row['longest_rank'] ?? row['rank'] ?? ''), length_ns, start_ns: length === 'max_delay_ns' ? start_ns - length_ns : start_ns };
  }
  return null;
}
