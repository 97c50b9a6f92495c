import type { ComponentChildren, JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';

import type { Roof, StudiedKernel } from '../api/types.ts';
import { type Axis, shareAlong, ticksOf } from '../model/axis.ts';
import { type Mark, byteRateTick } from '../model/roofline.ts';
import { type Placed, radiusOf, spreadOut } from '../model/scatter.ts';
import { useSize } from './hooks.ts';
import { KernelMark } from './kernel_mark.tsx';
import { type Tip, Tooltip } from './pieces.tsx';

// Kernels without counted operations cannot be in a roofline, but they have a rate at which they move bytes: this strip
// beside it, with the roof of the memory on top.

const kTop = 12;
const kBottom = 40;
const kLeft = 58;

export function RateStrip({ kernels, marks, all, most_ns, roof, chosen, onChoose, tip }: {
  kernels: readonly StudiedKernel[]; marks: readonly Mark[]; all: readonly Mark[]; most_ns: number; roof: Roof | null; chosen: number | null;
  onChoose: (kernel: number | null) => void; tip: (mark: Mark) => ComponentChildren;
}): JSX.Element {
  const [box, size] = useSize<HTMLDivElement>();
  const [hovered, setHovered] = useState<{ kernel: number; tip: Tip } | null>(null);
  const height = Math.max(50, size.height - kTop - kBottom);
  const axis: Axis = useMemo(() => {
    const most = Math.max(...all.map((mark) => mark.y), roof?.value ?? 0);
    return { isLog: false, low: -0.04 * most, high: 1.1 * most };
  }, [all, roof]);
  const yAt = (value: number): number => kTop + (1 - shareAlong(axis, value)) * height;
  const reach = Math.max(10, (size.width - kLeft - 6) / 2);
  const placed = useMemo(
    () => spreadOut(marks.map((mark): Placed<Mark> => ({ mark, x: 0, y: yAt(mark.y), radius: radiusOf(mark.latency_ns, most_ns) })), kLeft + reach, reach),
    [marks, size, axis, most_ns]);
  const focus = hovered?.kernel ?? chosen;
  return (
    <div class="rate-strip" ref={box}>
      {size.width > 0 && (
        <svg width={size.width} height={size.height} role="group" aria-label="Kernels without counted operations, by the rate at which they move bytes">
          <g class="axis">
            {ticksOf(axis, height / 44).map(({ value, isMajor }) => (
              <g key={value}><line class={isMajor ? 'grid' : 'grid minor'} x1={kLeft} x2={size.width - 4} y1={yAt(value)} y2={yAt(value)} />
                {isMajor && <text class="end" x={kLeft - 6} y={yAt(value) + 3.5}>{byteRateTick(value)}</text>}</g>
            ))}
            <line class="base" x1={kLeft + 0.5} x2={kLeft + 0.5} y1={kTop} y2={kTop + height} />
            <text class="title middle" x={kLeft + reach} y={kTop + height + 16}>no FLOP counted:</text>
            <text class="title middle" x={kLeft + reach} y={kTop + height + 32}>DRAM rate ↑</text>
          </g>
          {roof && (
            <g class="roof memory"><line x1={kLeft} x2={size.width - 4} y1={yAt(roof.value)} y2={yAt(roof.value)} />
              <text class="middle" x={kLeft + reach} y={yAt(roof.value) - 5}>{roof.name} {byteRateTick(roof.value)}</text></g>
          )}
          {placed.map((one) => (
            <g key={one.mark.kernel} class={`mark ${one.mark.kernel === chosen ? 'chosen' : ''}`} data-kernel={one.mark.kernel} transform={`translate(${one.x.toFixed(1)} ${one.y.toFixed(1)})`}
               onClick={() => onChoose(one.mark.kernel === chosen ? null : one.mark.kernel)} onPointerLeave={() => setHovered(null)}
               onPointerMove={(event) => setHovered({ kernel: one.mark.kernel, tip: { x: event.clientX, y: event.clientY, content: tip(one.mark) } })}>
              <circle class="catch" r={Math.max(8, one.radius)} />
              <KernelMark family={kernels[one.mark.kernel].family} bound={kernels[one.mark.kernel].bound} radius={one.radius} />
              {one.mark.kernel === focus && <circle class="ring" r={one.radius * 1.25 + 4} />}
            </g>
          ))}
        </svg>
      )}
      <Tooltip tip={hovered?.tip ?? null} />
    </div>
  );
}
