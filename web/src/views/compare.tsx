import type { JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';

import type { Cause, ComparedCycleType, ComparedFunction, Comparison, Evidence, Row, Runs } from '../api/types.ts';
import { type Chosen, type Side, chosenText, commonRanks, cycleRows, parseChosen, rankOf } from '../model/compare_cycles.ts';
import { certaintyText, changedMetrics, isChanged, isConfident, isUntested, kAnswers, probabilityText, quantityText, ratioText } from '../model/compare_rows.ts';
import { type RunChoice, likelyRuns, loadingOf, runChoices, tracesOf } from '../model/compare_runs.ts';
import { asksForCycles, canAlign, withSigns, withoutAnswer } from '../model/error_words.ts';
import { type Route, atScreen, numberParameter, withParameters } from '../model/route.ts';
import { signedDuration } from '../model/units.ts';
import type { Viewport } from '../model/viewport.ts';
import { ChangeTable } from '../widgets/change_table.tsx';
import { CycleStrip } from '../widgets/cycle_strip.tsx';
import { useAnswer, useObservable, useRoute, useSession } from '../widgets/hooks.ts';
import { Card, Empty, Failure, Picker, Waiting } from '../widgets/pieces.tsx';
import { TimelinePair } from '../widgets/timeline/timeline_pair.tsx';
import type { Screen } from './screen.ts';

// Two runs of one workload: what changed, how certain that is, and the likely cause.

const kCuts: readonly [string, string][] = [
  ['', 'found by itself'], ['steps', 'step annotations'], ['frame', 'a recurring host range'], ['kernels', 'the order of kernels'], ['busy', 'the rhythm of the device'],
];

function Compare(): JSX.Element {
  const session = useSession();
  const route = useRoute();
  const runs = useObservable(session.runs);
  const choices = useMemo(() => (runs.is === 'ready' ? runChoices(runs.value) : []), [runs]);
  const { parameters } = route;
  const { normal, abnormal } = likelyRuns(choices, { normal: parameters['normal'], abnormal: parameters['abnormal'] });
  // The address always contains what is compared.
  useEffect(() => {
    if (normal && abnormal && (parameters['normal'] !== normal || parameters['abnormal'] !== abnormal)) {
      session.amend(withParameters(route, { normal, abnormal }));
    }
  }, [normal, abnormal, route]);
  if (runs.is !== 'ready') return <Waiting what="loading the list of runs" />;
  // Other runs have other cycles and functions.
  const pick = (changes: Record<string, string | undefined>): void => session.go({
    ...atScreen(route, 'compare'), parameters: withParameters({ ...route, parameters: { normal: normal ?? '', abnormal: abnormal ?? '', cut: parameters['cut'] ?? '' } }, changes).parameters,
  });
  return (
    <div class="page compare">
      <div class="pickers">
        <RunPicker label="Normal" mark="●" choices={choices} value={normal} onPick={(name) => pick({ normal: name })} />
        <button type="button" class="quiet" title="Swap the sides" aria-label="Swap the sides" disabled={!normal || !abnormal} onClick={() => pick({ normal: abnormal, abnormal: normal })}>⇄</button>
        <RunPicker label="Abnormal" mark="◆" choices={choices} value={abnormal} onPick={(name) => pick({ abnormal: name })} />
        <Picker label="Cycles" value={parameters['cut'] ?? ''} onPick={(word) => pick({ cut: word })} class="cut">
          {kCuts.map(([word, text]) => <option key={word} value={word}>{text}</option>)}
          {!kCuts.some(([word]) => word === (parameters['cut'] ?? '')) && <option value={parameters['cut']}>{parameters['cut']}</option>}
        </Picker>
      </div>
      {normal && abnormal ? (
        <Answer key={`${normal}\n${abnormal}\n${parameters['cut'] ?? ''}\n${parameters['align'] ?? ''}`} runs={runs.value} normal={normal} abnormal={abnormal} />
      ) : (
        <Choose choices={choices} normal={normal} />
      )}
    </div>
  );
}

// Nothing is compared that does not belong together unless the user says so.
function Choose({ choices, normal }: { choices: readonly RunChoice[]; normal: string | undefined }): JSX.Element {
  if (choices.length < 2) {
    return (
      <Empty title="Two runs are needed">
        <p>A run is a folder with a trace, its metrics.csv beside it if there is one, or a folder of ranks. Put a second run of the same
          workload into the served folder: it appears here by itself.</p>
      </Empty>
    );
  }
  return (
    <Empty title={normal === undefined ? 'Choose two runs of one workload' : 'Choose the run to compare it with'}>
      <p>No two runs here look like the same workload: they differ in their writer, their device, their ranks or the number of their slices.
        Choose above what to compare.</p>
    </Empty>
  );
}

function RunPicker({ label, mark, choices, value, onPick }: {
  label: string; mark: string; choices: readonly RunChoice[]; value: string | undefined; onPick: (name: string) => void;
}): JSX.Element {
  const groups = [...new Set(choices.map((one) => one.group))].filter((one) => one !== '');
  const options = (group: string): JSX.Element[] => choices.filter((one) => one.group === group).map((one) => <option key={one.name} value={one.name}>{one.label}</option>);
  return (
    <Picker label={`${mark} ${label}`} value={value ?? ''} onPick={onPick}>
      {value === undefined && <option value="">choose…</option>}
      {value !== undefined && !choices.some((one) => one.name === value) && <option value={value}>{value}</option>}
      {options('')}
      {groups.map((group) => <optgroup key={group} label={group}>{options(group)}</optgroup>)}
    </Picker>
  );
}

function Answer({ runs, normal, abnormal }: { runs: Runs; normal: string; abnormal: string }): JSX.Element {
  const traces = [...tracesOf(runs, normal), ...tracesOf(runs, abnormal)];
  const loading = loadingOf(runs, traces);
  if (loading.length > 0) {
    return (
      <div class="empty"><h2>Loading {loading.map((entry) => entry.trace).join(', ')}</h2>
        <progress value={loading.reduce((sum, entry) => sum + entry.progress, 0) / loading.length} max={1} /></div>
    );
  }
  return <LoadedAnswer normal={normal} abnormal={abnormal} traces={traces.map((entry) => entry.trace).join(' ')} />;
}

// `traces` is part of the cache key, so that a rewritten file is requested again.
function LoadedAnswer({ normal, abnormal, traces }: { normal: string; abnormal: string; traces: string }): JSX.Element {
  const session = useSession();
  const route = useRoute();
  const { cut, align } = route.parameters;
  const answer = useAnswer(`compare ${normal} ${abnormal} ${cut ?? ''} ${align ?? ''} ${traces}`, () => session.client.compare({ normal, abnormal, cycle: cut, align }));
  if (answer.is === 'loading') return <Waiting what="comparing" />;
  if (answer.is === 'failed') {
    return (
      <>
        <Failure error={answer.error} title="These two cannot be compared" />
        {asksForCycles(answer.error.hint) && <p class="centred muted">Choose above, under Cycles, another way to find them.</p>}
        {align !== '1' && canAlign(answer.error.hint) && (
          <p class="centred"><button type="button" class="primary" onClick={() => session.go(withParameters(route, { align: '1' }))}>Pair them by their position</button></p>
        )}
      </>
    );
  }
  return <Compared comparison={answer.value} />;
}

function viewOf(route: Route): Viewport | null {
  const [start_ns, end_ns] = [numberParameter(route, 'from'), numberParameter(route, 'to')];
  return start_ns !== null && end_ns !== null && end_ns > start_ns ? { start_ns, end_ns } : null;
}

function Compared({ comparison }: { comparison: Comparison }): JSX.Element {
  const session = useSession();
  const route = useRoute();
  const { parameters } = route;
  const ranks = commonRanks(comparison);
  const rank = numberParameter(route, 'rank') ?? ranks[0] ?? null;
  const chosen = parseChosen(parameters['cycle'], comparison, rank);
  const hasChanged = comparison.functions.some(isChanged);
  const onlyChanged = hasChanged && parameters['rows'] !== 'all';
  const set = (changes: Record<string, string | undefined>): void => session.amend(withParameters(session.route.value, changes));
  const row = comparison.functions.findIndex((one) => one.function === parameters['function'] && one.device === (parameters['device'] ?? one.device));
  const chooseCycle = (side: Side, cycle: number): void => {
    const next: Chosen = { ...chosen, [side]: cycle };
    set({ cycle: chosenText(next), from: undefined, to: undefined });
  };
  const openTimeline = (trace: string, more: Record<string, string>): void => session.go({ screen: 'timeline', traces: [trace], parameters: more });
  const openFunction = (one: ComparedFunction): void => {
    const side = one.verdict === 'vanished' ? 'normal' : 'abnormal';
    openTimeline(rankOf(comparison.runs[side], one.rank).path, { q: `=${one.function}`, jump: 'longest' });
  };
  return (
    <>
      <VerdictCard comparison={comparison} onMetric={() => document.querySelector('.metrics')?.scrollIntoView({ block: 'nearest' })} />
      <Card title="Cycles" aside={<CycleTest comparison={comparison} />}>
        {ranks.length > 1 && (
          <label class="check rank">Rank <select value={String(rank)} onChange={(event) => set({ rank: event.currentTarget.value, cycle: undefined, from: undefined, to: undefined })}>
            {ranks.map((one) => <option key={one} value={one}>{one}</option>)}
          </select></label>
        )}
        <CycleStrip rows={cycleRows(comparison, rank)} chosen={chosen} onChoose={chooseCycle} />
        <p class="muted strip-note">Left to right: how long a cycle took. Top to bottom: when it ran. Hollow: left out on a device. Click or ← → chooses the cycles below.</p>
      </Card>
      <TimelinePair comparison={comparison} rank={rank} chosen={chosen} highlight={row >= 0 ? parameters['function'] : ''} view={viewOf(route)}
                    onView={(view) => set({ from: String(Math.round(view.start_ns)), to: String(Math.round(view.end_ns)) })} onOpen={openTimeline}
                    onLetGo={() => set({ function: undefined, device: undefined })} />
      <ChangeTable comparison={comparison} state={{ sort: parameters['sort'], filter: parameters['filter'] }} onState={(state) => set({ sort: state.sort, filter: state.filter })}
                   onlyChanged={onlyChanged} onOnlyChanged={(only) => set({ rows: only ? undefined : 'all' })}
                   chosen={row < 0 ? null : { index: row }}
                   onChoose={(one: Row | null) => set({ function: one ? String(one['function']) : undefined, device: one ? String(one['device']) : undefined })}
                   onOpen={(one) => openFunction(comparison.functions[Number(one['index'])])} />
      <div class="two">
        <MetricsCard comparison={comparison} />
        <Card title="Data quality"><ul class="quality">{comparison.quality.map((text) => <li key={text}>{text}</li>)}</ul></Card>
      </div>
    </>
  );
}

function spanText(low_ms: number, high_ms: number): string {
  return `${signedDuration(low_ms * 1e6)} … ${signedDuration(high_ms * 1e6)}`;
}

// A difference never appears without its interval, or the reason why there is none.
function intervalText(low: number | null, high: number | null): string {
  return low === null || high === null ? 'no 95 % interval' : `95 % interval ${spanText(low, high)}`;
}

// The typical difference, or that of the means where they decide.
function CycleChange({ ms, means_ms: means }: ComparedCycleType): JSX.Element {
  const shift = means.decide ? means.difference : ms.shift;
  if (shift === null) return <>no test</>;
  const interval = means.decide ? intervalText(means.low, means.high) : intervalText(ms.shift_low, ms.shift_high);
  return (
    <>
      {means.decide ? 'difference of the means, without the wildest cycles,' : 'typical difference'} <b>{signedDuration(shift * 1e6)}</b>, {interval}, n = {ms.n_normal} and {ms.n_abnormal}
    </>
  );
}

function CycleTest({ comparison }: { comparison: Comparison }): JSX.Element {
  return (
    <span class="muted number cycle-test">
      {comparison.cycles.types.map((one) => (
        <span key={one.type}>
          {comparison.cycles.types.length > 1 ? `${one.type}: ` : ''}
          <CycleChange {...one} />
        </span>
      ))}
    </span>
  );
}

function VerdictCard({ comparison, onMetric }: { comparison: Comparison; onMetric: () => void }): JSX.Element {
  const { verdict, causes } = comparison;
  const answer = kAnswers[verdict.answer];
  const [first, ...others] = causes;
  return (
    <section class={`card verdict-card ${answer.tone}`} aria-label="Verdict">
      <div class="said">
        <span class="answer">{answer.word}</span>
        <p class="lead">{withSigns(withoutAnswer(verdict.sentences[0], answer.word))}</p>
      </div>
      {first ? <CauseView cause={first} isFirst onMetric={onMetric} /> : <p class="lead">{withSigns(verdict.sentences.slice(1).at(-1) ?? '')}</p>}
      {others.map((cause) => (
        <details key={`${cause.cause} ${cause.headline}`} class="other-cause">
          <summary>Also possible: {withSigns(cause.headline)} <span class="muted">({certaintyText(cause.score)})</span></summary>
          <CauseView cause={cause} isFirst={false} onMetric={onMetric} />
        </details>
      ))}
    </section>
  );
}

function CauseView({ cause, isFirst, onMetric }: { cause: Cause; isFirst: boolean; onMetric: () => void }): JSX.Element {
  return (
    <div class="cause">
      {isFirst && <p class="cause-line"><span class="label">{isConfident(cause.score) ? 'Likely cause' : 'Possible cause'}</span> <b>{withSigns(cause.headline)}</b> <span class="muted">{certaintyText(cause.score)}</span></p>}
      <div class="evidence">
        <EvidenceList title="For it" sign="+" evidence={cause.evidence} onMetric={onMetric} />
        <EvidenceList title="Against it" sign="−" evidence={cause.against} onMetric={onMetric} />
        <div><h3>What to do next</h3><p>{withSigns(cause.advice)}</p></div>
      </div>
    </div>
  );
}

function EvidenceList({ title, sign, evidence, onMetric }: { title: string; sign: string; evidence: readonly Evidence[]; onMetric: () => void }): JSX.Element {
  return (
    <div><h3>{title}</h3>
      {evidence.length === 0 ? <p class="muted">nothing was found</p> : (
        <ul>{evidence.map((one) => (
          <li key={one.text}><span class="sign" aria-hidden="true">{sign}</span><span>{withSigns(one.text)}
            {one.metric !== '' && <> <button type="button" class="link" onClick={onMetric}>{one.metric}</button></>}</span></li>
        ))}</ul>
      )}
    </div>
  );
}

function MetricsCard({ comparison }: { comparison: Comparison }): JSX.Element {
  const lines = useMemo(() => changedMetrics(comparison.metrics), [comparison]);
  const hasRanks = new Set(comparison.metrics.map((one) => one.rank)).size > 1;
  const untested = comparison.metrics.filter((one) => isUntested(one[one.told_by])).length;
  return (
    <Card title="Metrics that changed" class="metrics" aside={<span class="muted">{lines.length} of {comparison.metrics.length} series; medians over cycles</span>}>
      {comparison.metrics.length === 0 ? <p class="muted">There is no metrics.csv beside the traces, and no counter in them.</p>
        : lines.length === 0 ? <p class="muted">None: the tests confirm no difference{untested === 0 ? '' : `; ${untested} of ${comparison.metrics.length} series have too few samples for a test`}.</p> : (
        <table class="small">
          <thead><tr><th scope="col">Metric</th><th scope="col">Device</th><th scope="col" class="number">Normal</th><th scope="col" class="number">Abnormal</th><th scope="col" class="number">Ratio</th><th scope="col" class="number">q</th></tr></thead>
          <tbody>{lines.map((line) => (
            <tr key={`${line.device} ${line.rank} ${line.names[0]}`}>
              <td title={line.names.join(' = ')}>{line.names.join(' = ')}</td>
              <td>{line.device}{hasRanks ? `, rank ${line.rank}` : ''}</td>
              <td class="number">{quantityText(line.change.median_normal, line.unit)}</td>
              <td class="number">{quantityText(line.change.median_abnormal, line.unit)}</td>
              <td class="number">{ratioText(line.change)}</td>
              <td class="number">{probabilityText(line.change.q)}</td>
            </tr>
          ))}</tbody>
        </table>
      )}
      {lines.some((line) => isUntested(line.change)) ? <p class="muted">– under q: too few samples for a test, so chance cannot be excluded.</p> : null}
    </Card>
  );
}

export const compare: Screen = {
  id: 'compare', title: 'Compare', shows: 'runs', key: 'c', component: Compare,
  subject: ({ parameters }) => [parameters['normal'], parameters['abnormal']].filter(Boolean).join(' and '),
  icon: 'M3 6h5M3 10h9M3 14h3M12 6h5M14 10h3M9 14h8',
};
