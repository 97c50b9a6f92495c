import type { JSX } from 'preact';

import { type Job, type Part, type StepOfRank, kParts } from '../model/job.ts';
import { durationText, signedDuration } from '../model/units.ts';
import { Card } from './pieces.tsx';

// A step of a rank beside the same step of a typical peer: what each consists of.

function partColour({ key, kind }: Part): string {
  return key === 'wait_ns' ? `color-mix(in srgb, var(--kind-${kind}) 42%, var(--surface))` : `var(--kind-${kind})`;
}

export function StepParts({ job, cell, peer, onClose }: { job: Job; cell: StepOfRank; peer: number | null; onClose: () => void }): JSX.Element {
  const cells = peer === null ? [cell] : [cell, { row: peer, step: cell.step }];
  const at = (key: string, one: StepOfRank): number => job.at(job.column(key), one);
  const whole = (one: StepOfRank): number => at('step_ns', one);
  const most = Math.max(...cells.map(whole), 1);
  const rows: [string, string, Part | null][] = [...kParts.map((part): [string, string, Part] => [part.key, part.name, part]), ['step_ns', 'the step', null]];
  return (
    <Card class="step-parts" title={`${job.steps[cell.step]} of rank ${job.ranks[cell.row]}${peer === null ? '' : `, beside rank ${job.ranks[peer]}`}`}
          aside={<><span class="muted">{peer === null ? '' : 'a typical peer: its own work in this step is the median'}</span><span class="grow" />
            <button type="button" class="quiet" onClick={onClose} aria-label="Close the step">✕</button></>}>
      <div class="step-pair">
        <div class="step-bars-of">
          {cells.map((one) => (
            <div key={one.row}><span class="number">rank {job.ranks[one.row]}</span>
              <span class="parts-bar" role="img" aria-label={kParts.map((part) => `${part.name} ${durationText(at(part.key, one))}`).join(', ')}>
                {kParts.map((part) => at(part.key, one) > 0 && (
                  <i key={part.key} title={`${part.name} ${durationText(at(part.key, one))}`} style={{ width: `${(at(part.key, one) / most) * 100}%`, background: partColour(part) }} />
                ))}
              </span>
            </div>
          ))}
        </div>
        <table class="small">
          <thead><tr><th />{cells.map((one) => <th key={one.row} class="number">rank {job.ranks[one.row]}</th>)}{peer !== null && <th class="number">difference</th>}</tr></thead>
          <tbody>
            {rows.map(([key, name, part]) => {
              const values = cells.map((one) => at(key, one));
              return (
                <tr key={key} class={part ? '' : 'total'}>
                  <td>{part && <i class="swatch" style={{ background: partColour(part) }} />} {name}</td>
                  {values.map((value, i) => <td key={cells[i].row} class="number">{durationText(value)}</td>)}
                  {peer !== null && <td class="number">{signedDuration(values[0] - values[1])}</td>}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </Card>
  );
}
