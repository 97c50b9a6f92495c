import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, test } from 'node:test';

import type { Browser } from 'playwright-core';

import type { Diff, Memory, Modules, SearchResult, Selection, SliceDetails, Timeline } from '../../src/api/types.ts';
import { bytesText, countText, durationText, exactDuration, shareText } from '../../src/model/units.ts';
import { type Watched, chosenBox, openBrowser, openPage, snapshot, text, timeWindow, whole, windowChanged } from './browser.ts';
import { Served, kBroken, kCompiled, kTraining, run } from './strobe.ts';

let served: Served;
let browser: Browser;
let watched: Watched;

before(async () => {
  [served, browser] = await Promise.all([Served.start(), openBrowser()]);
});
after(async () => {
  await browser?.close();
  await served?.stop();
});
beforeEach(async () => {
  watched = await openPage(browser, served.url);
});
afterEach(async () => {
  const { complaints } = watched;
  await watched.context.close();
  assert.deepEqual(complaints, []);
});

const open = (hash: string): Promise<unknown> => watched.page.goto(`${served.url}#/${hash}`);
const trace = (name: string): string => `trace=${encodeURIComponent(name)}`;

test('the runs are listed, and one opens with a click', async () => {
  const { page } = watched;
  await open('runs');
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
  const { page } = watched;
  await open('runs');
  const entry = page.locator('.entry.failed', { hasText: 'archive' });
  await entry.waitFor();
  const runs = await served.get<{ runs: { traces: { trace: string; error: { what: string } | null }[] }[] }>('runs');
  const { error } = runs.runs.flatMap((one) => one.traces).find((one) => one.trace === kBroken)!;
  assert.ok((await entry.innerText()).includes(error!.what));
  await open(`overview?${trace(kBroken)}`);
  await page.waitForSelector('[role="alert"]');
  assert.ok((await text(page, '[role="alert"]')).includes(error!.what));
});

test('the overview says what strobe summary says', async () => {
  const { page } = watched;
  const summary = served.summary(kCompiled);
  await open(`overview?${trace(kCompiled)}`);
  await page.waitForSelector('.facts');
  const facts = await text(page, '.facts');
  const breakdown = summary.tables['step_breakdown'].rows;
  const step = breakdown.find((row) => row['word'] === 'all')!;
  assert.ok(facts.includes(durationText(Number(step['per_step_ns']))), facts);
  assert.ok(facts.includes(shareText(Number(summary.facts['device_busy_share']))), facts);
  assert.ok(facts.includes(countText(Number(summary.facts['slices'])).replace('\u202f', ' ')), facts);
  const findings = await text(page, '.findings');
  for (const finding of summary.findings) {
    assert.ok(findings.includes(finding.headline) && findings.includes(finding.advice), finding.headline);
  }
  const table = await text(page, '.breakdown table');
  for (const row of breakdown.filter((one) => one['word'] !== 'all')) {
    assert.ok(table.includes(`${row['label']} ${durationText(Number(row['per_step_ns']))}`), `${row['label']}: ${table}`);
  }
  assert.equal(await page.locator('.step-bars .bar').count(), summary.tables['steps'].rows.length);
});

test('its steps are as long as those of strobe view overview', async () => {
  const { page } = watched;
  // All device work of this trace ends inside its step, where both count the same.
  const view = JSON.parse(run(['view', 'overview', join(served.folder, kTraining)])) as { steps: { rows: (string | number)[][] } };
  const expected = view.steps.rows.map((row) => {
    const total = /Total: (\d+)us/.exec(String(row[2]))!;
    return `ProfilerStep#${row[0]}, ${durationText(Number(total[1]) * 1000)}`;
  });
  await open(`overview?${trace(kTraining)}`);
  await page.waitForSelector('.step-bars .bar');
  const shown = await page.locator('.step-bars .bar').evaluateAll((bars) => bars.map((bar) => bar.getAttribute('aria-label')));
  assert.deepEqual(shown, expected);
});

test('a step of the overview opens in the timeline', async () => {
  const { page } = watched;
  await open(`overview?${trace(kTraining)}`);
  await page.locator('.step-bars .bar').nth(2).click();
  await whole(page);
  const { steps } = await served.get<Timeline>(`timeline?${trace(kTraining)}`);
  const shown = await timeWindow(page);
  assert.ok(shown.start <= steps[2].start_ns && shown.end >= steps[2].start_ns + steps[2].duration_ns);
  assert.ok(shown.span < 1.2 * steps[2].duration_ns);
});

test('a table sorts, filters, copies and leads to the timeline', async () => {
  const { page } = watched;
  const rows = served.summary(kCompiled).tables['kernels'].rows;
  await open(`kernels?${trace(kCompiled)}`);
  await page.waitForSelector('tbody tr');
  await page.click('th:has-text("Calls") button');
  await page.waitForSelector('th[aria-sort="descending"]:has-text("Calls")');
  const most = Math.max(...rows.map((row) => Number(row['calls'])));
  assert.equal(await text(page, 'tbody tr:first-child td.count'), countText(most));
  assert.match(page.url(), /sort=-calls/);

  await page.keyboard.press('/');
  await page.keyboard.type('/triton|SOFTMAX/');
  const matching = rows.filter((row) => /triton|softmax/i.test(String(row['kernel'])) || /triton|softmax/i.test(String(row['top_operator'])) || /triton|softmax/i.test(String(row['role'])));
  await page.waitForFunction((count) => document.querySelector('.count')?.textContent?.startsWith(`${count} of`), matching.length);

  await page.click('button:has-text("Copy as CSV")');
  await page.waitForSelector('button:has-text("Copied")');
  const lines = (await page.evaluate(() => navigator.clipboard.readText())).trim().split('\r\n');
  assert.equal(lines.length, matching.length + 1);
  assert.match(lines[0], /^kernel,calls,device_total_ns/);

  await page.click('tbody tr:first-child');
  await page.waitForSelector('.panel');
  await snapshot(page, 'kernels_1280_light');
  const name = await text(page, '.panel .full-name');
  await page.click('button:has-text("Show in timeline")');
  await page.waitForSelector('.panel .full-name');
  assert.equal(await text(page, '.panel .full-name'), name);
  const found = await served.get<SearchResult>(`search?${trace(kCompiled)}&q=${encodeURIComponent(name)}`);
  const longest = Math.max(...found.matches.map((match) => match[2]));
  assert.equal(Number(await page.getAttribute('[data-duration]', 'data-duration')), longest);
});

test('the timeline zooms by wheel and keys, and moves', async () => {
  const { page } = watched;
  await open(`timeline?${trace(kCompiled)}`);
  await whole(page);
  await snapshot(page, 'timeline_1280_light');
  const all = await timeWindow(page);
  const canvas = (await page.locator('.tl-body').boundingBox())!;
  const x = canvas.x + canvas.width / 4;
  await page.mouse.move(x, canvas.y + 200);
  await page.mouse.wheel(0, -300);
  const closer = await windowChanged(page, all);
  assert.ok(closer.span < all.span * 0.7);
  const under = (view: { start: number; span: number }): number => view.start + view.span / 4;
  assert.ok(Math.abs(under(closer) - under(all)) < all.span * 0.002, 'the time under the pointer stays');

  await page.keyboard.press('w');
  const keyed = await windowChanged(page, closer);
  assert.ok(keyed.span < closer.span);
  await page.keyboard.press('d');
  const moved = await windowChanged(page, keyed);
  assert.ok(moved.start > keyed.start && Math.abs(moved.span - keyed.span) < keyed.span * 0.01);
  await page.keyboard.press('ArrowLeft');
  const back = await windowChanged(page, moved);
  assert.ok(Math.abs(back.start - keyed.start) < keyed.span * 0.01);
  await page.keyboard.press('0');
  const fit = await windowChanged(page, back);
  assert.ok(Math.abs(fit.span - all.span) < all.span * 0.01);
});

test('a search counts its matches and walks through them', async () => {
  const { page } = watched;
  await open(`timeline?${trace(kTraining)}`);
  await whole(page);
  const found = await served.get<SearchResult>(`search?${trace(kTraining)}&q=softmax_warp`);
  await page.keyboard.press('/');
  await page.keyboard.type('softmax_warp');
  await page.keyboard.press('Enter');
  const state = page.locator('[data-search]');
  await state.filter({ hasText: `1 of ${found.total} slices` }).waitFor();
  await page.keyboard.press('Enter');
  await state.filter({ hasText: `2 of ${found.total}` }).waitFor();
  await page.waitForFunction((ns) => document.querySelector<HTMLElement>('[data-duration]')?.dataset['duration'] === String(ns), found.matches[1][2]);
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.press('Shift+Enter');
  await state.filter({ hasText: `${found.total} of ${found.total}` }).waitFor();
});

test('a slice is chosen by a click, and its arrow leads to the kernel and back', async () => {
  const { page } = watched;
  const found = await served.get<SearchResult>(`search?${trace(kTraining)}&q=cudaLaunchKernel`);
  const launch = await served.get<SliceDetails>(`slice?${trace(kTraining)}&slice=${found.matches[3][0]}`);
  await open(`timeline?${trace(kTraining)}&slice=${launch.slice}`);
  await page.waitForSelector('.panel .full-name');
  const box = await chosenBox(page);
  const narrow = (await page.locator('.tl-body').boundingBox())!;
  await page.keyboard.press('Escape');
  await page.waitForSelector('.panel', { state: 'detached' });
  await whole(page);
  // Without the panel the same time is drawn wider.
  const wide = (await page.locator('.tl-body').boundingBox())!;
  const share = (box.x + box.width / 2 - narrow.x) / narrow.width;
  await page.mouse.click(wide.x + share * wide.width, box.y + box.height / 2);
  await page.waitForSelector('.panel .full-name');
  assert.equal(await text(page, '.panel .full-name'), 'cudaLaunchKernel');
  assert.equal(await text(page, '[data-duration]'), exactDuration(launch.duration_ns));
  const link = launch.links.find((one) => one.kind === 'launches')!;
  await snapshot(page, 'timeline_arrow_1280_light');

  await page.keyboard.press('g');
  await page.waitForFunction((ns) => document.querySelector<HTMLElement>('[data-duration]')?.dataset['duration'] === String(ns), link.duration_ns);
  assert.equal(await text(page, '.panel .full-name'), link.name);
  await page.locator('.refs .ref', { hasText: 'launched by' }).first().click();
  await page.waitForFunction((ns) => document.querySelector<HTMLElement>('[data-duration]')?.dataset['duration'] === String(ns), launch.duration_ns);
});

test('an arrow is followed by a click on it', async () => {
  const { page } = watched;
  const found = await served.get<SearchResult>(`search?${trace(kTraining)}&q=cudaLaunchKernel`);
  const launch = await served.get<SliceDetails>(`slice?${trace(kTraining)}&slice=${found.matches[0][0]}`);
  await open(`timeline?${trace(kTraining)}&slice=${launch.slice}`);
  const from = await chosenBox(page);
  const kernel = launch.links.find((one) => one.kind === 'launches')!;
  // Directly below the launching slice the curve goes straight down.
  await page.mouse.click(from.x + Math.min(from.width / 2, 6), from.y + from.height + 3);
  await page.waitForFunction((name) => document.querySelector('.panel .full-name')?.textContent === name, kernel.name);
});

test('an area is selected with Shift, and its sums are those of the API', async () => {
  const { page } = watched;
  await open(`timeline?${trace(kTraining)}`);
  await whole(page);
  const canvas = (await page.locator('.tl-body').boundingBox())!;
  await page.keyboard.down('Shift');
  await page.mouse.move(canvas.x + canvas.width * 0.3, canvas.y + 2);
  await page.mouse.down();
  await page.mouse.move(canvas.x + canvas.width * 0.4, canvas.y + 200);
  await page.mouse.move(canvas.x + canvas.width * 0.6, canvas.y + canvas.height - 4);
  await page.mouse.up();
  await page.keyboard.up('Shift');
  await page.waitForSelector('[data-selection-slices]');
  await page.waitForURL(/area=\d+-\d+/);
  await snapshot(page, 'timeline_selection_1280_light');
  const [start, end] = /area=(\d+)-(\d+)/.exec(page.url())!.slice(1).map(Number);
  const sums = await served.get<Selection>(`selection?${trace(kTraining)}&start_ns=${start}&end_ns=${end}`);
  assert.equal(Number(await page.getAttribute('[data-selection-slices]', 'data-selection-slices')), sums.slices);
  assert.ok((await text(page, '.panel table.busy')).includes(shareText(sums.tracks[0].busy_share)));
  const before = await timeWindow(page);
  await page.keyboard.press('f');
  const framed = await windowChanged(page, before);
  assert.ok(framed.start <= start && framed.end >= end && framed.span < (end - start) * 1.1);
});

test('a mark measures to the pointer until Escape', async () => {
  const { page } = watched;
  await open(`timeline?${trace(kTraining)}`);
  await whole(page);
  const canvas = (await page.locator('.tl-body').boundingBox())!;
  await page.mouse.move(canvas.x + 200, canvas.y + 100);
  const pixels = (): Promise<string> => page.evaluate(() => document.querySelector<HTMLCanvasElement>('.tl-overlay')!.toDataURL().slice(-4000));
  const before = await pixels();
  await page.keyboard.press('m');
  await page.mouse.move(canvas.x + 400, canvas.y + 100);
  await page.waitForFunction((old) => document.querySelector<HTMLCanvasElement>('.tl-overlay')!.toDataURL().slice(-4000) !== old, before);
  await page.mouse.move(canvas.x + 200, canvas.y + 100);
  await page.keyboard.press('Escape');
  await page.waitForFunction((old) => document.querySelector<HTMLCanvasElement>('.tl-overlay')!.toDataURL().slice(-4000) === old, before);
});

test('tracks close and open', async () => {
  const { page } = watched;
  await open(`timeline?${trace(kTraining)}`);
  await whole(page);
  const tracks = await page.locator('.lane.track').count();
  const group = page.locator('.lane.group').first();
  await group.click();
  await page.waitForSelector('.lane.group[aria-expanded="false"]');
  assert.ok((await page.locator('.lane.track').count()) < tracks);
  await group.click();
  await page.waitForFunction((count) => document.querySelectorAll('.lane.track').length === count, tracks);
});

test('a deep link comes back after a reload, and "back" goes back', async () => {
  const { page } = watched;
  const { steps } = await served.get<Timeline>(`timeline?${trace(kTraining)}`);
  const found = await served.get<SearchResult>(`search?${trace(kTraining)}&q=aten::softmax`);
  const [slice] = found.matches[1];
  await open(`timeline?${trace(kTraining)}&from=${steps[1].start_ns}&to=${steps[2].start_ns}&slice=${slice}&q=softmax`);
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
  const { page } = watched;
  await open(`overview?${trace(kTraining)}`);
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
  const { page } = watched;
  await open(`timeline?${trace(kTraining)}`);
  await whole(page);
  await page.keyboard.press('?');
  await page.waitForSelector('dialog[open]');
  await snapshot(page, 'help_1280_light');
  await page.keyboard.press('Escape');
  await page.waitForSelector('dialog', { state: 'detached' });
});

test('memory shows the peak and who held it', async () => {
  const { page } = watched;
  const { places } = await served.get<Memory>(`memory?${trace(kTraining)}`);
  const place = places.reduce((a, b) => (a.peak_bytes >= b.peak_bytes ? a : b));
  await open(`memory?${trace(kTraining)}`);
  await page.waitForSelector('.plot canvas');
  assert.equal(await text(page, '[data-fact="peak"]'), bytesText(place.peak_bytes));
  await snapshot(page, 'memory_1280_light');
  const plot = (await page.locator('.plot .u-over').boundingBox())!;
  await page.mouse.click(plot.x + plot.width / 2, plot.y + plot.height / 2);
  await page.waitForURL(/#\/timeline/);
  await whole(page);
});

test('what was not recorded says how to record it', async () => {
  const { page } = watched;
  await open(`memory?${trace(kCompiled)}`);
  await page.waitForSelector('.empty');
  assert.match(await text(page, '.empty'), /profile_memory=True/);
  await open(`modules?${trace(kCompiled)}`);
  await page.waitForSelector('.empty');
  assert.match(await text(page, '.empty'), /with_stack=True/);
});

test('modules are a tree that leads to the timeline', async () => {
  const { page } = watched;
  const { modules } = await served.get<Modules>(`modules?${trace(kTraining)}`);
  await open(`modules?${trace(kTraining)}`);
  await page.waitForSelector('.modules tbody tr');
  const first = await text(page, '.modules tbody tr:first-child');
  assert.ok(first.includes(`${modules[0].name} ${countText(modules[0].calls)}`), first);
  await page.click('.modules .twist');
  await page.waitForFunction(() => document.querySelectorAll('.modules tbody tr').length === 1);
  await page.click('.modules .link.plain');
  await page.waitForSelector('.panel .full-name');
});

test('two runs stand side by side, and no difference without its spread', async () => {
  const { page } = watched;
  await open('runs');
  for (const name of ['train', 'slower']) await page.check(`[aria-label="Choose ${name}"]`);
  await page.click('button:has-text("Diff two")');
  await page.waitForSelector('.diff-table tbody tr');
  const traces = [...new URLSearchParams(new URL(page.url()).hash.split('?')[1]).getAll('trace')];
  const diff = await served.get<Diff>(`diff?base=${encodeURIComponent(traces[0])}&other=${encodeURIComponent(traces[1])}`);
  const kernel = diff.kernels.find((row) => row.name.includes('softmax'))!;
  const row = await text(page, '.diff-table tbody tr:has-text("softmax")');
  assert.ok(row.includes(durationText(kernel.base!.device_ns!)) && row.includes(durationText(kernel.other!.device_ns!)), row);
  assert.ok(row.includes(`${durationText(kernel.base!.low_ns)} … ${durationText(kernel.base!.high_ns)}`), row);
  assert.ok(row.endsWith(kernel.beyond_spread ? 'beyond' : 'within'), row);
  assert.match(await text(page, '.verdict'), /(beyond|within) the spread of the steps/);
  await snapshot(page, 'diff_1280_light');
});

test('several ranks stand side by side', async () => {
  const { page } = watched;
  await open(`distributed?${trace(kTraining)}&${trace('training/slower.json')}`);
  await page.waitForSelector('.data-table tbody tr');
  assert.equal(await page.locator('.data-table tbody tr').count(), 2);
  await snapshot(page, 'ranks_1280_light');
});

test('a trace written while the server runs appears by itself', async () => {
  const { page } = watched;
  await open('runs');
  await page.waitForSelector('.entry.ready');
  const { trainingTrace } = await import('./strobe.ts');
  writeFileSync(join(served.folder, 'training', 'later.json'), trainingTrace(2));
  await page.locator('.entry.ready', { hasText: 'later' }).waitFor();
});

test('a report is a file that needs no server and makes no request', async () => {
  const file = join(served.folder, 'report.html');
  run(['summary', join(served.folder, kTraining), '--format', 'html', '--output', file]);
  await watched.context.close();
  watched = await openPage(browser, `file://${file}`);
  const { page } = watched;
  await page.goto(`file://${file}`);
  await page.waitForSelector('.facts');
  const summary = served.summary(kTraining);
  assert.ok((await text(page, '.facts')).includes(shareText(Number(summary.facts['device_busy_share']))));
  assert.equal(await page.locator('.rail a', { hasText: 'Timeline' }).count(), 0);
  await page.click('.rail a:has-text("Kernels")');
  await page.waitForSelector('tbody tr');
  assert.equal(await page.locator('tbody tr').count(), summary.tables['kernels'].rows.length);
  await snapshot(page, 'report_1280_light');

  const plain = await browser.newContext({ javaScriptEnabled: false });
  const still = await plain.newPage();
  await still.goto(`file://${file}`);
  assert.ok((await still.locator('noscript, body').first().innerText()).includes(summary.findings[0]?.headline.slice(0, 20) ?? 'strobe summary'));
  await plain.close();
});

test('every screen is drawn in both sizes and themes', async () => {
  await watched.context.close();
  for (const [width, height] of [[1280, 720], [1920, 1080]]) {
    for (const dark of [false, true]) {
      watched = await openPage(browser, served.url, { width, height, dark });
      const { page, context, complaints } = watched;
      for (const screen of ['overview', 'timeline', 'operators', 'kernels', 'ranges', 'memory', 'modules']) {
        await open(`${screen}?${trace(kTraining)}`);
        if (screen === 'timeline') await whole(page);
        else await page.waitForSelector('.facts, .data-table, .empty');
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.equal(overflow, 0, `${screen} is wider than ${width}`);
        await snapshot(page, `${screen}_${width}_${dark ? 'dark' : 'light'}`);
      }
      assert.deepEqual(complaints, []);
      if (!(width === 1920 && dark)) await context.close();
    }
  }
});

test('large real traces open, pan and find', async (context) => {
  if (!served.hasShared) {
    context.skip('../shared/traces is not beside this checkout');
    return;
  }
  const { page } = watched;
  const big = 'shared/h200_gpt_infer_big.json.gz';
  await open(`timeline?${trace(big)}`);
  await page.waitForSelector('.tl-body[data-complete="true"]', { timeout: 60_000 });
  await snapshot(page, 'big_1280_light');
  const before = await timeWindow(page);
  for (const key of ['w', 'w', 'w', 'w', 'd']) await page.keyboard.press(key);
  await windowChanged(page, before);
  await page.keyboard.press('/');
  await page.keyboard.type('=aten::addmm');
  await page.keyboard.press('Enter');
  await page.locator('[data-search]', { hasText: /1? ?of .* slices/ }).waitFor();
});
