import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

import type { BenchCell, BenchPanel, BenchTable } from '../api/bench_types.ts';
import { microText } from '../model/bench_samples.ts';
import { cellText, firstOfPanel, flagSigns, hasValue, heatOf, kFlags, percentText, placeOf, reachOf, stepFrom, valueText } from '../model/bench.ts';
import { type Tip, Tooltip } from './pieces.tsx';

// A table of ratios: numbers first, colours for orientation. One panel, or one per head dimension.

interface Props {
  table: BenchTable;
  chosen: string | undefined; // a shape
  isOpen: boolean; // its details: arrow keys then show the next cell's
  onOpen: (shape: string) => void;
  onClose: () => void;
}

export function HeatMap(props: Props): JSX.Element {
  const { table } = props;
  const [tip, setTip] = useState<Tip | null>(null);
  const reach = reachOf(table.cells);
  return (
    <div class="heat-map" onPointerLeave={() => setTip(null)}>
      {table.panels.map((panel, i) => <Panel key={i} index={i} panel={panel} reach={reach} onTip={setTip} {...props} />)}
      <Tooltip tip={tip} />
    </div>
  );
}

const kMoves: Readonly<Record<string, readonly [number, number]>> = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] };

function Panel({ table, panel, index, reach, chosen, isOpen, onOpen, onClose, onTip }: Props & {
  panel: BenchPanel; index: number; reach: number; onTip: (tip: Tip | null) => void;
}): JSX.Element {
  const found = placeOf(table, chosen);
  const here = found?.panel === index ? found : null;
  const [cursor, setCursor] = useState(() => here ?? firstOfPanel(panel));
  const box = useRef<HTMLTableElement>(null);
  const isList = panel.column_axis === null;
  useEffect(() => {
    if (here) setCursor(here);
  }, [chosen, table]);
  const at = panel.cells[cursor.row]?.[cursor.column] === undefined ? firstOfPanel(panel) : cursor;
  const focus = (row: number, column: number): void => {
    setCursor({ row, column });
    box.current?.querySelector<HTMLElement>(`[data-at="${row} ${column}"]`)?.focus();
  };
  const shapeAt = (row: number, column: number): string | null => {
    const cell = panel.cells[row]?.[column] ?? null;
    return cell === null ? null : table.cells[cell].shape;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const move = kMoves[event.key];
    const shape = shapeAt(at.row, at.column);
    if (move) {
      const next = stepFrom(panel, at.row, at.column, move[0], move[1]);
      focus(next.row, next.column);
      const other = shapeAt(next.row, next.column);
      if (isOpen && other !== null && other !== shape) onOpen(other);
    } else if ((event.key === 'Enter' || event.key === ' ') && shape !== null) onOpen(shape);
    else if (event.key === 'Escape' && isOpen) onClose();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const cellOf = (row: number, column: number): JSX.Element => {
    const number = panel.cells[row][column];
    if (number === null) return <td key={column} class="hole" role="gridcell" aria-label="not in this grid" />;
    const cell = table.cells[number];
    return (
      <HeatCell key={column} cell={cell} table={table} reach={reach} at={`${row} ${column}`} isChosen={cell.shape === chosen} isCursor={row === at.row && column === at.column}
                onOpen={() => { setCursor({ row, column }); onOpen(cell.shape); }} onTip={onTip} />
    );
  };
  return (
    <section class="heat-panel" style={{ '--columns': String(panel.columns.length) }}>
      {panel.title !== '' && <h3>{panel.title}</h3>}
      <table ref={box} role="grid" class={isList ? 'heat-list' : 'heat-grid'} onKeyDown={onKeyDown}
             aria-label={`${table.case}${panel.title === '' ? '' : `, ${panel.title}`}: ${isList ? 'shapes' : `${panel.row_axis} by ${panel.column_axis}`}`}>
        <thead>
          {isList ? <tr><th scope="col">Shape</th><th scope="col" class="number">{table.baseline}</th><th scope="col" class="number">{table.contender}</th><th scope="col" class="number">Ratio</th></tr> : (
            <tr>
              <th class="corner">{panel.row_axis} ↓ {panel.column_axis} →</th>
              {panel.columns.map((name) => <th key={name} scope="col">{name}</th>)}
            </tr>
          )}
        </thead>
        <tbody>
          {panel.rows.map((name, row) => {
            const only = isList && panel.cells[row][0] !== null ? table.cells[panel.cells[row][0]!] : null;
            return (
              <tr key={name} role="row">
                <th scope="row" class="number">{name}</th>
                {isList && <><td class="number">{timeText(only?.baseline_us ?? null)}</td><td class="number">{timeText(only?.contender_us ?? null)}</td></>}
                {panel.columns.map((_, column) => cellOf(row, column))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

const timeText = (us: number | null): string => (us === null ? '–' : microText(us));

function HeatCell({ cell, table, reach, at, isChosen, isCursor, onOpen, onTip }: {
  cell: BenchCell; table: BenchTable; reach: number; at: string; isChosen: boolean; isCursor: boolean; onOpen: () => void; onTip: (tip: Tip | null) => void;
}): JSX.Element {
  const { side, strength } = heatOf(cell, reach);
  const text = cellText(cell, table.metric);
  const signs = flagSigns(cell);
  const label = [cell.shape, cell.state === 'wrong' ? 'wrong values' : text, ...cell.flags.map((flag) => kFlags[flag]?.text ?? flag)].join(', ');
  return (
    <td role="gridcell" data-at={at} data-shape={cell.shape} tabIndex={isCursor ? 0 : -1} aria-selected={isChosen} aria-label={label}
        class={`heat ${side} ${hasValue(cell) ? '' : 'missing'} ${isChosen ? 'chosen' : ''}`} style={{ '--heat': `${Math.round(strength * 100)}%` }} onClick={onOpen}
        onPointerMove={(event) => onTip({ x: event.clientX, y: event.clientY, content: <CellTip cell={cell} table={table} /> })} onPointerLeave={() => onTip(null)}>
      {cell.state === 'wrong' ? <s>{cell.value === null ? 'wrong' : valueText(cell.value, table.metric)}</s> : text}
      {signs !== '' && <sup>{signs}</sup>}
    </td>
  );
}

function CellTip({ cell, table }: { cell: BenchCell; table: BenchTable }): JSX.Element {
  const lines: [string, string | null][] = [
    [table.baseline || 'Baseline', cell.baseline_us === null ? null : microText(cell.baseline_us)],
    [table.contender, cell.contender_us === null ? null : microText(cell.contender_us)],
    ['95 % interval', cell.low === null || cell.high === null ? null : `${percentText(cell.low)} … ${percentText(cell.high)}`],
    ['Fusion ceiling', cell.ceiling === null ? null : percentText(cell.ceiling)],
  ];
  return (
    <div class="mark-tip">
      <b>{cell.shape}: {cell.state === 'wrong' ? 'wrong values' : cellText(cell, table.metric)}</b>
      <table class="small"><tbody>{lines.map(([name, text]) => text !== null && <tr key={name}><td class="muted">{name}</td><td class="number">{text}</td></tr>)}</tbody></table>
      {cell.flags.map((flag) => <div key={flag}>{kFlags[flag] ? `${kFlags[flag].sign} ${kFlags[flag].text}` : null}</div>)}
      {cell.remarks.map((text) => <div key={text} class="muted">{text}</div>)}
    </div>
  );
}
