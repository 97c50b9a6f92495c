import type { JSX } from 'preact';

import type { Row, Summary, Table } from '../api/types.ts';
import { unitOf } from '../model/breakdown.ts';
import { deviceWord, headerOf } from '../model/names.ts';
import { withParameters } from '../model/route.ts';
import { numberAt } from '../model/table.ts';
import { shareText, durationText, countText } from '../model/units.ts';
import { DataTable } from '../widgets/data_table.tsx';
import { useRoute, useSession } from '../widgets/hooks.ts';
import { Card, Facts, ShareBar } from '../widgets/pieces.tsx';

// What a summary says of ranks: all that a report in a file has, and what is left if they cannot be put on one clock.

const kColumns = [
  'rank', 'step_average_ns', 'exposed_step_ns', 'own_step_ns', 'own_step_share', 'last_in', 'others_waited_ns', 'device_busy_share', 'computation_ns',
  'communication_ns', 'top_finding',
];
const kSameUnit = ['step_average_ns', 'exposed_step_ns', 'own_step_ns'];

export function SummaryRanks({ summary, onOpen }: { summary: Summary; onOpen?: (rank: string) => void }): JSX.Element | null {
  const session = useSession();
  const route = useRoute();
  const source = summary.tables['ranks'];
  if (!source || source.rows.length < 2) return null;
  const [device, step] = [deviceWord(summary), unitOf(summary)];
  const warmUp = Number(summary.facts['warm_up_steps'] ?? 0);
  const table: Table = { ...source, rows: source.rows.map((row) => ({ ...row, top_finding: row['top_finding'] && String(row['top_finding']).replaceAll('_', ' ') })) };
  return (
    <>
      <RankFacts rows={table.rows} per={step === 'trace' ? '' : ` per ${step}`} />
      <section class="card fill ranks" style={{ '--rows': table.rows.length }}>
        <header><h2>{table.title}</h2><span class="muted">own time: the {step} without the communication that no kernel hides{warmUp > 0 && `; averages leave ${countText(warmUp)} warm-up ${step}${warmUp === 1 ? '' : 's'} out`}</span></header>
        <DataTable table={table} columns={kColumns} isSequence idOf={(row) => String(row['rank'])} state={{ sort: route.parameters['sort'], filter: route.parameters['filter'] }}
                   headerOf={(key) => headerOf(key, 'ranks', device).replace('step', step)} sameUnit={kSameUnit} draw={{ last_in: lastIn }}
                   onState={(state) => session.amend(withParameters(route, { ...state }))} onOpen={onOpen && ((row) => onOpen(String(row['rank'])))} />
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

export function Communication({ summary }: { summary: Summary }): JSX.Element {
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
