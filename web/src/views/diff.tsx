import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';

import type { Diff as DiffAnswer, DiffCell, DiffSide, Runs } from '../api/types.ts';
import type { Stack } from '../model/breakdown.ts';
import { type DiffLine, type DiffOrder, diffLines, orderedDiff } from '../model/diff_rows.ts';
import { shortName, traceLabel } from '../model/names.ts';
import { matcherOf } from '../model/query.ts';
import { atScreen, withParameters } from '../model/route.ts';
import { findTrace } from '../model/session.ts';
import { csvText } from '../model/table.ts';
import { countText, durationText, exactDuration, signedDuration, signedShare } from '../model/units.ts';
import { FilterBox } from '../widgets/data_table.tsx';
import { useAnswer, useObservable, useRoute, useSession } from '../widgets/hooks.ts';
import { Card, CopyButton, Empty, Failure, Picker, Waiting } from '../widgets/pieces.tsx';
import { ShareStrip, Swatch } from '../widgets/step_bars.tsx';
import type { Screen } from './screen.ts';

function Diff(): JSX.Element {
  const session = useSession();
  const route = useRoute();
  const runs = useObservable(session.runs);
  const [base] = route.traces;
  const other = route.traces[1] ?? '';
  return (
    <div class="page diff">
      <div class="pickers">
        <SidePicker label="Base" runs={runs.is === 'ready' ? runs.value : null} value={base}
                    onPick={(trace) => session.go({ ...route, traces: [trace, ...(other ? [other] : [])] })} />
        <button type="button" class="quiet" title="Swap the sides" disabled={other === ''} onClick={() => session.go({ ...route, traces: [other, base] })}>⇄</button>
        <SidePicker label="Other" runs={runs.is === 'ready' ? runs.value : null} value={other}
                    onPick={(trace) => session.go({ ...route, traces: [base, trace] })} />
      </div>
      {other === '' ? (
        <Empty title="Choose a second trace">
          <p>Two runs of the same work side by side: where the step went, which operators and kernels take longer, and whether
            the difference is larger than the steps of each run differ among themselves.</p>
        </Empty>
      ) : <LoadedDiff key={`${base} ${other}`} base={base} other={other} />}
    </div>
  );
}

function SidePicker({ label, runs, value, onPick }: { label: string; runs: Runs | null; value: string; onPick: (trace: string) => void }): JSX.Element {
  return (
    <Picker label={label} value={value} onPick={onPick}>
      {value === '' && <option value="">choose…</option>}
      {runs && value !== '' && !findTrace(runs, value) && <option value={value}>{value}</option>}
      {runs?.runs.map((run) => (
        <optgroup key={run.name} label={run.name}>
          {run.traces.filter((entry) => entry.state === 'ready' && entry.kind === 'trace').map((entry) => (
            <option key={entry.trace} value={entry.trace}>{entry.worker}{entry.span === 'default' ? '' : ` · ${entry.span}`}</option>
          ))}
        </optgroup>
      ))}
    </Picker>
  );
}

function LoadedDiff({ base, other }: { base: string; other: string }): JSX.Element {
  const session = useSession();
  const answer = useAnswer(`diff ${base} ${other}`, () => session.client.diff(base, other));
  if (answer.is === 'loading') return <Waiting what="comparing" />;
  if (answer.is === 'failed') return <Failure error={answer.error} title="These two cannot be compared" />;
  return (
    <>
      <Sides diff={answer.value} />
      <DiffTable diff={answer.value} />
    </>
  );
}

function isBeyond(a: DiffSide, b: DiffSide): boolean {
  return a.high_ns < b.low_ns || b.high_ns < a.low_ns;
}

// "6 steps", "5 steady of 6 steps"
function stepsText({ steps, warm_up_steps }: DiffSide): string {
  return warm_up_steps === 0 ? `${countText(steps)} steps` : `${countText(steps - warm_up_steps)} steady of ${countText(steps)} steps`;
}

function Sides({ diff }: { diff: DiffAnswer }): JSX.Element {
  const stack = (side: 'base' | 'other'): Stack => ({
    name: traceLabel(diff[side].trace), short: '', rank: '', start_ns: 0,
    total_ns: diff.labels.reduce((sum, label) => sum + label[`${side}_ns`], 0),
    parts: diff.labels.map((label) => ({ word: label.label, label: label.name, value_ns: label[`${side}_ns`] })),
  });
  const longest = Math.max(1, stack('base').total_ns, stack('other').total_ns);
  const isStep = diff.per === 'step';
  const delta = diff.other.step_ns - diff.base.step_ns;
  return (
    <Card title={!isStep ? 'Whole trace' : diff.base.warm_up_steps + diff.other.warm_up_steps > 0 ? 'Average step after the warm-up' : 'Average step'}
          aside={<Verdict delta_ns={delta} relative={diff.base.step_ns > 0 ? delta / diff.base.step_ns : null} isBeyond={isBeyond(diff.base, diff.other)} />}>
      {(['base', 'other'] as const).map((side) => (
        <div key={side} class="side">
          <div class="side-name"><b>{side === 'base' ? 'Base' : 'Other'}</b> <span class="muted">{traceLabel(diff[side].trace)}</span></div>
          <div class="side-bar"><div style={{ width: `${(stack(side).total_ns / longest) * 100}%` }}><ShareStrip stack={stack(side)} /></div></div>
          <div class="side-time number">{durationText(diff[side].step_ns)}
            <small class="muted">{isStep ? `${stepsText(diff[side])}, ` : ''}{durationText(diff[side].low_ns)} … {durationText(diff[side].high_ns)}</small></div>
        </div>
      ))}
      <table class="small labels">
        <thead><tr><th scope="col">Label</th><th scope="col" class="number">Base</th><th scope="col" class="number">Other</th><th scope="col" class="number">Difference</th></tr></thead>
        <tbody>
          {diff.labels.filter((label) => label.base_ns > 0 || label.other_ns > 0).map((label) => (
            <tr key={label.name}>
              <td><Swatch word={label.label} /> {label.name}</td>
              <td class="number">{durationText(label.base_ns)}</td>
              <td class="number">{durationText(label.other_ns)}</td>
              <td class="number">{signedDuration(label.other_ns - label.base_ns)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

// A difference never appears without its spread.
function Verdict({ delta_ns, relative, isBeyond: beyond }: { delta_ns: number; relative: number | null; isBeyond: boolean }): JSX.Element {
  return (
    <span class="verdict">
      <b class="number">{signedDuration(delta_ns)}</b>{relative !== null && <span class="number"> {signedShare(relative)}</span>}
      <span class={beyond ? 'beyond' : 'within'}>{beyond ? 'beyond the spread of the steps' : 'within the spread of the steps'}</span>
    </span>
  );
}

const kMostRows = 500;

function DiffTable({ diff }: { diff: DiffAnswer }): JSX.Element {
  const session = useSession();
  const route = useRoute();
  const { parameters } = route;
  const what = parameters['what'] === 'operators' ? 'operators' : 'kernels';
  const order = (parameters['sort'] ?? 'delta') as DiffOrder;
  const filter = parameters['filter'] ?? '';
  const onlyBeyond = parameters['beyond'] === '1';
  const lines = useMemo(() => diffLines(diff[what]), [diff, what]);
  const rows = orderedDiff(lines, order, filter, onlyBeyond);
  const most = Math.max(1, ...rows.map((row) => Math.abs(row.delta_ns)));
  const set = (changes: Record<string, string | undefined>): void => session.amend(withParameters(route, changes));
  const header = (key: DiffOrder, text: string): JSX.Element => (
    <th scope="col" class={key === 'name' ? 'name' : 'number'} aria-sort={order === key ? 'descending' : undefined}>
      <button type="button" onClick={() => set({ sort: key })}>{text}<span class="arrow" aria-hidden="true">{order === key ? '↓' : ''}</span></button>
    </th>
  );
  const csv = (): string => csvText(
    [{ key: 'name', type: 'name' }, { key: 'base_ns', type: 'duration_ns' }, { key: 'base_low_ns', type: 'duration_ns' }, { key: 'base_high_ns', type: 'duration_ns' },
     { key: 'other_ns', type: 'duration_ns' }, { key: 'other_low_ns', type: 'duration_ns' }, { key: 'other_high_ns', type: 'duration_ns' },
     { key: 'delta_ns', type: 'duration_ns' }, { key: 'beyond_spread', type: 'text' }],
    rows.map((row) => ({
      name: row.name, base_ns: row.base && row.base_ns, base_low_ns: row.base?.low_ns ?? null, base_high_ns: row.base?.high_ns ?? null,
      other_ns: row.other && row.other_ns, other_low_ns: row.other?.low_ns ?? null, other_high_ns: row.other?.high_ns ?? null,
      delta_ns: row.delta_ns, beyond_spread: String(row.beyond_spread),
    })));
  return (
    <section class="card fill by-rows" style={{ '--rows': lines.length }}>
      <nav class="tabs" aria-label="What to compare">
        {(['kernels', 'operators'] as const).map((one) => (
          <button key={one} type="button" aria-current={one === what ? 'page' : undefined} onClick={() => set({ what: one })}>
            {one === 'kernels' ? 'Kernels' : 'Operators'} <span class="muted">{countText(diff[one].length)}</span>
          </button>
        ))}
      </nav>
      <div class="data-table diff-table">
        <div class="tools">
          <FilterBox value={filter} problem={matcherOf(filter).problem} onValue={(value) => set({ filter: value })} />
          <label class="check"><input type="checkbox" checked={onlyBeyond} onChange={(event) => set({ beyond: event.currentTarget.checked ? '1' : undefined })} /> beyond the spread only</label>
          <span class="count" role="status">{countText(rows.length)} {rows.length === 1 ? 'row' : 'rows'}</span>
          <span class="grow" />
          <CopyButton label="Copy as CSV" text={csv} />
        </div>
        <div class="scroller" tabIndex={0} role="region" aria-label={`Difference of ${what}`}>
          <table>
            <thead><tr>
              {header('name', what === 'kernels' ? 'Kernel' : 'Operator')}{header('base', 'Base')}{header('other', 'Other')}
              {header('delta', 'Difference')}{header('relative', 'Relative')}<th aria-hidden="true" /><th scope="col">Spread</th>
            </tr></thead>
            <tbody>
              {rows.slice(0, kMostRows).map((row) => (
                <DiffTableRow key={row.name} row={row} most={most}
                              onOpen={() => session.go({ ...atScreen(route, 'timeline', { q: `=${row.name}`, jump: 'longest' }), traces: [row.other ? diff.other.trace : diff.base.trace] })} />
              ))}
            </tbody>
          </table>
          {diff[`${what}_left_out`] > 0 && <p class="nothing muted">{countText(diff[`${what}_left_out`])} smaller differences were left out.</p>}
          {rows.length > kMostRows && <p class="nothing muted">{countText(rows.length - kMostRows)} smaller differences are not drawn; the CSV has them.</p>}
          {rows.length === 0 && <p class="nothing muted">No row matches.</p>}
        </div>
      </div>
    </section>
  );
}

function SideCell({ cell, time_ns }: { cell: DiffCell | null; time_ns: number }): JSX.Element {
  if (!cell) return <td class="number"><span class="muted">never ran</span></td>;
  return (
    <td class="number" title={`${exactDuration(Math.round(time_ns))} in ${countText(cell.calls)} calls`}>
      {durationText(time_ns)} <small class="muted">{durationText(cell.low_ns)} … {durationText(cell.high_ns)}</small>
    </td>
  );
}

function DiffTableRow({ row, most, onOpen }: { row: DiffLine; most: number; onOpen: () => void }): JSX.Element {
  const share = Math.abs(row.delta_ns) / most;
  const isMore = row.delta_ns > 0;
  return (
    <tr class={row.beyond_spread ? '' : 'faint'} onDblClick={onOpen}>
      <td class="name" title={row.name}>{shortName(row.name)}</td>
      <SideCell cell={row.base} time_ns={row.base_ns} />
      <SideCell cell={row.other} time_ns={row.other_ns} />
      <td class="number">{signedDuration(row.delta_ns)}</td>
      <td class="number">{row.relative === null ? (row.base ? 'gone' : 'new') : signedShare(row.relative)}</td>
      <td class="share delta" aria-hidden="true"><span class={`delta-bar ${isMore ? 'more' : 'less'}`} style={{ width: `${share * 50}%` }} /></td>
      <td>{row.beyond_spread ? <b>beyond</b> : <span class="muted">within</span>}</td>
    </tr>
  );
}

export const diff: Screen = {
  id: 'diff', title: 'Diff', shows: 'traces', component: Diff,
  icon: 'M4 4h5v12H4zM11 8h5v8h-5z',
};
