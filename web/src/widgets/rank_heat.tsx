import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import type { Job, StepOfRank } from '../model/job.ts';
import { type Heat, type HeatLines, linesFor, rowOfLine, strengthOf } from '../model/job_heat.ts';
import { type Rgb, mixed, rgbOf } from '../model/kinds.ts';
import { countText, durationText } from '../model/units.ts';
import { textWidth, useObservable, useSession, useSize } from './hooks.ts';
import { type Tip, Tooltip } from './pieces.tsx';

// A map of all ranks in all steps. One pixel per cell is computed and then magnified, so thousands of ranks cost nothing to draw.

const kLeastGap_px = 7; // narrower cells touch
const kLabelGap_px = 34; // between the labels of steps
const kLabelLine_px = 15; // between those of ranks
const kMostCell_px = 90;

interface Props {
  job: Job;
  heat: Heat;
  chosen: StepOfRank | null;
  onOpen: (cell: StepOfRank) => void;
}

interface Place {
  line: number;
  step: number;
}

const kMoves: Readonly<Record<string, readonly [number, number]>> = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] };

export function RankHeat({ job, heat, chosen, onOpen }: Props): JSX.Element {
  const theme = useObservable(useSession().theme);
  const [box, { width }] = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [cursor, setCursor] = useState<Place | null>(null);
  const [tip, setTip] = useState<Tip | null>(null);
  const lines = useMemo(() => linesFor(job.ranks.length), [job]);
  const names = useMemo(() => lineNames(job, lines), [job, lines]);
  const gutter = Math.ceil(Math.max(...names.map(textWidth))) + 10;
  const room = Math.max(1, Math.min(width - gutter, job.steps.length * kMostCell_px));
  const [cell, height] = [room / job.steps.length, lines.count * lines.height_px];
  const small = useMemo(() => smallPicture(job, heat, lines), [job, heat, lines, theme]);

  useEffect(() => {
    if (canvas.current && width > 0) magnify(canvas.current, small, room, height, lines);
  }, [small, room, height]);

  const placeAt = (event: MouseEvent): Place => {
    const { left, top } = canvas.current!.getBoundingClientRect();
    const within = (at: number, count: number): number => Math.max(0, Math.min(count - 1, Math.floor(at)));
    return { line: within((event.clientY - top) / lines.height_px, lines.count), step: within((event.clientX - left) / cell, job.steps.length) };
  };
  const rowAt = ({ line, step }: Place): StepOfRank => rowOfLine(job, heat, lines, line, step);
  const point = (place: Place, x: number, y: number): void => {
    setCursor(place);
    setTip({ x, y, content: <CellTip job={job} heat={heat} lines={lines} cell={rowAt(place)} /> });
  };
  const leave = (): void => {
    setCursor(null);
    setTip(null);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const move = kMoves[event.key];
    const from = cursor ?? (chosen ? placeOf(chosen, lines) : null);
    if (move) {
      const next = from === null ? { line: 0, step: 0 } : {
        line: Math.max(0, Math.min(lines.count - 1, from.line + move[0])), step: Math.max(0, Math.min(job.steps.length - 1, from.step + move[1])),
      };
      const { left, top } = canvas.current!.getBoundingClientRect();
      point(next, left + (next.step + 1) * cell, top + (next.line + 1) * lines.height_px);
    } else if (event.key === 'Enter' && from) onOpen(rowAt(from));
    else if (event.key === 'Escape' && cursor) leave();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const mark = (place: Place, kind: string): JSX.Element => (
    <span class={`heat-mark ${kind}`} style={{ left: `${gutter + place.step * cell}px`, top: `${place.line * lines.height_px}px`, width: `${cell}px`, height: `${lines.height_px}px` }} />
  );
  const everyLine = Math.max(1, Math.ceil(kLabelLine_px / lines.height_px));
  const everyStep = Math.max(1, Math.ceil(kLabelGap_px / cell));
  return (
    <div class="rank-heat" ref={box}>
      <div class="heat-area" style={{ height: `${height}px` }} tabIndex={0} role="application" onKeyDown={onKeyDown} onBlur={leave}
           aria-label={`${heat.metric.name} of ${countText(job.ranks.length)} ranks in ${countText(job.steps.length)} steps. Arrow keys move, Enter opens a step.`}>
        {names.map((name, line) => line % everyLine === 0 && (
          <span key={line} class="heat-name" style={{ top: `${(line + 0.5) * lines.height_px}px`, width: `${gutter - 7}px` }}>{name}</span>
        ))}
        <canvas ref={canvas} style={{ left: `${gutter}px`, width: `${room}px`, height: `${height}px` }} aria-hidden="true"
                onPointerMove={(event) => point(placeAt(event), event.clientX, event.clientY)} onPointerLeave={leave} onClick={(event) => onOpen(rowAt(placeAt(event)))} />
        {chosen && mark(placeOf(chosen, lines), 'chosen')}
        {cursor && mark(cursor, 'pointed')}
      </div>
      <div class="heat-steps" style={{ marginLeft: `${gutter}px`, width: `${room}px` }}>
        {job.steps.map((name, step) => step % everyStep === 0 && <span key={step} style={{ left: `${(step + 0.5) * cell}px` }}>{stepNumber(name, step)}</span>)}
      </div>
      <p class="heat-note muted">rank ↓ step → {lines.each > 1 && `Each line stands for ${lines.each} ranks and shows the most extreme of them.`}</p>
      <div class="offscreen" role="status">{cursor && cellWords(job, heat, rowAt(cursor))}</div>
      <Tooltip tip={tip} />
    </div>
  );
}

// "3" of "ProfilerStep#3"; without a number its place.
function stepNumber(name: string, step: number): string {
  return /\d+$/.exec(name)?.[0] ?? String(step);
}

function placeOf({ row, step }: StepOfRank, lines: HeatLines): Place {
  return { line: Math.floor(row / lines.each), step };
}

function lineNames(job: Job, { each, count }: HeatLines): string[] {
  return Array.from({ length: count }, (_, line) => String(job.ranks[line * each]));
}

function cellWords(job: Job, heat: Heat, { row, step }: StepOfRank): string {
  return `rank ${job.ranks[row]}, ${job.steps[step]}, ${heat.metric.name} ${valueWords(heat, heat.values[row * job.steps.length + step])}`;
}

function valueWords(heat: Heat, value: number): string {
  if (Number.isNaN(value)) return 'not known';
  const { less, more } = heat.metric;
  if (less === undefined || value === 0) return durationText(value);
  return `${durationText(Math.abs(value))} ${value < 0 ? less : more}`;
}

// A pixel of a small picture for each line and step.
function smallPicture(job: Job, heat: Heat, lines: HeatLines): HTMLCanvasElement {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string): Rgb => rgbOf(style.getPropertyValue(name).trim());
  const [nothing, more, less] = ['--band', '--more', '--less'].map(read);
  const columns = job.steps.length;
  const picture = document.createElement('canvas');
  picture.width = columns;
  picture.height = lines.count;
  const context = picture.getContext('2d')!;
  const image = context.createImageData(columns, lines.count);
  for (let line = 0; line < lines.count; ++line) {
    for (let step = 0; step < columns; ++step) {
      const { row } = rowOfLine(job, heat, lines, line, step);
      const strength = strengthOf(heat, heat.values[row * columns + step]);
      image.data.set([...mixed(nothing, strength < 0 ? less : more, Math.abs(strength)), 255], 4 * (line * columns + step));
    }
  }
  context.putImageData(image, 0, 0);
  return picture;
}

function magnify(canvas: HTMLCanvasElement, picture: HTMLCanvasElement, width: number, height: number, lines: HeatLines): void {
  const density = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * density);
  canvas.height = Math.round(height * density);
  const context = canvas.getContext('2d')!;
  context.imageSmoothingEnabled = false;
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  const [cell, line] = [canvas.width / picture.width, lines.height_px * density];
  if (cell >= kLeastGap_px * density) for (let step = 1; step < picture.width; ++step) context.clearRect(Math.round(step * cell) - 1, 0, 1, canvas.height);
  if (line >= kLeastGap_px * density) for (let at = 1; at < picture.height; ++at) context.clearRect(0, Math.round(at * line) - 1, canvas.width, 1);
}

function CellTip({ job, heat, lines, cell }: { job: Job; heat: Heat; lines: HeatLines; cell: StepOfRank }): JSX.Element {
  const at = (key: string): number => job.at(job.column(key), cell);
  const rows: [string, string][] = [
    ['own work', timeText(job.at(job.ownWork(), cell))], ['waits', timeText(at('wait_ns'))], ['transfers', timeText(at('transfer_ns'))],
    ['causes of waiting', timeText(at('caused_wait_ns'))], ['is the last in', `${countText(at('last'))} of ${countText(at('collectives'))}`],
  ];
  const line = Math.floor(cell.row / lines.each);
  const last = Math.min((line + 1) * lines.each, job.ranks.length) - 1;
  return (
    <>
      <b>rank {job.ranks[cell.row]}</b> <span class="muted">{job.steps[cell.step]}</span>
      <br />{heat.metric.name} <b class="number">{valueWords(heat, job.at(heat.values, cell))}</b>
      <table class="small lines"><tbody>
        {rows.map(([name, value]) => <tr key={name}><td>{name}</td><td class="number">{value}</td></tr>)}
      </tbody></table>
      {lines.each > 1 && <span class="muted">the most extreme of ranks {job.ranks[line * lines.each]} to {job.ranks[last]}</span>}
    </>
  );
}

const timeText = (ns: number): string => (Number.isNaN(ns) ? '–' : durationText(ns));

// What the colours mean, with the values at their ends.
export function HeatLegend({ heat }: { heat: Heat }): JSX.Element {
  const { less, more } = heat.metric;
  const end = `${heat.isCut ? '≥ ' : ''}${durationText(heat.reach)}`;
  return (
    <span class="heat-legend" aria-label="Colours">
      <span class="number">{less === undefined ? '0' : `${end} ${less}`}</span>
      <i class={less === undefined ? 'one-sided' : ''} aria-hidden="true" />
      <span class="number">{end} {more}</span>
    </span>
  );
}
