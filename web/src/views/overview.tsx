import type { JSX } from 'preact';

import type { Finding, Summary } from '../api/types.ts';
import { averageStack, shareTexts, spread, stepStacks } from '../model/breakdown.ts';
import { shortName } from '../model/names.ts';
import { atScreen } from '../model/route.ts';
import { sortRows } from '../model/table.ts';
import { countText, durationText, exactDuration, shareText } from '../model/units.ts';
import { useRoute, useSession } from '../widgets/hooks.ts';
import { Card, Empty, Facts, ShareBar } from '../widgets/pieces.tsx';
import { ShareStrip, StepBars, Swatch } from '../widgets/step_bars.tsx';
import type { Screen } from './screen.ts';
import { WithSummary } from './summary_answer.tsx';

const kWeightWords = { matters: 'matters', worth_a_look: 'worth a look', note: 'note' } as const;

// Where the numbers behind a finding can be seen, by its code; the timeline for any other.
const kScreens: Record<string, 'kernels' | 'memory' | 'distributed'> = {
  device_saturated: 'kernels', many_tiny_kernels: 'kernels', one_kernel_dominates: 'kernels',
  memory_near_capacity: 'memory', memory_reserved_unused: 'memory',
  exposed_communication: 'distributed', straggling_rank: 'distributed',
};
const kLinkWords = {
  kernels: 'Look at the kernels', memory: 'Look at the memory', distributed: 'Look at the ranks', timeline: 'Look at the timeline',
} as const;

function Findings({ findings }: { findings: readonly Finding[] }): JSX.Element {
  const session = useSession();
  const route = useRoute();
  if (findings.length === 0) return <p class="muted">Nothing stands out.</p>;
  return (
    <ol class="findings">
      {findings.map((finding) => {
        const screen = kScreens[finding.code] ?? 'timeline';
        return (
          <li key={finding.code + finding.headline} class={finding.weight}>
            <p class="headline"><span class="weight">{kWeightWords[finding.weight]}</span> {finding.headline}</p>
            <p class="advice"><span aria-hidden="true">→ </span>{finding.advice}
              {(session.report === null || screen === 'kernels') && (
                <button type="button" class="link" onClick={() => session.go(atScreen(route, screen))}>{kLinkWords[screen]}</button>
              )}
            </p>
          </li>
        );
      })}
    </ol>
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

function Steps({ summary }: { summary: Summary }): JSX.Element {
  const session = useSession();
  const route = useRoute();
  const average = averageStack(summary);
  const stacks = stepStacks(summary, average);
  if (!average || stacks.length === 0) {
    return (
      <Empty title="This trace marks no steps">
        <p>Call <code>profiler.step()</code> at the end of every iteration while recording, and this shows where each one
          went.</p>
      </Empty>
    );
  }
  const shares = shareTexts(average);
  return (
    <>
      <ShareStrip stack={average} />
      <div class="breakdown">
        <table class="small">
          <caption class="offscreen">Average step by label</caption>
          <tbody>
            {average.parts.map((part) => (
              <tr key={part.word} class={part.value_ns === 0 ? 'muted' : ''}>
                <td><Swatch word={part.word} /> {part.label}</td>
                <td class="number">{durationText(part.value_ns)}</td>
                <td class="number">{shares.get(part)}</td>
              </tr>
            ))}
            <tr class="total"><td>average step</td><td class="number" data-fact="step">{durationText(average.total_ns)}</td><td class="number">100 %</td></tr>
          </tbody>
        </table>
        <StepBars stacks={stacks} onOpen={session.report ? undefined : (stack) => session.go(atScreen(route, 'timeline', { step: stack.name }))} />
      </div>
    </>
  );
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
    <Card title={title} aside={<button type="button" class="link" onClick={() => session.go(atScreen(route, table, { sort: `-${value}` }))}>all {table}</button>}>
      <table class="small top-rows">
        <tbody>
          {rows.map((row) => (
            <tr key={String(row[name])}>
              <td title={String(row[name])}>{shortName(String(row[name]))}</td>
              <td><ShareBar share={Number(row[share] ?? 0)} colour={table === 'kernels' ? 'var(--kind-9)' : 'var(--kind-2)'} /></td>
              <td class="number">{durationText(Number(row[value] ?? 0))}</td>
              <td class="number">{shareText(Number(row[share] ?? 0))}</td>
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
        const average = averageStack(summary);
        const stacks = stepStacks(summary, average);
        const range = spread(stacks);
        const { facts } = summary;
        const busy = facts['device_busy_share'];
        return (
          <div class="page overview">
            <Facts facts={[
              ['Step time', average
                ? <span title={exactDuration(average.total_ns)}>{durationText(average.total_ns)}</span> : <span class="muted">no steps</span>],
              ['Steps', range
                ? <>{countText(stacks.length)} <small>{durationText(range.low_ns)} … {durationText(range.high_ns)}</small></> : '0'],
              ['Device busy', typeof busy === 'number' ? shareText(busy) : <span class="muted">not watched</span>],
              ['Span', durationText(Number(facts['span_ns'] ?? 0))],
              ['Slices', countText(Number(facts['slices'] ?? 0))],
            ]} />
            <Card title="Findings"><Findings findings={summary.findings} /></Card>
            <Card title={summary.tables['step_breakdown']?.title ?? 'Steps'} aside={<span class="muted">every nanosecond has one label</span>}>
              <Steps summary={summary} />
            </Card>
            <div class="two">
              <Top summary={summary} table="kernels" name="kernel" value="device_total_ns" share="device_share" title="Longest on the device" />
              <Top summary={summary} table="operators" name="operator" value="host_self_ns" share="host_self_share" title="Longest on the host, self time" />
            </div>
            <Card title="Devices" aside={<span class="muted">busy share of the span</span>}><Devices summary={summary} /></Card>
            <ImportReport summary={summary} />
          </div>
        );
      }}
    </WithSummary>
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
          <li key={i}><b>{countText(Number(row['count'] ?? 0))}</b> {row['outcome']}: {row['sentence'] ?? row['issue']}</li>
        ))}
      </ul>
    </Card>
  );
}

export const overview: Screen = {
  id: 'overview', title: 'Overview', shows: 'summary', component: Overview,
  icon: 'M3 16V9M8 16V4M13 16v-5M17 16H3M17 16V7',
};
