import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';

import type { Page } from 'playwright-core';

import type { Comparison } from '../../src/api/types.ts';
import { isChanged, kAnswers } from '../../src/model/compare_rows.ts';
import { withSigns, withoutAnswer } from '../../src/model/error_words.ts';
import { covered, kScreens, snapshot, text } from './browser.ts';
import { Site } from './site.ts';
import { Served, kSource, put, run, shapelessTrace, trainingTrace } from './strobe.ts';

// Two recordings of one loop, one of them with the clock of the device locked low, and a short trace.
function recordings(folder: string): void {
  for (const [fault, name] of [['none', 'case/normal'], ['clock_locked', 'case/slow']]) {
    cpSync(join(kSource, 'tests', 'data', 'faults', fault), join(folder, name), { recursive: true });
  }
  put(folder, 'short/one.json', JSON.stringify({ traceEvents: [{ ph: 'X', cat: 'kernel', name: 'k', pid: 0, tid: 7, ts: 1, dur: 2, args: { device: 0, stream: 7 } }] }));
  put(folder, 'other/gpu3.json', trainingTrace().replaceAll('"device":0', '"device":3').replaceAll('GPU 0', 'GPU 3'));
  put(folder, 'training/a.json', trainingTrace());
  put(folder, 'training/b.json', trainingTrace(2));
}

let answer: Comparison;
const kPair = 'compare?normal=case/normal&abnormal=case/slow';

const site = new Site(recordings, async ({ folder }) => {
  answer = JSON.parse(run(['compare', join(folder, 'case', 'normal'), join(folder, 'case', 'slow'), '--format', 'json'])) as Comparison;
});
const { test } = site;

const open = (hash: string): Promise<void> => site.open(hash);

interface Shown {
  start: number; // since the start of the chosen cycle
  span: number;
}

async function shown(page: Page, side: 'normal' | 'abnormal', cycle: number): Promise<Shown> {
  const [start, end] = (await page.getAttribute(`.aligned[data-side="${side}"] .tl-body`, 'data-window'))!.split(' ').map(Number);
  const { start_ns } = answer.runs[side].ranks[0].cycles.list[cycle - 1];
  return { start: start - start_ns, span: end - start };
}

async function bothComplete(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelectorAll('.timelines .tl-body[data-complete="true"]').length === 2);
}

function assertAligned(a: Shown, b: Shown): void {
  assert.ok(Math.abs(a.start - b.start) <= 2 && Math.abs(a.span - b.span) <= 2, `${JSON.stringify(a)} and ${JSON.stringify(b)}`);
}

test('the runs that the names speak of are compared, and the address says so', async () => {
  const { page } = site;
  await open('compare');
  await page.waitForSelector('.verdict-card');
  assert.match(page.url(), /normal=case\/normal&abnormal=case\/slow/);
  assert.match(await page.title(), /Compare · case\/normal and case\/slow/);
  await open('runs');
  await page.waitForSelector('.entry');
  await page.keyboard.press('c');
  await page.waitForSelector('.verdict-card');
});

test('the verdict is that of strobe compare, with its evidence and advice', async () => {
  const { page } = site;
  await open(kPair);
  await page.waitForSelector('.verdict-card');
  const said = await text(page, '.verdict-card');
  const [cause] = answer.causes;
  for (const part of [withoutAnswer(answer.verdict.sentences[0], kAnswers[answer.verdict.answer].word), cause.headline, cause.advice, ...cause.evidence.map((one) => one.text)]) {
    assert.ok(said.includes(withSigns(part)), `${part}\n${said}`);
  }
  assert.match(said, /confident, score/);
  const quality = await text(page, '.quality');
  for (const sentence of answer.quality) assert.ok(quality.includes(sentence), sentence);
  const metrics = await text(page, '.metrics');
  assert.match(metrics, /gpu_frequency = gpu_sm_frequency GPU 0 1980 MHz 600 MHz × 0.30/);
});

test('the answer is said once', async () => {
  const { page } = site;
  await open('compare?normal=training/a.json&abnormal=training/b.json');
  await page.waitForSelector('.verdict-card');
  assert.doesNotMatch(await text(page, '.verdict-card .said'), /^(\w+) \1/);
});

test('no mark is behind a word', async () => {
  const { page } = site;
  await open(kPair);
  await page.waitForSelector('.cycle-strip .mark');
  assert.ok((await page.locator('.cycle-row text').count()) >= 6);
  assert.deepEqual(await covered(page, '.cycle-row .mark', '.cycle-row text'), []);
});

test('every cycle is a mark; a click and the arrow keys choose one', async () => {
  const { page } = site;
  await open(kPair);
  await page.waitForSelector('.cycle-strip .mark');
  for (const side of ['normal', 'abnormal'] as const) {
    const { list } = answer.runs[side].ranks[0].cycles;
    assert.equal(await page.locator(`.mark.${side}`).count(), list.length);
    assert.equal(await page.locator(`.mark.${side}.hollow`).count(), list.filter((one) => one.left_out_on.length > 0).length);
  }
  await page.locator('.cycle-row[data-side="normal"]').focus();
  await page.keyboard.press('Home');
  await page.waitForURL(/cycle=1,/);
  await page.keyboard.press('ArrowRight');
  await page.waitForURL(/cycle=2,/);
  assert.equal(await page.getAttribute('.cycle-row[data-side="normal"]', 'aria-valuenow'), '2');
  const last = page.locator('.mark.abnormal').first();
  const box = (await last.boundingBox())!;
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await page.waitForURL(/cycle=2,1(&|$)/);
});

test('both timelines begin with the chosen cycle, on one scale', async () => {
  const { page } = site;
  await open(`${kPair}&cycle=3,5`);
  await bothComplete(page);
  const [normal, abnormal] = [await shown(page, 'normal', 3), await shown(page, 'abnormal', 5)];
  assertAligned(normal, abnormal);
  const longest = Math.max(answer.runs.normal.ranks[0].cycles.list[2].duration_ns, answer.runs.abnormal.ranks[0].cycles.list[4].duration_ns);
  assert.ok(normal.start < 0 && normal.start + normal.span > longest && normal.span < 1.5 * longest);
  await page.locator('.timelines').scrollIntoViewIfNeeded();
  await snapshot(page, 'compare_timelines_1280_light');
});

test('what moves one timeline moves the other, and the address keeps it', async () => {
  const { page } = site;
  await open(`${kPair}&cycle=3,5`);
  await bothComplete(page);
  const before = await shown(page, 'normal', 3);
  const body = page.locator('.aligned[data-side="abnormal"] .tl-scroller');
  await body.scrollIntoViewIfNeeded();
  await body.hover();
  await page.mouse.wheel(0, -200);
  await page.waitForTimeout(150);
  assert.deepEqual(await shown(page, 'normal', 3), before, 'the wheel is for the page until a timeline has the focus');
  await body.focus();
  await page.keyboard.press('w');
  await page.waitForURL(/from=/);
  await bothComplete(page);
  const closer = await shown(page, 'normal', 3);
  assert.ok(closer.span < before.span * 0.8);
  assertAligned(closer, await shown(page, 'abnormal', 5));
  const old = await page.getAttribute('.aligned[data-side="normal"] .tl-body', 'data-window');
  await page.keyboard.press('d');
  await page.waitForFunction((one) => document.querySelector<HTMLElement>('.aligned[data-side="normal"] .tl-body')!.dataset['window'] !== one, old);
  await bothComplete(page);
  const moved = await shown(page, 'normal', 3);
  assert.ok(moved.start > closer.start);
  assertAligned(moved, await shown(page, 'abnormal', 5));
  await page.waitForTimeout(300);
  await page.reload();
  await bothComplete(page);
  const again = await shown(page, 'normal', 3);
  assertAligned(again, moved);
});

test('the changes sort, filter, copy and lead to the timeline', async () => {
  const { page } = site;
  await open(kPair);
  await page.waitForSelector('.changes tbody tr');
  const changed = answer.functions.filter(isChanged);
  assert.equal(await text(page, '.changes .count'), `${changed.length} rows`);
  assert.equal(await page.locator('.changes .interval').first().count(), 1);
  await page.click('.changes th:has-text("Change") button');
  await page.waitForURL(/sort=-change_ns/);
  await page.uncheck('.changes input[type="checkbox"]');
  await page.waitForFunction((count) => document.querySelector('.changes .count')?.textContent === `${count} rows`, answer.functions.length);
  await page.fill('.changes input[type="search"]', 'layer_norm');
  const matching = answer.functions.filter((row) => /layer_norm/i.test(row.function));
  await page.waitForFunction((count) => document.querySelector('.changes .count')?.textContent?.startsWith(`${count} of`), matching.length);
  await page.click('.changes button:has-text("Copy as CSV")');
  await page.waitForSelector('button:has-text("Copied")');
  const lines = (await page.evaluate(() => navigator.clipboard.readText())).trim().split('\r\n');
  assert.equal(lines.length, matching.length + 1);
  assert.match(lines[0], /^function,device,rank,cycle_type,kind,normal_ns,abnormal_ns,change_ns,change_low_ns,change_high_ns/);

  await page.locator('.changes .scroller').focus();
  await page.keyboard.press('ArrowDown');
  await page.waitForURL(/function=/);
  assert.equal(await page.locator('.changes tr.chosen').count(), 1);
  assert.match(await text(page, '.timelines .highlight'), /layer_norm/);
  await page.keyboard.press('Enter');
  await page.waitForURL(/#\/timeline\?trace=case\/slow\/trace\.json\.gz/);
  await page.waitForSelector('.panel .full-name');
  assert.match(await text(page, '.panel .full-name'), /layer_norm/);
});

test('sides can be swapped and chosen, also single traces', async () => {
  const { page } = site;
  await open(kPair);
  await page.waitForSelector('.verdict-card');
  await page.click('button[aria-label="Swap the sides"]');
  await page.waitForURL(/normal=case\/slow&abnormal=case\/normal/);
  await page.waitForFunction(() => document.querySelector('.verdict-card')?.textContent?.includes('faster'));
  const options = await page.locator('.picker select').first().locator('option').allInnerTexts();
  assert.deepEqual(options, ['case/normal', 'case/slow', 'other', 'short', 'a', 'b']);
  await page.locator('.picker select').first().selectOption('training/a.json');
  await page.locator('.picker select').nth(1).selectOption('training/b.json');
  await page.waitForURL(/normal=training\/a\.json&abnormal=training\/b\.json/);
  await page.waitForSelector('.verdict-card');
  assert.equal(await page.locator('.mark').count(), 8);
});

test('a run that cannot be compared says why', async () => {
  const { page } = site;
  await open('compare?normal=case/normal&abnormal=short');
  await page.waitForSelector('[role="alert"]');
  assert.match(await text(page, '[role="alert"]'), /no cycles found/);
  assert.doesNotMatch(await text(page, '.compare'), /--\w/);
  await open('compare?normal=case/normal&abnormal=gone');
  await page.waitForFunction(() => document.querySelector('[role="alert"]')?.textContent?.includes("no run or trace is called 'gone'"));
  site.watched.complaints.length = 0; // Chromium logs every answer of 404 and 422
});

test('runs with different devices are paired by their position on request', async () => {
  const { page } = site;
  await open('compare?normal=training/a.json&abnormal=other');
  await page.waitForSelector('[role="alert"]');
  assert.doesNotMatch(await text(page, '.compare'), /--\w|align=1/);
  await page.click('button:has-text("Pair them by their position")');
  await page.waitForSelector('.verdict-card');
  site.watched.complaints.length = 0; // Chromium logs every answer of 422
});

test('runs that do not belong together are not compared until they are chosen', async () => {
  const strangers = await Served.start((folder) => {
    put(folder, 'a/train.json', trainingTrace());
    put(folder, 'b/ranks.json', shapelessTrace());
  });
  try {
    await site.openPage(strangers.url);
    const { page } = site;
    await page.goto(`${strangers.url}#/compare`);
    await page.waitForFunction(() => document.querySelector('.empty')?.textContent?.includes('Choose two runs of one workload'));
    await page.waitForTimeout(1500); // both are loaded by then
    assert.equal(await page.locator('[role="alert"], .verdict-card').count(), 0);
    assert.doesNotMatch(page.url(), /normal=/);
  } finally {
    await site.page.goto('about:blank'); // a page asks until it is left
    await strangers.stop();
  }
});

test('the screen is drawn in both sizes and themes', async () => {
  const { page } = site;
  for (const { width, height, dark } of kScreens) {
    await site.look({ width, height, dark });
    await open(kPair);
    await bothComplete(page);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.equal(overflow, 0, `wider than ${width}`);
    await snapshot(page, `compare_${width}_${dark ? 'dark' : 'light'}`);
    await page.locator('.changes').scrollIntoViewIfNeeded();
    await snapshot(page, `compare_changes_${width}_${dark ? 'dark' : 'light'}`);
  }
});
