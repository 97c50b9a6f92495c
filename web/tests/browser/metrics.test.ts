import assert from 'node:assert/strict';

import type { Page } from 'playwright-core';

import type { Timeline } from '../../src/api/types.ts';
import { kConditionKind, kKinds, rgbOf } from '../../src/model/kinds.ts';
import { snapshot, text, timeWindow, whole } from './browser.ts';
import { Site, trace } from './site.ts';
import { kMetrics, ownTraces } from './strobe.ts';

// Metrics as tracks, and conditions as bands.

const site = new Site(ownTraces);
const { test } = site;

// The lanes below a group, as their names.
async function lanesOf(page: Page, group: string): Promise<string[]> {
  const lanes = await page.locator('.lane').evaluateAll((all) => all.map((lane) => ({
    isGroup: lane.classList.contains('group'), name: lane.querySelector('.lane-name')!.textContent!,
  })));
  const first = lanes.findIndex((lane) => lane.isGroup && lane.name.includes(group));
  assert.ok(first >= 0, `${group} is not among ${lanes.map((lane) => lane.name).join(', ')}`);
  const next = lanes.findIndex((lane, i) => i > first && lane.isGroup);
  return lanes.slice(first + 1, next < 0 ? undefined : next).map((lane) => lane.name);
}

// Of a lane on the canvas, in pixels of the page.
async function laneBox(page: Page, name: string): Promise<{ x: number; y: number; width: number; height: number }> {
  const lane = page.locator('.lane', { has: page.locator('.lane-name', { hasText: new RegExp(`^${name}$`) }) }).first();
  await lane.scrollIntoViewIfNeeded();
  await whole(page);
  const [box, canvas] = [(await lane.boundingBox())!, (await page.locator('.tl-body').boundingBox())!];
  return { x: canvas.x, y: box.y, width: canvas.width, height: box.height };
}

async function hoverText(page: Page, name: string, at_ns: number): Promise<string> {
  const box = await laneBox(page, name);
  const { start, span } = await timeWindow(page);
  const x = box.x + ((at_ns - start) / span) * box.width;
  await page.mouse.move(x - 1, box.y + box.height / 2);
  await page.mouse.move(x, box.y + box.height / 2);
  await page.waitForSelector('.tooltip');
  return text(page, '.tooltip');
}

test('counters stand below the device, the process and the host that they are about', async () => {
  const { page } = site;
  await site.open(`timeline?${trace(kMetrics)}`);
  await whole(page);
  await snapshot(page, 'metrics_1280_light');
  assert.deepEqual(await lanesOf(page, 'GPU 0'), [
    'stream 7', 'clock limits', 'busy', 'queue', 'SM clock', 'power', 'other processes', '3 more metrics',
  ]);
  assert.deepEqual((await lanesOf(page, 'python3')).slice(1), ['waits for a core', 'CPU', 'waits for a core']);
  assert.deepEqual(await lanesOf(page, 'Host'), ['CPU, all cores']);
});

test('the other metrics are one click away, those of a thread beside it', async () => {
  const { page } = site;
  await site.open(`timeline?${trace(kMetrics)}`);
  await whole(page);
  await page.getByRole('button', { name: '3 more metrics' }).click();
  await page.locator('.lane-name', { hasText: 'temperature' }).waitFor();
  assert.ok((await lanesOf(page, 'GPU 0')).includes('utilisation'));
  const button = page.locator('.lane-metrics').first();
  assert.equal(await button.getAttribute('aria-expanded'), 'false');
  await button.click();
  await page.locator('.lane-name', { hasText: 'core time' }).waitFor();
  assert.deepEqual((await lanesOf(page, 'python3')).slice(1, 4), ['core time', 'core number', 'waits for a core']);
  await whole(page);
  await snapshot(page, 'metrics_open_1280_light');
  await button.click();
  await page.locator('.lane-name', { hasText: 'core time' }).waitFor({ state: 'detached' });
});

test('a value is told with its unit, one that grows as a rate', async () => {
  const { page } = site;
  await site.open(`timeline?${trace(kMetrics)}`);
  await whole(page);
  assert.equal(await hoverText(page, 'SM clock', 1_000_000), 'SM clock 1980 MHz');
  assert.equal(await hoverText(page, 'SM clock', 2_500_000), 'SM clock 1410 MHz');
  assert.match(await hoverText(page, 'power', 1_000_000), /^power draw 550 W limit 700 W$/);
  const others = await hoverText(page, 'other processes', 1_000_000);
  assert.ok(others.includes('python3 (991) 30.0 %') && others.includes('Xorg (1200) 3.0 %'), others);
  const { counters } = await site.served.get<Timeline>(`timeline?${trace(kMetrics)}`);
  const waits = counters.find((one) => one.unit === 'ms/s')!;
  assert.deepEqual([waits.label, Math.round(waits.max)], ['waits for a core', 250]);
});

test('a clock limit is a striped band that tells why and how long, and counts as nothing else', async () => {
  const { page } = site;
  await site.open(`timeline?${trace(kMetrics)}`);
  await whole(page);
  assert.match(await hoverText(page, 'clock limits', 2_500_000), /^power cap 1.00 ms condition · clock limits$/);
  const canvas = (await page.locator('.tl-body').boundingBox())!;
  const band = await laneBox(page, 'clock limits');
  const { start, span } = await timeWindow(page);
  const colours = await page.evaluate(([x, y, height]) => {
    const body = document.querySelector<HTMLCanvasElement>('.tl-body')!;
    const { data } = body.getContext('2d')!.getImageData(x * devicePixelRatio, y * devicePixelRatio, 40, Math.max(1, height * devicePixelRatio));
    const seen = new Set<string>();
    for (let i = 0; i < data.length; i += 4) seen.add(`${data[i]} ${data[i + 1]} ${data[i + 2]}`);
    return seen.size;
  }, [((2_800_000 - start) / span) * band.width, band.y - canvas.y + 2, band.height - 5]);
  assert.equal(colours, 2, 'the band and its stripes');
  assert.equal(new Set(kKinds.map((kind) => rgbOf(kind.light).join())).size, kKinds.length, 'no other kind has the colour of conditions');
  assert.ok((await text(page, '.legend')).includes(kKinds[kConditionKind].name));
  const { tracks } = await site.served.get<Timeline>(`timeline?${trace(kMetrics)}`);
  assert.deepEqual(tracks.filter((track) => track.kind === 'condition').map((track) => track.busy_ns), [0, 0]);
});

test('in a selection, conditions are apart from the time of the program', async () => {
  const { page } = site;
  await site.open(`timeline?${trace(kMetrics)}&area=2100000-2900000`);
  await page.waitForSelector('.panel table.conditions');
  assert.match(await text(page, '.panel table.conditions'), /power cap 1 800 µs/);
  assert.ok(!(await text(page, '.panel table.top-names')).includes('power cap'));
  assert.ok(!(await text(page, '.panel table.busy')).includes('clock limits'));
});

test('dark or light, a timeline with metrics fits a small screen', async () => {
  await site.look({ dark: true });
  const { page } = site;
  await site.open(`timeline?${trace(kMetrics)}`);
  await whole(page);
  await snapshot(page, 'metrics_1280_dark');
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
});
