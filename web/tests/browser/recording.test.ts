import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import type { Runs } from '../../src/api/types.ts';
import { snapshot, text, whole } from './browser.ts';
import { Site } from './site.ts';
import { kBinary, put, trainingTrace } from './strobe.ts';

// A run that `strobe record` records while the page looks at it.

const canRecord = spawnSync(kBinary, ['record', '--help'], { stdio: 'ignore' }).status === 0;
const skip = canRecord ? false : 'this strobe cannot record';
const site = new Site((folder) => put(folder, 'other/train.json', trainingTrace()));

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

test('a recording in progress is shown and followed, and its mark goes away', { skip, timeout: 240_000 }, async () => {
  const { page } = site;
  page.setDefaultTimeout(60_000);
  const recording = record('live');
  const name = await traceOf('live');
  await site.open(`timeline?trace=${encodeURIComponent(name)}`);
  await page.waitForSelector('[data-recording]');
  assert.match(await text(page, '[data-recording]'), /^recording… [\d.]+ m?s$/);
  await snapshot(page, 'recording_1280_light');
  const before = await text(page, '[data-recording]');
  await page.waitForFunction((old) => document.querySelector('[data-recording]')?.textContent !== old, before);

  assert.equal(await recording.end(), 3, 'the exit code of the program is passed on');
  await page.waitForSelector('[data-recording]', { state: 'detached' });
  await page.waitForSelector('.follow', { state: 'detached' });
  await whole(page);
  await snapshot(page, 'recording_finished_1280_light');
});

test('a recorded run is listed with its command, how it ended and what it lacks', { skip, timeout: 120_000 }, async () => {
  const { page } = site;
  const recording = record('short');
  await new Promise((resolve) => setTimeout(resolve, 1500));
  await recording.end();
  await traceOf('short');
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
