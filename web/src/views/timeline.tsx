import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import type { Timeline as TimelineInfo } from '../api/types.ts';
import { shownTrace } from '../model/ranks.ts';
import { type Route, numberParameter, routeHash, withParameters } from '../model/route.ts';
import { Settling } from '../model/settling.ts';
import { stretchIn } from '../model/stretch.ts';
import { TimelineModel } from '../model/timeline_model.ts';
import { framing, spanOf } from '../model/viewport.ts';
import { useAnswer, useRoute, useSession } from '../widgets/hooks.ts';
import { Empty, Failure, Waiting } from '../widgets/pieces.tsx';
import { RankPicker } from '../widgets/rank_picker.tsx';
import { AreaPanel } from '../widgets/timeline/area_panel.tsx';
import { SearchBar } from '../widgets/timeline/search_bar.tsx';
import { SlicePanel } from '../widgets/timeline/slice_panel.tsx';
import { TimelineCanvas } from '../widgets/timeline/timeline_canvas.tsx';
import type { Screen } from './screen.ts';

function Timeline(): JSX.Element {
  const session = useSession();
  const trace = shownTrace(useRoute());
  const info = useAnswer(`timeline ${trace}`, () => session.client.timeline(trace));
  if (info.is === 'loading') return <Waiting what="loading the tracks" />;
  if (info.is === 'failed') return <Failure error={info.error} />;
  if (info.value.tracks.length === 0 && info.value.counters.length === 0) {
    return info.value.is_recording ? <Empty title="Nothing is recorded yet"><p>The page shows it as it comes.</p></Empty>
      : <Empty title="This trace has no slices"><p>It was written, but nothing was recorded in it.</p></Empty>;
  }
  return <LoadedTimeline key={trace} trace={trace} info={info.value} />; // newer content goes into the same one
}

// Of the window: a stretch that fills it, and one that is shown with what is around it.
const kStretchShare = 0.94;
const kSelectedShare = 0.5;

// What the URL says of the view: a window that follows a recording is not a place to return to.
function viewParameters(model: TimelineModel): Record<string, string | undefined> {
  const { start_ns, end_ns } = model.goal ?? model.view;
  const stays = !model.isFollowing;
  return {
    from: stays ? String(Math.round(start_ns)) : undefined, to: stays ? String(Math.round(end_ns)) : undefined,
    slice: (model.slicePending ?? model.slice?.slice)?.toString(), q: model.search.typed || undefined,
    area: model.area ? [model.area.start_ns, model.area.end_ns].map(Math.round).join('-') : undefined, tracks: model.area?.tracks.join(','),
    jump: undefined, at: undefined, stretch: undefined, select: undefined,
  };
}

function LoadedTimeline({ trace, info }: { trace: string; info: TimelineInfo }): JSX.Element {
  const session = useSession();
  const route = useRoute();
  const [, redraw] = useState(0);
  const model = useMemo(() => new TimelineModel(session.client, trace, info), [trace]);
  const written = useRef(''); // the address that the view has taken over, or that it was written to

  // The address of the view as it is; null while the view has not taken over the present one yet.
  const nextAddress = (): Route | null => {
    const now = session.route.value;
    return routeHash(now) === written.current ? withParameters(now, viewParameters(model)) : null;
  };
  const writeNow = (): void => {
    settling.stop();
    const next = nextAddress();
    if (!next || routeHash(next) === written.current) return;
    written.current = routeHash(next);
    session.amend(next);
  };
  const settling = useMemo(() => new Settling(() => writeNow()), [model]);
  // The URL follows the view when it has come to rest, whatever is loaded or pointed at meanwhile.
  const write = (): void => {
    const next = nextAddress();
    if (next && routeHash(next) !== written.current) settling.see(routeHash(next));
    else settling.stop();
  };
  // Keeps the current view as a separate history entry.
  const jump = (): void => {
    writeNow();
    session.go({ ...session.route.value, parameters: { ...session.route.value.parameters } });
  };

  // A link, "back", or an address typed by hand.
  useEffect(() => {
    if (routeHash(route) === written.current) return;
    written.current = routeHash(route);
    const { parameters } = route;
    const from = numberParameter(route, 'from');
    const to = numberParameter(route, 'to');
    const slice = numberParameter(route, 'slice');
    const [stretch, selected] = [stretchIn(parameters['stretch']), stretchIn(parameters['select'])];
    if (from !== null && to !== null && to > from) model.setView({ start_ns: from, end_ns: to });
    else if (selected) model.setView(framing(selected.start_ns, spanOf(selected), model.reach, kSelectedShare));
    else if (stretch) model.setView(framing(stretch.start_ns, spanOf(stretch), model.reach, kStretchShare));
    else if (parameters['at'] !== undefined) {
      const at = Number(parameters['at']);
      const half = info.span_ns / 40;
      model.mark_ns = at;
      model.setView({ start_ns: at - half, end_ns: at + half });
    }
    if ((model.slice?.slice ?? null) !== slice) void model.choose(slice, from === null);
    const [areaStart, areaEnd] = selected ? [selected.start_ns, selected.end_ns] : (parameters['area'] ?? '').split('-').map(Number);
    if (areaEnd > areaStart && (model.area?.start_ns !== areaStart || model.area.end_ns !== areaEnd)) {
      const tracks = (parameters['tracks'] ?? '').split(',').filter((one) => one !== '').map(Number);
      void model.chooseArea(model.areaOf(areaStart, areaEnd, tracks));
    }
    const q = parameters['q'] ?? '';
    if (q !== model.search.typed) void model.find(q, parameters['jump'] === 'longest' ? 'longest' : 'stay');
  }, [route]);

  useEffect(() => {
    model.onChanged = () => {
      redraw((n) => n + 1);
      write();
    };
    model.onOutdated = () => session.renew(trace);
    return () => {
      settling.stop();
      model.onChanged = () => {};
      model.onOutdated = () => {};
      model.stop();
    };
  }, [model]);

  useEffect(() => {
    if (info !== model.info) model.renew(info);
  }, [info]);

  const panel = model.area ? <AreaPanel model={model} /> : model.slice ? <SlicePanel model={model} onJump={jump} /> : null;
  return (
    <div class="with-panel">
      <div class="main-column timeline-column">
        <RankPicker />
        <SearchBar model={model} />
        <TimelineCanvas model={model} onSettled={write} onJump={jump} />
      </div>
      {panel}
      <div class="offscreen" role="status">
        {model.slice ? `${model.slice.name}, ${model.slice.duration_ns} nanoseconds` : ''}
      </div>
    </div>
  );
}

export const timeline: Screen = {
  id: 'timeline', title: 'Timeline', shows: 'trace', component: Timeline,
  icon: 'M3 5h7M12 5h5M3 10h3M8 10h9M3 15h10',
};
