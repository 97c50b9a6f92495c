import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';

import { useObservable, useSession } from './hooks.ts';

export interface PlotLine {
  label: string;
  colour: string; // a CSS variable
  isArea: boolean;
  values: (number | null)[];
}

// A point of a line.
export interface PlotMark {
  x: number;
  y: number;
  label: string;
  isBad?: boolean;
}

interface Props {
  x: number[];
  lines: PlotLine[];
  xText: (value: number) => string;
  yText: (value: number) => string;
  xLabel?: string;
  marks?: readonly PlotMark[]; // the first is the most important one
  onClick?: (x: number) => void;
  height: number;
  label: string;
  inBytes?: boolean; // round steps are powers of two
}

const kNoMarks: readonly PlotMark[] = [];
const kByteSteps = Array.from({ length: 50 }, (_, i) => 2 ** i);

// A step curve over time.
export function Plot({ x, lines, xText, yText, xLabel = 'time', marks = kNoMarks, onClick, height, label, inBytes }: Props): JSX.Element {
  const ref = useRef<HTMLDivElement>(null);
  const theme = useObservable(useSession().theme);
  const click = useRef(onClick);
  click.current = onClick;
  useEffect(() => {
    const box = ref.current!;
    const style = getComputedStyle(document.documentElement);
    const read = (name: string): string => style.getPropertyValue(name).trim();
    const font = '11px Inter, system-ui, sans-serif';
    const axis = { stroke: read('--muted'), font, grid: { stroke: read('--line'), width: 1 }, ticks: { stroke: read('--line'), width: 1 } };
    const stepped = uPlot.paths.stepped!({ align: 1 });
    const plot = new uPlot({
      width: Math.max(200, box.clientWidth),
      height,
      legend: { show: true, live: true },
      cursor: { points: { size: 6 }, drag: { x: true, y: false } },
      scales: { x: { time: false }, y: { range: (_, __, most) => [0, most * 1.08 || 1] } },
      axes: [
        { ...axis, values: (_, ticks) => ticks.map(xText), space: 90 },
        { ...axis, values: (_, ticks) => ticks.map(yText), size: 76, incrs: inBytes ? kByteSteps : undefined },
      ],
      series: [
        { label: xLabel, value: (_, value) => (value === null ? '–' : xText(value)) },
        ...lines.map((line) => ({
          label: line.label,
          stroke: read(line.colour),
          width: 1.25,
          fill: line.isArea ? `${read(line.colour)}38` : undefined,
          dash: line.isArea ? undefined : [5, 4],
          paths: stepped,
          points: { show: false },
          value: (_: uPlot, value: number | null) => (value === null ? '–' : yText(value)),
        })),
      ],
      hooks: { draw: [(self) => drawMarks(self, marks, read, font)] },
    }, [x, ...lines.map((line) => line.values)], box);
    const clicked = (): void => {
      if (plot.select.width > 2 || plot.cursor.left === undefined || plot.cursor.left < 0) return;
      click.current?.(plot.posToVal(plot.cursor.left, 'x'));
    };
    plot.over.addEventListener('click', clicked);
    const observer = new ResizeObserver(() => plot.setSize({ width: Math.max(200, box.clientWidth), height }));
    observer.observe(box);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [x, lines, marks, theme, height]);
  return <div ref={ref} class={`plot ${onClick ? 'clickable' : ''}`} role="img" aria-label={label} />;
}

// Points are on their line; labels are above the picture, where they cover nothing. One that would cover another stands below it.
function drawMarks(plot: uPlot, marks: readonly PlotMark[], read: (name: string) => string, font: string): void {
  const { ctx, bbox } = plot;
  const density = window.devicePixelRatio || 1;
  const taken: { left: number; right: number }[][] = [[], []]; // by line
  ctx.save();
  ctx.lineWidth = density;
  ctx.font = font.replace('11px', `${11 * density}px`);
  ctx.textBaseline = 'bottom';
  ctx.textAlign = 'center';
  for (const mark of marks) {
    const x = Math.round(plot.valToPos(mark.x, 'x', true));
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    const y = Math.round(plot.valToPos(mark.y, 'y', true));
    ctx.strokeStyle = read(mark.isBad ? '--bad' : '--text');
    ctx.fillStyle = ctx.strokeStyle;
    ctx.setLineDash([3 * density, 3 * density]);
    ctx.beginPath();
    ctx.moveTo(x + 0.5, bbox.top);
    ctx.lineTo(x + 0.5, bbox.top + bbox.height);
    ctx.stroke();
    ctx.setLineDash([]);
    ctx.beginPath();
    ctx.arc(x + 0.5, y, 3.5 * density, 0, 2 * Math.PI);
    ctx.fill();
    const half = ctx.measureText(mark.label).width / 2;
    const middle = Math.min(bbox.left + bbox.width - half, Math.max(bbox.left + half, x));
    const place = { left: middle - half - 6 * density, right: middle + half + 6 * density };
    const line = [0, 1].find((one) => !taken[one].some(({ left, right }) => place.left < right && place.right > left));
    if (line === undefined) continue;
    taken[line].push(place);
    ctx.fillText(mark.label, middle, bbox.top + (15 * line - 3) * density);
  }
  ctx.restore();
}
