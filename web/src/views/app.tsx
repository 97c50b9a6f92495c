import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { ThemeChoice } from '../model/theme.ts';
import { type Route, atScreen, routeHash } from '../model/route.ts';
import { type Session, defaultTrace, findTrace } from '../model/session.ts';
import { chosenEntries, shownTrace } from '../model/ranks.ts';
import type { Summary, TraceEntry } from '../api/types.ts';
import { bytesText, countText, durationText } from '../model/units.ts';
import { traceLabel } from '../model/names.ts';
import { useKeys, useObservable, useRoute, useSession } from '../widgets/hooks.ts';
import { Empty, Failure, Waiting } from '../widgets/pieces.tsx';
import { RankPicker } from '../widgets/rank_picker.tsx';
import { ApiError } from '../api/client.ts';
import { Help } from './help.tsx';
import { RunsView } from './runs.tsx';
import type { Screen } from './screen.ts';
import { kScreens } from './screens.ts';

// The frame around the screens: navigation, the open traces, theme and help.

function screensOf(session: Session): readonly Screen[] {
  return session.report ? kScreens.filter((screen) => screen.shows === 'summary') : kScreens;
}

// What the digit keys open.
function numbered(screens: readonly Screen[]): readonly Screen[] {
  return screens.filter((screen) => screen.key === undefined);
}

const kThemes: readonly ThemeChoice[] = ['system', 'light', 'dark'];
const kThemeWords = { system: 'auto', light: 'light', dark: 'dark' } as const;

export function App(): JSX.Element {
  const session = useSession();
  const route = useRoute();
  const [hasHelp, setHelp] = useState(false);
  const screens = screensOf(session);
  const nextTheme = (): void => session.themeChoice.set(kThemes[(kThemes.indexOf(session.themeChoice.value) + 1) % kThemes.length]);
  useKeys((event) => {
    const digit = Number(event.key);
    const counted = numbered(screens)[digit - 1];
    if (counted) session.go(atScreen(route, counted.id));
    else if (screens.some((screen) => screen.key === event.key)) session.go(atScreen(route, screens.find((screen) => screen.key === event.key)!.id));
    else if (event.key === '?') setHelp(true);
    else if (event.key === 't') nextTheme();
    else if (event.key === 'r' && !session.report) session.go(atScreen(route, 'runs'));
    else return false;
    return true;
  });
  useEffect(() => {
    const screen = kScreens.find((one) => one.id === route.screen);
    const what = screen?.subject?.(route) ?? route.traces.map(traceLabel).join(', ');
    if (!session.report) document.title = [screen?.title, what, 'strobe'].filter(Boolean).join(' · ');
  }, [route]);
  return (
    <div class="app">
      <a class="skip offscreen" href="#main" onClick={(event) => {
        event.preventDefault();
        document.getElementById('main')?.focus();
      }}>Skip to the content</a>
      <nav class="rail" aria-label="Screens">
        <span class="brand" aria-label="strobe" title="strobe"><svg viewBox="0 0 20 20" width="22" height="22" aria-hidden="true"><path d="M2 10h3l2-6 3 12 3-9 1.5 3H18" /></svg></span>
        {screens.map((screen) => (
          <a key={screen.id} href={routeHash(atScreen(route, screen.id))} title={`${screen.title} (${screen.key?.toUpperCase() ?? numbered(screens).indexOf(screen) + 1})`} aria-current={screen.id === currentId(session, route) ? 'page' : undefined}
             onClick={(event) => {
               event.preventDefault();
               session.go(atScreen(route, screen.id));
             }}>
            <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true"><path d={screen.icon} /></svg>
            <span>{screen.title}</span>
          </a>
        ))}
        <span class="grow" />
        <button type="button" title="Keys (?)" aria-label="Keys" onClick={() => setHelp(true)}><kbd>?</kbd></button>
      </nav>
      <header class="bar">
        <Opened />
        <span class="grow" />
        <ThemeButton onClick={nextTheme} />
      </header>
      <main id="main" tabIndex={-1}><Content /></main>
      {hasHelp && <Help onClose={() => setHelp(false)} />}
    </div>
  );
}

function currentId(session: Session, route: Route): string {
  if (route.screen === 'runs' && !session.report) return 'runs';
  return screensOf(session).find((screen) => screen.id === route.screen)?.id ?? kScreens[0].id;
}

function ThemeButton({ onClick }: { onClick: () => void }): JSX.Element {
  const choice = useObservable(useSession().themeChoice);
  return (
    <button type="button" class="quiet theme" onClick={onClick} title="Light, dark, or as the system (T)" aria-label={`Theme: ${kThemeWords[choice]}`}>
      <svg viewBox="0 0 20 20" width="16" height="16" aria-hidden="true"><circle cx="10" cy="10" r="6.5" /><path d="M10 3.5a6.5 6.5 0 0 1 0 13z" class="solid" /></svg>
      <span>{kThemeWords[choice]}</span>
    </button>
  );
}

function reportName({ facts }: Summary): string {
  return facts['file'] ? traceLabel(String(facts['file'])) : `${countText(Number(facts['ranks'] ?? 0))} ranks`;
}

// Of several traces the sums, as the tiles of the overview.
function entryFacts(entries: readonly TraceEntry[]): string {
  const devices = [...new Set(entries.map((entry) => entry.device))];
  const sum = (key: 'slices' | 'file_bytes'): number => entries.reduce((total, entry) => total + (entry[key] ?? 0), 0);
  if (entries.every((entry) => entry.kind === 'snapshot')) return `snapshot of an allocator · ${bytesText(sum('file_bytes'))}`;
  return [
    devices.length === 1 ? devices[0] : `${devices.length} kinds of devices`, `${countText(sum('slices'))} slices`,
    durationText(Math.max(...entries.map((entry) => entry.span_ns ?? 0))), bytesText(sum('file_bytes')),
  ].filter(Boolean).join(' · ');
}

// The open trace and its properties.
function Opened(): JSX.Element {
  const session = useSession();
  const route = useRoute();
  const runs = useObservable(session.runs);
  if (session.report) {
    const { facts } = session.report;
    return (
      <>
        <b class="opened-name">{reportName(session.report)}</b>
        <span class="opened-facts muted">{[facts['device'], facts['dialect']].filter(Boolean).join(' · ')}</span>
      </>
    );
  }
  const isOfRuns = kScreens.find((screen) => screen.id === route.screen)?.shows === 'runs';
  const [trace] = isOfRuns ? [] : route.traces;
  const found = runs.is === 'ready' && trace ? findTrace(runs.value, trace) : null;
  const entry = found?.entry;
  const entries = runs.is === 'ready' && trace ? chosenEntries(runs.value, route) : [];
  const isRun = entries.length > 1;
  const losses = found?.run.recorded?.losses ?? [];
  return (
    <>
      <a class="opened" href={routeHash(atScreen(route, 'runs'))} title="Choose another (R)" onClick={(event) => {
        event.preventDefault();
        session.go(atScreen(route, 'runs'));
      }}>
        <span class="muted">{found ? found.run.name : 'Runs'}</span>
        {trace && <><span class="muted" aria-hidden="true">/</span><b>{isRun ? `${entries.length} traces` : entry ? entry.worker : traceLabel(trace)}</b>
          {!isRun && entry && entry.span !== 'default' && <span class="muted">{entry.span}</span>}</>}
        <span aria-hidden="true" class="muted">▾</span>
      </a>
      {entries.length > 0 && entries.every((one) => one.state === 'ready') && <span class="opened-facts muted">{entryFacts(entries)}</span>}
      <RecordingMark entries={entries} />
      {entry?.import_warning && !entry.is_recording && <span class="warning" title={entry.import_warning}>{entry.import_warning}</span>}
      {losses.length > 0 && <span class="warning" title={losses.join('\n')}>{losses.length === 1 ? losses[0] : `${countText(losses.length)} losses while recording`}</span>}
    </>
  );
}

// What is missing now may come yet.
function recordingHint(recorded: readonly TraceEntry[]): string {
  return ['This run is being recorded; the page follows it.', ...new Set(recorded.flatMap((entry) => entry.import_warning ?? []))].join('\n');
}

// While the program runs: how much of it is on the page. Goes away by itself.
function RecordingMark({ entries }: { entries: readonly TraceEntry[] }): JSX.Element | null {
  const following = useObservable(useSession().following);
  const recorded = entries.filter((entry) => entry.is_recording);
  if (recorded.length === 0) return null;
  const reach_ns = Math.max(...recorded.map((entry) => following.get(entry.trace)?.reach_ns ?? entry.span_ns ?? 0));
  return <span class="recording" title={recordingHint(recorded)} data-recording>recording…{reach_ns > 0 && ` ${durationText(reach_ns)}`}</span>;
}

function Content(): JSX.Element {
  const session = useSession();
  const route = useRoute();
  const runs = useObservable(session.runs);
  const screen = screensOf(session).find((one) => one.id === route.screen) ?? kScreens[0];
  const isRuns = route.screen === 'runs';
  // The first visit names nothing: a single trace opens by itself, several are listed.
  useEffect(() => {
    if (session.report || route.traces.length > 0 || isRuns || screen.shows === 'runs' || runs.is !== 'ready') return;
    if (runs.value.runs.length === 0 && runs.value.kernel_files.length > 0) {
      session.amend(atScreen(route, 'roofline'));
      return;
    }
    if (runs.value.runs.length === 0 && runs.value.bench_files.length > 0) {
      session.amend(atScreen(route, 'bench'));
      return;
    }
    const only = runs.value.runs.length === 1 && runs.value.runs[0].traces.length === 1 ? defaultTrace(runs.value) : null;
    const isSnapshot = only !== null && findTrace(runs.value, only)?.entry.kind === 'snapshot';
    const first = isSnapshot && route.screen === '' ? 'memory' : screen.id;
    session.amend(only === null ? atScreen(route, 'runs') : { screen: first, traces: [only], parameters: route.parameters });
  }, [route, runs]);
  if (session.report) return <screen.component />;
  if (isRuns) return <RunsView />;
  if (runs.is === 'failed') return <Failure error={runs.error} title="No connection" />;
  if (runs.is === 'ready' && screen.shows === 'runs') return <screen.component key={screen.id} />;
  if (runs.is === 'loading' || route.traces.length === 0) return <Waiting what="loading the list of runs" />;
  const entries = route.traces.map((trace) => findTrace(runs.value, trace)?.entry);
  const missing = route.traces.find((_, i) => entries[i] === undefined);
  if (missing !== undefined) {
    return <Failure title="This trace is not here" error={new ApiError({ code: 'not_found', what: `no trace is called '${missing}'`, hint: 'it may have been moved or deleted; press R to see what there is' })} />;
  }
  const failed = entries.find((entry) => entry?.state === 'failed');
  if (failed) return <Failure title="This trace cannot be read" error={new ApiError(failed.error ?? { code: 'unreadable', what: 'no reason was given' })} />;
  const pending = entries.find((entry) => entry?.state !== 'ready');
  if (pending) {
    return (
      <div class="empty"><h2>Loading {pending.worker}</h2>
        {pending.state === 'queued' ? <p class="muted">Queued.</p> : <progress value={pending.progress} max={1} />}
        <p class="muted">{bytesText(pending.file_bytes)}</p></div>
    );
  }
  const needed = screen.shows === 'trace' ? entries.filter((entry) => entry?.trace === shownTrace(route)) : entries;
  const snapshot = screen.takesSnapshots ? undefined : needed.find((entry) => entry?.kind === 'snapshot');
  if (snapshot) return <OnlyMemory screen={screen} snapshot={snapshot} />;
  return <screen.component key={`${screen.id} ${route.traces.join(' ')}`} />;
}

// A snapshot of an allocator has no slices, so other screens have nothing to show.
function OnlyMemory({ screen, snapshot }: { screen: Screen; snapshot: TraceEntry }): JSX.Element {
  const session = useSession();
  const route = useRoute();
  const others = route.traces.filter((trace) => trace !== snapshot.trace);
  return (
    <>
      {screen.shows === 'trace' && <RankPicker />}
      <Empty title={`${snapshot.worker} is a snapshot of an allocator`}>
        <p>It shows who holds memory, what grew, and how much reserved memory is not used. It has no slices, so {screen.title} has nothing to show.</p>
        <p class="actions">
          <button type="button" class="primary" onClick={() => session.go(atScreen({ ...route, parameters: { shown: snapshot.trace } }, 'memory'))}>Open Memory</button>
          {others.length > 0 && screen.shows !== 'trace' && (
            <button type="button" class="quiet" onClick={() => session.go({ screen: screen.id, traces: others, parameters: {} })}>Leave it out</button>
          )}
        </p>
      </Empty>
    </>
  );
}
