import type { ComponentChildren, JSX } from 'preact';

import type { Finding, Health, HealthRemark, Summary, Table } from '../api/types.ts';
import { type Stack, averageStack, countSteps, shareTexts, spread, stepStacks, unitOf, warmUpOf } from '../model/breakdown.ts';
import { withSigns } from '../model/error_words.ts';
import { deviceWord, shortName, withPlaces } from '../model/names.ts';
import { chosenEntries, traceOfRank } from '../model/ranks.ts';
import { recordedRuns } from '../model/recorded.ts';
import { atScreen } from '../model/route.ts';
import { stretchText } from '../model/stretch.ts';
import { sortRows } from '../model/table.ts';
import { countText, durationText, exactDuration, shareText } from '../model/units.ts';
import { useObservable, useRoute, useSession } from '../widgets/hooks.ts';
import { Card, Empty, Facts, ShareBar } from '../widgets/pieces.tsx';
import { RecordedHead, RecordedNotes } from '../widgets/recorded.tsx';
import { ShareStrip, StepBars, Swatch } from '../widgets/step_bars.tsx';
import type { Screen } from './screen.ts';
import { WithSummary } from './summary_answer.tsx';

const kWeightWords = { matters: 'matters', worth_a_look: 'worth a look', note: 'note' } as const;

const kLinkWords = {
  kernels: 'Look at the kernels', memory: 'Look at the memory', ranks: 'Look at the ranks', waiting: 'Look at who waits', timeline: 'Look at the timeline',
} as const;

// Where the numbers behind a finding can be seen, by its code; the timeline for any other.
const kScreens: Record<string, keyof typeof kLinkWords> = {
  device_saturated: 'kernels', many_tiny_kernels: 'kernels', one_kernel_dominates: 'kernels',
  memory_near_capacity: 'memory', memory_reserved_unused: 'memory',
  exposed_communication: 'ranks', straggling_rank: 'ranks', late_ranks: 'ranks',
  blocking_call: 'waiting', idle_in_host_code: 'waiting', device_idle_host_bound: 'waiting', launched_work_waits: 'waiting',
  device_waits_for_data: 'waiting', idle_outside_steps: 'waiting', scattered_idle: 'waiting', host_waits_for_device: 'waiting',
  queue_drained: 'waiting', host_stalls: 'waiting', work_without_launches: 'waiting', idle_mostly_one_cause: 'waiting',
};

function Findings({ findings, device }: { findings: readonly Finding[]; device: string }): JSX.Element {
  const session = useSession();
  const route = useRoute();
  const say = (sentence: string): string => withPlaces(withSigns(sentence), device);
  if (findings.length === 0) return <p class="muted">Nothing stands out.</p>;
  return (
    <ol class="findings">
      {findings.map((finding) => {
        const screen = kScreens[finding.code] ?? 'timeline';
        return (
          <li key={finding.code + finding.headline} class={finding.weight}>
            <p class="headline"><span class="weight">{kWeightWords[finding.weight]}</span> {say(finding.headline)}</p>
            <p class="advice">{finding.advice !== '' && <><span aria-hidden="true">→ </span>{say(finding.advice)}</>}
              {(session.report === null || screen !== 'timeline') && (
                <button type="button" class="link" onClick={() => session.go(atScreen(route, screen))}>{kLinkWords[screen]}</button>
              )}
            </p>
            {finding.against?.map((text) => <p key={text} class="advice">but: {say(text)}</p>)}
          </li>
        );
      })}
    </ol>
  );
}

const kHealthWords = { complete: 'a note', usable: 'incomplete', not_for: 'missing' } as const;

// The badge among the facts: one word, and why in its title.
function HealthBadge({ health }: { health: Health }): JSX.Element {
  const worst = health.remarks[0];
  const why = !worst ? 'nothing is known to be missing' : `${health.text}: ${worst.seen}`;
  const word = { complete: 'complete', usable: 'usable', not_for: health.text }[health.verdict];
  return <span class={`health-badge ${health.verdict}`} title={why}>{word}</span>;
}

// What the recording lacks, before anything is said about the program.
function HealthCard({ health }: { health: Health }): JSX.Element | null {
  const count = health.remarks.length;
  if (count === 0) return null;
  const remarks = <HealthRemarks remarks={health.remarks} />;
  if (health.verdict !== 'complete') return <Card title={`This recording is ${health.text}`} class="health">{remarks}</Card>;
  return (
    <details class="card health">
      <summary>This recording is complete; {count === 1 ? 'one thing is' : `${countText(count)} things are`} worth knowing</summary>
      {remarks}
    </details>
  );
}

function HealthRemarks({ remarks }: { remarks: readonly HealthRemark[] }): JSX.Element {
  return (
    <ul class="findings">
      {remarks.map((remark) => (
        <li key={remark.code} class={{ complete: 'note', usable: 'worth_a_look', not_for: 'matters' }[remark.verdict]}>
          <p class="headline"><span class="weight">{kHealthWords[remark.verdict]}</span> {withSigns(remark.seen)}</p>
          <p class="advice">{withSigns(remark.consequence)}</p>
          {remark.advice !== '' && <p class="advice"><span aria-hidden="true">→ </span>{withSigns(remark.advice)}</p>}
        </li>
      ))}
    </ul>
  );
}

function Devices({ summary }: { summary: Summary }): JSX.Element | null {
  const rows = summary.tables['devices']?.rows ?? [];
  if (rows.length === 0) {
    return <p class="muted">No device was watched: record with <code>ProfilerActivity.CUDA</code> (or your vendor's).</p>;
  }
  const several = new Set(rows.map((row) => row['rank'])).size > 1;
  return (
    <ul class="devices">
      {rows.map((row) => (
        <li key={`${row['rank']} ${row['device']}`}>
          <span class="device-name">{row['device']}<span class="muted"> {row['device_name']}{several ? ` · ${row['rank']}` : ''}</span></span>
          <ShareBar share={Number(row['busy_share'] ?? 0)} />
          <b class="number">{shareText(Number(row['busy_share'] ?? 0))}</b>
          <span class="number muted">{countText(Number(row['kernels'] ?? 0))} kernels</span>
        </li>
      ))}
    </ul>
  );
}

// Each step, or the whole trace if it marks none.
function Account({ summary }: { summary: Summary }): JSX.Element {
  const session = useSession();
  const route = useRoute();
  const runs = useObservable(session.runs);
  const average = averageStack(summary);
  if (!average) return <Empty title="Nothing with a duration was recorded"><p>There is no time to account for.</p></Empty>;
  const stacks = stepStacks(summary, average);
  const openStep = ({ rank, start_ns, total_ns }: Stack): void => {
    const shown = traceOfRank(runs.is === 'ready' ? chosenEntries(runs.value, route) : [], rank);
    session.go(atScreen(route, 'timeline', { ...(shown !== null && route.traces.length > 1 ? { shown } : {}), stretch: stretchText(start_ns, total_ns) }));
  };
  const shares = shareTexts(average);
  return (
    <>
      <ShareStrip stack={average} />
      <div class="breakdown">
        <table class="small">
          <caption class="offscreen">{average.name} by label</caption>
          <tbody>
            {average.parts.map((part) => (
              <tr key={part.word} class={part.value_ns === 0 ? 'muted' : ''}>
                <td><Swatch word={part.word} /> {part.label}</td>
                <td class="number">{durationText(part.value_ns)}</td>
                <td class="number">{shares.get(part)}</td>
              </tr>
            ))}
            <tr class="total"><td>{average.name}</td><td class="number" data-fact="step">{durationText(average.total_ns)}</td><td class="number">100 %</td></tr>
          </tbody>
        </table>
        {stacks.length > 0
          ? <StepBars stacks={stacks} unit={unitOf(summary)} ranks={countSteps(summary).ranks} onOpen={session.report ? undefined : openStep} />
          : <p class="muted no-steps">No steps are marked, and nothing was found to recur: this is the account of the whole trace. Call{' '}
              <code>profiler.step()</code> at the end of every iteration while recording, and it shows where each one went.</p>}
      </div>
    </>
  );
}

// What the percentages of a card are of.
function BaseOf({ table, share }: { table: Table | undefined; share: string }): JSX.Element | null {
  const base = table?.columns.find((column) => column.key === share)?.share_of;
  return base ? <span class="muted base-of" title={`shares of ${base}`}>shares of {base.split(',')[0]}</span> : null;
}

// The first rows of a table, as a link to it.
function Top({ summary, table, name, value, share, title }: {
  summary: Summary; table: string; name: string; value: string; share: string; title: string;
}): JSX.Element | null {
  const session = useSession();
  const route = useRoute();
  const rows = sortRows(summary.tables[table]?.rows ?? [], { key: value, descending: true }).slice(0, 5);
  if (rows.length === 0) return null;
  return (
    <Card title={title} aside={<>
      <BaseOf table={summary.tables[table]} share={share} />
      <button type="button" class="link" onClick={() => session.go(atScreen(route, table, { sort: `-${value}` }))}>all {table}</button>
    </>}>
      <table class="small top-rows">
        <tbody>
          {rows.map((row) => (
            <tr key={String(row[name])}>
              <td title={String(row[name])}>{shortName(String(row[name]))}</td>
              <td><ShareBar share={Number(row[share] ?? 0)} colour={`var(--kind-${row['role'] === 'communication' ? 5 : table === 'kernels' ? 9 : 2})`} /></td>
              <td class="number">{durationText(Number(row[value] ?? 0))}</td>
              <td class="number">{shareText(Number(row[share] ?? 0))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

// How many steps there are and how long one takes; nothing if there are none.
function stepFacts(summary: Summary): [string, ComponentChildren][] {
  const average = averageStack(summary);
  const stacks = stepStacks(summary, average);
  const range = spread(stacks);
  const unit = unitOf(summary);
  const ranks = Number(summary.facts['ranks'] ?? 1);
  const facts: [string, ComponentChildren][] = ranks > 1 ? [['Ranks', countText(ranks)]] : [];
  if (unit === 'trace' || !average || !range) return facts;
  const { steps, ranks: counted } = countSteps(summary);
  const warmUp = warmUpOf(stacks);
  const steady = warmUp.steps > 0 ? `${countText(steps - warmUp.steps)} steady, ` : '';
  const foundBy = String(summary.facts['cycles_found_by'] ?? '');
  const each = counted > 1 && steps % counted === 0 ? `${countText(steps / counted)} in each rank, ` : '';
  return [
    ...facts,
    [unit === 'cycle' ? 'Cycle time' : 'Step time', <span title={exactDuration(average.total_ns)}>{durationText(average.total_ns)}{steady !== '' && <small> after the warm-up</small>}</span>],
    [unit === 'cycle' ? 'Cycles found' : 'Steps', <span title={foundBy === '' ? undefined : `found by ${foundBy}`}>{countText(steps)} <small>{each}{steady}{durationText(range.low_ns)} … {durationText(range.high_ns)}</small></span>],
    ...(warmUp.steps > 0
      ? [['Warm-up', <span title={`the first ${unit}s load code, allocate memory and tune libraries; averages leave them out`}>{countText(warmUp.steps)} <small>{warmUp.steps === 1 ? unit : `${unit}s`}, {durationText(warmUp.total_ns)}</small></span>] as [string, ComponentChildren]]
      : []),
  ];
}

// The largest causes of idle time, as a link to all of them.
function IdleCauses({ summary }: { summary: Summary }): JSX.Element | null {
  const session = useSession();
  const route = useRoute();
  const source = summary.tables['idle'];
  if (!source || source.rows.length === 0) return null;
  const rows = sortRows(source.rows, { key: 'idle_total_ns', descending: true }).slice(0, 5);
  const hasSource = rows.some((row) => row['source'] !== null);
  return (
    <Card title={source.title} aside={<>
      <BaseOf table={source} share="idle_share" />
      <button type="button" class="link" onClick={() => session.go(atScreen(route, 'waiting'))}>who waits for whom</button>
    </>}>
      <table class="small idle-rows">
        <tbody>
          {rows.map((row, i) => (
            <tr key={i}>
              <td title={String(row['label'])}>{shortName(String(row['label']))}{row['inside'] && <span class="muted"> in {shortName(String(row['inside']))}</span>}</td>
              {hasSource && <td class="muted source" title={String(row['source'] ?? '')}>{row['source']}</td>}
              <td class="idle-bar"><ShareBar share={Number(row['idle_share'] ?? 0)} colour="var(--kind-7)" /></td>
              <td class="number">{durationText(Number(row['idle_total_ns'] ?? 0))}</td>
              <td class="number">{shareText(Number(row['idle_share'] ?? 0))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

function Overview(): JSX.Element {
  return (
    <WithSummary>
      {(summary) => {
        const { facts } = summary;
        const busy = facts['device_busy_share'];
        const word = deviceWord(summary);
        const device = word.charAt(0).toUpperCase() + word.slice(1);
        return (
          <div class="page overview">
            <Facts facts={[
              ...stepFacts(summary),
              [`${device} busy`, typeof busy === 'number' ? <>{shareText(busy)} <small>of the span</small></> : <span class="muted">not watched</span>],
              ['Span', durationText(Number(facts['span_ns'] ?? 0))],
              ['Slices', countText(Number(facts['slices'] ?? 0))],
              ...(summary.health ? [['Recording', <HealthBadge health={summary.health} />] as [string, ComponentChildren]] : []),
            ]} />
            {summary.health && <HealthCard health={summary.health} />}
            <Card title="Findings"><Findings findings={summary.findings} device={word} /></Card>
            <Card title={summary.tables['step_breakdown']?.title ?? 'Steps'} aside={<span class="muted">every nanosecond has one label</span>}>
              {facts['cycles_found_by'] && <p class="muted found-by">The trace marks no steps. Cycles found: by {facts['cycles_found_by']}.</p>}
              <Account summary={summary} />
            </Card>
            <IdleCauses summary={summary} />
            <div class="two">
              <Top summary={summary} table="kernels" name="kernel" value="device_total_ns" share="device_share" title={`Longest on the ${word}`} />
              <Top summary={summary} table="operators" name="operator" value="host_self_ns" share="host_self_share" title="Longest on the host, self time" />
            </div>
            <Card title="Devices" aside={<span class="muted">busy share of the span</span>}><Devices summary={summary} /></Card>
            <RecordingReport />
            <ImportReport summary={summary} />
          </div>
        );
      }}
    </WithSummary>
  );
}

// What a recorded run was, what it lacks and what it has lost.
function RecordingReport(): JSX.Element | null {
  const runs = useObservable(useSession().runs);
  const route = useRoute();
  const recorded = runs.is === 'ready' ? recordedRuns(runs.value, route.traces) : [];
  if (recorded.length === 0) return null;
  return (
    <Card title="Recording">
      {recorded.map((run) => <div key={run.name}><RecordedHead recorded={run.recorded!} /><RecordedNotes recorded={run.recorded!} /></div>)}
    </Card>
  );
}

// Nothing is dropped silently: losses of the input are shown on the first page.
function ImportReport({ summary }: { summary: Summary }): JSX.Element | null {
  const table = summary.tables['import'];
  if (!table || table.rows.length === 0) return null;
  return (
    <Card title={table.title}>
      <ul class="plain">
        {table.rows.map((row, i) => (
          <li key={i}><b>{countText(Number(row['count'] ?? 0))}</b> {row['outcome']}: {row['sentence'] ?? row['issue']}{row['first_example'] ? <span class="muted"> ({row['first_example']})</span> : null}</li>
        ))}
      </ul>
    </Card>
  );
}

export const overview: Screen = {
  id: 'overview', title: 'Overview', shows: 'summary', component: Overview,
  icon: 'M3 16V9M8 16V4M13 16v-5M17 16H3M17 16V7',
};
