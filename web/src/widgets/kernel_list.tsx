import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';

import type { Bound, KernelStudy, Row } from '../api/types.ts';
import { kBounds } from '../model/kernel_look.ts';
import { kKernelColumns, kernelTable } from '../model/roofline.ts';
import { countText, shareText } from '../model/units.ts';
import { DataTable, type TableState, kRowHeight } from './data_table.tsx';
import { SmallMark } from './kernel_mark.tsx';

// The kernels of a study, name by name, with what limits them and what could be gained.

const percent = (share: number): string => `${Math.round(share * 100)} %`;

const kAroundRows = 82; // tools and header
const kTimes = ['latency_ns', 'achievable_headroom_ns'];

function PeakBar({ share }: { share: number }): JSX.Element {
  return (
    <>
      <span class="cell-bar" style={{ width: `${Math.min(100, share * 100)}%` }} />
      <span class="over">{shareText(share)}</span>
    </>
  );
}

export function KernelList({ study, inSight, state, onState, chosen, onChoose, onOpen }: {
  study: KernelStudy; inSight: ReadonlySet<number>; state: TableState; onState: (state: TableState) => void;
  chosen: number | null; onChoose: (kernel: number | null) => void; onOpen?: (row: Row) => void;
}): JSX.Element {
  const table = useMemo(() => kernelTable(study, inSight), [study, inSight]);
  const peak = (key: 'tensor_share' | 'dram_share') => (row: Row): JSX.Element | undefined => {
    const share = row[key];
    return typeof share === 'number' ? <PeakBar share={share} /> : undefined;
  };
  const draw = {
    name: (row: Row): JSX.Element => <span title={String(row['full_name'])}>{row['name']}</span>,
    family: (row: Row): JSX.Element => <><SmallMark family={String(row['family'])} bound={(row['bound'] ?? 'unknown') as Bound} /> {row['family']}</>,
    bound: (row: Row): JSX.Element => <span title={kBounds[row['bound'] as Bound]?.text}>{row['bound'] ?? <span class="absent">–</span>}</span>,
    tensor_share: peak('tensor_share'), dram_share: peak('dram_share'),
  };
  const chosenRow = chosen === null ? null : { index: chosen };
  return (
    <section class="card fill kernel-list" style={{ '--content': `${study.kernels.length * kRowHeight + kAroundRows}px` }}>
      <DataTable table={table} state={state} onState={onState} isFilteredElsewhere columns={kKernelColumns} sameUnit={kTimes} draw={draw}
                 idOf={(row) => String(row['index'])} chosen={chosenRow} onChoose={(row) => onChoose(row ? Number(row['index']) : null)} onOpen={onOpen}
                 aside={<span class="muted headroom-note">{study.kernels_left_out > 0 ? `${countText(study.kernels_left_out)} shorter ones were left out. ` : ''}{study.totals.achievable_headroom_ns === null ? 'times only: no counters'
                   : `Headroom: time saved at ${percent(study.achievable.tensor)} of the matrix pipe or ${percent(study.achievable.dram)} of DRAM`}</span>} />
    </section>
  );
}
