import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

import type { Track } from '../../api/types.ts';
import { scaleText } from '../../model/counter_scale.ts';
import { valueAt } from '../../model/counter_tiles.ts';
import { kConditionKind, kindOf } from '../../model/kinds.ts';
import type { TimelineModel } from '../../model/timeline_model.ts';
import { type Lane, isCondition } from '../../model/track_layout.ts';
import { countText, durationText, shareText, valueText } from '../../model/units.ts';
import { spanOf } from '../../model/viewport.ts';
import { useKeys, useObservable, useSession } from '../hooks.ts';
import { type Tip, Tooltip } from '../pieces.tsx';
import { readColours } from './colours.ts';
import { type Gestures, bodyGestures, headGestures, keyDown, keyUp } from './gestures.ts';
import type { Layer } from './layer.ts';
import { headHeight } from './paint_head.ts';
import { Stage } from './stage.ts';

// The canvases, the names of the tracks beside them, and the tooltip.

// Of the span of a summary, so that it says the same.
function busyShare(model: TimelineModel, track: Track): number {
  return track.busy_ns / (model.info.summary_span_ns || model.info.span_ns || 1);
}

function laneHint(model: TimelineModel, lane: Lane): string {
  if (lane.track && isCondition(lane.track)) {
    return `${lane.track.name}: ${countText(lane.track.slices)} ${lane.track.slices === 1 ? 'stretch' : 'stretches'}; a condition, not time of the program`;
  }
  if (lane.track) {
    const share = busyShare(model, lane.track);
    return `${countText(lane.track.slices)} slices, busy ${durationText(lane.track.busy_ns)} (${shareText(share)} of the span)`;
  }
  if (lane.counters.length === 0) return lane.name;
  const lines = lane.counters.map((one) => `${one.key || one.name}: ${valueText(one.unit, one.min)} to ${valueText(one.unit, one.max)}`);
  return [lane.counters.length > 1 ? lane.name : '', ...lines].filter(Boolean).join('\n');
}

// Where there is no room for "NVIDIA H200 · GPU 0", its number stays.
function Name({ name }: { name: string }): JSX.Element {
  const dot = name.lastIndexOf(' · ');
  return dot < 0 ? <span class="lane-name">{name}</span> : <span class="lane-name split"><span>{name.slice(0, dot)}</span><span>{name.slice(dot)}</span></span>;
}

// Which line is which.
function Legend({ lane }: { lane: Lane }): JSX.Element {
  return (
    <span class="lane-lines">
      {lane.counters.map((one, i) => <span key={one.name}><i class={`line-${i % 3}`} style={{ color: `var(--line-${i % 6})` }} />{one.key || one.name}</span>)}
    </span>
  );
}

function LaneName({ model, lane }: { model: TimelineModel; lane: Lane }): JSX.Element {
  const isOpenCounter = lane.counters.length > 0 && lane.shape !== 'closed';
  const place = { top: `${lane.top}px`, height: `${lane.height}px` };
  return (
    <>
      <button type="button" class={`lane ${lane.kind} ${lane.shape} depth-${lane.depth} ${isCondition(lane.track) ? 'condition' : ''}`} style={place}
              title={laneHint(model, lane)} aria-expanded={lane.shape !== 'closed'} onClick={() => model.toggle(lane)}>
        <span class="twist" aria-hidden="true">{lane.shape === 'closed' ? '▸' : lane.shape === 'compact' ? '▹' : '▾'}</span>
        <Name name={lane.name} />
        {isOpenCounter && <span class={`lane-most ${lane.counters.length === 1 ? 'below' : ''}`}>{scaleText(lane.counters)}</span>}
        {lane.track && lane.track.kind === 'device' && (
          <span class="lane-most">busy {shareText(busyShare(model, lane.track))}</span>
        )}
        {isOpenCounter && lane.counters.length > 1 && <Legend lane={lane} />}
      </button>
      {lane.metrics > 0 && (
        <button type="button" class="lane-metrics" style={{ top: `${lane.top}px` }} aria-expanded={model.hasMetrics(lane)} aria-label={`Metrics of ${lane.name}`}
                title={`${lane.metrics} ${lane.metrics === 1 ? 'metric' : 'metrics'} of this thread`} onClick={() => model.toggleMetrics(lane)}>
          <svg viewBox="0 0 12 12" width="11" height="11" aria-hidden="true"><path d="M1 9l3-4 2.5 2.5L11 2" /></svg>
        </button>
      )}
    </>
  );
}

// One of several on a scrolling page is `embedded`: keys are for the one that has the focus, and the wheel scrolls the page
// until one of them has it.
export function TimelineCanvas({ model, onSettled, onJump, embedded = false, label = 'Timeline', layer = null }: {
  model: TimelineModel; onSettled: () => void; onJump: () => void; embedded?: boolean; label?: string; layer?: Layer | null;
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
      readColours(theme), () => callbacks.current.onSettled(), layer);
    stageRef.current = stage;
    model.onSlid = () => {
      stage.overlay.pointer = null;
      stage.overlay.hover = null;
      setTip(null);
    };
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
      model.onSlid = () => {};
      stops.forEach((stop) => stop());
      observer.disconnect();
      window.removeEventListener('keyup', release);
      window.removeEventListener('blur', releaseAll);
      stage.stop();
    };
  }, [model, layer]);
  useEffect(() => stageRef.current?.recolour(readColours(theme)), [theme]);
  useKeys((event) => stageRef.current !== null && hasFocus(root.current) && keyDown(stageRef.current, event, gestures.current));

  const height = headHeight(model);
  return (
    <div class="timeline" ref={root}>
      <div class="tl-head" style={{ height: `${height}px` }}>
        <div class="tl-corner"><span>{durationText(spanOf(model.whole))} in all</span></div>
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

// Of a condition also what it is about: its track.
function kindWords(model: TimelineModel, { kind, track }: { kind: number; track: number }): string {
  const { name } = kindOf(kind);
  const of = model.info.tracks.find((one) => one.track === track);
  return kind === kConditionKind && of ? `${name} · ${of.name}` : name;
}

function sliceWord(kind: number, count: number): string {
  if (kind === kConditionKind) return count === 1 ? 'condition' : 'conditions';
  return count === 1 ? 'slice' : 'slices';
}

function hoverTip(stage: Stage, event: PointerEvent): Tip | null {
  const { model, overlay } = stage;
  const { hover, pointer } = overlay;
  const place = { x: event.clientX, y: event.clientY };
  const over = !hover && pointer && stage.layer?.tip(model, pointer);
  if (over) return { ...place, content: over };
  if (hover) {
    return {
      ...place,
      content: hover.is === 'slice'
        ? <><b>{hover.name}</b><br /><span class="number">{durationText(hover.duration_ns)}</span> <span class="muted">{kindWords(model, hover)}</span></>
        : <><b>{countText(hover.slices)} {sliceWord(hover.kind, hover.slices)}</b> cover {shareText(hover.cover)} of {durationText(hover.duration_ns)}
            <br /><span class="muted">mostly {hover.name}</span></>,
    };
  }
  const lane = pointer ? model.laneAt(pointer.y) : null;
  if (!lane || lane.counters.length === 0 || lane.shape === 'closed' || !pointer) return null;
  const at_ns = model.timeAt(pointer.x);
  const values = lane.counters.flatMap((counter, i) => {
    const value = valueAt(model.counters.of(counter), model.view, model.columns, at_ns);
    return value === null ? [] : [{ counter, i, text: valueText(counter.unit, value) }];
  });
  if (values.length === 0) return null;
  if (lane.counters.length === 1) return { ...place, content: <><b>{lane.name}</b> {lane.counters[0].key} <span class="number">{values[0].text}</span></> };
  return {
    ...place,
    content: (
      <><b>{lane.name}</b><table class="small lines"><tbody>
        {values.map(({ counter, i, text }) => (
          <tr key={counter.name}><td class="lane-lines"><span><i class={`line-${i % 3}`} style={{ color: `var(--line-${i % 6})` }} />{counter.key}</span></td><td class="number">{text}</td></tr>
        ))}
      </tbody></table></>
    ),
  };
}
