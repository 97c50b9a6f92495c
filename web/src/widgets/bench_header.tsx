import type { JSX } from 'preact';

import type { BenchGrids, BenchRun } from '../api/bench_types.ts';
import { byteRateText, flopRateText } from '../model/roofline.ts';
import { countText } from '../model/units.ts';

// The source of the numbers: the device, how times were taken, the limits of the device.

export function BenchHeaderLine({ run }: { run: BenchRun }): JSX.Element {
  const { header } = run;
  const roof = (name: string, text: string | null): string => (text === null ? '' : `${name} ${text}`);
  const facts: [string, string][] = [
    ['Device', [header.device, header.driver === '' ? '' : `driver ${header.driver}`].filter(Boolean).join(', ')],
    ['Roofs, measured', [
      roof('copy', header.roofs.copy_bytes_per_s === null ? null : byteRateText(header.roofs.copy_bytes_per_s)), roof('read', header.roofs.read_bytes_per_s === null ? null : byteRateText(header.roofs.read_bytes_per_s)),
      roof('write', header.roofs.write_bytes_per_s === null ? null : byteRateText(header.roofs.write_bytes_per_s)), roof('GEMM', header.roofs.gemm_flop_per_s === null ? null : flopRateText(header.roofs.gemm_flop_per_s)),
    ].filter(Boolean).join(', ')],
    ['Floors', Object.entries(header.floors_us).filter(([, us]) => us !== null).map(([name, us]) => `${name.replaceAll('_', ' ')} ${us} µs`).join(', ')],
    ['Method', [`L2 ${header.method.flush}`, header.method.stop === '' ? '' : `stop ${header.method.stop}`, `seed ${header.method.seed}`, header.method.is_held ? '' : 'hold:none'].filter(Boolean).join(', ')],
    ['Libraries', Object.entries(header.libraries).map(([name, version]) => `${name} ${version}`).join(', ')],
    ['Started', header.started], ['Command', header.command_line], ['Written by', header.strobe === '' ? '' : `strobe ${header.strobe}`],
  ];
  const cells = run.sections.reduce((sum, section) => sum + section.cells, 0);
  return (
    <details class="bench-header">
      <summary>{header.device || 'device unknown'} <span class="muted">· {countText(cells)} cells{header.started === '' ? '' : ` · ${header.started.slice(0, 16).replace('T', ' ')}`} · L2 {header.method.flush}{header.method.stop === '' ? '' : ` · stop ${header.method.stop}`}{run.remarks.length > 0 ? ` · ${run.remarks.length} remarks` : ''}</span></summary>
      <dl class="pairs">{facts.filter(([, text]) => text !== '').map(([name, text]) => <div key={name}><dt>{name}</dt><dd>{text}</dd></div>)}</dl>
      {run.remarks.map((text) => <p key={text} class="remark">{text}</p>)}
    </details>
  );
}

// Tables of ratios that were measured together must be consistent.
export function IdentityLines({ grids }: { grids: BenchGrids }): JSX.Element {
  const checked = grids.identities.reduce((sum, one) => sum + one.cells, 0);
  return (
    <details class="bench-header">
      <summary>{countText(grids.tables.length + grids.tables_left_out)} tables of ratios <span class="muted">· {countText(grids.rows)} rows · {grids.identities.length === 0 ? 'no two tables to compare with each other'
        : `${countText(checked)} cells of ${grids.identities.length} identities checked, ${countText(grids.identities.reduce((sum, one) => sum + one.violated, 0))} violated`}{grids.remarks.length > 0 ? ` · ${grids.remarks.length} remarks` : ''}</span></summary>
      <ul class="identities">{grids.identities.map((one) => (
        <li key={one.law}><code>{one.law}</code> <span class="muted">holds in {countText(one.cells - one.violated)} of {countText(one.cells)} cells, at most {(one.worst * 100).toFixed(3)} % off{one.worst_cell === '' ? '' : ` (${one.worst_cell})`}</span></li>
      ))}</ul>
      {grids.remarks.map((text) => <p key={text} class="remark">{text}</p>)}
    </details>
  );
}
