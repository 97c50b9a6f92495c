import type { JSX } from 'preact';

import type { Screen } from './screen.ts';
import { type TableSpec, SummaryTables } from './summary_tables.tsx';

const kSpecs: readonly TableSpec[] = [{
  key: 'kernels', tab: 'Kernels', name: 'kernel',
  columns: ['kernel', 'calls', 'device_total_ns', 'device_share', 'device_per_call_ns', 'steady_per_call_ns', 'device_max_ns', 'device_min_ns',
            'top_operator', 'outer_operator', 'role'],
}];

function Kernels(): JSX.Element {
  return (
    <SummaryTables specs={kSpecs} empty={{
      title: 'This trace has no kernels',
      advice: <p>Nothing ran on a device while it was recorded, or the device was not watched. Record with the device
        activity switched on (<code>activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]</code>).</p>,
    }} />
  );
}

export const kernels: Screen = {
  id: 'kernels', title: 'Kernels', shows: 'summary', component: Kernels,
  icon: 'M6 6h8v8H6zM8 3v3M12 3v3M8 14v3M12 14v3M3 8h3M3 12h3M14 8h3M14 12h3',
};
