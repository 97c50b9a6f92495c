import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';

import type { BenchAlert, BenchGrids, BenchRun, BenchTable } from '../api/bench_types.ts';
import { ApiError, type BenchQuestion } from '../api/client.ts';
import { type TableWord, benchLabel, casesOf, gridQuestion, headlineOf, legendOf, likelyFile, metricText, runQuestion, sectionOf, tableCsv, tableOf, valueText, wordChoices } from '../model/bench.ts';
import { atScreen, withParameters } from '../model/route.ts';
import { countText } from '../model/units.ts';
import { BenchDetailsView, modeWord } from '../widgets/bench_details.tsx';
import { BenchHeaderLine, IdentityLines } from '../widgets/bench_header.tsx';
import { BenchPlot } from '../widgets/bench_plot.tsx';
import { HeatMap } from '../widgets/heat_map.tsx';
import { useAnswer, useKeys, useObservable, useRoute, useSession } from '../widgets/hooks.ts';
import { CopyButton, Empty, Failure, Picker, Waiting } from '../widgets/pieces.tsx';
import type { Screen } from './screen.ts';

// Fused, unfused and today's stacks compared over grids of shapes.

type Changes = Record<string, string | undefined>;

function Bench(): JSX.Element {
  const session = useSession();
  const route = useRoute();
  const runs = useObservable(session.runs);
  if (runs.is !== 'ready') return <Waiting what="loading the list of runs" />;
  const files = runs.value.bench_files;
  const wanted = route.parameters['file'];
  const file = likelyFile(files, wanted);
  if (files.length === 0) return <NothingThere />;
  if (!file) {
    return <Failure title="This benchmark is not here" error={new ApiError({ code: 'not_found', what: `no benchmark is called '${wanted ?? ''}'`, hint: 'it may have been moved or deleted; press R to see what there is' })} />;
  }
  return <Contents key={`${file.file} ${file.modified_ms}`} file={file.file} files={files.map((one) => one.file)} />;
}

function Contents({ file, files }: { file: string; files: readonly string[] }): JSX.Element {
  const session = useSession();
  const answer = useAnswer(`bench ${file}`, () => session.client.bench(file));
  const pick = <ChoicePicker label="Benchmark" value={file} choices={files} onPick={(name) => session.go({ ...atScreen(session.route.value, 'bench'), parameters: { file: name } })} />;
  if (answer.is === 'loading') return <div class="page bench"><div class="pickers">{pick}</div><Waiting what="reading the benchmark" /></div>;
  if (answer.is === 'failed') return <div class="page bench"><div class="pickers">{pick}</div><Failure error={answer.error} title="This benchmark cannot be read" /></div>;
  return answer.value.kind === 'run' ? <RunBench run={answer.value} pick={pick} /> : <GridBench grids={answer.value} pick={pick} />;
}

// The address always contains what is shown.
function useAddress(question: BenchQuestion | null): void {
  const session = useSession();
  const words = JSON.stringify(question);
  useEffect(() => {
    if (!question) return;
    const { route } = session;
    const next = withParameters(route.value, question as unknown as Changes);
    if (Object.entries(next.parameters).some(([key, value]) => route.value.parameters[key] !== value)) session.amend(next);
  }, [words]);
}

function RunBench({ run, pick }: { run: BenchRun; pick: JSX.Element }): JSX.Element {
  const session = useSession();
  const { parameters } = useRoute();
  const question = useMemo(() => runQuestion(run, parameters), [run, parameters]);
  useAddress(question);
  const section = sectionOf(run, parameters);
  if (!question || !section) return <div class="page bench"><div class="pickers">{pick}</div><Empty title="There are no cells in it"><p>The run ended before its first cell.</p></Empty></div>;
  const providers = section.providers.map((one) => one.name);
  const dtypes = run.sections.filter((one) => one.case === section.case).map((one) => one.dtype);
  const set = (changes: Changes): void => session.go(withParameters(session.route.value, { ...changes, window: undefined }));
  const swap = (): void => set({ baseline: question.contender, contender: question.baseline });
  return (
    <Shown question={question} isRun alerts={[]}
           onCase={(one) => set({ case: one, cell: undefined, dtype: undefined, time: undefined, axes: undefined })} cases={casesOf(run.sections)}
           above={<>
             <div class="pickers">
               {pick}
               {dtypes.length > 1 && <ChoicePicker label="Type" value={section.dtype} choices={dtypes} onPick={(one) => set({ dtype: one })} isSmall />}
               <ChoicePicker label="Baseline" value={question.baseline} choices={providers} onPick={(one) => set(one === question.contender ? { baseline: one, contender: question.baseline } : { baseline: one })} />
               <button type="button" class="quiet" title="Swap the sides" aria-label="Swap the sides" onClick={swap}>⇄</button>
               <ChoicePicker label="Contender" value={question.contender} choices={providers} onPick={(one) => set(one === question.baseline ? { contender: one, baseline: question.contender } : { contender: one })} />
               {section.times.length > 1 && <ChoicePicker label="Time" value={question.time ?? headlineOf(section.times)} choices={section.times} text={modeWord} onPick={(one) => set({ time: one === headlineOf(section.times) ? undefined : one })} isSmall />}
             </div>
             <BenchHeaderLine run={run} />
           </>} />
  );
}

function GridBench({ grids, pick }: { grids: BenchGrids; pick: JSX.Element }): JSX.Element {
  const session = useSession();
  const { parameters } = useRoute();
  const question = useMemo(() => gridQuestion(grids, parameters), [grids, parameters]);
  useAddress(question);
  const table = tableOf(grids, parameters);
  if (!question || !table) return <div class="page bench"><div class="pickers">{pick}</div><Empty title="There are no tables in it"><p>No row of it could be used.</p></Empty></div>;
  const set = (changes: Changes): void => session.go(withParameters(session.route.value, { cell: undefined, ...changes }));
  const picker = (word: TableWord, label: string): JSX.Element | null => {
    const choices = wordChoices(grids, table, word);
    return choices.length > 1 ? <ChoicePicker label={label} value={table[word]} choices={choices} onPick={(one) => set({ [word]: one })} isSmall={word !== 'version'} /> : null;
  };
  return (
    <Shown question={question} isRun={false} alerts={grids.alerts} onCase={(one) => set({ case: one })} cases={wordChoices(grids, table, 'case')}
           above={<>
             <div class="pickers">{pick}{picker('version', 'Version')}{picker('device', 'Device')}{picker('baseline', 'Baseline')}{picker('contender', 'Contender')}{picker('metric', 'Metric')}</div>
             <IdentityLines grids={grids} />
           </>} />
  );
}

function ChoicePicker({ label, value, choices, text = (one) => one, onPick, isSmall = false }: {
  label: string; value: string; choices: readonly string[]; text?: (choice: string) => string; onPick: (choice: string) => void; isSmall?: boolean;
}): JSX.Element {
  return (
    <Picker label={label} value={value} onPick={onPick} class={isSmall ? 'short' : ''}>
      {choices.map((one) => <option key={one} value={one}>{text(one) || '–'}</option>)}
    </Picker>
  );
}

function Shown({ question, isRun, alerts, above, cases, onCase }: {
  question: BenchQuestion; isRun: boolean; alerts: readonly BenchAlert[]; above: JSX.Element; cases: readonly string[]; onCase: (name: string) => void;
}): JSX.Element {
  const session = useSession();
  const route = useRoute();
  const main = useRef<HTMLDivElement>(null);
  const answer = useAnswer(`bench table ${JSON.stringify(question)}`, () => session.client.benchTable(question));
  const chosen = route.parameters['cell'];
  const isOpen = isRun && chosen !== undefined;
  const amend = (changes: Changes): void => session.amend(withParameters(session.route.value, changes));
  useKeys((event) => {
    if (event.key !== 'Escape' || chosen === undefined) return false;
    amend({ cell: undefined });
    return true;
  });
  const table = answer.is === 'ready' ? answer.value : null;
  return (
    <div class="with-panel bench">
      <div class="main-column bench-column" ref={main}>
        <div class="page">
          {above}
          <nav class="tabs" aria-label="Cases">{cases.map((one) => <button key={one} type="button" aria-current={one === question.case ? 'true' : undefined} onClick={() => onCase(one)}>{one}</button>)}</nav>
          {answer.is === 'failed' && <Failure error={answer.error} />}
          {answer.is === 'loading' && <Waiting what="comparing" />}
          {table && <TableCard table={table} alerts={[...table.alerts, ...alerts]} chosen={chosen} isOpen={isOpen} onOpen={(shape) => amend({ cell: shape })} onClose={() => amend({ cell: undefined })} />}
          {table && isRun && <Points key={`${question.case} ${question.dtype} ${question.time}`} question={question} chosen={chosen} onChoose={(shape) => amend({ cell: shape ?? undefined })} onParameters={amend} />}
        </div>
      </div>
      {isOpen && table && <Details key={`${JSON.stringify(question)} ${chosen}`} question={question} shape={chosen} onClose={() => amend({ cell: undefined })} />}
    </div>
  );
}

function TableCard({ table, alerts, chosen, isOpen, onOpen, onClose }: {
  table: BenchTable; alerts: readonly BenchAlert[]; chosen: string | undefined; isOpen: boolean; onOpen: (shape: string) => void; onClose: () => void;
}): JSX.Element {
  const legend = legendOf(table);
  return (
    <>
      {alerts.length > 0 && (
        <section class="card bench-alerts" aria-label="Before reading the table"><ul class="findings">
          {alerts.map((alert) => (
            <li key={alert.headline} class={alert.weight}><span class="weight">{alert.weight === 'matters' ? 'matters' : 'worth a look'}</span><span class="headline">{alert.headline}.</span>
              {' '}<span class="advice">{sentence(alert.advice)}</span></li>
          ))}
        </ul></section>
      )}
      <section class="card heat-card" aria-label="Table">
        <header>
          <h2>{table.baseline === '' ? table.contender : `${table.contender} against ${table.baseline}`}</h2>
          <span class="grow" />
          {table.mean && <span class="mean">geometric mean <b class="number">{valueText(table.mean.value, table.metric)}</b> of {countText(table.mean.cells)} cells</span>}
          <CopyButton label="Copy as CSV" text={() => tableCsv(table)} />
        </header>
        <p class="muted definition">{table.definition !== null && <><code>{table.definition}</code>{' · '}</>}{metricText(table.metric)}</p>
        <HeatMap table={table} chosen={chosen} isOpen={isOpen} onOpen={onOpen} onClose={onClose} />
        <ul class="heat-legend">
          {table.metric !== 'gbps' && <li><span class="heat-key slower">slower</span><span class="heat-key even">100 %</span><span class="heat-key faster">faster</span></li>}
          {legend.map((entry) => <li key={entry.text}>{entry.sign === 'struck out' ? <s>123 %</s> : <b>{entry.sign}</b>} {entry.text}</li>)}
        </ul>
      </section>
    </>
  );
}

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;

function Points({ question, chosen, onChoose, onParameters }: { question: BenchQuestion; chosen: string | undefined; onChoose: (shape: string | null) => void; onParameters: (changes: Changes) => void }): JSX.Element | null {
  const session = useSession();
  const { parameters } = useRoute();
  const { file, case: caseId, dtype, time } = question;
  const answer = useAnswer(`bench points ${JSON.stringify([file, caseId, dtype, time])}`, () => session.client.benchPoints({ file, case: caseId, dtype, time }));
  return answer.is === 'ready' && answer.value.points.length > 0
    ? <BenchPlot points={answer.value} chosen={chosen} contender={question.contender} onChoose={onChoose} parameters={parameters} onParameters={onParameters} /> : null;
}

function Details({ question, shape, onClose }: { question: BenchQuestion; shape: string; onClose: () => void }): JSX.Element {
  const session = useSession();
  const answer = useAnswer(`bench cell ${JSON.stringify(question)} ${shape}`, () => session.client.benchCell({ ...question, shape }));
  if (answer.is === 'ready') return <BenchDetailsView details={answer.value} onClose={onClose} />;
  return <aside class="panel bench-details" aria-label="Details">{answer.is === 'failed' ? <Failure error={answer.error} /> : <Waiting what="reading the cell" />}</aside>;
}

function NothingThere(): JSX.Element {
  return (
    <Empty title="There are no benchmarks here">
      <p>Put what <code>strobe bench run -o run.json</code> writes into the served folder, or tables of ratios as CSV
        (<code>version, device, case, baseline, contender, metric, dim0, dim1, value, status</code>): they appear here by themselves.</p>
    </Empty>
  );
}

export const bench: Screen = {
  id: 'bench', title: 'Bench', shows: 'runs', key: 'b', component: Bench,
  subject: ({ parameters }) => [parameters['case'], benchLabel(parameters['file'] ?? '')].filter(Boolean).join(', '),
  icon: 'M3 3h4v4H3zM8.5 3h4v4h-4zM14 3h3v4h-3zM3 8.5h4v4H3zM8.5 8.5h4v4h-4zM14 8.5h3v4h-3zM3 14h4v3H3zM8.5 14h4v3h-4zM14 14h3v3h-3z',
};
