import type { ComponentChildren, JSX } from 'preact';

import type { Row } from '../api/types.ts';
import { kWarmUpWords, withWarmUpWords } from '../model/breakdown.ts';
import type { Screen } from './screen.ts';
import { type TableSpec, SummaryTables } from './summary_tables.tsx';

function warmUpWord(row: Row, text: string): ComponentChildren {
  return row['state'] === null ? '' : <span class="warm-up-word" title={kWarmUpWords}>{text}</span>;
}

const kSpecs: readonly TableSpec[] = [
  { key: 'phases', tab: 'Model phases', isSequence: true },
  { key: 'user_ranges', tab: 'User ranges', name: 'range' },
  { key: 'memory_ranges', tab: 'Copies and memsets', name: 'range' },
  { key: 'steps', tab: 'Steps', name: 'step', isSequence: true, change: withWarmUpWords, draw: { state: warmUpWord },
    columns: ['rank', 'step', 'start_ns', 'duration_ns', 'state', 'kernel_ns', 'communication_ns', 'memcpy_ns', 'memset_ns', 'runtime_ns',
              'data_loading_ns', 'host_ns', 'idle_ns'] },
  { key: 'threads', tab: 'Host threads', isSequence: true, columns: ['rank', 'name', 'process', 'thread', 'ranges', 'busy_ns', 'busy_share'] },
  { key: 'kinds', tab: 'Kinds of slices', isSequence: true },
  { key: 'import', tab: 'Import report' },
];

function Ranges(): JSX.Element {
  return (
    <SummaryTables specs={kSpecs} empty={{
      title: 'This trace has no ranges',
      advice: <p>Mark parts of the script with <code>torch.profiler.record_function("name")</code> or
        {' '}<code>paddle.profiler.RecordEvent("name")</code>, and steps with <code>profiler.step()</code>.</p>,
    }} />
  );
}

export const ranges: Screen = {
  id: 'ranges', title: 'Ranges', shows: 'summary', component: Ranges,
  icon: 'M3 5v10M17 5v10M3 10h14M6 7l-3 3 3 3M14 7l3 3-3 3',
};
