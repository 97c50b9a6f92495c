import type { QueryAnswer, Row, Table } from '../api/types.ts';

// Queries in SQL: where an error is, and answers as tables.

// The part of a text that an error is about.
export interface Place {
  start: number;
  end: number; // one past
}

// "line 2 of the query, column 3" in a text: the word that is there, or one character.
export function placeOf(where: string, sql: string): Place | null {
  const found = /^line (\d+) of the query, column (\d+)$/.exec(where);
  if (!found) return null;
  const lines = sql.split('\n');
  const [line, column] = [Number(found[1]) - 1, Number(found[2]) - 1];
  if (line >= lines.length) return null;
  const before = lines.slice(0, line).reduce((sum, one) => sum + one.length + 1, 0);
  const start = Math.min(before + column, sql.length);
  const word = /^(?:\w+|"[^"]*"|'[^']*'|[^\w\s])/.exec(sql.slice(start));
  return { start, end: start + (word ? word[0].length : Math.min(1, sql.length - start)) };
}

// Two columns may have one name; cells need keys.
function keysOf(names: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return names.map((name) => {
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count === 1 ? name : `${name} (${count})`;
  });
}

export const kRowNumber = '#';

export function answerTable(answer: QueryAnswer): Table {
  const keys = keysOf(answer.columns.map((column) => column.name));
  const columns = answer.columns.map(({ type, unit }, i) => ({
    key: keys[i],
    type: unit === 'ns' ? 'duration_ns' as const : unit === 'bytes' ? 'bytes' as const : type === 'whole' ? 'count' as const : type === 'real' ? 'number' as const : 'text' as const,
  }));
  const rows = answer.rows.map((cells, at) => {
    const row: Row = { [kRowNumber]: at };
    cells.forEach((cell, i) => { row[keys[i]] = typeof cell === 'boolean' ? String(cell) : cell; });
    return row;
  });
  return { title: 'Answer', columns, rows, rows_left_out: 0, notes: [] };
}

// The slice of a row, in the trace that it is of. With several traces the row must say which.
export function sliceOf(answer: QueryAnswer, row: Row): { trace: string; slice: number } | null {
  const slice = row['slice_id'];
  if (typeof slice !== 'number') return null;
  const of = answer.traces.filter(({ run, rank }) => (row['run'] ?? run) === run && (row['rank'] ?? rank) === rank);
  return of.length === 1 ? { trace: of[0].trace, slice } : null;
}

// With `word` in place of what is selected, and a blank where words would touch.
export function inserted(sql: string, start: number, end: number, word: string): { sql: string; caret: number } {
  const [before, after] = [sql.slice(0, start), sql.slice(end)];
  const text = `${/\w$/.test(before) ? ' ' : ''}${word}${/^\w/.test(after) ? ' ' : ''}`;
  return { sql: before + text + after, caret: start + text.length };
}
