import type { DiffCell, DiffRow } from '../api/types.ts';
import { matcherOf } from './query.ts';

// Two runs side by side, row by row.

export interface DiffLine {
  name: string;
  base: DiffCell | null;
  other: DiffCell | null;
  base_ns: number;
  other_ns: number;
  delta_ns: number;
  relative: number | null; // null: one side never ran it
  beyond_spread: boolean;
}

export type DiffOrder = 'delta' | 'relative' | 'name' | 'base' | 'other';

function timeOf(cell: DiffCell | null): number {
  return cell?.host_ns ?? cell?.device_ns ?? 0;
}

export function diffLines(rows: readonly DiffRow[]): DiffLine[] {
  return rows.map((row) => {
    const base_ns = timeOf(row.base);
    const other_ns = timeOf(row.other);
    return {
      ...row, base_ns, other_ns, delta_ns: other_ns - base_ns,
      relative: row.base && row.other && base_ns > 0 ? other_ns / base_ns - 1 : null,
    };
  });
}

const kOrders: Record<DiffOrder, (a: DiffLine, b: DiffLine) => number> = {
  delta: (a, b) => Math.abs(b.delta_ns) - Math.abs(a.delta_ns),
  relative: (a, b) => Math.abs(b.relative ?? Infinity) - Math.abs(a.relative ?? Infinity) || Math.abs(b.delta_ns) - Math.abs(a.delta_ns),
  name: (a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }),
  base: (a, b) => b.base_ns - a.base_ns,
  other: (a, b) => b.other_ns - a.other_ns,
};

export function orderedDiff(lines: readonly DiffLine[], order: DiffOrder, filter: string, onlyBeyond: boolean): DiffLine[] {
  const { matches } = matcherOf(filter);
  return lines
    .filter((line) => matches(line.name) && (!onlyBeyond || line.beyond_spread))
    .sort(kOrders[order]);
}
