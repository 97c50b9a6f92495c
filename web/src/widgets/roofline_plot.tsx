import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import type { KernelStudy } from '../api/types.ts';
import { type PlotWindow, parseWindow, windowText } from '../model/axis.ts';
import { kBounds } from '../model/kernel_look.ts';
import {
  type Level, type Mark, type View, byteRateText, flopRateText, flopRateTick, intensityText, levelsOf, marksOf, plainTick, roofLines, roofsOf, shareOutside, viewsOf, wholeWindow, withoutFlops,
} from '../model/roofline.ts';
import { countText, durationText, shareText } from '../model/units.ts';
import { RateStrip } from './rate_strip.tsx';
import { type AxisLook, type Guide, Scatter } from './scatter.tsx';

// The picture of a study: its axes, its content, and what it leaves out.

const kAxes: Record<View, (level: Level) => { x: AxisLook; y: AxisLook }> = {
  roofline: (level) => ({
    x: { title: `FLOP per byte of ${level === 'l2' ? 'L2 cache' : 'DRAM'} traffic`, tick: plainTick },
    y: { title: 'FLOP/s', tick: flopRateTick },
  }),
  fractions: () => ({
    x: { title: 'DRAM, share of its peak', tick: (value) => `${Math.round(value * 100)} %` },
    y: { title: 'Tensor, share of cycles', tick: (value) => `${Math.round(value * 100)} %` },
  }),
};

function guidesOf(study: KernelStudy, view: View): Guide[] {
  if (view !== 'fractions') return [];
  const { tensor, dram } = study.achievable;
  return [
    { axis: 'x', value: dram, text: `achievable: ${Math.round(dram * 100)} %` }, { axis: 'x', value: 0.6, text: 'DRAM-bound from 60 %' }, { axis: 'x', value: 0.3, text: 'leaning from 30 %' },
    { axis: 'y', value: tensor, text: `achievable: ${Math.round(tensor * 100)} %` }, { axis: 'y', value: 0.6, text: 'tensor-bound from 60 %' }, { axis: 'y', value: 0.3, text: 'leaning from 30 %' },
  ];
}

const kSettleMs = 250; // the address follows when the window has come to rest

export function RooflinePlot({ study, inSight, chosen, onChoose, parameters, onParameters }: {
  study: KernelStudy; inSight: ReadonlySet<number>; chosen: number | null; onChoose: (kernel: number | null) => void;
  parameters: Readonly<Record<string, string>>; onParameters: (changes: Record<string, string | undefined>) => void;
}): JSX.Element | null {
  const views = useMemo(() => viewsOf(study), [study]);
  const levels = useMemo(() => levelsOf(study), [study]);
  const view = views.find((one) => one === parameters['axes']) ?? views[0];
  const level = levels.find((one) => one === parameters['bytes']) ?? 'dram';
  const all = useMemo(() => (view ? marksOf(study, view, level) : []), [study, view, level]);
  const rest = useMemo(() => (view === 'roofline' ? withoutFlops(study) : []), [study, view]);
  const shown = useMemo(() => all.filter((mark) => inSight.has(mark.kernel)), [all, inSight]);
  const shownRest = useMemo(() => rest.filter((mark) => inSight.has(mark.kernel)), [rest, inSight]);
  const roofs = useMemo(() => roofsOf(study, level), [study, level]);
  const whole = useMemo(() => wholeWindow(all, view ?? 'fractions', roofs), [all, view, roofs]);
  const [moved, setMoved] = useState<PlotWindow | null>(() => parseWindow(parameters['window'], whole));
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  if (!view) return null;
  const window = moved ?? whole;
  const show = (next: PlotWindow | null): void => {
    setMoved(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onParameters({ window: next ? windowText(next) : undefined }), kSettleMs);
  };
  const turn = (changes: Record<string, string | undefined>): void => {
    clearTimeout(timer.current);
    setMoved(null);
    onParameters({ ...changes, window: undefined });
  };
  const note = noteOf(study, view, [...all, ...rest]);
  const most_ns = Math.max(1, ...study.roofline.points.map((point) => point.latency_ns));
  const tip = (mark: Mark): ComponentChildren => <MarkTip study={study} mark={mark} />;
  return (
    <section class="card roofline-card" aria-label="Plot">
      <header>
        <nav class="switch" aria-label="Axes">
          {views.map((one) => (
            <button key={one} type="button" aria-pressed={one === view} onClick={() => turn({ axes: one === views[0] ? undefined : one })}>
              {one === 'roofline' ? 'Roofline' : 'Fractions of peak'}</button>
          ))}
        </nav>
        {view === 'roofline' && levels.length > 1 && (
          <nav class="switch" aria-label="Whose bytes">
            {levels.map((one) => <button key={one} type="button" aria-pressed={one === level} onClick={() => turn({ bytes: one === 'dram' ? undefined : one })}>{one === 'l2' ? 'L2 bytes' : 'DRAM bytes'}</button>)}
          </nav>
        )}
        {chosen === null ? <p class="muted plot-note" title={note}>{note}</p>
          : <p class="plot-note"><button type="button" class="link" onClick={showRow}>Row in the table</button> <b>{study.kernels[chosen].name}</b></p>}
        <button type="button" class="quiet" disabled={moved === null} onClick={() => show(null)} title="Show everything (0, double click)">Reset zoom</button>
      </header>
      <div class="plots">
        {rest.length > 0 && <RateStrip kernels={study.kernels} marks={shownRest} all={rest} most_ns={most_ns} roof={roofsOf(study, 'dram').memory[0] ?? null} chosen={chosen} onChoose={onChoose} tip={tip} />}
        <Scatter kernels={study.kernels} marks={shown} most_ns={most_ns} window={window} whole={whole} onWindow={show} {...kAxes[view](level)} roofs={view === 'roofline' ? roofLines(roofs, window, level === 'dram' ? study.roofline.ridge_flop_per_byte : null) : []}
                 guides={guidesOf(study, view)} chosen={chosen} onChoose={onChoose} tip={tip}
                 label={`${shown.length} kernels: ${view === 'roofline' ? 'FLOP/s over FLOP per byte' : 'tensor over DRAM, as shares of the peak'}. Plus and minus zoom, arrows move, 0 shows everything.`} />
      </div>
    </section>
  );
}

function showRow(): void {
  document.querySelector('.kernel-list tr.chosen')?.scrollIntoView({ block: 'center' });
}

function noteOf(study: KernelStudy, view: View, drawn: readonly Mark[]): string {
  const missing = shareOutside(study, drawn);
  const left = missing > 0.0005 ? ` ${shareText(missing)} of the time was not counted: see the table.` : '';
  if (view === 'roofline') {
    const isEstimated = drawn.some(({ point }) => point.flops_are_estimated || point.bytes_are_estimated);
    return `Area: time.${isEstimated ? ' Rates marked ≈ come from shares of the peaks, not from counts.' : ''}${left}`;
  }
  const why = study.roofline.points.some((point) => point.flop_per_s) ? '' : ' Only fractions of the peaks are known here, no FLOP and byte counts.';
  const how = study.chip === null ? ' Choose the chip above to see rates.' : '';
  return `Area: time.${why}${how}${left}`;
}

function MarkTip({ study, mark }: { study: KernelStudy; mark: Mark }): JSX.Element {
  const { point } = mark;
  const kernel = study.kernels[mark.kernel];
  const [flopSign, byteSign] = [point.flops_are_estimated, point.bytes_are_estimated].map((isEstimated) => (isEstimated ? '≈ ' : ''));
  const lines: [string, string | null][] = [
    ['Time', `${durationText(kernel.latency_ns)}, ${shareText(kernel.share)}`],
    ['Launches', `${countText(kernel.launches)} × ${durationText(kernel.mean_ns)}`],
    ['Tensor', kernel.tensor_share === null ? null : shareText(kernel.tensor_share)],
    ['DRAM', kernel.dram_share === null ? null : shareText(kernel.dram_share)],
    ['Operations', point.flop_per_s === null ? null : flopSign + flopRateText(point.flop_per_s)],
    ['Attainable', point.attainable_flop_per_s === null ? null : `${flopRateText(point.attainable_flop_per_s)} at ${intensityText(point.flop_per_byte ?? 0)}`],
    ['DRAM rate', point.dram_bytes_per_s === null ? null : byteSign + byteRateText(point.dram_bytes_per_s)],
    ['L2 rate', point.l2_bytes_per_s === null ? null : byteRateText(point.l2_bytes_per_s)],
    ['Headroom', kernel.achievable_headroom_ns === null ? null : `${durationText(kernel.achievable_headroom_ns)} achievable`],
  ];
  return (
    <div class="mark-tip">
      <b>{kernel.name}</b>
      <div class="muted">{kernel.family} · {kernel.bound === 'unknown' ? 'no counters' : kernel.bound}: {kBounds[kernel.bound]?.text ?? ''}</div>
      <table class="small"><tbody>
        {lines.map(([label, text]) => text !== null && <tr key={label}><td class="muted">{label}</td><td class="number">{text}</td></tr>)}
      </tbody></table>
    </div>
  );
}
