import type { JSX } from 'preact';

import type { Summary, Table } from '../api/types.ts';
import { traceLabel } from '../model/names.ts';
import { findTrace } from '../model/session.ts';
import { numberAt } from '../model/table.ts';
import { shareText, durationText, countText } from '../model/units.ts';
import { withParameters } from '../model/route.ts';
import { DataTable } from '../widgets/data_table.tsx';
import { useObservable, useRoute, useSession } from '../widgets/hooks.ts';
import { Card, Empty, Facts } from '../widgets/pieces.tsx';
import type { Screen } from './screen.ts';
import { WithSummary } from './summary_answer.tsx';

function Distributed(): JSX.Element {
  const session = useSession();
  const route = useRoute();
  const runs = useObservable(session.runs);
  const found = runs.is === 'ready' && route.traces[0] ? findTrace(runs.value, route.traces[0]) : null;
  const siblings = found?.run.traces.filter((entry) => entry.state === 'ready').map((entry) => entry.trace) ?? [];
  return (
    <WithSummary>
      {(summary) => (
        <div class="page distributed">
          {siblings.length > route.traces.length && (
            <p class="hint-bar">{route.traces.length} of the {siblings.length} traces of this run are chosen.
              <button type="button" class="link" onClick={() => session.go({ ...route, traces: siblings })}>Take all of them as its ranks</button>
            </p>
          )}
          <Ranks summary={summary} />
          <Communication summary={summary} />
        </div>
      )}
    </WithSummary>
  );
}

function Ranks({ summary }: { summary: Summary }): JSX.Element {
  const session = useSession();
  const route = useRoute();
  const source = summary.tables['ranks'];
  if (!source || source.rows.length < 2) {
    return (
      <Empty title="One trace is chosen">
        <p>Choose the traces of several ranks under <button type="button" class="link" onClick={() => session.go({ screen: 'runs', traces: route.traces, parameters: {} })}>Runs</button> to
          see them side by side: who computes, who waits, how much communication is not hidden behind computation.
          Every rank writes its own trace; put them into one folder.</p>
      </Empty>
    );
  }
  const table: Table = { ...source, rows: source.rows.map((row) => ({ ...row, rank: traceLabel(String(row['rank'])), top_finding: row['top_finding'] && String(row['top_finding']).replaceAll('_', ' ') })) };
  const slowest = table.rows.reduce((a, b) => (numberAt(b, 'own_step_ns', 0) > numberAt(a, 'own_step_ns', 0) ? b : a));
  const fastest = table.rows.reduce((a, b) => (numberAt(b, 'own_step_ns', 0) < numberAt(a, 'own_step_ns', 0) ? b : a));
  return (
    <>
      <Facts facts={[
        ['Ranks', countText(table.rows.length)],
        ['Most own work', <>{durationText(numberAt(slowest, 'own_step_ns', 0))} <small>{slowest['rank']}</small></>],
        ['Least own work', <>{durationText(numberAt(fastest, 'own_step_ns', 0))} <small>{fastest['rank']}</small></>],
        ['Exposed communication', durationText(table.rows.reduce((sum, row) => sum + numberAt(row, 'exposed_communication_ns', 0), 0))],
      ]} />
      <Card title="Ranks" class="fill">
        <DataTable table={table} idOf={(row) => String(row['rank'])} state={{ sort: route.parameters['sort'], filter: route.parameters['filter'] }}
                   onState={(state) => session.amend(withParameters(route, { ...state }))} />
      </Card>
    </>
  );
}

function Communication({ summary }: { summary: Summary }): JSX.Element {
  const table = summary.tables['communication'];
  if (!table || table.rows.length === 0) {
    return <Card title="Communication"><p class="muted">No communication was recorded: a single device, or collectives outside the profiled part.</p></Card>;
  }
  return (
    <Card title={table.title}>
      <table class="small">
        <tbody>
          {table.rows.map((row) => (
            <tr key={String(row['what'])}><td>{row['what']}</td><td class="number">{durationText(numberAt(row, 'time_ns', 0))}</td><td class="number">{shareText(numberAt(row, 'share', 0))}</td></tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

export const distributed: Screen = {
  id: 'distributed', title: 'Ranks', shows: 'summary', component: Distributed,
  icon: 'M10 3v4M10 7l-5 4M10 7l5 4M8 3h4M3 11h4v4H3zM13 11h4v4h-4z',
};
