import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import type { BenchPoints } from '../api/bench_types.ts';
import { type PlotWindow, parseWindow, windowText } from '../model/axis.ts';
import { type BenchAxes, type BenchMark, benchMarks, benchRoofs, benchWindow, likelyAxes, providerLooks } from '../model/bench_plot.ts';
import { microText } from '../model/bench_samples.ts';
import { byteRateText, byteRateTick, byteTick, flopRateText, flopRateTick, intensityText, plainTick, roofLines } from '../model/roofline.ts';
import { bytesText, shareText } from '../model/units.ts';
import { SmallMark } from './kernel_mark.tsx';
import { type Guide, Scatter } from './scatter.tsx';

// Every cell of a case, by all its providers, under the roofs that the run measured.

const kSettleMs = 250;
const kMarkShare = 0.045; // of the largest area a mark can have

const kAxes = {
  bandwidth: { x: { title: 'least bytes that must move', tick: byteTick }, y: { title: 'least bytes per second', tick: byteRateTick } },
  roofline: { x: { title: 'FLOP per byte that must move', tick: plainTick }, y: { title: 'FLOP/s', tick: flopRateTick } },
} as const;

export function BenchPlot({ points, chosen, contender, onChoose, parameters, onParameters }: {
  points: BenchPoints; chosen: string | undefined; contender: string; onChoose: (shape: string | null) => void;
  parameters: Readonly<Record<string, string>>; onParameters: (changes: Record<string, string | undefined>) => void;
}): JSX.Element | null {
  const views = useMemo(() => (['bandwidth', 'roofline'] as const).filter((one) => benchMarks(points, one).length > 0), [points]);
  const usual = useMemo(() => (views.includes(likelyAxes(points)) ? likelyAxes(points) : views[0]), [points, views]);
  const axes: BenchAxes | undefined = views.find((one) => one === parameters['axes']) ?? usual;
  const looks = useMemo(() => providerLooks(points.points), [points]);
  const marks = useMemo(() => (axes ? benchMarks(points, axes) : []), [points, axes]);
  const names = useMemo(() => points.points.map((point) => {
    const look = looks.find((one) => one.provider === point.provider)!;
    return { name: point.provider === contender ? point.shape : '', family: look.family, bound: look.bound };
  }), [points, looks, contender]);
  const roofs = useMemo(() => benchRoofs(points), [points]);
  const whole = useMemo(() => benchWindow(marks, axes ?? 'bandwidth', roofs), [marks, axes, roofs]);
  const [moved, setMoved] = useState<PlotWindow | null>(() => parseWindow(parameters['window'], whole));
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  if (!axes) return null;
  const window = moved ?? whole;
  const show = (next: PlotWindow | null): void => {
    setMoved(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onParameters({ window: next ? windowText(next) : undefined }), kSettleMs);
  };
  const turn = (one: BenchAxes): void => {
    clearTimeout(timer.current);
    setMoved(null);
    onParameters({ axes: one === usual ? undefined : one, window: undefined });
  };
  const guides: Guide[] = axes === 'bandwidth' ? roofs.memory.map((roof) => ({ axis: 'y', value: roof.value, text: `copy roof ${byteRateText(roof.value)}, measured` })) : [];
  const chosenIndex = chosen === undefined ? -1 : points.points.findIndex((point) => point.shape === chosen && point.provider === contender);
  return (
    <section class="card roofline-card" aria-label="Plot">
      <header>
        <nav class="switch" aria-label="Axes">
          {views.map((one) => <button key={one} type="button" aria-pressed={one === axes} onClick={() => turn(one)}>{one === 'bandwidth' ? 'Bandwidth' : 'Roofline'}</button>)}
        </nav>
        <ul class="plot-note provider-legend">{looks.map((look) => <li key={look.provider}><SmallMark family={look.family} bound={look.bound} /> {look.provider}</li>)}
          {points.case === 'attention' && axes === 'roofline' && <li class="muted">operations without the masked half</li>}</ul>
        <button type="button" class="quiet" disabled={moved === null} onClick={() => show(null)} title="Show everything (0, double click)">Reset zoom</button>
      </header>
      <div class="plots">
        <Scatter kernels={names} marks={marks} most_ns={1 / kMarkShare} window={window} whole={whole} onWindow={show} x={kAxes[axes].x} y={kAxes[axes].y}
                 roofs={axes === 'roofline' ? roofLines(roofs, window, null) : []} guides={guides} chosen={chosenIndex < 0 ? null : chosenIndex} hasLegend={false}
                 onChoose={(index) => onChoose(index === null ? null : points.points[index].shape)} tip={(mark) => <PointTip mark={mark} />}
                 label={`${marks.length} cells: ${axes === 'bandwidth' ? 'bytes per second over bytes' : 'FLOP/s over FLOP per byte'}. Plus and minus zoom, arrows move, 0 shows everything.`} />
      </div>
    </section>
  );
}

function PointTip({ mark: { point } }: { mark: BenchMark }): JSX.Element {
  const lines: [string, string | null][] = [
    ['Time', microText(point.time_us)], ['Least bytes', bytesText(point.min_bytes)], ['Rate', point.bytes_per_s === null ? null : byteRateText(point.bytes_per_s)],
    ['Of the copy roof', point.copy_roof_share === null ? null : shareText(point.copy_roof_share)], ['Operations', point.flop_per_s === null ? null : flopRateText(point.flop_per_s)],
    ['Intensity', point.flop_per_byte === null ? null : intensityText(point.flop_per_byte)],
  ];
  return (
    <div class="mark-tip"><b>{point.shape}</b><div class="muted">{point.provider}</div>
      <table class="small"><tbody>{lines.map(([name, text]) => text !== null && <tr key={name}><td class="muted">{name}</td><td class="number">{text}</td></tr>)}</tbody></table>
    </div>
  );
}
