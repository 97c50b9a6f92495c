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

interface Props {
  x: number[];
  lines: PlotLine[];
  xText: (value: number) => string;
  yText: (value: number) => string;
  mark?: { x: number; y: number; label: string }; // a point of a line
  onClick?: (x: number) => void;
  height: number;
  label: string;
  inBytes?: boolean; // round steps are powers of two
}

const kByteSteps = Array.from({ length: 50 }, (_, i) => 2 ** i);

// A step curve over time.
export function Plot({ x, lines, xText, yText, mark, onClick, height, label, inBytes }: Props): JSX.Element {
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
        { label: 'time', value: (_, value) => (value === null ? '–' : xText(value)) },
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
      hooks: { draw: mark ? [(self) => drawMark(self, mark, read('--text'), font)] : [] },
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
  }, [x, lines, theme, height]);
  return <div ref={ref} class={`plot ${onClick ? 'clickable' : ''}`} role="img" aria-label={label} />;
}

// The point is on its line; the label is above the picture, where it covers nothing.
function drawMark(plot: uPlot, mark: { x: number; y: number; label: string }, colour: string, font: string): void {
  const { ctx, bbox } = plot;
  const density = window.devicePixelRatio || 1;
  const x = Math.round(plot.valToPos(mark.x, 'x', true));
  if (x < bbox.left || x > bbox.left + bbox.width) return;
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.fillStyle = colour;
  ctx.lineWidth = density;
  ctx.setLineDash([3 * density, 3 * density]);
  ctx.beginPath();
  ctx.moveTo(x + 0.5, bbox.top);
  ctx.lineTo(x + 0.5, bbox.top + bbox.height);
  ctx.stroke();
  ctx.font = font.replace('11px', `${11 * density}px`);
  ctx.setLineDash([]);
  const y = Math.round(plot.valToPos(mark.y, 'y', true));
  ctx.beginPath();
  ctx.arc(x + 0.5, y, 3.5 * density, 0, 2 * Math.PI);
  ctx.fill();
  ctx.textBaseline = 'bottom';
  const half = ctx.measureText(mark.label).width / 2;
  ctx.textAlign = 'center';
  ctx.fillText(mark.label, Math.min(bbox.left + bbox.width - half, Math.max(bbox.left + half, x)), bbox.top - 3 * density);
  ctx.restore();
}
