import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';

import type { KernelStudy } from '../api/types.ts';
import { ApiError } from '../api/client.ts';
import { type KernelSource, kernelSources, likelySource, sourceLabel } from '../model/kernel_sources.ts';
import { kernelsInSight, parseFamilies, toggledFamily } from '../model/roofline.ts';
import { withParameters } from '../model/route.ts';
import { findTrace } from '../model/session.ts';
import { countText, durationText, shareText } from '../model/units.ts';
import { FilterBox } from '../widgets/data_table.tsx';
import { AdviceCard, DoubtsCard, FusionCard, LayersCard } from '../widgets/fusion_list.tsx';
import { useAnswer, useObservable, useRoute, useSession } from '../widgets/hooks.ts';
import { KernelList } from '../widgets/kernel_list.tsx';
import { FamilySwatch } from '../widgets/kernel_mark.tsx';
import { CopyButton, Empty, Facts, Failure, Picker, Waiting } from '../widgets/pieces.tsx';
import { RooflinePlot } from '../widgets/roofline_plot.tsx';
import type { Screen } from './screen.ts';

// Kernels compared with the limits of the chip: what limits each, and how much could be gained.

function Roofline(): JSX.Element {
  const session = useSession();
  const route = useRoute();
  const runs = useObservable(session.runs);
  const sources = useMemo(() => (runs.is === 'ready' ? kernelSources(runs.value) : []), [runs]);
  const wanted = route.parameters['file'];
  const source = likelySource(sources, wanted, route.traces[0]);
  // The address always contains what is shown.
  useEffect(() => {
    if (source && wanted === undefined) session.amend(withParameters(route, { file: source.name }));
  }, [source?.name, route]);
  if (runs.is !== 'ready') return <Waiting what="loading the list of runs" />;
  if (sources.length === 0) return <NothingThere />;
  const pick = (file: string): void => session.go({ ...route, parameters: { file } });
  return (
    <div class="page roofline">
      {source
        ? <StudyOf key={`${source.name}\n${route.parameters['chip'] ?? ''}`} source={source} sources={sources} onPick={pick} />
        : <><Pickers study={null} source={null} sources={sources} onPick={pick} />
            <Failure title="This file is not here" error={new ApiError({ code: 'not_found', what: `nothing with kernels is called '${wanted}'`, hint: 'it may have been moved or deleted; choose another above' })} /></>}
    </div>
  );
}

function Pickers({ study, source, sources, onPick }: { study: KernelStudy | null; source: KernelSource | null; sources: readonly KernelSource[]; onPick: (file: string) => void }): JSX.Element {
  const session = useSession();
  const route = useRoute();
  const options = (isTrace: boolean): JSX.Element[] => sources.filter((one) => one.isTrace === isTrace).map((one) => <option key={one.name} value={one.name}>{one.label}</option>);
  const [files, traces] = [options(false), options(true)];
  const chip = route.parameters['chip'] ?? '';
  return (
    <div class="pickers">
      <Picker label="Kernels of" value={source?.name ?? ''} onPick={onPick}>
        {source === null && <option value="">choose…</option>}
        {files.length > 0 && <optgroup label="Kernels with counters">{files}</optgroup>}
        {traces.length > 0 && <optgroup label="Traces: times only">{traces}</optgroup>}
      </Picker>
      <Picker label="Roofs of" value={chip} isDisabled={study === null} title={study?.chip?.source} class="chip"
              onPick={(name) => session.go(withParameters(route, { chip: name, window: undefined }))}>
        <option value="">{chip !== '' ? 'as the file says' : study?.chip ? `${study.chip.name}, as the file says` : 'no chip named'}</option>
        {study?.chips.map((one) => <option key={one} value={one}>{one}</option>)}
        {chip !== '' && !study?.chips.includes(chip) && <option value={chip}>{chip}</option>}
      </Picker>
      {study && <Totals study={study} />}
    </div>
  );
}

function Totals({ study }: { study: KernelStudy }): JSX.Element {
  const { totals } = study;
  const shareOf = (value: number | null, whole: string): ComponentChildren => (value === null ? '–' : <>{shareText(value)}<small>of {whole}</small></>);
  const headroom = totals.achievable_headroom_ns;
  return (
    <Facts facts={[
      ['Kernels', <>{durationText(totals.latency_ns)}<small>{countText(totals.launches)} launches</small></>],
      ['Tensor', shareOf(totals.tensor_share, 'the cycles')], ['DRAM', shareOf(totals.dram_share, 'its peak')],
      ['Headroom', headroom === null ? '–' : <>{durationText(headroom)}<small>{shareText(headroom / Math.max(1, totals.latency_ns))} of the time</small></>],
    ]} />
  );
}

function StudyOf({ source, sources, onPick }: { source: KernelSource; sources: readonly KernelSource[]; onPick: (file: string) => void }): JSX.Element {
  const session = useSession();
  const route = useRoute();
  const runs = useObservable(session.runs);
  const { chip } = route.parameters;
  const loading = source.isTrace && runs.is === 'ready' ? findTrace(runs.value, source.name)?.entry : undefined;
  const bytes = runs.is === 'ready' ? runs.value.kernel_files.find((one) => one.file === source.name)?.file_bytes ?? loading?.file_bytes : undefined;
  const answer = useAnswer(`kernels ${source.name} ${bytes ?? ''} ${chip ?? ''}`, () => session.client.kernels({ [source.isTrace ? 'trace' : 'file']: source.name, chip }));
  if (answer.is === 'ready') {
    return <><Pickers study={answer.value} source={source} sources={sources} onPick={onPick} /><Studied study={answer.value} source={source} /></>;
  }
  return (
    <>
      <Pickers study={null} source={source} sources={sources} onPick={onPick} />
      {answer.is === 'failed' ? <Failure error={answer.error} title="These kernels cannot be shown" />
        : <Waiting what={loading && loading.state !== 'ready' ? `loading ${loading.worker}` : 'reading the kernels'} />}
    </>
  );
}

function Studied({ study, source }: { study: KernelStudy; source: KernelSource }): JSX.Element {
  const session = useSession();
  const route = useRoute();
  const { parameters } = route;
  const filter = parameters['filter'] ?? '';
  const families = useMemo(() => parseFamilies(parameters['family']), [parameters['family']]);
  const { kernels: inSight, problem } = useMemo(() => kernelsInSight(study, filter, families), [study, filter, families]);
  const set = (changes: Record<string, string | undefined>): void => session.amend(withParameters(session.route.value, changes));
  const index = study.kernels.findIndex((one) => one.name === parameters['kernel']);
  const chosen = index < 0 ? null : index;
  const choose = (kernel: number | null): void => set({ kernel: kernel === null ? undefined : study.kernels[kernel].name });
  const hasCounters = study.totals.tensor_share !== null || study.totals.dram_share !== null;
  const openInTimeline = source.isTrace
    ? (row: Record<string, unknown>): void => session.go({ screen: 'timeline', traces: [source.name], parameters: { q: `=${String(row['full_name'])}`, jump: 'longest' } }) : undefined;
  return (
    <>
      <div class="sieve">
        <FilterBox value={filter} problem={problem} onValue={(value) => set({ filter: value })} />
        <ul class="chips" aria-label="Families">
          {study.families.map((one) => (
            <li key={one.name}><button type="button" class="chip-button" aria-pressed={families.includes(one.name)} title={`${countText(one.launches)} launches, ${durationText(one.latency_ns)}`}
              onClick={() => set({ family: toggledFamily(families, one.name).join(',') })}>
              <FamilySwatch family={one.name} /> {one.name} <span class="muted number">{shareText(one.share)}</span></button></li>
          ))}
        </ul>
        {families.length > 0 && <button type="button" class="link" onClick={() => set({ family: undefined })}>all families</button>}
      </div>
      {hasCounters
        ? <RooflinePlot study={study} inSight={inSight} chosen={chosen} onChoose={choose} parameters={parameters} onParameters={set} />
        : <NoCounters isTrace={source.isTrace} />}
      <KernelList study={study} inSight={inSight} state={{ sort: parameters['sort'] }} onState={(state) => set({ sort: state.sort })} chosen={chosen} onChoose={choose} onOpen={openInTimeline} />
      <AdviceCard study={study} />
      <FusionCard study={study} />
      <div class="two">
        {study.layers && <LayersCard layers={study.layers} />}
        <DoubtsCard study={study} />
      </div>
    </>
  );
}

const kMetrics = [
  'gpu__time_duration.sum', 'sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed', 'gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed',
  'dram__bytes_read.sum', 'dram__bytes_write.sum', 'lts__t_bytes.sum', 'sm__cycles_elapsed.avg.per_second',
].join(',');
const kNsight = `ncu --clock-control none --cache-control none --target-processes all --csv --page raw --metrics ${kMetrics} COMMAND > kernels.csv`;
const kRecord = 'strobe kernels record -- COMMAND';

function NoCounters({ isTrace }: { isTrace: boolean }): JSX.Element {
  return (
    <section class="card no-counters" aria-label="No counters">
      <h2>{isTrace ? 'A trace has the times of kernels, not their counters' : 'This file has times, but no counters'}</h2>
      <p>What limits a kernel is in the hardware's counters: how busy the matrix pipe was, how many bytes went to DRAM. Run the same work once
        more under one of these, with its output in the served folder; the file then appears in the list above.</p>
      {[kRecord, kNsight].map((command) => <div key={command} class="command"><code>{command}</code><CopyButton label="Copy" text={() => command} /></div>)}
    </section>
  );
}

function NothingThere(): JSX.Element {
  return (
    <Empty title="There are no kernels here">
      <p>Put a list of kernels with counters into the served folder: the CSV or <code>.ncu-rep</code> of Nsight Compute, or what <code>strobe kernels
        record</code> writes. Traces with kernels are listed too.</p>
    </Empty>
  );
}

export const roofline: Screen = {
  id: 'roofline', title: 'Roofline', shows: 'runs', key: 'k', component: Roofline,
  subject: (route) => sourceLabel(route.parameters['file'] ?? ''),
  icon: 'M3 17V3M3 17h14M4.5 14.5L10 7h7M9 12.5h.01M13 10.5h.01M14.5 14h.01',
};
