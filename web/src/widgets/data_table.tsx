import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import type { Cell, Column, Row, Table } from '../api/types.ts';
import { headerOf, shortName } from '../model/names.ts';
import {
  type Order, csvText, filterRows, givenOrder, isNumeric, nextOrder, orderText, parseOrder, sortRows, speakingColumns, visibleRange,
} from '../model/table.ts';
import { type Unit, columnUnit, countText, decimalsFor, durationText, bytesText, inUnit, isReadable, shareText } from '../model/units.ts';
import { useSize } from './hooks.ts';
import { CopyButton } from './pieces.tsx';

// A long table that draws only the rows on the screen. Numbers of a column share a unit and line up.

export const kRowHeight = 26;
const kScrollStep = 4 * kRowHeight; // the spare rows on both sides cover it without a redraw

export interface TableState {
  sort?: string;
  filter?: string;
}

interface Props {
  table: Table;
  state: TableState;
  onState: (state: TableState) => void;
  columns?: readonly string[]; // which, in order; by default all that have a value
  chosen?: Row | null;
  onChoose?: (row: Row | null) => void;
  onOpen?: (row: Row) => void; // double click, Enter: to the timeline
  opensWith?: 'click'; // instead of a double click
  idOf: (row: Row) => string;
  aside?: ComponentChildren;
  sameUnit?: readonly string[]; // columns to be compared with each other
  isFilteredElsewhere?: boolean; // without its own filter box
  draw?: Readonly<Record<string, (row: Row, text: string) => ComponentChildren>>; // cells with more than text, by column
  headerOf?: (key: string) => string;
  isSequence?: boolean; // its rows come in an order of their own, not by a column
  unfold?: (row: Row) => Unfolding; // what is shown below the chosen row
}

export interface Unfolding {
  height: number; // in pixels; more than that scrolls
  content: ComponentChildren;
}

interface Drawn extends Column {
  header: string;
  unit: Unit;
  most: number; // of shares: the longest bar
  decimals: number;
}

function drawnColumns(table: Table, wanted: readonly string[] | undefined, sameUnit: readonly string[], header: (key: string) => string): Drawn[] {
  const speaking = speakingColumns(table);
  const chosen = wanted
    ? wanted.flatMap((key) => speaking.filter((column) => column.key === key))
    : speaking;
  return chosen.map((column) => {
    const keys = sameUnit.includes(column.key) ? sameUnit : [column.key];
    const values = isNumeric(column)
      ? table.rows.flatMap((row) => keys.map((key) => row[key])).filter((cell): cell is number => typeof cell === 'number') : [];
    const type = column.type === 'bytes' || column.type === 'duration_ns' ? column.type : 'count';
    const unit = columnUnit(type, values);
    const most = values.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
    return { ...column, header: header(column.key), unit, most, decimals: decimalsFor(most, unit) };
  });
}

// Ends where the number does: the bars of neighbouring columns do not touch.
export function CellBar({ share }: { share: number }): JSX.Element {
  return <span class="cell-bar" style={{ width: `calc(${Math.max(0, share).toFixed(4)} * (100% - 8px))` }} />;
}

function CellText({ column, cell }: { column: Drawn; cell: Cell }): JSX.Element {
  if (cell === null) return <span class="absent">–</span>;
  if (cell === 0) return <span class="absent">0</span>;
  if (typeof cell === 'string') return <>{column.type === 'name' ? shortName(cell) : cell}</>;
  if (column.type === 'share') {
    return (
      <>
        <CellBar share={column.most > 0 ? cell / column.most : 0} />
        <span class="over">{shareText(cell)}</span>
      </>
    );
  }
  return <>{cellText(column, cell)}</>;
}

function cellText(column: Drawn, cell: Cell): string {
  if (typeof cell !== 'number') return cell ?? '';
  if (column.type === 'share') return shareText(cell);
  if (column.type !== 'duration_ns' && column.type !== 'bytes') return countText(cell);
  if (isReadable(cell, column.unit, column.decimals)) return inUnit(cell, column.unit, column.decimals);
  return column.type === 'bytes' ? bytesText(cell) : durationText(cell); // with its own unit: too small for that of the column
}

export function DataTable(props: Props): JSX.Element {
  const { table, state, onState, chosen, onChoose, onOpen, idOf } = props;
  const columns = useMemo(
    () => drawnColumns(table, props.columns, props.sameUnit ?? [], props.headerOf ?? headerOf), [table, props.columns?.join(), props.sameUnit?.join()]);
  const given = useMemo(() => (props.isSequence ? null : givenOrder(columns, table.rows)), [columns, table, props.isSequence]);
  const chosenOrder = parseOrder(state.sort);
  const order = chosenOrder ?? given;
  const filtered = useMemo(() => filterRows(table, state.filter ?? ''), [table, state.filter]);
  const rows = useMemo(() => sortRows(filtered.rows, chosenOrder), [filtered, state.sort]);
  const [scroller, size] = useSize<HTMLDivElement>();
  const [scrollTop, setScrollTop] = useState(0);
  const chosenId = chosen ? idOf(chosen) : null;
  const chosenIndex = chosenId === null ? -1 : rows.findIndex((row) => idOf(row) === chosenId);
  const unfolding = chosenIndex < 0 ? undefined : props.unfold?.(rows[chosenIndex]);
  const { first, last } = visibleRange(scrollTop, size.height || 600, kRowHeight, rows.length, unfolding && { index: chosenIndex, height: unfolding.height });
  const above = first * kRowHeight + (unfolding && chosenIndex < first ? unfolding.height : 0);
  const below = (rows.length - last) * kRowHeight + (unfolding && chosenIndex >= last ? unfolding.height : 0);

  const reveal = (index: number): void => {
    const box = scroller.current;
    if (!box) return;
    const top = index * kRowHeight;
    if (top < box.scrollTop) box.scrollTop = top;
    else if (top + 2 * kRowHeight > box.scrollTop + box.clientHeight) box.scrollTop = top + 2 * kRowHeight - box.clientHeight;
  };
  // Scrolls to a row that was selected elsewhere.
  useEffect(() => {
    if (chosenIndex >= 0) reveal(chosenIndex);
  }, [chosenId]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const page = Math.max(1, Math.floor(size.height / kRowHeight) - 2);
    const moves: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -rows.length, End: rows.length };
    const by = moves[event.key];
    if (by !== undefined && onChoose && rows.length > 0) {
      const index = Math.min(rows.length - 1, Math.max(0, (chosenIndex < 0 && by > 0 ? -1 : chosenIndex) + by));
      onChoose(rows[index]);
      reveal(index);
    } else if (event.key === 'Enter' && onOpen && chosenIndex >= 0) onOpen(rows[chosenIndex]);
    else if (event.key === 'Escape' && onChoose && chosenIndex >= 0) onChoose(null);
    else return;
    event.preventDefault();
  };

  return (
    <div class="data-table">
      <div class="tools">
        {!props.isFilteredElsewhere && (
          <FilterBox value={state.filter ?? ''} problem={filtered.problem} onValue={(filter) => onState({ ...state, filter })} />
        )}
        <span class="count" role="status">
          {rows.length === table.rows.length ? countText(rows.length) : `${countText(rows.length)} of ${countText(table.rows.length)}`}
          {rows.length === 1 ? ' row' : ' rows'}
        </span>
        <span class="grow" />
        {props.aside}
        <CopyButton label="Copy as CSV" text={() => csvText(table.columns, rows)} />
      </div>
      <div class="scroller" ref={scroller} tabIndex={0} onKeyDown={onKeyDown} role="region" aria-label={table.title}
           onScroll={(event) => setScrollTop(Math.floor(event.currentTarget.scrollTop / kScrollStep) * kScrollStep)}>
        <table aria-rowcount={rows.length + 1}>
          <thead>
            <tr>
              {columns.map((column) => (
                <HeaderCell key={column.key} column={column} order={order}
                            onOrder={(next) => onState({ ...state, sort: orderText(next) })} />
              ))}
            </tr>
          </thead>
          <tbody>
            {above > 0 && <tr aria-hidden="true" style={{ height: `${above}px` }}><td colSpan={columns.length} /></tr>}
            {rows.slice(first, last).map((row, i) => {
              const id = idOf(row);
              const isUnfolded = unfolding !== undefined && id === chosenId;
              return [
                <tr key={id} class={`${id === chosenId ? 'chosen' : ''} ${props.unfold || (props.opensWith && onOpen) ? 'clickable' : ''}`} aria-selected={id === chosenId} aria-rowindex={first + i + 2}
                    aria-expanded={props.unfold ? isUnfolded : undefined}
                    onClick={() => (props.opensWith ? onOpen?.(row) : onChoose?.(id === chosenId ? null : row))} onDblClick={() => onOpen?.(row)}>
                  {columns.map((column) => {
                    const cell = row[column.key] ?? null;
                    return (
                      <td key={column.key} class={`${column.type} of-${column.key}`} title={typeof cell === 'string' && (column.type === 'name' || cell.length > 24) ? cell : undefined}>
                        {props.draw?.[column.key]?.(row, cellText(column, cell)) ?? <CellText column={column} cell={cell} />}
                      </td>
                    );
                  })}
                </tr>,
                isUnfolded && (
                  <tr key="unfolded" class="unfolded"><td colSpan={columns.length}><div style={{ height: `${unfolding.height}px` }}>{unfolding.content}</div></td></tr>
                ),
              ];
            })}
            {below > 0 && <tr aria-hidden="true" style={{ height: `${below}px` }}><td colSpan={columns.length} /></tr>}
          </tbody>
        </table>
        {rows.length === 0 && <p class="nothing muted">No row matches this filter.</p>}
      </div>
    </div>
  );
}

function HeaderCell({ column, order, onOrder }: {
  column: Drawn; order: Order | null; onOrder: (order: Order | null) => void;
}): JSX.Element {
  const sorted = order?.key === column.key ? (order.descending ? 'descending' : 'ascending') : undefined;
  const hasUnit = column.type === 'duration_ns' || column.type === 'bytes';
  return (
    <th class={`${column.type} of-${column.key}`} aria-sort={sorted} scope="col">
      <button type="button" onClick={() => onOrder(nextOrder(order, column))}>
        {column.header}
        {hasUnit && <span class="unit"> {column.unit.name}</span>}
        <span class="arrow" aria-hidden="true">{sorted ? (sorted === 'descending' ? '↓' : '↑') : ''}</span>
        {column.share_of && <span class="share-of">of {column.share_of}</span>}
      </button>
    </th>
  );
}

export function FilterBox({ value, problem, onValue, label = 'Filter' }: {
  value: string; problem: string; onValue: (value: string) => void; label?: string;
}): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const focus = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement | null;
      if (event.key !== '/' || event.ctrlKey || event.metaKey || target?.closest('input, textarea, select')) return;
      event.preventDefault();
      input.current?.select();
    };
    window.addEventListener('keydown', focus);
    return () => window.removeEventListener('keydown', focus);
  }, []);
  return (
    <span class={`filter ${problem ? 'wrong' : ''}`}>
      <input ref={input} type="search" value={value} placeholder={`${label}, /pattern/ or =name`} aria-label={label}
             spellcheck={false} title={problem || undefined} aria-invalid={problem !== ''}
             onInput={(event) => onValue(event.currentTarget.value)}
             onKeyDown={(event) => {
               if (event.key !== 'Escape') return;
               onValue('');
               event.currentTarget.blur();
             }} />
      <kbd aria-hidden="true">/</kbd>
    </span>
  );
}
