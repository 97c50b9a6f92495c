import type { ComponentChildren, JSX } from 'preact';
import { useMemo } from 'preact/hooks';

import type { JobDocument } from '../api/job_types.ts';
import type { Row, Table } from '../api/types.ts';
import type { Job } from '../model/job.ts';
import { numberAt } from '../model/table.ts';
import { bytesText, countText } from '../model/units.ts';
import { DataTable, type TableState } from './data_table.tsx';

// The tables of a job: ranks, collectives, clocks, and what does not match.

type Draw = Readonly<Record<string, (row: Row, text: string) => ComponentChildren>>;

interface Spec {
  key: string; // in the tables of the document
  tab: string;
  lead: string;
  name: (row: Row) => string; // tells rows apart
  columns?: readonly string[];
  headers: Readonly<Record<string, string>>;
  sameUnit?: readonly string[];
  draw?: Draw;
}

const kPartsOfStep = ['step_ns', 'own_ns', 'compute_ns', 'copy_ns', 'input_ns', 'host_ns', 'wait_ns', 'transfer_ns'];

const kSpecs: readonly Spec[] = [
  { key: 'ranks', tab: 'Ranks', name: (row) => String(row['rank']), sameUnit: kPartsOfStep,
    lead: 'Means over the common steps; own work, waiting and transfer are the step. Transfer is what no work of the rank hides. Caused: what all others wait in a step while this rank is the last.',
    columns: ['rank', 'host', 'stage', 'step_ns', 'own_ns', 'compute_ns', 'copy_ns', 'input_ns', 'host_ns', 'wait_ns', 'transfer_ns', 'lateness_ns', 'last', 'caused_wait_ns'],
    headers: { step_ns: 'Step', own_ns: 'Own work', compute_ns: 'Computes', copy_ns: 'Copies', input_ns: 'Input', host_ns: 'Host', wait_ns: 'Waits', transfer_ns: 'Transfers',
               lateness_ns: 'Late by', last: 'Last in', caused_wait_ns: 'Caused wait' },
    draw: { rank: (row) => row['rank'], last: (row) => `${countText(numberAt(row, 'last', 0))} of ${countText(numberAt(row, 'collectives', 0))}` } },
  { key: 'collectives', tab: 'Collectives', name: (row) => [row['kind'], row['bytes'], row['group'], row['runs_on']].join(' '),
    lead: 'By kind and size. Waiting and transfer are those of all ranks together; the bus bandwidth is that of the median transfer.',
    headers: { wait_ns: 'Waiting', transfer_ns: 'Transfer', median_transfer_ns: 'Median transfer', longest_transfer_ns: 'Longest', bus_bytes_per_s: 'Bus bandwidth', runs_on: 'On' },
    draw: { bus_bytes_per_s: (row) => (row['bus_bytes_per_s'] ? `${bytesText(numberAt(row, 'bus_bytes_per_s', 0))}/s` : '–') } },
  { key: 'clocks', tab: 'Clocks', name: (row) => `${row['host']} ${row['ranks']}`,
    lead: 'How far the clock of a host, or of a rank whose host is not known, is ahead of the first one of its island, with the 95 % interval. Exchanges tie the clocks of an island together.',
    headers: { offset_ns: 'Ahead by', uncertainty_ns: '±', drift_ppm: 'Drift' },
    draw: { drift_ppm: (row) => driftText(numberAt(row, 'drift_ppm', null)) } },
  { key: 'mismatches', tab: 'Not matched', name: (row) => Object.values(row).join(' '),
    lead: 'A job whose ranks disagree about their collectives hangs or computes nonsense, unless the traces are incomplete.',
    headers: { kind: 'Why', exchange: 'Collective', ranks: 'Differ', first: 'The first' } },
];

function driftText(ppm: number | null): string {
  if (ppm === null) return '–';
  return ppm === 0 ? '0' : `${ppm < 0 ? '−' : '+'}${Math.abs(ppm).toFixed(1)} ppm`;
}

// With own work, and the mean lateness over the steps.
function withSums(table: Table, job: Job): Table {
  const rows = table.rows.map((row) => {
    const at = job.ranks.indexOf(Number(row['rank']));
    const own = ['compute_ns', 'copy_ns', 'input_ns', 'host_ns'].reduce((sum, key) => sum + numberAt(row, key, 0), 0);
    return { ...row, own_ns: own, lateness_ns: at < 0 ? null : job.meanOf('lateness_ns', at) };
  });
  return { ...table, rows, columns: [...table.columns, { key: 'own_ns', type: 'duration_ns' }, { key: 'lateness_ns', type: 'duration_ns' }] };
}

interface Props {
  document: JobDocument;
  job: Job;
  shown: string | undefined; // which table
  state: TableState;
  onShow: (key: string) => void;
  onState: (state: TableState) => void;
  onOpen: (rank: number) => void;
}

export function JobTables({ document, job, shown, state, onShow, onState, onOpen }: Props): JSX.Element | null {
  const present = kSpecs.filter((spec) => (document.tables[spec.key]?.rows.length ?? 0) > 0);
  const spec = present.find((one) => one.key === shown) ?? present[0];
  const table = useMemo(() => {
    const source = spec && document.tables[spec.key];
    return spec?.key === 'ranks' ? withSums(source, job) : source;
  }, [document, job, spec]);
  if (!spec) return null;
  const header = (key: string): string => spec.headers[key] ?? key.charAt(0).toUpperCase() + key.slice(1);
  return (
    <section class="card fill by-rows plain-table job-tables" style={{ '--rows': table.rows.length }}>
      <nav class="tabs" aria-label="Tables">
        {present.map((one) => (
          <button key={one.key} type="button" aria-current={one === spec ? 'page' : undefined} onClick={() => onShow(one.key)}>
            {one.tab} <span class="muted">{countText(document.tables[one.key].rows.length)}</span>
          </button>
        ))}
      </nav>
      <p class="muted table-lead">{spec.lead}</p>
      <DataTable key={spec.key} table={table} columns={spec.columns} idOf={spec.name} headerOf={header} sameUnit={spec.sameUnit} draw={spec.draw} state={state} onState={onState} isSequence
                 onOpen={spec.key === 'ranks' ? (row) => onOpen(Number(row['rank'])) : undefined} />
    </section>
  );
}
