import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import type { ComparedCycle, Comparison, Timeline } from '../../api/types.ts';
import { type Chosen, type Side, kSides, rankOf } from '../../model/compare_cycles.ts';
import { shortName } from '../../model/names.ts';
import { Settling } from '../../model/settling.ts';
import { align } from '../../model/time_window.ts';
import { TimelineModel } from '../../model/timeline_model.ts';
import { trackKey } from '../../model/track_layout.ts';
import { durationText } from '../../model/units.ts';
import type { Viewport } from '../../model/viewport.ts';
import { useAnswer, useSession } from '../hooks.ts';
import { Card, Failure, Waiting } from '../pieces.tsx';
import { headHeight } from './paint_head.ts';
import { TimelineCanvas } from './timeline_canvas.tsx';

// The timelines of two runs, one above the other: the selected cycles begin at the same place, the scale is the same, and
// both move together.

const kDeepRows = 4;

interface Props {
  comparison: Comparison;
  rank: number | null;
  chosen: Chosen;
  highlight: string; // a function
  view: Viewport | null; // since the start of the cycles, as in the address; null: the cycles
  onView: (view: Viewport) => void;
  onOpen: (trace: string, parameters: Record<string, string>) => void;
  onLetGo: () => void; // of the function
}

export function TimelinePair(props: Props): JSX.Element {
  const session = useSession();
  const [normal, abnormal] = kSides.map((side) => rankOf(props.comparison.runs[side], props.rank).path);
  const infos = {
    normal: useAnswer(`timeline ${normal}`, () => session.client.timeline(normal)),
    abnormal: useAnswer(`timeline ${abnormal}`, () => session.client.timeline(abnormal)),
  };
  for (const side of kSides) {
    const info = infos[side];
    if (info.is === 'loading') return <Card title="Timelines"><Waiting what="loading the tracks" /></Card>;
    if (info.is === 'failed') return <Card title="Timelines"><Failure error={info.error} /></Card>;
  }
  const ready = (side: Side): Timeline => (infos[side] as { value: Timeline }).value;
  return <LoadedPair key={`${normal} ${abnormal}`} {...props} infos={{ normal: ready('normal'), abnormal: ready('abnormal') }} />;
}

// The cycles are shown in place of the steps.
function withCycles(info: Timeline, cycles: readonly ComparedCycle[]): Timeline {
  return { ...info, steps: cycles.map(({ name, start_ns, duration_ns }) => ({ name, start_ns, duration_ns })) };
}

// As the address has it.
function placeText(view: Viewport | null): string {
  return view ? `${Math.round(view.start_ns)} ${Math.round(view.end_ns)}` : '';
}

function LoadedPair({ comparison, rank, chosen, highlight, view, onView, onOpen, onLetGo, infos }: Props & { infos: Record<Side, Timeline> }): JSX.Element {
  const session = useSession();
  const [, redraw] = useState(0);
  const ranks = { normal: rankOf(comparison.runs.normal, rank), abnormal: rankOf(comparison.runs.abnormal, rank) };
  const models = useMemo(() => {
    const make = (side: Side): TimelineModel => {
      const model = new TimelineModel(session.client, ranks[side].path, withCycles(infos[side], ranks[side].cycles.list));
      // Half the height of a screen must be enough for hosts and devices.
      for (const track of infos[side].tracks) if (track.rows > kDeepRows) model.shape(trackKey(track), 'compact');
      return model;
    };
    return { normal: make('normal'), abnormal: make('abnormal') };
  }, [infos.normal, infos.abnormal, rank]);
  const cycleOf = (side: Side): ComparedCycle => ranks[side].cycles.list.find((one) => one.cycle === chosen[side]) ?? ranks[side].cycles.list[0];
  const isFirst = useRef(true);
  const home = useRef<Viewport | null>(null); // where the cycles fill the window: the address need not change

  useEffect(() => {
    for (const side of kSides) models[side].onChanged = () => redraw((n) => n + 1);
    return () => {
      for (const side of kSides) {
        models[side].onChanged = () => {};
        models[side].stop();
      }
    };
  }, [models]);
  useEffect(() => {
    const window = align(kSides.map((side) => ({ timeline: models[side], ...cycleOf(side) })));
    home.current = window.view;
    if (isFirst.current && view) window.set(view);
    isFirst.current = false;
    for (const side of kSides) models[side].focus = cycleOf(side);
  }, [models, chosen.normal, chosen.abnormal]);
  useEffect(() => {
    for (const side of kSides) void models[side].find(highlight === '' ? '' : `=${highlight}`, 'stay');
  }, [models, highlight]);

  const movedTo = (): Viewport | null => {
    const now = models.normal.window.goal ?? models.normal.window.view;
    return now === home.current ? null : now;
  };
  const settling = useMemo(() => new Settling(() => {
    const now = movedTo();
    if (now) onView(now);
  }), [models]);
  useEffect(() => () => settling.stop(), [settling]);
  const settled = (): void => {
    const now = movedTo();
    if (now && placeText(now) !== placeText(view)) settling.see(placeText(now));
    else settling.stop();
  };
  return (
    <Card title="Timelines" class="timelines"
          aside={highlight === '' ? <span class="muted">aligned on the start of the chosen cycles; click one, then keys and wheel move both</span> : (
            <span class="highlight"><span class="muted">only</span> <code title={highlight}>{shortName(highlight)}</code>
              <button type="button" class="quiet" onClick={onLetGo}>Show all</button></span>
          )}>
      {kSides.map((side) => {
        const model = models[side];
        const cycle = cycleOf(side);
        const run = comparison.runs[side];
        const open = (): void => onOpen(model.trace, {
          from: String(Math.round(model.view.start_ns)), to: String(Math.round(model.view.end_ns)),
          ...(model.slice ? { slice: String(model.slice.slice) } : {}), ...(highlight === '' ? {} : { q: `=${highlight}` }),
        });
        return (
          <section key={side} class="aligned" data-side={side} aria-label={`Timeline of ${run.label}`}
                   style={{ '--content': `${headHeight(model) + model.layout.height}px` }}>
            <header>
              <b><span class={`shape ${side}`} aria-hidden="true">{side === 'normal' ? '●' : '◆'}</span> {run.label}</b>
              <span class="muted">{cycle.name}, {durationText(cycle.duration_ns)}</span>
              <span class="picked">{model.slice && <><code title={model.slice.name}>{model.slice.name}</code> <span class="number">{durationText(model.slice.duration_ns)}</span></>}</span>
              <button type="button" class="link" onClick={open}>Open this timeline</button>
            </header>
            <TimelineCanvas model={model} embedded label={`Timeline of ${run.label}`} onSettled={settled} onJump={() => {}} />
          </section>
        );
      })}
    </Card>
  );
}
