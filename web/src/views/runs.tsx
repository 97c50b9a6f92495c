import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import type { KernelFile, Run, Runs as RunsAnswer, TraceEntry } from '../api/types.ts';
import { matcherOf } from '../model/query.ts';
import { findTrace } from '../model/session.ts';
import { bytesText, countText, durationText } from '../model/units.ts';
import { FilterBox } from '../widgets/data_table.tsx';
import { useObservable, useRoute, useSession } from '../widgets/hooks.ts';
import { Empty, Failure, Waiting } from '../widgets/pieces.tsx';
import { RecordedHead, RecordedNotes } from '../widgets/recorded.tsx';

// The content of the served folder, to choose from.

const kSearchFrom = 6; // fewer traces need no search box

export function RunsView(): JSX.Element {
  const session = useSession();
  const route = useRoute();
  const runs = useObservable(session.runs);
  const [filter, setFilter] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>(route.traces);
  if (runs.is === 'loading') return <Waiting what="loading the list of runs" />;
  if (runs.is === 'failed') return <Failure error={runs.error} title="No connection" />;
  const count = runs.value.runs.reduce((sum, run) => sum + run.traces.length, 0);
  const files = runs.value.kernel_files;
  const benches = runs.value.bench_files;
  if (count === 0 && files.length === 0 && benches.length === 0) return <EmptyFolder runs={runs.value} />;
  const { matches, problem } = matcherOf(filter);
  const shown = runs.value.runs
    .map((run) => ({ ...run, traces: run.traces.filter((entry) => matches(`${run.name}/${entry.worker} ${entry.trace} ${run.recorded?.command ?? ''}`)) }))
    .filter((run) => run.traces.length > 0);
  const shownFiles = files.filter((one) => matches(one.file));
  const shownBenches = benches.filter((one) => matches(one.file));
  const toggle = (traces: readonly string[], isOn: boolean): void =>
    setChosen(isOn ? [...chosen, ...traces.filter((one) => !chosen.includes(one))] : chosen.filter((one) => !traces.includes(one)));
  const open = (traces: readonly string[], screen = 'overview'): void => session.go({ screen, traces: [...traces], parameters: {} });
  return (
    <div class="page runs">
      <div class="tools">
        <h1>Runs <span class="muted">in {runs.value.folder}</span></h1>
        {count + files.length + benches.length >= kSearchFrom && <FilterBox value={filter} problem={problem} onValue={setFilter} label="Search" />}
        {runs.value.loading && <span class="muted" role="status"><span class="spinner" aria-hidden="true" /> loading</span>}
        <span class="grow" />
        <span class="muted">{chosen.length > 0 ? `${chosen.length} chosen` : ''}</span>
        <button type="button" class="quiet" disabled={chosen.length !== 2} onClick={() => open(chosen, 'diff')} title="Choose exactly two">Diff two</button>
        <button type="button" class="quiet" disabled={chosen.length < 2} onClick={() => open(chosen, 'ranks')} title="Choose two or more">Open as ranks</button>
        <button type="button" class="primary" disabled={chosen.length === 0} onClick={() => open(chosen.slice(0, 1), startOf(findTrace(runs.value, chosen[0])?.entry))}>Open</button>
      </div>
      {shown.map((run) => <RunCard key={run.name} run={run} chosen={chosen} onToggle={toggle} onOpen={(entry) => open([entry.trace], startOf(entry))} />)}
      {shownFiles.length > 0 && <FileList title="Kernels with counters" opens="opens in Roofline" files={shownFiles} onOpen={(file) => session.go({ screen: 'roofline', traces: route.traces, parameters: { file } })} />}
      {shownBenches.length > 0 && <FileList title="Benchmarks" opens="opens in Bench" files={shownBenches} onOpen={(file) => session.go({ screen: 'bench', traces: route.traces, parameters: { file } })} />}
      {shown.length === 0 && shownFiles.length === 0 && shownBenches.length === 0 && <p class="nothing muted">Nothing is called that.</p>}
    </div>
  );
}

// The screen that has something to show of it.
function startOf(entry: TraceEntry | undefined): string {
  return entry?.kind === 'snapshot' ? 'memory' : 'overview';
}

function RunCard({ run, chosen, onToggle, onOpen }: {
  run: Run; chosen: readonly string[]; onToggle: (traces: readonly string[], isOn: boolean) => void; onOpen: (entry: TraceEntry) => void;
}): JSX.Element {
  const ready = run.traces.filter((entry) => entry.state === 'ready').map((entry) => entry.trace);
  const all = ready.length > 0 && ready.every((trace) => chosen.includes(trace));
  return (
    <section class="card run">
      <header>
        <h2><label><input type="checkbox" checked={all} disabled={ready.length === 0} aria-label={`All traces of ${run.name}`}
                          onChange={(event) => onToggle(ready, event.currentTarget.checked)} /> {run.name}</label></h2>
        <span class="muted">{run.traces.length} {run.traces.length === 1 ? 'trace' : 'traces'}</span>
      </header>
      {run.recorded && <div class="run-recorded"><RecordedHead recorded={run.recorded} /><RecordedNotes recorded={run.recorded} /></div>}
      <ul class="entries">
        {run.traces.map((entry) => (
          <li key={entry.trace} class={`entry ${entry.state}`}>
            <input type="checkbox" aria-label={`Choose ${entry.worker}`} disabled={entry.state !== 'ready'} checked={chosen.includes(entry.trace)}
                   onChange={(event) => onToggle([entry.trace], event.currentTarget.checked)} />
            <Entry entry={entry} onOpen={() => onOpen(entry)} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function FileList({ title, opens, files, onOpen }: { title: string; opens: string; files: readonly KernelFile[]; onOpen: (file: string) => void }): JSX.Element {
  return (
    <section class="card run files">
      <header><h2>{title}</h2><span class="muted">{files.length} {files.length === 1 ? 'file' : 'files'}</span></header>
      <ul class="entries">
        {files.map((one) => (
          <li key={one.file} class="entry">
            <button type="button" class="entry-body" onClick={() => onOpen(one.file)}>
              <span class="worker" title={one.file}>{one.file}</span><span class="muted">{opens}</span><span class="number muted">{bytesText(one.file_bytes)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Entry({ entry, onOpen }: { entry: TraceEntry; onOpen: () => void }): JSX.Element {
  const name = (
    <span class="worker">{entry.rank !== null && <span class="muted">rank {entry.rank} · </span>}{entry.worker}
      {entry.span !== 'default' && <span class="muted"> span {entry.span}</span>}</span>
  );
  if (entry.state === 'failed') {
    return (
      <div class="entry-body">
        {name}
        <span class="problem"><b>cannot be read</b>: {entry.error?.what ?? 'no reason was given'}
          {entry.error?.hint ? <span class="muted"> · {entry.error.hint}</span> : null}</span>
        <span class="number">{bytesText(entry.file_bytes)}</span>
      </div>
    );
  }
  if (entry.state !== 'ready') {
    return (
      <div class="entry-body">
        {name}
        <span class="progress">{entry.state === 'queued' ? <span class="muted">waits for its turn</span>
          : <><progress value={entry.progress} max={1} aria-label={`Loading ${entry.worker}`} /> <span class="muted number">{Math.round(entry.progress * 100)} %</span></>}</span>
        <span class="number">{bytesText(entry.file_bytes)}</span>
      </div>
    );
  }
  const isSnapshot = entry.kind === 'snapshot';
  return (
    <button type="button" class="entry-body" onClick={onOpen}>
      {name}
      <span class="muted">{[isSnapshot ? 'opens in Memory' : entry.device, entry.dialect].filter(Boolean).join(' · ')}
        {entry.import_warning && <span class="warning" title={entry.import_warning}> · {entry.import_warning}</span>}</span>
      <span class="number">{!isSnapshot && <>{countText(entry.slices ?? 0)} <span class="muted">slices</span></>}</span>
      <span class="number">{!isSnapshot && durationText(entry.span_ns ?? 0)}</span>
      <span class="number muted">{bytesText(entry.file_bytes)}</span>
    </button>
  );
}

function EmptyFolder({ runs }: { runs: RunsAnswer }): JSX.Element {
  return (
    <Empty title={`There are no traces in ${runs.folder}`}>
      <p>Put traces (<code>.json</code>, <code>.json.gz</code>, <code>.json.zst</code>, and others that <code>strobe summary</code> reads) there, or in folders below it: every folder is a
        run, every file one of its workers. They appear here by themselves. <code>strobe record -o DIR -- PROGRAM</code> records a
        run into a folder, and this page follows it. Lists of kernels with counters (<code>.csv</code>,
        <code>.ncu-rep</code>, <code>.txt</code>) and what <code>strobe bench</code> writes are shown too.</p>
    </Empty>
  );
}
