import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ApiError, Client, queryText } from '../../src/api/client.ts';
import type { Runs, TraceEntry } from '../../src/api/types.ts';
import { Observable } from '../../src/model/observable.ts';
import { Session, defaultTrace, findTrace } from '../../src/model/session.ts';
import { rememberTheme, rememberedTheme, themeOf } from '../../src/model/theme.ts';
import { Clock, settle } from './time.ts';

function entry(trace: string, state: TraceEntry['state']): TraceEntry {
  return { trace, worker: trace, span: 'default', rank: null, state, progress: 1, error: null, file_bytes: 1, dialect: null, device: null,
           slices: null, span_ns: null, import_warning: null, generation: 1, is_recording: false, kind: 'trace' };
}

const runs: Runs = {
  strobe: '0', folder: 'logs', generation: 1, loading: false, kernel_files: [], bench_files: [],
  runs: [{ name: 'a', recorded: null, traces: [entry('a/x', 'failed')] }, { name: 'b', recorded: null, traces: [entry('b/y', 'ready')] }],
};

function session(client: Client): { session: Session; pushed: string[] } {
  const pushed: string[] = [];
  let hash = '#/overview?trace=a';
  const made = new Session(client, {
    hash: () => hash,
    push: (next) => pushed.push((hash = next)),
    replace: (next) => (hash = next),
  }, null, 'system', 'light');
  return { session: made, pushed };
}

test('the API is found beside the page, below any prefix', async () => {
  const urls: string[] = [];
  const client = new Client('http://h:1/lab/index.html?x#/y', (url) => {
    urls.push(url);
    return Promise.resolve(Response.json(runs));
  });
  await client.runs();
  await client.summary(['a b', 'c']);
  assert.deepEqual(urls, ['http://h:1/lab/api/v1/runs', 'http://h:1/lab/api/v1/summary?trace=a+b&trace=c']);
  assert.equal(queryText({}), '');
});

test('a trace that is still loading is asked for again', async () => {
  let calls = 0;
  const client = new Client('http://h/', () => Promise.resolve(
    ++calls < 3 ? Response.json({ error: { code: 'loading', what: 'x', retry_ms: 1 } }, { status: 409 }) : Response.json({ modules: [] })));
  assert.deepEqual(await client.modules('a'), { modules: [] });
  assert.equal(calls, 3);
});

test('an error keeps what the server said', async () => {
  const client = new Client('http://h/', () => Promise.resolve(
    Response.json({ error: { code: 'unreadable', what: 'this is a ZIP archive', where: 'a.json', hint: 'unpack it' } }, { status: 422 })));
  await assert.rejects(client.memory('a'), (error: ApiError) =>
    error.code === 'unreadable' && error.message === 'this is a ZIP archive' && error.hint === 'unpack it');
});

test('a server that is gone is told from one that says no', async () => {
  const client = new Client('http://h/', () => Promise.reject(new TypeError('fetch failed')));
  await assert.rejects(client.runs(), (error: ApiError) => error.code === 'unreachable');
});

test('an answer is asked for once, and again only after a failure', async () => {
  const { session: made } = session(new Client('http://h/'));
  let calls = 0;
  const ask = (): Promise<number> => (++calls === 1 ? Promise.reject(new Error('no')) : Promise.resolve(calls));
  const first = made.answer('key', ask);
  await settle();
  assert.equal(first.value.is, 'failed');
  const second = made.answer('key', ask);
  made.answer('key', ask);
  await settle();
  assert.deepEqual(second.value, { is: 'ready', value: 2 });
  assert.equal(calls, 2);
});

test('going somewhere makes an entry for "back"; a changed view does not', () => {
  const { session: made, pushed } = session(new Client('http://h/'));
  made.go({ screen: 'kernels', traces: ['a'], parameters: {} });
  made.amend({ screen: 'kernels', traces: ['a'], parameters: { sort: 'x' } });
  assert.deepEqual(pushed, ['#/kernels?trace=a']);
  assert.equal(made.route.value.parameters['sort'], 'x');
});

test('the first readable trace is the default', () => {
  assert.equal(defaultTrace(runs), 'b/y');
  assert.equal(findTrace(runs, 'b/y')?.run.name, 'b');
  assert.equal(findTrace(runs, 'nowhere'), null);
});

test('a listener hears changes and can stop listening', () => {
  const value = new Observable(1);
  let heard = 0;
  const stop = value.listen(() => ++heard);
  value.set(2);
  value.set(2);
  stop();
  value.set(3);
  assert.equal(heard, 1);
});

test('the theme is remembered, follows the system until then, and does without storage', () => {
  const kept = new Map<string, string>();
  const storage = { getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, value: string) => void kept.set(key, value) };
  assert.equal(rememberedTheme(storage), 'system');
  rememberTheme(storage, 'dark');
  assert.equal(rememberedTheme(storage), 'dark');
  assert.equal(themeOf('system', true), 'dark');
  assert.equal(themeOf('light', true), 'light');
  const broken = { getItem: () => { throw new Error('denied'); }, setItem: () => { throw new Error('denied'); } };
  assert.equal(rememberedTheme(broken), 'system');
  assert.doesNotThrow(() => rememberTheme(broken, 'dark'));
});

test('newer content replaces what is on the screen when it is there, and the rest is forgotten', async () => {
  const { session: made } = session(new Client('http://h/'));
  let calls = 0;
  const answers: ((value: number) => void)[] = [];
  const ask = (): Promise<number> => new Promise((resolve) => {
    ++calls;
    answers.push(resolve);
  });
  const shown = made.answer('summary a.json', ask);
  made.answer('memory a.json', ask);
  shown.listen(() => {});
  answers.forEach((answer) => answer(1));
  await settle();
  made.renew('a.json');
  assert.equal(calls, 3, 'only the heard one is asked for again');
  assert.deepEqual(shown.value, { is: 'ready', value: 1 }, 'the old answer stays');
  answers[2](2);
  await settle();
  assert.deepEqual(shown.value, { is: 'ready', value: 2 });
  made.answer('memory a.json', ask);
  assert.equal(calls, 4);
});

test('content that grows faster than the server answers is asked for once more, and the newest answer stays', async () => {
  const { session: made } = session(new Client('http://h/'));
  const answers: ((value: number) => void)[] = [];
  const fails: (() => void)[] = [];
  const shown = made.answer('timeline a.json', () => new Promise<number>((resolve, reject) => {
    answers.push(resolve);
    fails.push(() => reject(new Error('busy')));
  }));
  shown.listen(() => {});
  const grow = (): void => { for (let i = 0; i < 3; ++i) made.renew('a.json'); };
  grow();
  assert.equal(answers.length, 1, 'the first request is still under way');
  answers[0](1);
  await settle();
  assert.deepEqual(shown.value, { is: 'ready', value: 1 });
  assert.equal(answers.length, 2);
  grow();
  assert.equal(answers.length, 2);
  fails[1]();
  await settle();
  assert.deepEqual([shown.value, answers.length], [{ is: 'ready', value: 1 }, 3], 'a failed request is no reason to stop');
  answers[2](3);
  await settle();
  assert.deepEqual([shown.value, answers.length], [{ is: 'ready', value: 3 }, 3]);
  grow();
  assert.equal(answers.length, 4);
});

test('newer content while the first answer is under way is not missed by who listens later', async () => {
  const { session: made } = session(new Client('http://h/'));
  const answers: ((value: number) => void)[] = [];
  const shown = made.answer('timeline a.json', () => new Promise<number>((resolve) => answers.push(resolve)));
  made.renew('a.json');
  shown.listen(() => {});
  answers[0](1);
  await settle();
  answers[1](2);
  await settle();
  assert.deepEqual(shown.value, { is: 'ready', value: 2 });
});

// A server with one trace that is being recorded.
function recordingServer(): { client: Client; state: { generation: number; is_recording: boolean }; asked: string[] } {
  const state = { generation: 1, is_recording: true };
  const asked: string[] = [];
  const client = new Client('http://h/', (url) => {
    asked.push(url.replace(/.*v1\//, ''));
    return Promise.resolve(Response.json(url.includes('/recording') ? { traces: [{ trace: 'a', ...state, reach_ns: state.generation * 1e9 }] }
      : url.includes('/summary') ? { generation: state.generation }
      : { ...runs, generation: state.generation, runs: [{ name: 'r', recorded: null, traces: [{ ...entry('a', 'ready'), ...state }] }] }));
  });
  return { client, state, asked };
}

test('a recording that is shown is followed, and its answers are renewed when it has grown', async (context) => {
  new Clock(context); // it asks by itself only when time passes
  const { client, state, asked } = recordingServer();
  const { session: made } = session(client);
  await made.pollRuns();
  const summary = made.answer('summary a', () => client.summary(['a']) as Promise<unknown> as Promise<{ generation: number }>);
  summary.listen(() => {});
  await made.follow();
  assert.equal(made.following.value.get('a')?.reach_ns, 1e9);
  const quiet = asked.length;
  await made.follow();
  assert.deepEqual(asked.slice(quiet), ['recording?trace=a'], 'one small request while nothing has changed');
  state.generation = 2;
  await made.follow();
  await settle();
  assert.deepEqual(summary.value, { is: 'ready', value: { generation: 2 } });
  state.is_recording = false;
  state.generation = 3;
  await made.follow();
  await settle();
  assert.equal(made.following.value.size, 0);
  assert.equal(made.runs.value.is === 'ready' && made.runs.value.value.runs[0].traces[0].is_recording, false, 'the list is read again at once');
  made.stop();
});

test('nobody asks on behalf of a page that is hidden, or that shows no recording', async (context) => {
  new Clock(context);
  const { client, asked } = recordingServer();
  const { session: made } = session(client);
  await made.pollRuns();
  made.isHidden = () => true;
  await made.follow();
  made.isHidden = () => false;
  made.go({ screen: 'runs', traces: [], parameters: {} });
  await made.follow();
  assert.deepEqual(asked, ['runs']);
  made.stop();
});
