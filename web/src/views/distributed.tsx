import type { JSX } from 'preact';

import type { Row, Summary, Table } from '../api/types.ts';
import { unitOf } from '../model/breakdown.ts';
import { deviceWord, headerOf } from '../model/names.ts';
import { chosenEntries, traceOfRank } from '../model/ranks.ts';
import { atScreen, withParameters } from '../model/route.ts';
import { findTrace } from '../model/session.ts';
import { numberAt } from '../model/table.ts';
import { shareText, durationText, countText } from '../model/units.ts';
import { DataTable } from '../widgets/data_table.tsx';
import { useObservable, useRoute, useSession } from '../widgets/hooks.ts';
import { Card, Empty, Facts, ShareBar } from '../widgets/pieces.tsx';
import type { Screen } from './screen.ts';
import { WithSummary } from './summary_answer.tsx';

function Distributed(): JSX.Element {
  const session = useSession();
  const route = useRoute();
  const runs = useObservable(session.runs);
  const found = runs.is === 'ready' && route.traces[0] ? findTrace(runs.value, route.traces[0]) : null;
  const siblings = found?.run.traces.filter((entry) => entry.state === 'ready' && entry.kind === 'trace').map((entry) => entry.trace) ?? [];
  return (
    <WithSummary>
      {(summary) => (
        <div class="page distributed">
          {siblings.length > route.traces.length && (
            <p class="hint-bar">{route.traces.length} of the {siblings.length} traces of this run {route.traces.length === 1 ? 'is' : 'are'} chosen.
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

const kColumns = [
  'rank', 'step_average_ns', 'exposed_step_ns', 'own_step_ns', 'own_step_share', 'last_in', 'others_waited_ns', 'device_busy_share', 'computation_ns',
  'communication_ns', 'top_finding',
];
const kSameUnit = ['step_average_ns', 'exposed_step_ns', 'own_step_ns'];

function Ranks({ summary }: { summary: Summary }): JSX.Element {
  const session = useSession();
  const route = useRoute();
  const runs = useObservable(session.runs);
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
  const [device, step] = [deviceWord(summary), unitOf(summary)];
  const warmUp = Number(summary.facts['warm_up_steps'] ?? 0);
  const table: Table = { ...source, rows: source.rows.map((row) => ({ ...row, top_finding: row['top_finding'] && String(row['top_finding']).replaceAll('_', ' ') })) };
  const open = (row: Row): void => {
    const shown = runs.is === 'ready' ? traceOfRank(chosenEntries(runs.value, route), String(row['rank'])) : null;
    if (shown !== null) session.go(atScreen(route, 'timeline', { shown }));
  };
  return (
    <>
      <RankFacts rows={table.rows} per={step === 'trace' ? '' : ` per ${step}`} />
      <section class="card fill ranks" style={{ '--rows': table.rows.length }}>
        <header><h2>{table.title}</h2><span class="muted">own time: the {step} without the communication that no kernel hides{warmUp > 0 && `; averages leave ${countText(warmUp)} warm-up ${step}${warmUp === 1 ? '' : 's'} out`}</span></header>
        <DataTable table={table} columns={kColumns} isSequence idOf={(row) => String(row['rank'])} state={{ sort: route.parameters['sort'], filter: route.parameters['filter'] }}
                   headerOf={(key) => headerOf(key, 'ranks', device).replace('step', step)} sameUnit={kSameUnit} draw={{ last_in: lastIn }}
                   onState={(state) => session.amend(withParameters(route, { ...state }))} onOpen={session.report ? undefined : open} />
      </section>
    </>
  );
}

function RankFacts({ rows, per }: { rows: readonly Row[]; per: string }): JSX.Element {
  const own = (row: Row): number => numberAt(row, 'own_step_ns', 0);
  const most = rows.reduce((a, b) => (own(b) > own(a) ? b : a));
  const least = rows.reduce((a, b) => (own(b) < own(a) ? b : a));
  const exposed = rows.flatMap((row) => numberAt(row, 'exposed_step_ns', null) ?? []);
  const collectives = Math.max(...rows.map((row) => numberAt(row, 'collectives', 0)));
  const latest = rows.reduce((a, b) => (numberAt(b, 'others_waited_ns', 0) > numberAt(a, 'others_waited_ns', 0) ? b : a));
  return (
    <Facts facts={[
      ['Ranks', countText(rows.length)],
      [`Most own time${per}`, <>{durationText(own(most))} <small>{most['rank']}</small></>],
      [`Least own time${per}`, <>{durationText(own(least))} <small>{least['rank']}</small></>],
      ...(exposed.length > 0 ? [[`Exposed communication${per}`, `${durationText(Math.min(...exposed))} … ${durationText(Math.max(...exposed))}`] as [string, string]] : []),
      ...(collectives > 0 ? [['Waited for most', <>{latest['rank']} <small>{durationText(numberAt(latest, 'others_waited_ns', 0))}</small></>] as [string, JSX.Element]] : []),
    ]} />
  );
}

// "32 of 84"
function lastIn(row: Row): string {
  const last = numberAt(row, 'last_in', null);
  return last === null ? '–' : `${countText(last)} of ${countText(numberAt(row, 'collectives', 0))}`;
}

const kColours: Readonly<Record<string, string>> = {
  communication: 'var(--kind-5)', exposed: 'var(--kind-5)', hidden: 'var(--kind-5)', computation: 'var(--kind-9)', host: 'var(--kind-2)',
};

function Communication({ summary }: { summary: Summary }): JSX.Element {
  const table = summary.tables['communication'];
  if (!table || table.rows.length === 0) {
    return <Card title="Communication"><p class="muted">No communication was recorded: a single device, or collectives outside the profiled part.</p></Card>;
  }
  const share = table.columns.find((column) => column.key === 'share');
  return (
    <Card title={table.title} aside={share?.share_of ? <span class="muted">shares of the {share.share_of}</span> : undefined} class="communication">
      <table class="small">
        <tbody>
          {table.rows.map((row) => (
            <tr key={String(row['what'])}>
              <td>{row['what']}</td>
              <td><ShareBar share={numberAt(row, 'share', 0)} colour={kColours[String(row['word'])]} /></td>
              <td class="number">{durationText(numberAt(row, 'time_ns', 0))}</td>
              <td class="number">{shareText(numberAt(row, 'share', 0))}</td>
            </tr>
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
