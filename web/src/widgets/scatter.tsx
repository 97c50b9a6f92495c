import type { ComponentChildren, JSX } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';

import type { Bound } from '../api/types.ts';
import { type Axis, type PlotWindow, movedAxis, partOfAxis, shareAlong, ticksOf, withinReason, zoomedAxis } from '../model/axis.ts';
import { type RoofLine, roofText } from '../model/roofline.ts';
import { type Box, type Placed, type PlotMark, type Room, coveredMarks, cutName, freeShare, labelsFor, markAt, place } from '../model/scatter.ts';
import { textWidth, useSize } from './hooks.ts';
import { KernelMark } from './kernel_mark.tsx';
import { type Tip, Tooltip } from './pieces.tsx';

// Kernels as marks on two axes, with the roofs above them.

export interface AxisLook {
  title: string;
  tick: (value: number) => string;
}

export interface Guide {
  axis: 'x' | 'y';
  value: number;
  text: string;
}

// What a mark represents: its name, and the colour and shape of its kind.
export interface MarkLook {
  name: string;
  family: string;
  bound: Bound;
}

interface Props<M extends PlotMark> {
  kernels: readonly MarkLook[];
  marks: readonly M[];
  most_ns: number; // of the largest mark, even if it is filtered out
  window: PlotWindow;
  whole: PlotWindow;
  onWindow: (window: PlotWindow | null) => void; // null: the whole
  x: AxisLook;
  y: AxisLook;
  roofs: readonly RoofLine[];
  guides: readonly Guide[];
  chosen: number | null;
  onChoose: (kernel: number | null) => void;
  tip: (mark: M) => ComponentChildren;
  hasLegend?: boolean; // for the shapes; default: yes
  label: string;
}

const kMargin = { left: 84, right: 22, top: 12, bottom: 40 };
const kMostLabels = 9;
const kMostLetters = 40;
const kDragFrom = 5; // pixels; less is a click
const kStep = 0.15; // of the window, per arrow key
const kZoom = 1.25;

interface Drag {
  fromX: number;
  fromY: number;
  x: number;
  y: number;
  moves: PlotWindow | null; // with Shift: the window as it was
}

export function Scatter<M extends PlotMark>(props: Props<M>): JSX.Element {
  const { kernels, marks, window, whole, chosen } = props;
  const [box, size] = useSize<HTMLDivElement>();
  const svg = useRef<SVGSVGElement>(null);
  const [drag, setDrag] = useState<Drag | null>(null);
  const [hovered, setHovered] = useState<{ placed: Placed<M>; tip: Tip } | null>(null);
  const room: Room = { left: kMargin.left, top: kMargin.top, width: Math.max(50, size.width - kMargin.left - kMargin.right), height: Math.max(50, size.height - kMargin.top - kMargin.bottom) };
  const placed = useMemo(() => place(marks, window, room, props.most_ns), [marks, window, size, props.most_ns]);
  const inRoom = useMemo(() => placed.filter((one) => one.x > room.left - one.radius && one.x < room.left + room.width + one.radius && one.y > room.top - one.radius && one.y < room.top + room.height + one.radius), [placed]);
  const xAt = (value: number): number => room.left + shareAlong(window.x, value) * room.width;
  const yAt = (value: number): number => room.top + (1 - shareAlong(window.y, value)) * room.height;
  // The pointer moves often; parts that it does not change are not redrawn.
  const roofs = useMemo(() => props.roofs.map((line) => placedRoof(line, xAt, yAt, inRoom)), [inRoom, props.roofs]);
  const guides = useMemo(() => props.guides.map((guide) => placedGuide(guide, guide.axis === 'x' ? xAt(guide.value) : yAt(guide.value), room, inRoom)), [inRoom, props.guides]);
  const labels = useMemo(() => {
    const chosenFirst = [...inRoom.filter((one) => one.mark.kernel === chosen), ...inRoom.filter((one) => one.mark.kernel !== chosen)];
    return labelsFor(chosenFirst, (kernel) => cutName(kernels[kernel].name, kMostLetters), room, kMostLabels, [...roofs.flatMap(roofBoxes), ...guides.map((guide) => guideBox(guide, room))], textWidth);
  }, [inRoom, chosen, kernels, roofs, guides]);
  const covered = useMemo(() => coveredMarks(inRoom), [inRoom]);
  const drawnMarks = useMemo(() => inRoom.map((one, i) => (
    <g key={i} class={`mark ${one.mark.kernel === chosen ? 'chosen' : ''}`} data-kernel={one.mark.kernel} transform={`translate(${one.x.toFixed(1)} ${one.y.toFixed(1)})`}>
      <KernelMark family={kernels[one.mark.kernel].family} bound={kernels[one.mark.kernel].bound} radius={one.radius} hasLetter={!covered.has(i)} />
    </g>
  )), [inRoom, chosen, kernels]);

  const at = (event: MouseEvent): { x: number; y: number } => {
    const { left, top } = svg.current!.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };
  const sharesAt = (x: number, y: number): { x: number; y: number } => ({ x: (x - room.left) / room.width, y: 1 - (y - room.top) / room.height });
  const show = (next: PlotWindow): void => props.onWindow(withinReason(next, whole));
  const zoom = (factor: number, x = 0.5, y = 0.5): void => show({ x: zoomedAxis(window.x, x, factor), y: zoomedAxis(window.y, y, factor) });
  const move = (x: number, y: number): void => show({ x: movedAxis(window.x, x), y: movedAxis(window.y, y) });

  const onWheel = (event: WheelEvent): void => {
    // The wheel scrolls the page until the plot has the focus.
    if (!event.ctrlKey && document.activeElement !== svg.current) return;
    event.preventDefault();
    const point = at(event);
    const share = sharesAt(point.x, point.y);
    zoom(kZoom ** Math.sign(event.deltaY), share.x, share.y);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    switch (event.key) {
      case '+': case '=': zoom(1 / kZoom); break;
      case '-': case '_': zoom(kZoom); break;
      case '0': case 'Home': props.onWindow(null); break;
      case 'ArrowLeft': move(-kStep, 0); break;
      case 'ArrowRight': move(kStep, 0); break;
      case 'ArrowUp': move(0, kStep); break;
      case 'ArrowDown': move(0, -kStep); break;
      case 'Escape': props.onChoose(null); break;
      default: return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  const onPointerDown = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    svg.current?.focus({ preventScroll: true });
    svg.current?.setPointerCapture(event.pointerId);
    const { x, y } = at(event);
    setDrag({ fromX: x, fromY: y, x, y, moves: event.shiftKey ? window : null });
    setHovered(null);
  };
  const onPointerMove = (event: PointerEvent): void => {
    const { x, y } = at(event);
    if (drag) {
      setDrag({ ...drag, x, y });
      if (drag.moves) {
        const by = { x: (drag.fromX - x) / room.width, y: (y - drag.fromY) / room.height };
        show({ x: movedAxis(drag.moves.x, by.x), y: movedAxis(drag.moves.y, by.y) });
      }
      return;
    }
    const found = markAt(inRoom, x, y);
    setHovered(found && { placed: found, tip: { x: event.clientX, y: event.clientY, content: props.tip(found.mark) } });
  };
  const onPointerUp = (event: PointerEvent): void => {
    if (!drag) return;
    setDrag(null);
    const { x, y } = at(event);
    if (Math.hypot(x - drag.fromX, y - drag.fromY) < kDragFrom) {
      const found = markAt(inRoom, x, y);
      props.onChoose(found && found.mark.kernel !== chosen ? found.mark.kernel : null);
    } else if (!drag.moves) {
      const [a, b] = [sharesAt(drag.fromX, drag.fromY), sharesAt(x, y)];
      show({ x: partOfAxis(window.x, a.x, b.x), y: partOfAxis(window.y, a.y, b.y) });
    }
  };
  const focus = hovered?.placed.mark.kernel ?? chosen;
  const focused = focus === null ? [] : inRoom.filter((one) => one.mark.kernel === focus);
  return (
    <div class="scatter" ref={box}>
      {size.width > 0 && (
        <svg ref={svg} width={size.width} height={size.height} tabindex={0} role="group" aria-label={props.label} data-window={[window.x.low, window.x.high, window.y.low, window.y.high].join(' ')}
             onWheel={onWheel} onKeyDown={onKeyDown} onDblClick={() => props.onWindow(null)} onPointerDown={onPointerDown} onPointerMove={onPointerMove} onPointerUp={onPointerUp}
             onPointerCancel={() => setDrag(null)} onPointerLeave={() => setHovered(null)}>
          <defs><clipPath id="scatter-room"><rect x={room.left} y={room.top} width={room.width} height={room.height} /></clipPath></defs>
          <AxisGrid axis={window.x} isX look={props.x} room={room} at={xAt} />
          <AxisGrid axis={window.y} isX={false} look={props.y} room={room} at={yAt} />
          <g clip-path="url(#scatter-room)">
            {guides.map((one) => <GuideLine key={`${one.guide.axis} ${one.guide.value}`} guide={one} room={room} />)}
            {roofs.map((roof) => <RoofPath key={`${roof.line.roof.name} ${roof.line.roof.value}`} roof={roof} />)}
            {drawnMarks}
            {focused.map((one, i) => <circle key={i} class="ring" cx={one.x} cy={one.y} r={one.radius * 1.25 + 4} />)}
            {labels.map((label) => <text key={label.kernel + label.text + label.x} class={`mark-name ${label.kernel === chosen ? 'chosen' : ''}`} x={label.x} y={label.y}>{label.text}</text>)}
          </g>
          {props.hasLegend !== false && <BoundLegend kernels={kernels} room={room} />}
          {drag && !drag.moves && Math.hypot(drag.x - drag.fromX, drag.y - drag.fromY) >= kDragFrom && (
            <rect class="drag-box" x={Math.min(drag.x, drag.fromX)} y={Math.min(drag.y, drag.fromY)} width={Math.abs(drag.x - drag.fromX)} height={Math.abs(drag.y - drag.fromY)} />
          )}
        </svg>
      )}
      <Tooltip tip={hovered?.tip ?? null} />
    </div>
  );
}

const kLegend: readonly [Bound, string][] = [
  ['tensor-bound', 'tensor'], ['dram-bound', 'DRAM'], ['l2-bound', 'L2'], ['latency-bound', 'latency'],
];
const kLegendEvery = 68;

// The meanings of the shapes in the picture.
function BoundLegend({ kernels, room }: { kernels: readonly MarkLook[]; room: Room }): JSX.Element {
  const stems = new Set(kernels.map((one) => one.bound.split('-')[0]));
  const shown = kLegend.filter(([bound]) => stems.has(bound.split('-')[0]));
  const isAnyLeaning = kernels.some((one) => one.bound.endsWith('leaning'));
  return (
    <g class="bound-legend" transform={`translate(${room.left} ${room.top + room.height + 30})`}>
      <text y={4}>Limited by</text>
      {shown.map(([bound, text], i) => (
        <g key={bound} transform={`translate(${74 + i * kLegendEvery} 0)`}><KernelMark family="other" bound={bound} radius={4.2} /><text x={9} y={4}>{text}</text></g>
      ))}
      {isAnyLeaning && <text x={74 + shown.length * kLegendEvery} y={4}>hollow: leaning there</text>}
    </g>
  );
}

const kTickEvery = { x: 90, y: 44 };

function AxisGrid({ axis, isX, look, room, at }: { axis: Axis; isX: boolean; look: AxisLook; room: Room; at: (value: number) => number }): JSX.Element {
  const ticks = ticksOf(axis, (isX ? room.width : room.height) / (isX ? kTickEvery.x : kTickEvery.y));
  const [right, bottom] = [room.left + room.width, room.top + room.height];
  return (
    <g class="axis">
      {ticks.map(({ value, isMajor }) => {
        const place = Math.round(at(value)) + 0.5;
        return isX
          ? <g key={value}><line class={isMajor ? 'grid' : 'grid minor'} x1={place} x2={place} y1={room.top} y2={bottom} />{isMajor && <text x={place} y={bottom + 15} class="middle">{look.tick(value)}</text>}</g>
          : <g key={value}><line class={isMajor ? 'grid' : 'grid minor'} x1={room.left} x2={right} y1={place} y2={place} />{isMajor && <text x={room.left - 7} y={place + 3.5} class="end">{look.tick(value)}</text>}</g>;
      })}
      {isX
        ? <><line class="base" x1={room.left} x2={right} y1={bottom + 0.5} y2={bottom + 0.5} /><text class="title end" x={right} y={bottom + 33}>{look.title} →</text></>
        : <><line class="base" x1={room.left + 0.5} x2={room.left + 0.5} y1={room.top} y2={bottom} /><text class="title end" transform={`translate(${room.left + 14} ${room.top + 4}) rotate(-90)`}>{look.title} →</text></>}
    </g>
  );
}

interface PlacedGuide {
  guide: Guide;
  place: number; // of the line, in pixels
  textX: number;
  textWidth: number;
}

// The text of a level guide is at its right end and moves out of the way of marks.
function placedGuide(guide: Guide, at: number, room: Room, marks: readonly Placed[]): PlacedGuide {
  const place = Math.round(at) + 0.5;
  const [width, right] = [textWidth(guide.text), room.left + room.width];
  if (guide.axis === 'x') return { guide, place, textX: place - 5, textWidth: width };
  const last = 1 - (width / 2 + 6) / room.width;
  const share = freeShare({ x1: room.left, y1: place, x2: right, y2: place }, width, marks, sharesDownTo(last, (width / 2 + kRoofEnd) / room.width, room.width));
  return { guide, place, textX: room.left + share * room.width, textWidth: width };
}

function guideBox({ guide, place, textX, textWidth: width }: PlacedGuide, room: Room): Box {
  return guide.axis === 'x'
    ? { x: place - 16, y: room.top + room.height - 6 - width, width: 16, height: width }
    : { x: textX - width / 2, y: place - 18, width, height: 18 };
}

function GuideLine({ guide: { guide, place, textX }, room }: { guide: PlacedGuide; room: Room }): JSX.Element {
  return guide.axis === 'x'
    ? <g class="guide"><line x1={place} x2={place} y1={room.top} y2={room.top + room.height} /><text transform={`translate(${textX} ${room.top + room.height - 6}) rotate(-90)`}>{guide.text}</text></g>
    : <g class="guide"><line x1={room.left} x2={room.left + room.width} y1={place} y2={place} /><text class="middle" x={textX} y={place - 5}>{guide.text}</text></g>;
}

interface PlacedRoof {
  line: RoofLine;
  x1: number;
  y1: number;
  x2: number;
  y2: number;
  text: { x: number; y: number; width: number }; // its middle, on the line
}

const kRoofEnd = 30; // pixels from where a roof begins to its text
const kRoofStep = 8; // pixels between the places that are tried

// Places along a line to try, from its end.
function sharesDownTo(last: number, least: number, length: number): number[] {
  const shares = [last];
  for (let share = last - kRoofStep / length; share > least; share -= kRoofStep / length) shares.push(share);
  return shares;
}

// The text of a flat roof is at its right end, that of a rising one in its lower part; both move out of the way of marks.
function placedRoof(line: RoofLine, xAt: (value: number) => number, yAt: (value: number) => number, marks: readonly Placed[]): PlacedRoof {
  const segment = { x1: xAt(line.from.x), y1: yAt(line.from.y), x2: xAt(line.to.x), y2: yAt(line.to.y) };
  const length = Math.hypot(segment.x2 - segment.x1, segment.y2 - segment.y1) || 1;
  const width = textWidth(roofText(line));
  const last = 1 - (width / 2 + 6) / length;
  const shares = sharesDownTo(last, (width / 2 + kRoofEnd) / length, length);
  const share = freeShare(segment, width, marks, line.isMemory ? [0.36, ...shares] : shares);
  return { line, ...segment, text: { x: segment.x1 + (segment.x2 - segment.x1) * share, y: segment.y1 + (segment.y2 - segment.y1) * share, width } };
}

// Flat roofs and their texts: names avoid them.
function roofBoxes({ line, x1, x2, y1, text }: PlacedRoof): Box[] {
  if (line.isMemory) return [];
  return [{ x: x1, y: y1 - 2, width: x2 - x1, height: 4 }, { x: text.x - text.width / 2, y: y1 - 18, width: text.width, height: 16 }];
}

// The text follows its roof, on the outer side.
function RoofPath({ roof: { line, x1, y1, x2, y2, text } }: { roof: PlacedRoof }): JSX.Element {
  const angle = (Math.atan2(y2 - y1, x2 - x1) * 180) / Math.PI;
  return (
    <g class={`roof ${line.isMemory ? 'memory' : 'compute'} ${line.isMain ? '' : 'other'}`}>
      <line x1={x1} y1={y1} x2={x2} y2={y2} />
      <text class="middle" transform={`translate(${text.x.toFixed(1)} ${text.y.toFixed(1)}) rotate(${angle.toFixed(2)})`} dy={-5}>{roofText(line)}</text>
    </g>
  );
}
