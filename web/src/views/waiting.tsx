import type { ComponentChildren, JSX } from 'preact';

import type { Row } from '../api/types.ts';
import { type Stretch, kLongestKeys, stretchOf, withIdleWords } from '../model/waiting.ts';
import { chosenEntries, traceOfRank } from '../model/ranks.ts';
import { atScreen } from '../model/route.ts';
import { stretchText } from '../model/stretch.ts';
import { durationText } from '../model/units.ts';
import { useObservable, useRoute, useSession } from '../widgets/hooks.ts';
import type { Screen } from './screen.ts';
import { type TableSpec, SummaryTables } from './summary_tables.tsx';

// Who waits for whom: what the host did while the device was idle, what it called, and how long launched work waited.

const kSpecs: readonly TableSpec[] = [
  { key: 'idle', tab: 'Idle causes', name: 'name', change: withIdleWords,
    lead: (device) => `What the host did while no ${device} worked. Each nanosecond counts once, by what the thread that launched the next work was doing; a gap is one pause between two pieces of work.`,
    columns: ['label', 'word', 'inside', 'gaps', 'idle_total_ns', 'idle_share', 'in_steps_ns', 'idle_max_ns', 'longest_rank', 'source'] },
  { key: 'runtime_calls', tab: 'Runtime calls', name: 'call',
    lead: (device) => `Calls of the host into the runtime and the driver. "${device} idle" is the part of their time in which no ${device} worked. Per call is the average; where first calls are slow, the median tells what the others take.`,
    columns: ['call', 'calls', 'host_total_ns', 'host_share', 'in_steps_ns', 'device_idle_ns', 'host_per_call_ns', 'host_median_ns', 'host_max_ns', 'longest_rank', 'longest_inside',
              'longest_source'] },
  { key: 'streams', tab: 'Streams', isSequence: true,
    lead: (device) => `The delay is the time from the end of the launching call to the start of the work; the queue is what was launched and had not started. If both are near zero, the ${device} waits for the host; if they are large, the host is ahead.`,
    columns: ['rank', 'device', 'stream', 'works', 'busy_ns', 'busy_share', 'median_delay_ns', 'p90_delay_ns', 'max_delay_ns', 'longest_queue', 'mean_queue', 'steady_mean_queue'] },
];

function useOpenStretch(): ((stretch: Stretch) => (() => void) | null) {
  const session = useSession();
  const route = useRoute();
  const runs = useObservable(session.runs);
  return ({ rank, start_ns, length_ns }) => {
    if (session.report !== null || runs.is !== 'ready') return null;
    const shown = traceOfRank(chosenEntries(runs.value, route), rank);
    if (shown === null) return null;
    return () => session.go(atScreen(route, 'timeline', { shown, select: stretchText(start_ns, length_ns) }));
  };
}

function Waiting(): JSX.Element {
  const openStretch = useOpenStretch();
  const longest = (row: Row, text: string): ComponentChildren => {
    const stretch = stretchOf(row);
    const open = stretch && openStretch(stretch);
    if (!open) return undefined;
    return (
      <button type="button" class="link" title={`${durationText(stretch.length_ns)}: show it in the timeline`} onClick={(event) => {
        event.stopPropagation();
        open();
      }}>{text}</button>
    );
  };
  const draw = Object.fromEntries(kLongestKeys.map((key) => [key, longest]));
  return (
    <SummaryTables specs={kSpecs.map((spec) => ({ ...spec, draw }))} empty={{
      title: 'Nothing is known about waiting here',
      advice: <p>Record the device and the runtime calls of the host together
        (<code>activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]</code>), and this shows what the host did while the device was idle.</p>,
    }} />
  );
}

export const waiting: Screen = {
  id: 'waiting', title: 'Waiting', shows: 'summary', key: 'i', component: Waiting,
  icon: 'M6 3h8M6 17h8M7 3c0 4 6 4 6 7s-6 3-6 7M13 3c0 4-6 4-6 7s6 3 6 7',
};
