import { ApiError, type Client } from '../api/client.ts';
import type { Run, Runs, Summary, TraceEntry } from '../api/types.ts';
import type { Theme } from './kinds.ts';
import { Observable } from './observable.ts';
import { type Route, parseRoute, routeHash } from './route.ts';
import type { ThemeChoice } from './theme.ts';

// The part of the browser's address bar that is needed.
export interface Address {
  hash: () => string;
  push: (hash: string) => void;
  replace: (hash: string) => void;
}

export type Loaded<T> = { is: 'loading' } | { is: 'ready'; value: T } | { is: 'failed'; error: ApiError };

function asApiError(reason: unknown): ApiError {
  return reason instanceof ApiError ? reason : new ApiError({ code: 'internal', what: String(reason) });
}

const kPollBusyMs = 400;
const kPollRecordingMs = 2000;
const kPollIdleMs = 4000;
const kFollowMs = 1000;

interface Asked {
  answer: Observable<Loaded<unknown>>;
  ask: () => Promise<unknown>;
  isAsking: boolean;
  isStale: boolean; // there is newer content than was asked for
}

// One request at a time: a slow server is not asked more often than it answers, and an older answer never replaces a newer one.
async function askAgain(asked: Asked): Promise<void> {
  asked.isStale = true;
  if (asked.isAsking) return;
  asked.isAsking = true;
  while (asked.isStale) {
    asked.isStale = false;
    try {
      asked.answer.set({ is: 'ready', value: await asked.ask() });
    } catch {
      // The old answer is better than an error.
    }
  }
  asked.isAsking = false;
}

// A trace that is being recorded.
export interface Following {
  generation: number;
  reach_ns: number; // how much of it is loaded
}

// Shared by all screens: the current place, what the server has, and cached answers.
export class Session {
  readonly client: Client;
  readonly report: Summary | null; // a report in a file: no server, no requests
  readonly route: Observable<Route>;
  readonly runs = new Observable<Loaded<Runs>>({ is: 'loading' });
  readonly theme: Observable<Theme>;
  readonly themeChoice: Observable<ThemeChoice>;
  private readonly address: Address;
  readonly following = new Observable<ReadonlyMap<string, Following>>(new Map()); // the shown recordings in progress
  isHidden: () => boolean = () => false; // nobody looks at the page
  private readonly answers = new Map<string, Asked>();
  private timer: ReturnType<typeof setTimeout> | null = null;
  private isStopped = false;
  private followTimer: ReturnType<typeof setTimeout> | null = null;

  constructor(client: Client, address: Address, report: Summary | null, themeChoice: ThemeChoice, theme: Theme) {
    this.client = client;
    this.address = address;
    this.report = report;
    this.route = new Observable(parseRoute(address.hash()));
    this.theme = new Observable(theme);
    this.themeChoice = new Observable(themeChoice);
  }

  go(route: Route): void {
    this.address.push(routeHash(route));
    this.route.set(route);
  }

  // The same place with a small change: no new entry for "back".
  amend(route: Route): void {
    this.address.replace(routeHash(route));
    this.route.set(route);
  }

  addressChanged(): void {
    this.route.set(parseRoute(this.address.hash()));
  }

  // The answer under this key; requested once.
  answer<T>(key: string, ask: () => Promise<T>): Observable<Loaded<T>> {
    const known = this.answers.get(key);
    if (known) return known.answer as Observable<Loaded<T>>;
    const answer = new Observable<Loaded<T>>({ is: 'loading' });
    const asked: Asked = { answer: answer as Observable<Loaded<unknown>>, ask, isAsking: true, isStale: false };
    this.answers.set(key, asked);
    ask().then(
      (value) => {
        asked.isAsking = false;
        answer.set({ is: 'ready', value });
        if (asked.isStale) void askAgain(asked);
      },
      (reason: unknown) => {
        this.answers.delete(key); // so that another visit requests it again
        answer.set({ is: 'failed', error: asApiError(reason) });
      });
    return answer;
  }

  // There is newer content: what is on the screen is replaced when the new answer is there, the rest is forgotten.
  renew(name: string): void {
    for (const [key, asked] of [...this.answers]) {
      if (!key.includes(name)) continue;
      if (asked.answer.isHeard || asked.isAsking) void askAgain(asked);
      else this.answers.delete(key);
    }
  }

  // Asks how far the shown recordings have come, which has the server load what they have written since. Repeats itself.
  async follow(): Promise<void> {
    if (this.followTimer) clearTimeout(this.followTimer);
    const shown = this.recordedTraces();
    try {
      if (shown.length > 0 && !this.isHidden()) await this.followNow(shown);
    } catch {
      // The server does not answer now; pollRuns says so if it must be said.
    }
    if (shown.length === 0 && this.following.value.size > 0) this.following.set(new Map());
    if (!this.isStopped) this.followTimer = setTimeout(() => void this.follow(), kFollowMs);
  }

  private recordedTraces(): string[] {
    const { value: runs } = this.runs;
    if (runs.is !== 'ready') return [];
    return this.route.value.traces.filter((trace) => findTrace(runs.value, trace)?.entry.is_recording);
  }

  // Polls no more.
  stop(): void {
    this.isStopped = true;
    for (const timer of [this.timer, this.followTimer]) if (timer) clearTimeout(timer);
  }

  private async followNow(shown: readonly string[]): Promise<void> {
    const { traces } = await this.client.recording(shown);
    const before = this.following.value;
    this.following.set(new Map(traces.filter((one) => one.is_recording).map(({ trace, generation, reach_ns }) => [trace, { generation, reach_ns }])));
    const known = this.runs.value;
    for (const { trace, generation, is_recording } of traces) {
      const last = before.get(trace)?.generation ?? (known.is === 'ready' ? findTrace(known.value, trace)?.entry.generation : undefined);
      if (last !== generation) this.renew(trace);
      if (!is_recording) void this.pollRuns();
    }
  }

  async pollRuns(): Promise<void> {
    if (this.timer) clearTimeout(this.timer);
    let wait = kPollIdleMs;
    try {
      const value = await this.client.runs();
      const last = this.runs.value;
      if (last.is === 'ready' && last.value.generation !== value.generation) this.forgetChanged(last.value, value);
      if (last.is !== 'ready' || last.value.generation !== value.generation) this.runs.set({ is: 'ready', value });
      if (value.loading) wait = kPollBusyMs;
      else if (value.runs.some((run) => run.recorded?.state === 'recording')) wait = kPollRecordingMs;
    } catch (reason) {
      // What is on the screen stays; only a page that never had anything reports the error.
      if (this.runs.value.is !== 'ready') this.runs.set({ is: 'failed', error: asApiError(reason) });
    }
    if (!this.isStopped) this.timer = setTimeout(() => void this.pollRuns(), wait);
  }

  // A file that was rewritten has new answers; recordings in progress are followed.
  private forgetChanged(before: Runs, after: Runs): void {
    const entries = new Map(allTraces(before).map((entry) => [entry.trace, entry]));
    for (const entry of allTraces(after)) {
      const old = entries.get(entry.trace);
      if (old?.state !== 'ready' || (old.generation === entry.generation && entry.state === 'ready')) continue;
      if (entry.state !== 'ready') this.forget(entry.trace);
      else if (!entry.is_recording || !this.following.value.has(entry.trace)) this.renew(entry.trace);
    }
    const benches = new Map(before.bench_files.map((one) => [one.file, one.modified_ms]));
    for (const { file, modified_ms } of after.bench_files) {
      if (benches.has(file) && benches.get(file) !== modified_ms) this.forget(file);
    }
  }

  private forget(name: string): void {
    for (const key of [...this.answers.keys()]) if (key.includes(name)) this.answers.delete(key);
  }
}

export function allTraces(runs: Runs): TraceEntry[] {
  return runs.runs.flatMap((run) => run.traces);
}

export function findTrace(runs: Runs, trace: string): { run: Run; entry: TraceEntry } | null {
  for (const run of runs.runs) {
    const entry = run.traces.find((one) => one.trace === trace);
    if (entry) return { run, entry };
  }
  return null;
}

// What to show if the URL names no trace: the only or first readable one.
export function defaultTrace(runs: Runs): string | null {
  const traces = allTraces(runs);
  return (traces.find((entry) => entry.state === 'ready') ?? null)?.trace ?? null;
}
