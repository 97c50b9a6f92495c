import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

import type { Page } from 'playwright-core';

import type { Recordings, Runs, Timeline } from '../../src/api/types.ts';
import { parseRoute } from '../../src/model/route.ts';
import { snapshot, text, timeWindow, whole } from './browser.ts';
import { Site, trace } from './site.ts';
import { kBinary, put, trainingTrace } from './strobe.ts';

// A run that `strobe record` records while the page looks at it.

const canRecord = spawnSync(kBinary, ['record', '--help'], { stdio: 'ignore' }).status === 0;
const skip = canRecord ? false : 'this strobe cannot record';
const site = new Site((folder) => put(folder, 'other/train.json', trainingTrace()));
const { test } = site;

// Works a little, again and again, until a file appears: a slow machine must not end it early.
const kBusy = `const { existsSync } = require('node:fs');
const nobody = new Int32Array(new SharedArrayBuffer(4));
while (!existsSync(process.argv[1])) { const end = Date.now() + 2; while (Date.now() < end); Atomics.wait(nobody, 0, 0, 50); }
process.exit(3);`;

interface Recording { end: () => Promise<number | null> }

const recordings: Recording[] = [];
after(async () => { for (const one of recordings) await one.end(); });

function record(name: string): Recording {
  const stop = join(mkdtempSync(join(tmpdir(), 'strobe-stop-')), 'stop');
  const child: ChildProcess = spawn(kBinary, ['record', '-o', join(site.served.folder, name), '--', process.execPath, '-e', kBusy, stop], { stdio: 'ignore' });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const recording = { end: () => { writeFileSync(stop, ''); return ended; } };
  recordings.push(recording);
  return recording;
}

async function traceOf(name: string): Promise<string> {
  for (let i = 0; i < 100; ++i) {
    const { runs } = await site.served.get<Runs>('runs');
    const entry = runs.find((run) => run.name === name)?.traces.find((one) => one.state === 'ready');
    if (entry) return entry.trace;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`${name} was not found`);
}

async function reaches(name: string, least_ns: number): Promise<void> {
  for (;;) {
    const { traces } = await site.served.get<Recordings>(`recording?${trace(name)}`);
    if (traces[0].reach_ns >= least_ns) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

test('a recording in progress is shown and followed, and its mark goes away', { skip, timeout: 240_000 }, async () => {
  const { page } = site;
  page.setDefaultTimeout(60_000);
  const recording = record('live');
  const name = await traceOf('live');
  await site.open(`timeline?trace=${encodeURIComponent(name)}`);
  await page.waitForFunction(() => /^recording… [\d.]+ m?s$/.test(document.querySelector('[data-recording]')?.textContent ?? ''));
  await page.waitForSelector('.tl-body');
  await snapshot(page, 'recording_1280_light');
  const before = await text(page, '[data-recording]');
  await page.waitForFunction((old) => document.querySelector('[data-recording]')?.textContent !== old, before);

  assert.equal(await recording.end(), 3, 'the exit code of the program is passed on');
  await page.waitForSelector('[data-recording]', { state: 'detached' });
  await page.waitForSelector('.follow', { state: 'detached' });
  await whole(page);
  await snapshot(page, 'recording_finished_1280_light');
});

// The part of time that the address names, as the timeline says it.
function addressedWindow(page: Page): string | null {
  const { from, to } = parseRoute(new URL(page.url()).hash).parameters;
  return from === undefined ? null : `${from} ${to}`;
}

// Turns the wheel, then moves the pointer on until the address has changed: the one must not hold up the other. Returns the
// window it names, once it is on the screen. Counts frames, not seconds: a slow machine draws few of them.
async function zoomIn(page: Page): Promise<string> {
  const kMostFrames = 300;
  const before = addressedWindow(page);
  const canvas = (await page.locator('.tl-body').boundingBox())!;
  await page.mouse.move(canvas.x + canvas.width / 3, canvas.y + 100);
  await page.mouse.wheel(0, -400);
  for (let i = 0; i < kMostFrames && addressedWindow(page) === before; ++i) {
    await page.mouse.move(canvas.x + 100 + i, canvas.y + 100);
    await page.evaluate(() => new Promise(requestAnimationFrame));
  }
  const zoomed = addressedWindow(page);
  assert.ok(zoomed !== null && zoomed !== before, 'the address follows the window while the pointer moves');
  await page.waitForFunction((place) => document.querySelector<HTMLElement>('.tl-body')!.dataset['window'] === place, zoomed);
  return zoomed;
}

// All windows that are drawn until newer content has come a few times.
async function windowsWhileItGrows(page: Page, times: number): Promise<string[]> {
  return page.evaluate((most) => new Promise<string[]>((resolve) => {
    const length = (): string => document.querySelector('.tl-corner')!.textContent!;
    const windows = new Set<string>();
    let [last, grown] = [length(), 0];
    const look = (): void => {
      windows.add(document.querySelector<HTMLElement>('.tl-body')!.dataset['window']!);
      if (length() !== last) ++grown;
      last = length();
      if (grown < most) requestAnimationFrame(look);
      else resolve([...windows]);
    };
    look();
  }), times);
}

// Times count from the first slice; when an earlier one has come late, all have moved, and it is done again.
async function zoomAndWatch(page: Page, name: string): Promise<{ chosen: string; drawn: string[] }> {
  const origin = async (): Promise<string> => (await site.served.get<Timeline>(`timeline?${trace(name)}`)).origin_ns;
  for (;;) {
    const before = await origin();
    await windowsWhileItGrows(page, 1);
    const chosen = await zoomIn(page);
    const drawn = await windowsWhileItGrows(page, 3);
    if (await origin() === before) return { chosen, drawn };
  }
}

const endsAfter = (page: Page, end: number): Promise<unknown> => page.waitForFunction(
  (old) => Number(document.querySelector<HTMLElement>('.tl-body')!.dataset['window']!.split(' ')[1]) > old, end);

test('a zoomed view stays while the recording grows', { skip, timeout: 240_000 }, async () => {
  const { page } = site;
  page.setDefaultTimeout(60_000);
  const recording = record('zoomed');
  const name = await traceOf('zoomed');
  await site.open(`timeline?${trace(name)}`);
  await page.waitForSelector('.follow[aria-pressed="true"]');
  await endsAfter(page, (await timeWindow(page)).end);
  assert.equal(addressedWindow(page), null, 'a window that follows is no place to return to');

  const wide = await zoomIn(page);
  assert.equal(await page.getAttribute('.follow', 'aria-pressed'), 'false', 'who looks elsewhere follows no more');
  const { chosen, drawn } = await zoomAndWatch(page, name);
  assert.notEqual(chosen, wide);
  assert.deepEqual(drawn, [chosen]);
  assert.equal(addressedWindow(page), chosen);
  assert.equal(await page.getAttribute('.follow', 'aria-pressed'), 'false');
  await snapshot(page, 'recording_zoomed_1280_light');

  const { end } = await timeWindow(page);
  await page.keyboard.press('e');
  await page.waitForSelector('.follow[aria-pressed="true"]');
  await endsAfter(page, end);
  await page.waitForURL((url) => !url.hash.includes('from='));
  assert.equal(await recording.end(), 3);
});

test('a recorded run is listed with its command, how it ended and what it lacks', { skip, timeout: 120_000 }, async () => {
  const { page } = site;
  const recording = record('short');
  await reaches(await traceOf('short'), 1e9);
  await recording.end();
  await site.open('runs');
  const card = page.locator('.run', { has: page.locator('h2', { hasText: 'short' }) });
  await card.locator('.outcome', { hasText: 'exit code 3' }).waitFor();
  assert.match(await card.locator('.recorded code').innerText(), /Date\.now/);
  assert.match(await card.locator('.recorded .muted').innerText(), /^\d+(\.\d+)? s/);
  const { runs } = await site.served.get<Runs>('runs');
  const { recorded } = runs.find((run) => run.name === 'short')!;
  const notes = card.locator('.recorded-notes li');
  assert.equal(await notes.count(), recorded!.missing.length + recorded!.losses.length);
  assert.equal(runs.find((run) => run.name === 'other')!.recorded, null);
  await snapshot(page, 'recorded_runs_1280_light');
});
