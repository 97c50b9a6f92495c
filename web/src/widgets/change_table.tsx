import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';

import type { Comparison, Row } from '../api/types.ts';
import { type Span, changeScale, functionTable, isChanged, kFunctionColumns, pointsText, probabilityText, spanOn } from '../model/compare_rows.ts';
import { numberAt } from '../model/table.ts';
import { countText, signedDuration } from '../model/units.ts';
import { DataTable, type TableState } from './data_table.tsx';

// The functions of two runs, each with its change and its reliability.

const kTimes = ['normal_ns', 'abnormal_ns', 'change_ns'];
const kWidth = 112;
const kHeight = 14;

function Interval({ span, isMore, isSure }: { span: Span; isMore: boolean; isSure: boolean }): JSX.Element {
  const x = (share: number): number => 3 + share * (kWidth - 6);
  const middle = kHeight / 2;
  return (
    <svg class={`interval ${isMore ? 'more' : 'less'} ${isSure ? '' : 'unsure'}`} width={kWidth} height={kHeight} aria-hidden="true">
      <line x1={x(span.zero)} x2={x(span.zero)} y1={0} y2={kHeight} class="zero" />
      <line x1={x(span.zero)} x2={x(span.middle)} y1={middle} y2={middle} class="stem" />
      <line x1={x(span.low)} x2={x(span.high)} y1={middle} y2={middle} class="reach" />
      <line x1={x(span.low)} x2={x(span.low)} y1={middle - 3} y2={middle + 3} class="reach" />
      <line x1={x(span.high)} x2={x(span.high)} y1={middle - 3} y2={middle + 3} class="reach" />
      <circle cx={x(span.middle)} cy={middle} r={3} class="dot" />
    </svg>
  );
}

const kVerdicts: Record<string, string> = {
  slower: 'its time rose: significant, large and consistent', faster: 'its time fell: significant, large and consistent',
  share: 'only its share of the cycle changed', new: 'runs in the abnormal run only', vanished: 'runs in the normal run only',
  calls: 'called more or less often', 'too few': 'too few cycles for a test', '~ scaled': 'its time changed as that of the cycle did',
};

export function ChangeTable({ comparison, state, onState, onlyChanged, onOnlyChanged, chosen, onChoose, onOpen }: {
  comparison: Comparison; state: TableState; onState: (state: TableState) => void;
  onlyChanged: boolean; onOnlyChanged: (only: boolean) => void;
  chosen: Row | null; onChoose: (row: Row | null) => void; onOpen: (row: Row) => void;
}): JSX.Element {
  const table = useMemo(() => functionTable(comparison, onlyChanged), [comparison, onlyChanged]);
  const scale = useMemo(() => changeScale(table.rows), [table]);
  const changed = useMemo(() => comparison.functions.filter(isChanged).length, [comparison]);
  const sure = (row: Row): boolean => isChanged(comparison.functions[Number(row['index'])]);
  const draw: Record<string, (row: Row, text: string) => JSX.Element> = {
    change_ns: (row: Row, text: string): JSX.Element => {
      const [low, middle, high] = ['change_low_ns', 'change_ns', 'change_high_ns'].map((key) => numberAt(row, key, null));
      const span = spanOn(scale, low, middle, high);
      if (!span || middle === null) return <span class="absent">–</span>;
      const title = low === null || high === null ? undefined : `${signedDuration(middle)}, 95 % interval ${signedDuration(low)} … ${signedDuration(high)}`;
      return <span class="change" title={title}><Interval span={span} isMore={middle > 0} isSure={sure(row)} /><span class="over">{middle > 0 ? `+${text}` : text}</span></span>;
    },
    beta_change: (row: Row): JSX.Element => <>{pointsText(numberAt(row, 'beta_change', 0))}</>,
    q: (row: Row): JSX.Element => <>{probabilityText(numberAt(row, 'q', null))}</>,
    verdict: (row: Row): JSX.Element => (
      <span class={sure(row) ? 'sure' : ''} title={kVerdicts[String(row['verdict'])] ?? 'no evidence of a change, and how large it looks'}>{row['verdict']}</span>
    ),
  };
  return (
    <section class="card fill changes">
      <header><h2>What changed</h2>
        <span class="muted">{countText(changed)} of {countText(comparison.functions.length)} functions; time per cycle with the 95 % interval of its shift, and its share of the cycle in points</span></header>
      <DataTable table={table} state={state} onState={onState} columns={kFunctionColumns} sameUnit={kTimes} draw={draw} idOf={(row) => String(row['index'])}
                 chosen={chosen} onChoose={onChoose} onOpen={onOpen} aside={
        <>
          <label class="check"><input type="checkbox" checked={onlyChanged} onChange={(event) => onOnlyChanged(event.currentTarget.checked)} /> only what changed</label>
          <button type="button" class="quiet" disabled={chosen === null} onClick={() => chosen && onOpen(chosen)}>Show in timeline <kbd>Enter</kbd></button>
        </>} />
    </section>
  );
}
