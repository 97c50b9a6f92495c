import type { ComponentChildren, JSX } from 'preact';

import type { Row, Summary } from '../api/types.ts';
import { deviceWord, shortName } from '../model/names.ts';
import { countText, durationText } from '../model/units.ts';
import type { Screen } from './screen.ts';
import { type TableSpec, SummaryTables } from './summary_tables.tsx';

function workBelow(row: Row, summary: Summary): ComponentChildren {
  const work = summary.tables['operator_work']?.rows
    .filter((one) => one['operator'] === row['operator'] && one['thread'] === row['thread']) ?? [];
  if (work.length === 0) return null;
  return (
    <>
      <h3>Below this operator</h3>
      <table class="small">
        <thead><tr><th scope="col">What</th><th scope="col" class="number">Calls</th><th scope="col" class="number">Host</th><th scope="col" class="number">{deviceWord(summary)}</th></tr></thead>
        <tbody>
          {work.map((one, i) => {
            const name = String(one['device_work'] ?? one['phase'] ?? '');
            return (
              <tr key={i}>
                <td class={one['device_work'] === null ? '' : 'indent'} title={name}>{shortName(name)}</td>
                <td class="number">{countText(Number(one['calls'] ?? 0))}</td>
                <td class="number">{one['host_total_ns'] === null ? '–' : durationText(Number(one['host_total_ns']))}</td>
                <td class="number">{one['device_total_ns'] === null ? '–' : durationText(Number(one['device_total_ns']))}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </>
  );
}

const kSpecs: readonly TableSpec[] = [{
  key: 'operators', tab: 'Operators', name: 'operator', more: workBelow,
  columns: ['operator', 'thread', 'calls', 'host_total_ns', 'host_self_ns', 'host_self_share', 'host_per_call_ns', 'steady_per_call_ns',
            'device_total_ns', 'device_share', 'device_per_call_ns', 'flops'],
}];

function Operators(): JSX.Element {
  return (
    <SummaryTables specs={kSpecs} empty={{
      title: 'This trace has no operators',
      advice: <p>Operators are recorded by the framework on the host. Record with the CPU activity switched on
        (<code>activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]</code>).</p>,
    }} />
  );
}

export const operators: Screen = {
  id: 'operators', title: 'Operators', shows: 'summary', component: Operators,
  icon: 'M3 5h14M3 10h9M3 15h5',
};
