import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import type { JobQuestion } from '../../api/client.ts';
import type { Fleet, JobRank } from '../../api/job_types.ts';
import type { Timeline } from '../../api/types.ts';
import { ExchangeTiles } from '../../model/exchange_tiles.ts';
import { JobTrace, traceTime } from '../../model/job_trace.ts';
import { Settling } from '../../model/settling.ts';
import { TimelineModel } from '../../model/timeline_model.ts';
import { trackKey } from '../../model/track_layout.ts';
import { durationText } from '../../model/units.ts';
import { type Viewport, framing } from '../../model/viewport.ts';
import { useAnswer, useSession } from '../hooks.ts';
import { Failure, Waiting } from '../pieces.tsx';
import { ExchangeLayer } from './exchange_layer.tsx';
import { headHeight } from './paint_head.ts';
import { TimelineCanvas } from './timeline_canvas.tsx';

// The common timeline of some ranks of a job, on its clock.

const kFewRanks = 2; // more of them leave no room for words in nested slices
const kFewRows = 8;

interface Props {
  fleet: Fleet;
  job: JobQuestion; // what the fleet was asked about
  isAligned: boolean;
  ranks: readonly number[]; // which, in their order
  step: number | null; // shown and marked; null: everything
  view: Viewport | null; // as in the address; null: the step
  onView: (view: Viewport | null) => void;
  onOpen: (trace: string, parameters: Record<string, string>) => void; // in a timeline of its own
}

export function JobTimeline(props: Props): JSX.Element {
  const session = useSession();
  const { fleet } = props;
  const ranks = props.ranks.flatMap((rank) => fleet.ranks.find((one) => one.rank === rank) ?? []);
  const key = ranks.map((one) => one.trace).join(' ');
  const infos = useAnswer(`timelines ${key}`, () => Promise.all(ranks.map((one) => session.client.timeline(one.trace))));
  if (infos.is === 'loading') return <Waiting what="loading the tracks" />;
  if (infos.is === 'failed') return <Failure error={infos.error} />;
  return <LoadedTimeline {...props} chosen={ranks} infos={infos.value} name={key} />;
}

function LoadedTimeline({ fleet, job, isAligned, chosen, infos, name, step, view, onView, onOpen }: Props & {
  chosen: readonly JobRank[]; infos: readonly Timeline[]; name: string;
}): JSX.Element {
  const session = useSession();
  const [, redraw] = useState(0);
  const [isHidden, setHidden] = useState(false);
  const { model, trace, layer, tiles } = useMemo(() => {
    const joined = new JobTrace(session.client, chosen, infos, fleet.step_names);
    const made = new TimelineModel(joined, name, joined.info);
    for (const track of joined.info.tracks) {
      if (track.rows > (chosen.length > kFewRanks ? 1 : kFewRows)) made.shape(trackKey(track), 'compact');
    }
    const numbers = chosen.map((one) => one.rank);
    const exchanges = new ExchangeTiles(made.whole, async (start_ns, end_ns, columns, signal) => {
      const answer = await session.client.exchanges(job, isAligned, numbers, start_ns, end_ns, columns, signal);
      if (answer.generation !== fleet.generation) session.renew(chosen[0].trace);
      return answer;
    }, () => made.onRepaint());
    return { model: made, trace: joined, tiles: exchanges, layer: new ExchangeLayer(exchanges, chosen, setHidden) };
  }, [fleet, infos, name]);
  const home = useRef<Viewport | null>(null); // what the address need not say

  useEffect(() => {
    model.onChanged = () => redraw((n) => n + 1);
    model.onOutdated = () => session.renew(chosen[0].trace);
    return () => {
      model.onChanged = () => {};
      model.stop();
      tiles.stop();
    };
  }, [model]);
  const placed = useRef<TimelineModel | null>(null); // in the window of the address
  useEffect(() => {
    const shown = step === null ? null : model.info.steps[step] ?? null;
    if (shown && step !== null) {
      const end_ns = Math.max(...chosen.map((one) => one.steps[2 * step + 1]));
      model.setView(framing(shown.start_ns, end_ns - shown.start_ns, model.reach, 0.94));
    }
    model.focus = shown;
    home.current = model.window.view;
    if (placed.current !== model && view) model.setView(view);
    placed.current = model;
  }, [model, step]);

  const settling = useMemo(() => new Settling(() => {
    const now = model.goal ?? model.view;
    onView(now === home.current ? null : now);
  }), [model]);
  useEffect(() => () => settling.stop(), [settling]);
  const textOf = (one: Viewport | null): string => (one ? `${Math.round(one.start_ns)} ${Math.round(one.end_ns)}` : '');
  const settled = (): void => {
    const now = model.goal ?? model.view;
    const next = textOf(now === home.current ? null : now);
    if (next !== textOf(view)) settling.see(next);
    else settling.stop();
  };
  const open = (): void => {
    const { rank, slice } = trace.sourceOf(model.slice!.slice);
    const [from, to] = [model.view.start_ns, model.view.end_ns].map((at) => String(Math.round(traceTime(rank.clock, at))));
    onOpen(rank.trace, { from, to, slice: String(slice) });
  };
  return (
    <section class="aligned" aria-label="Common timeline" style={{ '--content': `${headHeight(model) + model.layout.height}px` }}>
      <header>
        <span class="exchange-legend"><i class="waits" />waits<i class="transfers" />transfers<i class="last" />the last to come</span>
        {isHidden && <span class="muted">narrower collectives appear when zoomed in</span>}
        <span class="picked">{model.slice && <><code title={model.slice.name}>{model.slice.name}</code> <span class="number">{durationText(model.slice.duration_ns)}</span></>}</span>
        {model.slice && <button type="button" class="link" onClick={open}>Open in the timeline of rank {trace.sourceOf(model.slice.slice).rank.rank}</button>}
      </header>
      <TimelineCanvas model={model} embedded label="Common timeline of ranks" layer={layer} onSettled={settled} onJump={() => {}} />
    </section>
  );
}
