import type { BenchDetails, BenchGrids, BenchPoints, BenchRun, BenchTable } from './bench_types.ts';
import type { Exchanges, Fleet } from './job_types.ts';
import type {
  ApiErrorBody, Comparison, CounterPoints, Diff, KernelStudy, Memory, Modules, QueryAnswer, QuerySchema, Recordings, Runs, SearchResult, Selection, SliceDetails,
  Summary, Tile, Timeline,
} from './types.ts';

// Selects one table: of a run by case, type and providers, of tables of ratios by all their names.
export type BenchQuestion = {
  file: string; case: string; baseline: string; contender: string; dtype?: string; time?: string; version?: string; device?: string; metric?: string;
};

// The ranks of a job: a whole run, or these traces. An address holds only some hundreds of names.
export type JobQuestion = { run: string } | { trace: readonly string[] };

// An error from the server; `unreachable` if it did not answer at all, `cancelled` by the user.
export class ApiError extends Error {
  readonly code: ApiErrorBody['code'] | 'unreachable' | 'cancelled';
  readonly hint: string;
  readonly where: string;

  constructor(body: Omit<ApiErrorBody, 'code'> & { code: ApiError['code'] }) {
    super(body.what);
    this.code = body.code;
    this.hint = body.hint ?? '';
    this.where = body.where ?? '';
  }
}

type Value = string | number | undefined;
type Parameters = Record<string, Value | readonly (string | number)[]>;
export type Fetch = (url: string, init?: { signal?: AbortSignal }) => Promise<Response>;

const kRetryMs = 400;

function unreachable(): ApiError {
  return new ApiError({
    code: 'unreachable',
    what: 'strobe does not answer',
    hint: 'is `strobe serve` still running? This page reconnects by itself',
  });
}

export function queryText(parameters: Parameters): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters)) {
    if (Array.isArray(value)) for (const one of value) query.append(key, String(one));
    else if (value !== undefined) query.append(key, String(value));
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

function listOf(numbers: readonly number[]): string | undefined {
  return numbers.length > 0 ? numbers.join(',') : undefined;
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

export class Client {
  private readonly base: string;
  private readonly fetch: Fetch;

  // `base`: the address of the page, so that a server below a path prefix is found.
  constructor(base: string, fetchFunction: Fetch = (url, init) => fetch(url, init)) {
    this.base = base.replace(/[?#].*$/, '').replace(/[^/]*$/, '');
    this.fetch = fetchFunction;
  }

  runs = (): Promise<Runs> => this.get('runs', {});
  summary = (traces: readonly string[]): Promise<Summary> => this.get('summary', { trace: traces });
  recording = (traces: readonly string[]): Promise<Recordings> => this.get('recording', { trace: traces });
  timeline = (trace: string): Promise<Timeline> => this.get('timeline', { trace });
  memory = (trace: string): Promise<Memory> => this.get('memory', { trace });
  modules = (trace: string): Promise<Modules> => this.get('modules', { trace });
  diff = (base: string, other: string): Promise<Diff> => this.get('diff', { base, other });
  compare = (question: { normal: string; abnormal: string; cycle?: string; align?: string }): Promise<Comparison> => this.get('compare', question);
  fleet = (job: JobQuestion, isAligned: boolean): Promise<Fleet> => this.get('fleet', { ...job, align: isAligned ? undefined : 0 });
  kernels = (question: { file?: string; trace?: string; chip?: string }): Promise<KernelStudy> => this.get('kernels', question);
  bench = (file: string): Promise<BenchRun | BenchGrids> => this.get('bench', { file });
  benchTable = (question: BenchQuestion): Promise<BenchTable> => this.get('bench/table', question);
  benchCell = (question: BenchQuestion & { shape: string }): Promise<BenchDetails> => this.get('bench/cell', question);
  benchPoints = (question: { file: string; case: string; dtype?: string; time?: string }): Promise<BenchPoints> => this.get('bench/points', question);
  slice = (trace: string, slice: number): Promise<SliceDetails> => this.get('slice', { trace, slice });

  querySchema = (): Promise<QuerySchema> => this.get('query/schema', {});

  // Ends at the server too when `signal` is aborted.
  async query(traces: readonly string[], sql: string, signal: AbortSignal): Promise<QueryAnswer> {
    try {
      return await this.get<QueryAnswer>('query', { trace: traces, sql }, signal);
    } catch (reason) {
      throw signal.aborted ? new ApiError({ code: 'cancelled', what: 'the query was cancelled' }) : reason;
    }
  }

  // Of all tracks, or of these.
  tile(trace: string, start_ns: number, end_ns: number, columns: number, signal?: AbortSignal, tracks: readonly number[] = []): Promise<Tile> {
    return this.get('tile', { trace, start_ns, end_ns, columns, tracks: listOf(tracks) }, signal);
  }

  // What the given ranks of the job do together.
  exchanges(
    job: JobQuestion, isAligned: boolean, ranks: readonly number[], start_ns: number, end_ns: number, columns: number, signal?: AbortSignal,
  ): Promise<Exchanges> {
    return this.get('fleet/exchanges', { ...job, align: isAligned ? undefined : 0, start_ns, end_ns, columns, ranks: listOf(ranks) }, signal);
  }

  counter(
    trace: string, counter: number, start_ns: number, end_ns: number, columns: number, signal?: AbortSignal,
  ): Promise<CounterPoints> {
    return this.get('counter', { trace, counter, start_ns, end_ns, columns }, signal);
  }

  search(trace: string, q: string, regex: boolean, limit: number, signal?: AbortSignal): Promise<SearchResult> {
    return this.get('search', { trace, q, regex: regex ? 1 : undefined, limit }, signal);
  }

  selection(
    trace: string, start_ns: number, end_ns: number, tracks: readonly number[], signal?: AbortSignal,
  ): Promise<Selection> {
    return this.get(
      'selection', { trace, start_ns, end_ns, tracks: listOf(tracks) }, signal);
  }

  // If a trace is still being loaded, the request is repeated until it is ready.
  private async get<T>(route: string, parameters: Parameters, signal?: AbortSignal): Promise<T> {
    const url = `${this.base}api/v1/${route}${queryText(parameters)}`;
    for (;;) {
      let response: Response;
      try {
        response = await this.fetch(url, signal ? { signal } : {});
      } catch (reason) {
        throw signal?.aborted ? reason : unreachable();
      }
      if (response.ok) return (await response.json()) as T;
      const error = await readError(response);
      if (error.code !== 'loading') throw new ApiError(error);
      await pause(error.retry_ms ?? kRetryMs, signal);
    }
  }
}

async function readError(response: Response): Promise<ApiErrorBody> {
  try {
    const body = (await response.json()) as { error: ApiErrorBody; retry_ms?: number };
    return { retry_ms: body.retry_ms, ...body.error };
  } catch {
    return { code: 'internal', what: `the server answered ${response.status} ${response.statusText}` };
  }
}
