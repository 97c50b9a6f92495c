import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Page } from 'playwright-core';

import type { BenchTable } from '../../src/api/bench_types.ts';
import type { Runs } from '../../src/api/types.ts';
import { cellText, percentText } from '../../src/model/bench.ts';
import { benchFiles, benchRun, kGrids, kRun } from './bench_run.ts';
import { openPage, snapshot, text } from './browser.ts';
import { Site } from './site.ts';
import { Served } from './strobe.ts';

let table: BenchTable;
const kPair = 'case=pointwise_chain&baseline=cuda-unfused&contender=cuda-fused';
const kShown = `bench?file=${kRun}&${kPair}`;

const site = new Site(benchFiles, async (served) => {
  table = await served.get<BenchTable>(`bench/table?file=${kRun}&${kPair}`);
});
const { test } = site;

const open = (hash: string): Promise<void> => site.open(hash);
const cell = (shape: string): string => `.heat[data-shape="${shape}"]`;
const focused = (page: Page): Promise<string | null> => page.evaluate(() => (document.activeElement as HTMLElement | null)?.dataset['shape'] ?? null);

test('a folder of benchmarks opens with a table, and the address says which', async () => {
  const { page } = site;
  await open('');
  await page.waitForSelector('.heat');
  assert.match(page.url(), /#\/bench\?file=bench\/run\.json&case=pointwise_chain&.*baseline=cuda-unfused&contender=cuda-fused/);
  assert.equal(await page.title(), 'Bench · pointwise_chain, run · strobe');
});

test('every cell prints its value, so that it reads without colour', async () => {
  const { page } = site;
  await open(kShown);
  await page.waitForSelector('.heat');
  assert.equal(await page.locator('.heat').count(), table.cells.length);
  for (const one of table.cells) {
    const printed = await text(page, cell(one.shape));
    assert.ok(printed.startsWith(one.state === 'wrong' ? percentText(one.value!) : cellText(one, table.metric)), `${one.shape}: ${printed}`);
  }
  assert.equal(await text(page, cell('16384x16384')), 'OOM');
  assert.equal(await text(page, cell('16384x4096')), 'OOM*');
  assert.equal(await text(page, cell('16384x128')), 'ERR');
  assert.equal(await text(page, cell('16384x1024')), 'n/a');
  assert.match(await text(page, cell('128x4096')), /^= 101\.1 %/);
  assert.equal(await page.locator(`${cell('128x1024')} s`).count(), 1);
  assert.match(await text(page, cell('1024x128')), /~▾$/);
  await snapshot(page, 'bench-light');
});

test('the geometric mean counts only what may be believed', async () => {
  const { page } = site;
  await open(kShown);
  await page.waitForSelector('.mean');
  const counted = table.cells.filter((one) => one.state === 'ratio');
  const mean = Math.exp(counted.reduce((sum, one) => sum + Math.log(one.value!), 0) / counted.length);
  assert.equal(counted.length, 10);
  assert.equal(await text(page, '.mean'), `geometric mean ${percentText(mean)} of 10 cells`);
});

test('faster and slower have different colours, the stronger the further', async () => {
  const { page } = site;
  await open(kShown);
  await page.waitForSelector('.heat');
  const classes = (shape: string): Promise<string | null> => page.getAttribute(cell(shape), 'class');
  assert.match((await classes('128x16384'))!, /faster/);
  assert.match((await classes('4096x4096'))!, /slower/);
  assert.match((await classes('16384x16384'))!, /missing/);
  const colour = (shape: string): Promise<string> => page.locator(cell(shape)).evaluate((one) => getComputedStyle(one).backgroundColor);
  assert.notEqual(await colour('128x16384'), await colour('4096x4096'));
});

test('a legend explains the signs that are there and no others', async () => {
  const { page } = site;
  await open(kShown);
  const legend = await text(page, '.heat-legend');
  for (const part of ['OOM* would not fit', '= both sides', '~ noisy', '▾ throttled', '≈ near the floor', 'ERR failed', 'n/a not supported']) assert.ok(legend.includes(part), `${part}: ${legend}`);
  assert.ok(!legend.includes('math differs'));
});

test('alerts stand above the table', async () => {
  const { page } = site;
  await open(kShown);
  const alerts = await text(page, '.bench-alerts');
  assert.match(alerts, /1 of 16 cells hold wrong values/);
  assert.match(alerts, /1 of 16 cells ran the same kernels on both sides/);
});

test('a click opens the details: both sides, samples, kernels, roofs', async () => {
  const { page } = site;
  await open(kShown);
  await page.click(cell('1024x1024'));
  await page.waitForSelector('.bench-details .ratio');
  assert.match(page.url(), /cell=1024x1024/);
  const details = await text(page, '.bench-details');
  for (const part of ['cuda-unfused', 'cuda-fused', 'of the fusion ceiling, 550.0 %', 'Device', 'Call', '± 0.20 %', 'Of the copy roof', '4 kernels', '1 kernel', '4 × cuLaunchKernel', '12.8 µs of the host in all', 'strobe_pointwise_1d', 'NVRTC', '180 ms',
    'Equality ratio', '100.00 %', '1980 MHz', 'pointwise-1d', 'Least bytes', 'Unfused bytes']) assert.ok(details.includes(part), `${part}: ${details}`);
  assert.equal(await page.locator('.sample-strip').count(), 2);
  assert.ok((await page.locator('.sample-strip .bin').count()) > 8);
  assert.match(await text(page, '.sample-strip.contender'), /60 samples/);
  await snapshot(page, 'bench-details');
  await page.keyboard.press('Escape');
  await page.waitForSelector('.bench-details', { state: 'detached' });
  assert.doesNotMatch(page.url(), /cell=/);
});

test('arrows go from cell to cell, Enter opens, and the details follow', async () => {
  const { page } = site;
  await open(kShown);
  await page.waitForSelector('.heat');
  await page.locator('.heat[tabindex="0"]').focus();
  assert.equal(await focused(page), '128x128');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowDown');
  assert.equal(await focused(page), '1024x1024');
  assert.equal(await page.locator('.bench-details').count(), 0);
  await page.keyboard.press('Enter');
  await page.waitForSelector('.bench-details .ratio');
  assert.equal(await focused(page), '1024x1024');
  await page.keyboard.press('ArrowDown');
  await page.waitForFunction(() => document.querySelector('.bench-details h2')?.textContent?.startsWith('4096x1024'));
  assert.equal(await focused(page), '4096x1024');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  assert.equal(await focused(page), '128x1024'); // the edge holds
  await page.waitForFunction(() => document.querySelector('.bench-details .remark')?.textContent?.includes('Wrong values'));
});

test('a view is a URL: what was shown comes back', async () => {
  const { page } = site;
  await open(`${kShown}&time=call&cell=1024x1024`);
  await page.waitForSelector('.bench-details .ratio');
  assert.equal(await page.locator('.picker select').last().inputValue(), 'call');
  const call = await site.served.get<BenchTable>(`bench/table?file=${kRun}&${kPair}&time=call`);
  const ratio = percentText(call.cells.find((one) => one.shape === '1024x1024')!.value!);
  assert.ok((await text(page, cell('1024x1024'))).startsWith(ratio));
  assert.ok((await text(page, '.bench-details .ratio')).startsWith(ratio));
});

test('the sides are picked and swapped', async () => {
  const { page } = site;
  await open(`bench?file=${kRun}&case=attention`);
  await page.waitForSelector('.heat');
  assert.match(page.url(), /baseline=torch-eager&contender=torch-inductor/);
  assert.match(await text(page, cell('1x128x32x64')), /^225\.0 %/);
  await page.locator('label.picker', { hasText: 'Contender' }).locator('select').selectOption('cudnn');
  await page.waitForFunction((selector) => document.querySelector(selector)?.textContent?.startsWith('900.0'), cell('1x128x32x64'));
  await page.click('button[aria-label="Swap the sides"]');
  await page.waitForFunction((selector) => document.querySelector(selector)?.textContent?.startsWith('11.1'), cell('1x128x32x64'));
  await page.goBack();
  await page.waitForFunction((selector) => document.querySelector(selector)?.textContent?.startsWith('900.0'), cell('1x128x32x64'));
});

test('attention has a panel per head dimension, convolutions are a list', async () => {
  const { page } = site;
  await open(`bench?file=${kRun}&case=attention&baseline=torch-eager&contender=cudnn`);
  await page.waitForSelector('.heat-panel');
  assert.deepEqual(await page.locator('.heat-panel h3').allInnerTexts(), ['32 heads, head dimension 64', '16 heads, head dimension 128']);
  assert.match(await text(page, '.heat-panel .corner'), /batch ↓ sequence →/);
  await snapshot(page, 'bench-attention');
  await page.locator('.tabs button', { hasText: 'conv_relu' }).click();
  await page.waitForSelector('.heat-list');
  assert.deepEqual((await page.locator('.heat-list tbody th').allInnerTexts())[0], '32x56x56x64x64x3x1');
  assert.match(await text(page, '.heat-list tbody tr'), /154 µs 134 µs 114\.9 %/);
  await snapshot(page, 'bench-list');
});

test('cells stand under the roofs, and a mark is its cell', async () => {
  const { page } = site;
  await open(kShown);
  await page.waitForSelector('.scatter .mark');
  assert.equal(await page.locator('.scatter .mark').count(), 16 + 11);
  assert.match((await page.locator('.scatter .guide').textContent())!, /copy roof 4\.30 TB\/s/);
  assert.equal(await text(page, '.provider-legend'), 'cuda-unfused cuda-fused');
  await page.locator('.switch button', { hasText: 'Roofline' }).click();
  await page.waitForSelector('.scatter .roof.memory');
  assert.match(page.url(), /axes=roofline/);
  await page.locator('.scatter').scrollIntoViewIfNeeded();
  await snapshot(page, 'bench-roofline');
});

test('tables of ratios say where they turn flat', async () => {
  const { page } = site;
  await open(`bench?file=${kGrids}&device=NewGPU&case=softmax`);
  await page.waitForSelector('.bench-alerts');
  assert.match(await text(page, '.bench-alerts'), /From cell 21 on \(512x8192\)/);
  assert.equal(await text(page, cell('8192x8192')), 'OOM');
  await snapshot(page, 'bench-grids');
  await page.locator('label.picker', { hasText: 'Device' }).locator('select').selectOption('OldGPU');
  await page.waitForSelector('.bench-alerts', { state: 'detached' });
  await page.locator('label.picker', { hasText: 'Version' }).locator('select').selectOption('layout');
  await page.waitForFunction(() => document.querySelector('.heat')?.textContent === '12.8 GB/s');
});

test('a table is copied as CSV, with the exact numbers', async () => {
  const { page } = site;
  await open(kShown);
  await page.locator('button', { hasText: 'Copy as CSV' }).click();
  await page.locator('button', { hasText: 'Copied' }).waitFor();
  const lines = (await page.evaluate(() => navigator.clipboard.readText())).trim().split('\r\n');
  assert.equal(lines.length, 1 + table.cells.length);
  assert.match(lines[0], /^case,shape,dtype,baseline,contender,state,relative_performance_pct,low,high,/);
  assert.ok(lines[1].includes(String(table.cells[0].value)));
});

test('a run that is written again is shown again', async () => {
  const { page } = site;
  const other = await Served.start(benchFiles);
  try {
    const { page: mine, context } = await openPage(site.browser, other.url);
    await mine.goto(`${other.url}#/${kShown}`);
    await mine.waitForSelector(cell('128x128'));
    const before = await text(mine, cell('128x128'));
    writeFileSync(join(other.folder, kRun), benchRun(2).json);
    await mine.waitForFunction(([selector, old]) => {
      const now = document.querySelector(selector)?.textContent ?? '';
      return now !== '' && !now.startsWith(old);
    }, [cell('128x128'), before.slice(0, 5)] as const);
    rmSync(join(other.folder, 'bench'), { recursive: true });
    await mine.waitForSelector('.empty');
    await context.close();
  } finally {
    await other.stop();
  }
  await open('runs');
  const { bench_files } = await site.served.get<Runs>('runs');
  assert.deepEqual(bench_files.map((one) => [one.file, one.kind]), [[kGrids, 'grids'], [kRun, 'run']]);
  await page.locator('.run.files button', { hasText: kGrids }).click();
  await page.waitForSelector('.heat');
});

test('a run that is not there says so', async () => {
  const { page } = site;
  await open('bench?file=nowhere.json');
  assert.match(await text(page, '.empty'), /no benchmark is called 'nowhere.json'/);
});

test('it reads in the dark and fits 1280 by 720', async () => {
  const { page } = site;
  await site.look({ dark: true });
  await open(`${kShown}&cell=4096x4096`);
  await page.waitForSelector('.bench-details .ratio');
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.equal(overflow, 0);
  const last = (await page.locator(cell('16384x16384')).boundingBox())!;
  const panel = (await page.locator('.bench-details').boundingBox())!;
  assert.ok(last.x + last.width <= panel.x, 'the table ends before the details');
  await snapshot(page, 'bench-dark');
});
