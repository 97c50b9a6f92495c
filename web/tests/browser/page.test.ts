import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { SearchResult, Timeline } from '../../src/api/types.ts';
import { shareText } from '../../src/model/units.ts';
import { kScreens, snapshot, text, timeWindow, whole } from './browser.ts';
import { Site, trace } from './site.ts';
import { kBroken, kEightRanks, kRanks, kTraining, run, trainingTrace } from './strobe.ts';

// The frame around the screens: runs, addresses, themes, help, reports.

const site = new Site();
const { test } = site;

test('the runs are listed, and one opens with a click', async () => {
  const { page } = site;
  await site.open('runs');
  await page.waitForSelector('.entry.ready');
  const row = page.locator('.entry', { hasText: 'gpt_inference_compiled' }).locator('button.entry-body');
  await row.waitFor();
  await snapshot(page, 'runs_1280_light');
  await row.click();
  await page.waitForSelector('.facts');
  assert.match(page.url(), /#\/overview\?trace=inference\/gpt_inference_compiled\.json\.gz$/);
  assert.match(await page.title(), /Overview · gpt_inference_compiled/);
});

test('a trace that cannot be read shows its reason', async () => {
  const { page } = site;
  await site.open('runs');
  const entry = page.locator('.entry.failed', { hasText: 'archive' });
  await entry.waitFor();
  const runs = await site.served.get<{ runs: { traces: { trace: string; error: { what: string } | null }[] }[] }>('runs');
  const { error } = runs.runs.flatMap((one) => one.traces).find((one) => one.trace === kBroken)!;
  assert.ok((await entry.innerText()).includes(error!.what));
  await site.open(`overview?${trace(kBroken)}`);
  await page.waitForSelector('[role="alert"]');
  assert.ok((await text(page, '[role="alert"]')).includes(error!.what));
});

test('a deep link comes back after a reload, and "back" goes back', async () => {
  const { page } = site;
  const { steps } = await site.served.get<Timeline>(`timeline?${trace(kTraining)}`);
  const found = await site.served.get<SearchResult>(`search?${trace(kTraining)}&q=aten::softmax`);
  const [slice] = found.matches[1];
  await site.open(`timeline?${trace(kTraining)}&from=${steps[1].start_ns}&to=${steps[2].start_ns}&slice=${slice}&q=softmax`);
  await page.waitForSelector('.panel .full-name');
  await whole(page);
  const shown = await timeWindow(page);
  assert.deepEqual([shown.start, shown.end], [steps[1].start_ns, steps[2].start_ns]);
  await page.reload();
  await page.waitForSelector('.panel .full-name');
  await whole(page);
  assert.deepEqual(await timeWindow(page), shown);
  assert.equal(await text(page, '.panel .full-name'), 'aten::softmax');
  assert.equal(await page.inputValue('[aria-label="Search slices"]'), 'softmax');
  await page.keyboard.press('4');
  await page.waitForSelector('.data-table');
  await page.goBack();
  await page.waitForSelector('.panel .full-name');
  await whole(page);
  assert.deepEqual(await timeWindow(page), shown);
});

test('the theme can be switched and is remembered', async () => {
  const { page } = site;
  await site.open(`overview?${trace(kTraining)}`);
  await page.waitForSelector('.facts');
  const theme = (): Promise<string | null> => page.getAttribute('html', 'data-theme');
  assert.equal(await theme(), 'light');
  await page.click('.theme');
  await page.click('.theme');
  await page.waitForSelector('html[data-theme="dark"]');
  await page.reload();
  await page.waitForSelector('.facts');
  assert.equal(await theme(), 'dark');
});

test('help lists the keys and closes with Escape', async () => {
  const { page } = site;
  await site.open(`timeline?${trace(kTraining)}`);
  await whole(page);
  await page.keyboard.press('?');
  await page.waitForSelector('dialog[open]');
  await snapshot(page, 'help_1280_light');
  await page.keyboard.press('Escape');
  await page.waitForSelector('dialog', { state: 'detached' });
});

test('a trace written while the server runs appears by itself', async () => {
  const { page } = site;
  await site.open('runs');
  await page.waitForSelector('.entry.ready');
  writeFileSync(join(site.served.folder, 'training', 'later.json'), trainingTrace(2));
  await page.locator('.entry.ready', { hasText: 'later' }).waitFor();
});

test('a report is a file that needs no server and makes no request', async () => {
  const file = join(site.served.folder, 'report.html');
  run(['summary', join(site.served.folder, kTraining), '--format', 'html', '--output', file]);
  await site.openPage(`file://${file}`);
  const { page } = site;
  await page.goto(`file://${file}`);
  await page.waitForSelector('.facts');
  const summary = site.served.summary(kTraining);
  assert.ok((await text(page, '.facts')).includes(shareText(Number(summary.facts['device_busy_share']))));
  assert.equal(await page.locator('.rail a', { hasText: 'Timeline' }).count(), 0);
  assert.equal(await page.title(), 'train.json · strobe summary');
  await page.click('.rail a:has-text("Waiting")');
  await page.waitForSelector('tbody tr');
  assert.equal(await page.locator('tbody tr').count(), summary.tables['idle'].rows.length);
  assert.equal(await page.locator('tbody button.link').count(), 0, 'there is no timeline to open');
  await page.click('.rail a:has-text("Kernels")');
  await page.waitForSelector('tbody tr');
  assert.equal(await page.locator('tbody tr').count(), summary.tables['kernels'].rows.length);
  await snapshot(page, 'report_1280_light');

  const plain = await site.browser.newContext({ javaScriptEnabled: false });
  const still = await plain.newPage();
  await still.goto(`file://${file}`);
  assert.ok((await still.locator('noscript, body').first().innerText()).includes(summary.findings[0]?.headline.slice(0, 20) ?? 'strobe summary'));
  await plain.close();
});

test('every screen is drawn in both sizes and themes', async () => {
  const { page } = site;
  for (const { width, height, dark } of kScreens) {
    await site.look({ width, height, dark });
    const ranks = site.served.hasShared ? kEightRanks : kRanks;
    for (const [name, traces] of [['one', [kTraining]], ['ranks', ranks]] as const) {
      for (const screen of ['overview', 'timeline', 'operators', 'kernels', 'waiting', 'ranges', 'memory', 'modules', 'ranks']) {
        await site.open(`${screen}?${trace(...traces)}`);
        if (screen === 'timeline') await whole(page);
        else await page.waitForSelector('.facts, .data-table, .empty');
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.equal(overflow, 0, `${screen} is wider than ${width}`);
        await snapshot(page, `${screen}_${name}_${width}_${dark ? 'dark' : 'light'}`);
      }
    }
  }
});

test('no table is wider than the page, and what a panel takes is left out', async () => {
  const { page } = site;
  const ranks = site.served.hasShared ? kEightRanks : kRanks;
  const tooWide = (): Promise<number> => page.locator('.data-table .scroller').evaluate((box) => box.scrollWidth - box.clientWidth);
  const tables = ['operators?', 'kernels?', 'waiting?', 'waiting?table=runtime_calls&', 'waiting?table=streams&', 'ranges?', 'ranges?table=steps&', 'ranges?table=threads&', 'ranges?table=kinds&'];
  for (const table of tables) {
    await site.open(`${table}${trace(...ranks)}`);
    await page.waitForSelector('.data-table tbody tr');
    assert.equal(await tooWide(), 0, table);
    await page.click('tbody tr:first-child td:first-child');
    await page.waitForSelector('.panel');
    assert.equal(await tooWide(), 0, `${table} beside a panel`);
  }
});
