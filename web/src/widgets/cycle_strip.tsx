import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import type { ComparedCycle } from '../api/types.ts';
import { type Chosen, type CycleRow, type Side, isLeftOut, scaleOf, stepped } from '../model/compare_cycles.ts';
import { durationText, exactDuration } from '../model/units.ts';
import { useSize } from './hooks.ts';
import { type Tip, Tooltip } from './pieces.tsx';

// Every cycle of two runs as a mark: from left to right its duration, from top to bottom its time. Shapes distinguish the
// runs; hollow ones are left out of some statistic. Words stand on the left, where no mark can be.

const kLeft = 172;
const kRight = 34;
const kRow = 58;
const kAxis = 22;
const kReach_px = 24;

interface Placed {
  cycle: ComparedCycle;
  x: number;
  y: number;
}

function Mark({ side, x, y, isHollow, isChosen }: { side: Side; x: number; y: number; isHollow: boolean; isChosen: boolean }): JSX.Element {
  const size = isChosen ? 6 : 4;
  const shape = side === 'normal' ? `M${x - size} ${y}a${size} ${size} 0 1 0 ${2 * size} 0a${size} ${size} 0 1 0 ${-2 * size} 0`
    : `M${x} ${y - size - 1}l${size + 1} ${size + 1}l${-size - 1} ${size + 1}l${-size - 1} ${-size - 1}z`;
  return (
    <>
      {isChosen && <circle cx={x} cy={y} r={10} class="ring" />}
      <path d={shape} class={`mark ${side} ${isHollow ? 'hollow' : ''}`} />
    </>
  );
}

export function CycleStrip({ rows, chosen, onChoose }: {
  rows: readonly CycleRow[]; chosen: Chosen; onChoose: (side: Side, cycle: number) => void;
}): JSX.Element {
  const [ref, size] = useSize<HTMLDivElement>();
  const [tip, setTip] = useState<Tip | null>(null);
  const width = Math.max(420, size.width);
  const scale = scaleOf(rows.flatMap((row) => row.cycles.map((cycle) => cycle.duration_ns)));
  const x = (ns: number): number => kLeft + ((ns - scale.low_ns) / (scale.high_ns - scale.low_ns)) * (width - kLeft - kRight);
  const height = rows.length * kRow + kAxis;
  const hasTypes = new Set(rows.map((row) => row.type)).size > 1;

  const placed = (row: CycleRow, top: number): Placed[] => row.cycles.map((cycle, i) => ({
    cycle, x: x(cycle.duration_ns), y: top + 14 + (row.cycles.length > 1 ? (i / (row.cycles.length - 1)) * (kRow - 28) : (kRow - 28) / 2),
  }));
  const nearest = (marks: readonly Placed[], event: MouseEvent): Placed | null => {
    const box = ref.current!.getBoundingClientRect();
    const distance = (mark: Placed): number => Math.hypot(mark.x - (event.clientX - box.left), mark.y - (event.clientY - box.top));
    const best = marks.reduce<Placed | null>((a, b) => (a && distance(a) <= distance(b) ? a : b), null);
    return best && distance(best) < kReach_px ? best : null;
  };
  return (
    <div ref={ref} class="cycle-strip" onMouseLeave={() => setTip(null)}>
      <svg width={width} height={height} role="group" aria-label="How long every cycle took">
        {scale.ticks_ns.map((tick) => (
          <g key={tick}>
            <line x1={x(tick)} x2={x(tick)} y1={0} y2={height - kAxis + 4} class="grid" />
            <text x={x(tick)} y={height - 6} class="axis middle">{durationText(tick)}</text>
          </g>
        ))}
        {rows.map((row, index) => {
          const top = index * kRow;
          const marks = placed(row, top);
          const current = row.cycles.find((cycle) => cycle.cycle === chosen[row.side]);
          const key = (event: KeyboardEvent): void => {
            const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -row.cycles.length, End: row.cycles.length }[event.key];
            if (by === undefined) return;
            onChoose(row.side, current ? stepped(row.cycles, chosen[row.side], by) : row.cycles[0].cycle);
            event.preventDefault();
            event.stopPropagation();
          };
          return (
            <g key={`${row.side} ${row.type}`} class="cycle-row" tabindex={0} role="slider" aria-label={`Cycle of ${row.label}`}
               aria-valuemin={1} aria-valuemax={row.cycles.length} aria-valuenow={current?.cycle}
               aria-valuetext={current ? `${current.name}, ${durationText(current.duration_ns)}` : 'none'} data-side={row.side} onKeyDown={key}
               onMouseMove={(event) => {
                 const mark = nearest(marks, event);
                 setTip(mark && { x: event.clientX, y: event.clientY, content: cycleTip(row, mark.cycle) });
               }}
               onClick={(event) => {
                 const mark = nearest(marks, event);
                 if (mark) onChoose(row.side, mark.cycle.cycle);
               }}>
              <rect x={0.5} y={top + 1.5} width={width - 1} height={kRow - 3} rx={5} class="catch" />
              <text x={14} y={top + 19} class="row-name"><tspan class="shape">{row.side === 'normal' ? '●' : '◆'}</tspan> {clipped(row.label)}</text>
              <text x={14} y={top + 34} class="axis">{row.cycles.length} cycles{hasTypes ? `, ${row.type}` : ''}</text>
              <text x={14} y={top + 48} class="axis median-text">median {durationText(row.median_ns)}</text>
              <line x1={x(row.median_ns)} x2={x(row.median_ns)} y1={top + 6} y2={top + kRow - 6} class={`median ${row.side}`} />
              {marks.map(({ cycle, ...place }) => (
                <Mark key={cycle.cycle} side={row.side} {...place} isHollow={isLeftOut(cycle)} isChosen={cycle === current} />
              ))}
            </g>
          );
        })}
      </svg>
      <Tooltip tip={tip} />
    </div>
  );
}

function clipped(label: string): string {
  return label.length > 20 ? `…${label.slice(-19)}` : label;
}

function cycleTip(row: CycleRow, cycle: ComparedCycle): JSX.Element {
  return (
    <>
      <b>{cycle.name}</b> <span class="muted">{row.label}, cycle {cycle.cycle}</span><br />
      <span class="number">{exactDuration(cycle.duration_ns)}</span>
      {isLeftOut(cycle) && <><br /><span class="muted">left out on {cycle.left_out_on.join(', ')}: not all of its work is there</span></>}
    </>
  );
}
