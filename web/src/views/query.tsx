import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import type { ApiError } from '../api/client.ts';
import type { QueryAnswer, QuerySchema, Row } from '../api/types.ts';
import { hintForPage } from '../model/error_words.ts';
import { atScreen, withParameters } from '../model/route.ts';
import { answerTable, inserted, kRowNumber, placeOf, sliceOf } from '../model/sql.ts';
import { countText, durationText, threeDigits } from '../model/units.ts';
import { DataTable } from '../widgets/data_table.tsx';
import { useAnswer, useRoute, useSession } from '../widgets/hooks.ts';
import { Empty, Failure, Picker, Waiting } from '../widgets/pieces.tsx';
import { SchemaList } from '../widgets/schema_list.tsx';
import { type Caret, SqlEditor } from '../widgets/sql_editor.tsx';
import type { Screen } from './screen.ts';

// Questions in SQL. The query in the address is the one that runs; what is typed is not there yet.

const kFirst = 'select slice_id, name, start, dur\nfrom kernels\norder by dur desc\nlimit 100';

function Query(): JSX.Element {
  const { client } = useSession();
  const schema = useAnswer('query schema', client.querySchema);
  if (schema.is === 'loading') return <Waiting what="looking at the tables" />;
  if (schema.is === 'failed') return <Failure error={schema.error} />;
  if (schema.value.missing) {
    return (
      <Empty title="Queries need DuckDB, and it is not on this machine">
        <p class="what">{schema.value.missing.what}</p>
        <p>{schema.value.missing.hint}</p>
        <p class="muted">Then reload this page. <code>strobe doctor</code> says what strobe has found.</p>
      </Empty>
    );
  }
  return <Desk schema={schema.value} />;
}

function Desk({ schema }: { schema: QuerySchema }): JSX.Element {
  const session = useSession();
  const route = useRoute();
  const asked = route.parameters['sql'] ?? '';
  const [sql, setSql] = useState(asked === '' ? kFirst : asked);
  const [attempt, setAttempt] = useState(0);
  const [caret, setCaret] = useState<Caret | null>(null);
  const [failed, setFailed] = useState<{ sql: string; error: ApiError } | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const cancelling = useRef<() => void>(() => {});
  const run = (next = field.current?.value ?? sql): void => {
    setFailed(null);
    setAttempt(attempt + 1);
    session.amend(withParameters(route, { sql: next, sort: undefined, filter: undefined, row: undefined }));
  };
  useEffect(() => {
    if (asked !== '' && asked !== sql) setSql(asked); // "back", or a link
  }, [asked]);
  const insert = (name: string): void => {
    const { selectionStart: start, selectionEnd: end } = field.current ?? { selectionStart: sql.length, selectionEnd: sql.length };
    const next = inserted(sql, start, end, name);
    setSql(next.sql);
    setCaret({ at: next.caret });
  };
  const place = failed && failed.sql === sql ? placeOf(failed.error.where, sql) : null;
  return (
    <div class="with-panel query">
      <div class="main-column">
        <SqlEditor sql={sql} place={place} caret={caret} field={field} onSql={setSql} onRun={() => run()} onCancel={() => cancelling.current()} />
        <div class="tools query-tools">
          <button type="button" class="primary" onClick={() => run()} disabled={sql.trim() === ''}>Run <kbd>Ctrl</kbd> <kbd>Enter</kbd></button>
          <Picker label="Examples" class="short" value="" title="Questions that people ask often" onPick={(name) => {
            const question = schema.questions.find((one) => one.name === name);
            if (!question) return;
            setSql(question.sql);
            run(question.sql);
          }}>
            <option value="">choose one</option>
            {schema.questions.map((one) => <option key={one.name} value={one.name} title={one.meaning}>{one.name}</option>)}
          </Picker>
          <span class="grow" />
          <span class="muted">{schema.engine?.name} {schema.engine?.version} · it reads, and changes nothing</span>
        </div>
        {asked === '' ? <p class="nothing muted">Times are whole nanoseconds. A row that has a <code>slice_id</code> leads to the timeline.</p>
          : <Result key={`${attempt} ${asked}`} sql={asked} attempt={attempt} cancelling={cancelling} onFailed={(error) => setFailed({ sql: asked, error })} />}
      </div>
      <SchemaList schema={schema} onName={insert} />
    </div>
  );
}

function Result({ sql, attempt, cancelling, onFailed }: {
  sql: string; attempt: number; cancelling: { current: () => void }; onFailed: (error: ApiError) => void;
}): JSX.Element {
  const session = useSession();
  const route = useRoute();
  const controller = useMemo(() => new AbortController(), []);
  const answer = useAnswer(`query ${attempt} ${route.traces.join(' ')} ${sql}`, () => session.client.query(route.traces, sql, controller.signal));
  useEffect(() => {
    cancelling.current = () => controller.abort();
    return () => controller.abort(); // who leaves the screen does not wait for it
  }, []);
  useEffect(() => {
    if (answer.is === 'failed') onFailed(answer.error);
  }, [answer.is]);
  if (answer.is === 'loading') return <Running onCancel={() => controller.abort()} />;
  if (answer.is === 'failed') return <QueryFailure error={answer.error} />;
  return <Rows answer={answer.value} />;
}

function Running({ onCancel }: { onCancel: () => void }): JSX.Element {
  return (
    <div class="query-state" role="status">
      <span class="spinner" aria-hidden="true" /> running <button type="button" class="quiet" onClick={onCancel}>Cancel <kbd>Esc</kbd></button>
    </div>
  );
}

function QueryFailure({ error }: { error: ApiError }): JSX.Element {
  if (error.code === 'cancelled') return <p class="query-state muted" role="status">Cancelled.</p>;
  const hint = hintForPage(error.hint);
  return (
    <div class="query-state failed" role="alert">
      <p><b>{error.message}</b>{error.where !== '' && <span class="muted"> {error.where}</span>}</p>
      {hint !== '' && <p class="muted">{hint}</p>}
    </div>
  );
}

function realText(value: number): string {
  const size = Math.abs(value);
  if (Number.isInteger(value) || size >= 1e6) return countText(value);
  return size >= 1 ? threeDigits(value) : value.toPrecision(3);
}

function Rows({ answer }: { answer: QueryAnswer }): JSX.Element {
  const session = useSession();
  const route = useRoute();
  const table = useMemo(() => answerTable(answer), [answer]);
  const open = (row: Row): void => {
    const found = sliceOf(answer, row);
    if (found) session.go(atScreen(route, 'timeline', { shown: found.trace, slice: String(found.slice) }));
  };
  if (table.rows.length === 0) return <p class="query-state muted" role="status">No rows. {durationText(answer.elapsed_ns)}</p>;
  const hasSlices = table.columns.some((column) => column.key === 'slice_id');
  const leads = hasSlices && table.rows.some((row) => sliceOf(answer, row) !== null);
  const draw = Object.fromEntries(table.columns.filter((column) => column.type === 'number').map(({ key }) => [key, (row: Row) => {
    const cell = row[key];
    return typeof cell === 'number' ? <span title={String(cell)}>{realText(cell)}</span> : undefined;
  }]));
  const chosen = table.rows.find((row) => String(row[kRowNumber]) === route.parameters['row']) ?? null;
  return (
    <DataTable table={table} idOf={(row) => String(row[kRowNumber])} draw={draw} headerOf={(key) => key} isSequence
               state={{ sort: route.parameters['sort'], filter: route.parameters['filter'] }}
               onState={({ sort, filter }) => session.amend(withParameters(route, { sort, filter }))}
               chosen={chosen} onChoose={(row) => session.amend(withParameters(route, { row: row ? String(row[kRowNumber]) : undefined }))}
               onOpen={leads ? open : undefined} opensWith={leads ? 'click' : undefined}
               aside={<span class="muted query-facts" role="status">
                 {answer.is_cut && <b class="cut">there are more: add a limit of your own, or sum them up</b>}
                 {hasSlices && !leads ? 'select run and rank too, and rows lead to the timeline' : leads ? 'a click opens the timeline' : ''} · {durationText(answer.elapsed_ns)}
               </span>} />
  );
}

export const query: Screen = {
  id: 'query', title: 'Query', shows: 'traces', key: 'q', component: Query,
  icon: 'M3 5.5c0-3.3 14-3.3 14 0s-14 3.3-14 0M3 5.5v9c0 3.3 14 3.3 14 0v-9M3 10c0 3.3 14 3.3 14 0',
};
