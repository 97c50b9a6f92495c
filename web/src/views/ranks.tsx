import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';

import type { JobQuestion } from '../api/client.ts';
import type { Fleet } from '../api/job_types.ts';
import type { Row, Table } from '../api/types.ts';
import { Job, type StepOfRank, kMostLanes, parseRanks } from '../model/job.ts';
import { heatOf, kHeatMetrics } from '../model/job_heat.ts';
import { chosenEntries, jobOf, traceOfRank } from '../model/ranks.ts';
import { type Route, atScreen, numberParameter, withParameters } from '../model/route.ts';
import { findTrace } from '../model/session.ts';
import { numberAt } from '../model/table.ts';
import { countText, durationText, shareText } from '../model/units.ts';
import type { Viewport } from '../model/viewport.ts';
import { useAnswer, useObservable, useRoute, useSession } from '../widgets/hooks.ts';
import { JobTables } from '../widgets/job_tables.tsx';
import { LanePicker } from '../widgets/lane_picker.tsx';
import { Card, Empty, Facts, Failure, Waiting } from '../widgets/pieces.tsx';
import { HeatLegend, RankHeat } from '../widgets/rank_heat.tsx';
import { StepParts } from '../widgets/step_parts.tsx';
import { JobTimeline } from '../widgets/timeline/job_timeline.tsx';
import type { Screen } from './screen.ts';
import { WithSummary } from './summary_answer.tsx';
import { Communication, SummaryRanks } from './summary_ranks.tsx';

const kMostSummed = 64; // of more traces, no summary is asked for: it needs all of them in memory

function Ranks(): JSX.Element {
  const session = useSession();
  const route = useRoute();
  if (session.report) {
    return <WithSummary>{(summary) => <div class="page ranks-page"><SummaryRanks summary={summary} /><Communication summary={summary} /></div>}</WithSummary>;
  }
  return (
    <div class="page ranks-page">
      <Siblings />
      {route.traces.length < 2 ? <OneTrace /> : <ServedRanks />}
    </div>
  );
}

// Other traces of the same run.
function Siblings(): JSX.Element | null {
  const session = useSession();
  const route = useRoute();
  const runs = useObservable(session.runs);
  const found = runs.is === 'ready' && route.traces[0] ? findTrace(runs.value, route.traces[0]) : null;
  const siblings = found?.run.traces.filter((entry) => entry.state === 'ready' && entry.kind === 'trace').map((entry) => entry.trace) ?? [];
  if (siblings.length <= route.traces.length) return null;
  return (
    <p class="hint-bar">{route.traces.length} of the {siblings.length} traces of this run {route.traces.length === 1 ? 'is' : 'are'} chosen.
      <button type="button" class="link" onClick={() => session.go({ screen: 'ranks', traces: siblings, parameters: {} })}>Take all of them as its ranks</button>
    </p>
  );
}

function OneTrace(): JSX.Element {
  const session = useSession();
  const route = useRoute();
  return (
    <>
      <Empty title="One trace is chosen">
        <p>Choose the traces of several ranks under <button type="button" class="link" onClick={() => session.go({ screen: 'runs', traces: route.traces, parameters: {} })}>Runs</button> to
          see who holds the others up: who works, who waits, and when. Every rank writes its own trace; put them into one folder.</p>
      </Empty>
      <WithSummary>{(summary) => <Communication summary={summary} />}</WithSummary>
    </>
  );
}

// In a timeline of its own.
function useOpenTimeline(): (trace: string, parameters?: Record<string, string>) => void {
  const session = useSession();
  const route = useRoute();
  return (trace, parameters = {}) => session.go(atScreen({ ...route, parameters: {} }, 'timeline', { shown: trace, ...parameters }));
}

function ServedRanks(): JSX.Element {
  const session = useSession();
  const route = useRoute();
  const isAligned = route.parameters['align'] !== '0';
  const runs = useObservable(session.runs);
  const question = runs.is === 'ready' ? jobOf(runs.value, route.traces) : { trace: route.traces };
  const fleet = useAnswer(`fleet ${isAligned ? '' : 'unaligned '}${route.traces.join(' ')}`, () => session.client.fleet(question, isAligned));
  const openTimeline = useOpenTimeline();
  if (fleet.is === 'loading') return <Waiting what="putting the ranks together" />;
  if (fleet.is === 'ready') return <JobView fleet={fleet.value} question={question} isAligned={isAligned} />;
  const openRank = (name: string): void => {
    const trace = runs.is === 'ready' ? traceOfRank(chosenEntries(runs.value, route), name) : null;
    if (trace !== null) openTimeline(trace);
  };
  return (
    <>
      <Failure error={fleet.error} title="These traces are not one job" />
      <WithSummary>{(summary) => <><SummaryRanks summary={summary} onOpen={openRank} /><Communication summary={summary} /></>}</WithSummary>
    </>
  );
}

// "5.3" in the address: rank 5, the third of the common steps.
function cellIn(text: string | undefined, job: Job): StepOfRank | null {
  const [rank, step] = (text ?? '').split('.').map(Number);
  const row = job.ranks.indexOf(rank);
  return text !== undefined && row >= 0 && job.steps[step] !== undefined ? { row, step } : null;
}

function windowIn(route: Route): Viewport | null {
  const [start_ns, end_ns] = [numberParameter(route, 'from'), numberParameter(route, 'to')];
  return start_ns !== null && end_ns !== null && end_ns > start_ns ? { start_ns, end_ns } : null;
}

function JobView({ fleet, question, isAligned }: { fleet: Fleet; question: JobQuestion; isAligned: boolean }): JSX.Element {
  const session = useSession();
  const route = useRoute();
  const openTimeline = useOpenTimeline();
  const { parameters } = route;
  const job = useMemo(() => new Job(fleet), [fleet]);
  const metric = kHeatMetrics.find((one) => one.key === parameters['map']) ?? kHeatMetrics[0];
  const heat = useMemo(() => heatOf(job, metric), [job, metric]);
  const cell = cellIn(parameters['cell'], job);
  const peer = cell && job.typicalPeer(cell);
  const { slow, usual } = useMemo(() => ({ slow: job.slowRanks(), usual: job.usualLanes() }), [job]);
  const named = parseRanks(parameters['ranks'] ?? '', job.ranks)?.slice(0, kMostLanes) ?? [];
  const pair = cell && [cell.row, ...(peer === null ? [] : [peer])].map((row) => job.ranks[row]).sort((a, b) => a - b);
  const lanes = named.length > 0 ? named : pair ?? usual;
  const timeline = useRef<HTMLDivElement>(null);
  const change = (changes: Record<string, string | undefined>): void => session.amend(withParameters(session.route.value, changes));
  const openCell = ({ row, step }: StepOfRank): void =>
    session.go(withParameters(route, { cell: `${job.ranks[row]}.${step}`, ranks: undefined, from: undefined, to: undefined }));
  // What a click has opened is below the map.
  useEffect(() => {
    if (cell) timeline.current?.scrollIntoView({ block: 'nearest' });
  }, [parameters['cell']]);
  const { facts, tables, verdict } = fleet.document;
  const leads = Math.max(1, tables['stragglers']?.rows.length ?? 0); // a sentence about each, then about all
  return (
    <>
      <section class={`card verdict-card job-verdict ${slow.length > 0 ? 'warn' : ''}`}>
        {verdict.map((sentence, i) => <p key={sentence} class={i < leads ? 'lead' : 'muted'}>{sentence}</p>)}
        {tables['stragglers'] && <Stragglers table={tables['stragglers']} onShow={(ranks) => change({ ranks: [...new Set([...ranks.slice(0, kMostLanes / 2), ...usual.filter((rank) => !slow.includes(rank))])].sort((a, b) => a - b).join(','), cell: undefined })} />}
      </section>
      <div class="job-bar">
        <Facts facts={[
          ['Ranks', countText(numberAt(facts, 'ranks', 0))], ['Common steps', countText(numberAt(facts, 'steps', 0))],
          ['Collectives', <>{countText(numberAt(facts, 'collectives', 0))} <small>matched over the ranks</small></>],
        ]} />
        <label class="check" title="Leaves the times of each rank as its own clock has them">
          <input type="checkbox" checked={!isAligned} onChange={(event) => change({ align: event.currentTarget.checked ? '0' : undefined, from: undefined, to: undefined })} />
          clocks as in the files
        </label>
      </div>
      {job.steps.length === 0 ? <Card title="Ranks by step"><p class="muted">No step is in the traces of all ranks: mark steps with <code>prof.step()</code>, and record the same ones on all ranks.</p></Card> : (
        <Card title="Ranks by step" class="job-map" aside={<HeatLegend heat={heat} />}>
          <div class="map-tools">
            <nav class="switch" aria-label="What the map shows">
              {kHeatMetrics.map((one) => (
                <button key={one.key} type="button" aria-pressed={one === metric} onClick={() => change({ map: one === kHeatMetrics[0] ? undefined : one.key })}>{one.name}</button>
              ))}
            </nav>
            <span class="muted">{metric.meaning}</span>
          </div>
          <RankHeat job={job} heat={heat} chosen={cell} onOpen={openCell} />
        </Card>
      )}
      <div ref={timeline} class="job-below">
        {cell && <StepParts job={job} cell={cell} peer={peer} onClose={() => change({ cell: undefined, ranks: undefined, from: undefined, to: undefined })} />}
        <Card title="Common timeline" class="timelines job-timeline"
              aside={<span class="muted">{isAligned ? 'on one clock' : 'each rank on its own clock'}, since the first common step; click it, then keys and wheel move it</span>}>
          <LanePicker ranks={lanes} all={job.ranks} slow={slow} most={kMostLanes} onPick={(ranks) => change({ ranks: (ranks ?? usual).join(',') })} />
          <JobTimeline key={String(isAligned)} fleet={fleet} job={question} isAligned={isAligned} ranks={lanes} step={cell?.step ?? null} view={windowIn(route)}
                       onView={(view) => change({ from: view ? String(Math.round(view.start_ns)) : undefined, to: view ? String(Math.round(view.end_ns)) : undefined })}
                       onOpen={openTimeline} />
        </Card>
      </div>
      <JobTables document={fleet.document} job={job} shown={parameters['table']} state={{ sort: parameters['sort'], filter: parameters['filter'] }}
                 onShow={(table) => change({ table, sort: undefined, filter: undefined })} onState={(state) => change({ ...state })}
                 onOpen={(rank) => openTimeline(fleet.ranks.find((one) => one.rank === rank)?.trace ?? route.traces[0])} />
      {route.traces.length <= kMostSummed && <WithSummary>{(summary) => <Communication summary={summary} />}</WithSummary>}
    </>
  );
}

function Stragglers({ table, onShow }: { table: Table; onShow: (ranks: number[]) => void }): JSX.Element {
  const whole = (row: Row, key: string): string => countText(numberAt(row, key, 0));
  const ranksOf = (row: Row): number[] => String(row['ranks'] ?? '').split(' ').filter((text) => text !== '').map(Number);
  return (
    <div class="stragglers"><table class="small">
      <thead><tr><th>Who</th><th>Reason</th><th class="number">Later by</th><th class="number">Peers' own work</th><th class="number">In steps</th><th class="number">Last in</th><th class="number">Others lose</th><th>Steps</th></tr></thead>
      <tbody>
        {table.rows.map((row) => (
          <tr key={`${row['who']} ${row['kind']}`}>
            <td>{ranksOf(row).length === 0 ? row['who'] : <button type="button" class="link" title="Show in the common timeline" onClick={() => onShow(ranksOf(row))}>{row['who']}</button>} <span class="muted">{row['kind']}</span></td>
            <td class="reason">{row['reason'] ?? '–'}</td>
            <td class="number">{durationText(numberAt(row, 'later_ns', 0))}</td>
            <td class="number">{durationText(numberAt(row, 'peers_ns', 0))}</td>
            <td class="number">{whole(row, 'late_steps')} of {whole(row, 'steps')}</td>
            <td class="number">{whole(row, 'last')} of {whole(row, 'collectives')}</td>
            <td class="number">{shareText(numberAt(row, 'lost_share', 0))}{row['lost_low'] !== row['lost_high'] && <span class="muted"> {shareText(numberAt(row, 'lost_low', 0))} … {shareText(numberAt(row, 'lost_high', 0))}</span>}</td>
            <td>{row['first_step']}{row['last_step'] !== row['first_step'] && <> to {row['last_step']}</>}</td>
          </tr>
        ))}
      </tbody>
    </table></div>
  );
}

export const ranks: Screen = {
  id: 'ranks', title: 'Ranks', shows: 'summary', component: Ranks,
  icon: 'M10 3v4M10 7l-5 4M10 7l5 4M8 3h4M3 11h4v4H3zM13 11h4v4h-4z',
};
