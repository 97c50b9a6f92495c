import type { Cell, Column, Row, Table } from '../api/types.ts';
import { matcherOf, parseQuery } from './query.ts';

// Sorting, filtering and copying of tables whose cells have types.

export interface Order {
  key: string;
  descending: boolean;
}

// "-device_total_ns" is descending, as in the URL.
export function parseOrder(text: string | undefined): Order | null {
  if (text === undefined || text === '') return null;
  return text.startsWith('-') ? { key: text.slice(1), descending: true } : { key: text, descending: false };
}

export function orderText(order: Order | null): string {
  return order === null ? '' : `${order.descending ? '-' : ''}${order.key}`;
}

export function isNumeric(column: Column): boolean {
  return column.type !== 'text' && column.type !== 'name';
}

// First click: the most interesting order. Second: reversed. Third: the original order.
export function nextOrder(order: Order | null, column: Column): Order | null {
  const first = isNumeric(column);
  if (order === null || order.key !== column.key) return { key: column.key, descending: first };
  return order.descending === first ? { key: column.key, descending: !first } : null;
}

const kCollator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

// Absent cells stay at the end, in either order.
export function compareCells(a: Cell, b: Cell, descending: boolean): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  const order = typeof a === 'number' && typeof b === 'number' ? a - b : kCollator.compare(String(a), String(b));
  return descending ? -order : order;
}

export function sortRows(rows: readonly Row[], order: Order | null): readonly Row[] {
  if (order === null) return rows;
  const { key, descending } = order;
  return [...rows].sort((a, b) => compareCells(a[key] ?? null, b[key] ?? null, descending));
}

// The order in which the rows came, if a column tells it: the first, by its numbers, that never rises and falls at least once.
export function givenOrder(columns: readonly Column[], rows: readonly Row[]): Order | null {
  const falls = (column: Column): boolean => {
    const values = rows.map((row) => row[column.key] ?? null);
    if (!values.every((value): value is number => typeof value === 'number')) return false;
    return values[0] > values[values.length - 1] && values.every((value, i) => i === 0 || value <= values[i - 1]);
  };
  const [times, others] = [columns.filter((one) => one.type === 'duration_ns' || one.type === 'bytes'), columns.filter((one) => one.type === 'count')];
  const found = rows.length > 1 ? [...times, ...others].find(falls) : undefined;
  return found ? { key: found.key, descending: true } : null;
}

export interface Filtered {
  rows: readonly Row[];
  problem: string; // why the pattern is invalid
}

export function filterRows(table: Table, typed: string): Filtered {
  const { matches, problem } = matcherOf(typed);
  if (problem !== '') return { rows: [], problem };
  if (parseQuery(typed) === null) return { rows: table.rows, problem: '' };
  const keys = table.columns.filter((column) => !isNumeric(column)).map((column) => column.key);
  const rows = table.rows.filter((row) => keys.some((key) => row[key] !== null && matches(String(row[key]))));
  return { rows, problem: '' };
}

// `otherwise` for a cell without a number.
export function numberAt<T>(row: Row, key: string, otherwise: T): number | T {
  const cell = row[key];
  return typeof cell === 'number' ? cell : otherwise;
}

// A column without any value is not shown.
export function speakingColumns(table: Table): Column[] {
  return table.columns.filter((column) => table.rows.some((row) => (row[column.key] ?? null) !== null));
}

function csvField(cell: Cell): string {
  const text = cell === null ? '' : String(cell);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// RFC 4180, with the exact numbers and the keys for tools.
export function csvText(columns: readonly Column[], rows: readonly Row[]): string {
  const lines = [columns.map((column) => csvField(column.key)).join(',')];
  for (const row of rows) lines.push(columns.map((column) => csvField(row[column.key] ?? null)).join(','));
  return `${lines.join('\r\n')}\r\n`;
}

export interface Range {
  first: number;
  last: number; // one past
}

// What is shown below one of the rows.
export interface Unfolded {
  index: number;
  height: number;
}

// Which rows of a long table are on the screen, with some to spare on both sides.
export function visibleRange(scrollTop: number, height: number, rowHeight: number, rows: number, unfolded?: Unfolded | null): Range {
  const spare = 8;
  // Where a point of the picture would be without what is unfolded above it.
  const folded = (y: number): number => {
    const begin = unfolded ? (unfolded.index + 1) * rowHeight : Infinity;
    return y <= begin ? y : Math.max(begin, y - unfolded!.height);
  };
  const first = Math.max(0, Math.floor(folded(scrollTop) / rowHeight) - spare);
  const last = Math.min(rows, Math.ceil(folded(scrollTop + height) / rowHeight) + spare);
  return { first: Math.min(first, last), last };
}
