import type { ComponentChildren, JSX } from 'preact';

import type { Row, Summary, Table } from '../api/types.ts';
import { deviceWord, headerOf } from '../model/names.ts';
import { atScreen, withParameters } from '../model/route.ts';
import { speakingColumns } from '../model/table.ts';
import { bytesText, countText, exactDuration, shareText } from '../model/units.ts';
import { DataTable } from '../widgets/data_table.tsx';
import { useRoute, useSession } from '../widgets/hooks.ts';
import { Empty } from '../widgets/pieces.tsx';
import { WithSummary } from './summary_answer.tsx';

// Screens that are one or more tables of the summary, with a panel for the chosen row.

export interface TableSpec {
  key: string; // in summary.tables
  tab: string;
  columns?: readonly string[];
  name?: string; // the column whose text is the name of slices on the timeline
  lead?: (device: string) => string; // what the table tells, above it
  more?: (row: Row, summary: Summary) => ComponentChildren; // below the numbers of the chosen row
  change?: (table: Table) => Table; // words for people
  isSequence?: boolean; // its rows come in an order of their own, not by a column
  draw?: Readonly<Record<string, (row: Row, text: string) => ComponentChildren>>; // cells with more than text, by column
}

interface Props {
  specs: readonly TableSpec[];
  empty: { title: string; advice: ComponentChildren };
}

function hasSteadyValues(table: Table): boolean {
  return speakingColumns(table).some((column) => column.key.startsWith('steady_'));
}

function idOf(table: Table): (row: Row) => string {
  const keys = table.columns.filter((column) => column.type === 'name' || column.type === 'text').map((column) => column.key);
  return (row) => keys.map((key) => row[key] ?? '').join('\u0000');
}

export function SummaryTables({ specs, empty }: Props): JSX.Element {
  const session = useSession();
  const route = useRoute();
  return (
    <WithSummary>
      {(summary) => {
        const present = specs.filter((spec) => (summary.tables[spec.key]?.rows.length ?? 0) > 0);
        const spec = present.find((one) => one.key === route.parameters['table']) ?? present[0];
        if (!spec) return <Empty title={empty.title}>{empty.advice}</Empty>;
        const source = summary.tables[spec.key];
        const table = spec.change?.(source) ?? source;
        const header = (key: string): string => headerOf(key, spec.key, deviceWord(summary));
        const identify = idOf(table);
        const chosen = table.rows.find((row) => identify(row) === route.parameters['row']) ?? null;
        const canOpen = spec.name !== undefined && session.report === null;
        const open = (row: Row): void => {
          const name = spec.name === undefined ? null : row[spec.name];
          if (canOpen && typeof name === 'string') session.go(atScreen(route, 'timeline', { q: `=${name}`, jump: 'longest' }));
        };
        return (
          <div class="with-panel">
            <div class="main-column">
              {present.length > 1 && (
                <nav class="tabs" aria-label="Tables">
                  {present.map((one) => (
                    <button key={one.key} type="button" aria-current={one === spec ? 'page' : undefined}
                            onClick={() => session.go(atScreen(route, route.screen, { table: one.key }))}>
                      {one.tab} <span class="muted">{countText(summary.tables[one.key].rows.length)}</span>
                    </button>
                  ))}
                </nav>
              )}
              {spec.lead && <p class="muted table-lead">{spec.lead(deviceWord(summary))}</p>}
              {hasSteadyValues(table) && <p class="muted table-lead">Steady: only what comes after the start-up of the program, which loads code, allocates memory and tunes libraries.</p>}
              <DataTable key={spec.key} table={table} columns={columnsOf(spec, summary)} idOf={identify} chosen={chosen} headerOf={header} draw={spec.draw} isSequence={spec.isSequence}
                         state={{ sort: route.parameters['sort'], filter: route.parameters['filter'] }}
                         onState={(state) => session.amend(withParameters(route, { sort: state.sort, filter: state.filter }))}
                         onChoose={(row) => session.amend(withParameters(route, { row: row ? identify(row) : undefined }))}
                         onOpen={canOpen ? open : undefined} />
              {table.notes.map((note) => <p key={note} class="note muted">{note}</p>)}
              {table.rows_left_out > 0 && <p class="note muted">{countText(table.rows_left_out)} more rows were left out of this report.</p>}
            </div>
            {chosen && (
              <RowPanel table={table} row={chosen} name={spec.name} header={header} onOpen={canOpen ? () => open(chosen) : undefined}
                        onClose={() => session.amend(withParameters(route, { row: undefined }))}>
                {spec.more?.(chosen, summary)}
              </RowPanel>
            )}
          </div>
        );
      }}
    </WithSummary>
  );
}

// With a single trace, its name in every row says nothing.
function columnsOf({ columns }: TableSpec, summary: Summary): readonly string[] | undefined {
  return Number(summary.facts['ranks'] ?? 1) > 1 ? columns : columns?.filter((key) => key !== 'rank' && key !== 'longest_rank');
}

function cellText(type: string, cell: string | number): string {
  if (typeof cell === 'string') return cell;
  if (type === 'duration_ns') return exactDuration(cell);
  if (type === 'bytes') return bytesText(cell);
  if (type === 'share') return shareText(cell);
  return countText(cell);
}

function RowPanel({ table, row, name, header, onOpen, onClose, children }: {
  table: Table; row: Row; name?: string; header: (key: string) => string; onOpen?: () => void; onClose: () => void; children: ComponentChildren;
}): JSX.Element {
  const title = name === undefined ? null : row[name];
  return (
    <aside class="panel" aria-label="Details">
      <header>
        <h2>{table.title}</h2>
        <button type="button" class="quiet" onClick={onClose} aria-label="Close details">✕</button>
      </header>
      {title !== null && <p class="full-name">{title}</p>}
      {onOpen && <p><button type="button" class="primary" onClick={onOpen}>Show in timeline <kbd>Enter</kbd></button></p>}
      <dl class="pairs">
        {table.columns.map((column) => {
          const cell = row[column.key] ?? null;
          if (cell === null || column.key === name) return null;
          return (
            <div key={column.key}>
              <dt>{header(column.key)}{column.share_of && <span class="share-of">of {column.share_of}</span>}</dt>
              <dd class={typeof cell === 'number' ? 'number' : ''}>{cellText(column.type, cell)}</dd>
            </div>
          );
        })}
      </dl>
      {children}
    </aside>
  );
}
