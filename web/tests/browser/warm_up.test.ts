import assert from 'node:assert/strict';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

import type { Diff } from '../../src/api/types.ts';
import { durationText } from '../../src/model/units.ts';
import { snapshot, text } from './browser.ts';
import { Site, trace } from './site.ts';
import { coldStartTrace, kSource, kTraining, put, trainingTrace } from './strobe.ts';

// What a program does only while it starts is marked, and no average counts it.

const kCold = 'cold/train.json';
const kRecorded = 'recorded/cold_start.strobe'; // a real program from its start, with 406 steps

const site = new Site((folder) => {
  put(folder, kCold, coldStartTrace());
  put(folder, kTraining, trainingTrace());
  mkdirSync(join(folder, 'recorded'));
  cpSync(join(kSource, 'tests', 'data', 'recordings', 'cold_start.strobe'), join(folder, kRecorded));
});
const { test } = site;

test('warm-up steps are marked, explained and in no average', async () => {
  const { page } = site;
  const summary = site.served.summary(kCold);
  assert.equal(summary.facts['warm_up_steps'], 2);
  await site.open(`overview?${trace(kCold)}`);
  await page.waitForSelector('.step-bars .bar');
  const labels = await page.locator('.step-bars .bar').evaluateAll((bars) => bars.map((bar) => bar.getAttribute('aria-label')!));
  assert.deepEqual(labels.slice(0, 3), ['ProfilerStep#0, 41.0 ms, warm-up', 'ProfilerStep#1, 9.00 ms, warm-up', 'ProfilerStep#2, 1.00 ms']);
  assert.equal(await page.locator('.step-bars .bar.warm-up').count(), 2);
  assert.match(await text(page, '.warm-up-legend'), /warm-up: the first 2 steps, 50\.0 ms in all; averages leave them out/);
  const average = summary.tables['step_breakdown'].rows.find((row) => row['word'] === 'all')!;
  assert.equal(average['per_step_ns'], 1_000_000);
  const facts = await text(page, '.facts');
  assert.match(facts, /Step time 1\.00 ms after the warm-up/);
  assert.match(facts, /Steps 12 10 steady, 1\.00 ms … 1\.00 ms/);
  assert.match(facts, /Warm-up 2 steps, 50\.0 ms/);
  assert.match(await text(page, '.breakdown table'), /average steady step 1\.00 ms/);
  await page.locator('.step-bars .bar.warm-up').first().hover();
  assert.match(await text(page, '.tooltip'), /Warm-up: the program still loads code, allocates memory or tunes libraries\. Averages leave it out\./);
  await page.locator('.step-bars .bar').nth(5).hover();
  assert.doesNotMatch(await text(page, '.tooltip'), /arm-up/);
});

test('a long warm-up does not flatten the steady steps, in a wide window and in a narrow one', async () => {
  const { page } = site;
  for (const width of [1600, 700]) {
    await site.look({ width, height: 900 });
    await site.open(`overview?${trace(kCold)}`);
    await page.waitForSelector('.step-bars .bar');
    const heights = await page.locator('.step-bars .bar').evaluateAll((bars) => bars.map((bar) =>
      [...bar.querySelectorAll('rect:not(.catch):not(.warm-up-line)')].reduce((sum, part) => sum + Number(part.getAttribute('height')), 0)));
    const tallest = Math.max(...heights);
    assert.ok(heights[5] > tallest / 2, `steady ${heights[5]} beside ${tallest}, at ${width}`);
    assert.equal(await page.locator('.step-bars .broken').count(), 2);
    assert.deepEqual((await page.locator('.step-bars .bar.warm-up text').allTextContents())[0], '41.0 ms');
    const box = (await page.locator('.step-bars').boundingBox())!;
    assert.ok(box.x >= 0 && box.x + box.width <= width, `the bars end at ${box.x + box.width} of ${width}`);
    const legend = (await page.locator('.warm-up-legend').boundingBox())!;
    assert.ok(legend.x + legend.width <= width, `the legend ends at ${legend.x + legend.width} of ${width}`);
    await snapshot(page, `warm_up_${width}_light`);
  }
  await site.look({ width: 1280, height: 800, dark: true });
  await site.open(`overview?${trace(kRecorded)}`);
  await page.waitForSelector('.step-bars .bar.warm-up');
  assert.equal(await page.locator('.step-bars .bar.warm-up').count(), 1, 'neighbours that are drawn as one bar are no warm-up');
  await snapshot(page, 'warm_up_recorded_1280_dark');
});

test('tables tell the average of steady calls beside that of all', async () => {
  const { page } = site;
  await site.open(`operators?${trace(kCold)}`);
  await page.waitForSelector('.data-table tbody tr');
  const [operator] = site.served.summary(kCold).tables['operators'].rows;
  assert.deepEqual([operator['host_per_call_ns'], operator['steady_per_call_ns']], [4_100_000, 100_000]);
  assert.match(await text(page, 'th.of-steady_per_call_ns'), /^Steady per call/);
  assert.match(await text(page, '.main-column'), /Steady: only what comes after the start-up of the program/);
  await site.open(`waiting?${trace(kRecorded)}&table=runtime_calls`);
  await page.waitForSelector('.data-table tbody tr');
  assert.match(await text(page, 'th.of-host_median_ns'), /^Median/);
  await site.open(`ranges?${trace(kCold)}&table=steps`);
  await page.waitForSelector('.data-table tbody tr');
  assert.equal(await page.locator('td .warm-up-word').count(), 2);
  assert.match(await text(page, 'tbody tr:first-child'), /warm-up/);
  await site.open(`ranges?${trace(kTraining)}&table=steps`);
  await page.waitForSelector('.data-table tbody tr');
  assert.equal(await page.locator('th.of-state').count(), 0, 'without warm-up there is no column for it');
});

test('two traces side by side leave the warm-up out', async () => {
  const { page } = site;
  const diff = await site.served.get<Diff>(`diff?base=${encodeURIComponent(kCold)}&other=${encodeURIComponent(kTraining)}`);
  assert.deepEqual([diff.base.steps, diff.base.warm_up_steps, diff.base.step_ns, diff.other.warm_up_steps], [12, 2, 1_000_000, 0]);
  await site.open(`diff?${trace(kCold, kTraining)}`);
  await page.waitForSelector('.side-time');
  assert.match(await text(page, '.side-time'), /10 steady of 12 steps/);
  assert.ok((await text(page, '.side-time')).startsWith(durationText(diff.base.step_ns)));
  assert.match(await text(page, '.page.diff'), /Average step after the warm-up/);
});
