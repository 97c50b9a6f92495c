import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

import type { Track } from '../../api/types.ts';
import { kindOf } from '../../model/kinds.ts';
import type { TimelineModel } from '../../model/timeline_model.ts';
import type { Lane } from '../../model/track_layout.ts';
import { bytesText, countText, durationText, shareText } from '../../model/units.ts';
import { useKeys, useObservable, useSession } from '../hooks.ts';
import { type Tip, Tooltip } from '../pieces.tsx';
import { readColours } from './colours.ts';
import { type Gestures, bodyGestures, headGestures, keyDown, keyUp } from './gestures.ts';
import { headHeight } from './paint_head.ts';
import { Stage } from './stage.ts';

// The canvases, the names of the tracks beside them, and the tooltip.

// Of the span of a summary, so that it says the same.
function busyShare(model: TimelineModel, track: Track): number {
  return track.busy_ns / (model.info.summary_span_ns || model.info.span_ns || 1);
}

function laneHint(model: TimelineModel, lane: Lane): string {
  if (lane.track) {
    const share = busyShare(model, lane.track);
    return `${countText(lane.track.slices)} slices, busy ${durationText(lane.track.busy_ns)} (${shareText(share)} of the span)`;
  }
  if (lane.counter < 0) return lane.name;
  const info = model.info.counters.find((one) => one.counter === lane.counter)!;
  return `${lane.name}, highest ${counterText(info.unit, info.max)}`;
}

function counterText(unit: string, value: number): string {
  return unit === 'bytes' ? bytesText(value) : unit === 'share' ? shareText(value) : countText(value);
}

// Where there is no room for "NVIDIA H200 · GPU 0", its number stays.
function Name({ name }: { name: string }): JSX.Element {
  const dot = name.lastIndexOf(' · ');
  return dot < 0 ? <span class="lane-name">{name}</span> : <span class="lane-name split"><span>{name.slice(0, dot)}</span><span>{name.slice(dot)}</span></span>;
}

function LaneName({ model, lane }: { model: TimelineModel; lane: Lane }): JSX.Element {
  const info = lane.counter >= 0 ? model.info.counters.find((one) => one.counter === lane.counter) : undefined;
  return (
    <button type="button" class={`lane ${lane.kind} ${lane.shape}`} style={{ top: `${lane.top}px`, height: `${lane.height}px` }}
            title={laneHint(model, lane)} aria-expanded={lane.shape !== 'closed'} onClick={() => model.toggle(lane)}>
      <span class="twist" aria-hidden="true">{lane.shape === 'closed' ? '▸' : lane.shape === 'compact' ? '▹' : '▾'}</span>
      <Name name={lane.name} />
      {info && lane.shape !== 'closed' && <span class="lane-most">max {counterText(info.unit, info.max)}</span>}
      {lane.track && lane.track.kind === 'device' && (
        <span class="lane-most">busy {shareText(busyShare(model, lane.track))}</span>
      )}
    </button>
  );
}

// One of several on a scrolling page is `embedded`: keys are for the one that has the focus, and the wheel scrolls the page
// until one of them has it.
export function TimelineCanvas({ model, onSettled, onJump, embedded = false, label = 'Timeline' }: {
  model: TimelineModel; onSettled: () => void; onJump: () => void; embedded?: boolean; label?: string;
}): JSX.Element {
  const theme = useObservable(useSession().theme);
  const [tip, setTip] = useState<Tip | null>(null);
  const refs = {
    head: useRef<HTMLCanvasElement>(null), body: useRef<HTMLCanvasElement>(null), overlay: useRef<HTMLCanvasElement>(null),
    scroller: useRef<HTMLDivElement>(null), surface: useRef<HTMLDivElement>(null),
  };
  const root = useRef<HTMLDivElement>(null);
  const hasFocus = (within: HTMLElement | null | undefined): boolean => !embedded || (within?.contains(document.activeElement) ?? false);
  const stageRef = useRef<Stage | null>(null);
  const callbacks = useRef({ onSettled, onJump });
  callbacks.current = { onSettled, onJump };
  const gestures = useRef<Gestures>({
    onHover: (event) => setTip(event && stageRef.current ? hoverTip(stageRef.current, event) : null),
    takesWheel: () => hasFocus(root.current?.closest<HTMLElement>('.timelines')),
    onJump: () => callbacks.current.onJump(),
  });

  useEffect(() => {
    const scroller = refs.scroller.current!;
    const surface = refs.surface.current!;
    const stage = new Stage(
      model, { head: refs.head.current!, body: refs.body.current!, overlay: refs.overlay.current!, scroller },
      readColours(theme), () => callbacks.current.onSettled());
    stageRef.current = stage;
    const measure = (): void => {
      surface.style.height = `${scroller.clientHeight}px`;
      model.resize(Math.max(50, surface.clientWidth), Math.max(50, scroller.clientHeight), window.devicePixelRatio || 1);
      stage.repaint();
    };
    const observer = new ResizeObserver(measure);
    observer.observe(scroller);
    measure();
    const stops = [
      bodyGestures(stage, surface, scroller, gestures.current),
      headGestures(stage, refs.head.current!, gestures.current),
    ];
    const release = (event: KeyboardEvent): void => keyUp(stage, event);
    const releaseAll = (): void => stage.pressed.clear();
    window.addEventListener('keyup', release);
    window.addEventListener('blur', releaseAll);
    return () => {
      stops.forEach((stop) => stop());
      observer.disconnect();
      window.removeEventListener('keyup', release);
      window.removeEventListener('blur', releaseAll);
      stage.stop();
    };
  }, [model]);
  useEffect(() => stageRef.current?.recolour(readColours(theme)), [theme]);
  useKeys((event) => stageRef.current !== null && hasFocus(root.current) && keyDown(stageRef.current, event, gestures.current));

  const height = headHeight(model);
  return (
    <div class="timeline" ref={root}>
      <div class="tl-head" style={{ height: `${height}px` }}>
        <div class="tl-corner"><span>{durationText(model.info.span_ns)} in all</span></div>
        <canvas ref={refs.head} style={{ height: `${height}px` }} aria-hidden="true" />
      </div>
      <div class="tl-scroller" ref={refs.scroller} tabIndex={0} role="application"
           aria-label={`${label}. W and S zoom, A and D move, slash searches, question mark lists all keys.`}
           onScroll={(event) => {
             model.scrollTop = event.currentTarget.scrollTop;
             stageRef.current?.repaint();
           }}>
        <div class="tl-inner" style={{ height: `${model.layout.height}px` }}>
          <div class="tl-gutter">{model.layout.lanes.map((lane) => <LaneName key={lane.key} model={model} lane={lane} />)}</div>
          <div class="tl-surface" ref={refs.surface}>
            <canvas ref={refs.body} class="tl-body" />
            <canvas ref={refs.overlay} class="tl-overlay" aria-hidden="true" />
          </div>
        </div>
      </div>
      <Tooltip tip={tip} />
    </div>
  );
}

function hoverTip(stage: Stage, event: PointerEvent): Tip | null {
  const { model, overlay } = stage;
  const { hover, pointer } = overlay;
  const place = { x: event.clientX, y: event.clientY };
  if (hover) {
    return {
      ...place,
      content: hover.is === 'slice'
        ? <><b>{hover.name}</b><br /><span class="number">{durationText(hover.duration_ns)}</span> <span class="muted">{kindOf(hover.kind).name}</span></>
        : <><b>{countText(hover.slices)} {hover.slices === 1 ? 'slice' : 'slices'}</b> cover {shareText(hover.cover)} of {durationText(hover.duration_ns)}
            <br /><span class="muted">mostly {hover.name}</span></>,
    };
  }
  const lane = pointer ? model.laneAt(pointer.y) : null;
  if (!lane || lane.counter < 0 || !pointer) return null;
  const value = counterAt(model, lane.counter, model.timeAt(pointer.x));
  const info = model.info.counters.find((one) => one.counter === lane.counter)!;
  return value === null ? null : { ...place, content: <><b>{info.name}</b> <span class="number">{counterText(info.unit, value)}</span></> };
}

function counterAt(model: TimelineModel, counter: number, at_ns: number): number | null {
  for (const { tile, start_ns, end_ns } of model.counters.get(counter)?.covering(model.view, model.columns) ?? []) {
    if (at_ns < start_ns || at_ns >= end_ns) continue;
    let value: number | null = null;
    for (const point of tile.points) {
      if (point[0] > at_ns) break;
      value = point[2];
    }
    return value;
  }
  return null;
}
