import assert from 'node:assert/strict';
import { join } from 'node:path';

import type { Diff, Memory, Modules, SearchResult, Selection, Tile, Timeline } from '../../src/api/types.ts';
import { withSigns } from '../../src/model/error_words.ts';
import { bytesText, countText, durationText, shareText } from '../../src/model/units.ts';
import { snapshot, text, timeWindow, whole } from './browser.ts';
import { Site, trace } from './site.ts';
import { kCompiled, kRanks, kShapeless, kTraining, ownTraces, run } from './strobe.ts';

// The screens with numbers say what the command line says.

const site = new Site(ownTraces);
const { test } = site;

test('the overview says what strobe summary says', async () => {
  const { page } = site;
  const summary = site.served.summary(kCompiled);
  await site.open(`overview?${trace(kCompiled)}`);
  await page.waitForSelector('.facts');
  const facts = await text(page, '.facts');
  const breakdown = summary.tables['step_breakdown'].rows;
  const step = breakdown.find((row) => row['word'] === 'all')!;
  assert.ok(facts.includes(durationText(Number(step['per_step_ns']))), facts);
  assert.ok(facts.includes(shareText(Number(summary.facts['device_busy_share']))), facts);
  assert.ok(facts.includes(countText(Number(summary.facts['slices'])).replace('\u202f', ' ')), facts);
  const findings = await text(page, '.findings');
  for (const finding of summary.findings) {
    assert.ok(findings.includes(withSigns(finding.headline)) && findings.includes(withSigns(finding.advice)), finding.headline);
  }
  const table = await text(page, '.breakdown table');
  for (const row of breakdown.filter((one) => one['word'] !== 'all')) {
    assert.ok(table.includes(`${row['label']} ${durationText(Number(row['per_step_ns']))}`), `${row['label']}: ${table}`);
  }
  assert.equal(await page.locator('.step-bars .bar').count(), summary.tables['steps'].rows.length);
});

test('without steps the overview accounts for the whole trace', async () => {
  const { page } = site;
  const summary = site.served.summary(kShapeless);
  assert.equal(summary.facts['cycles_found_by'], undefined);
  await site.open(`overview?${trace(kShapeless)}`);
  await page.waitForSelector('.breakdown');
  const facts = await text(page, '.facts');
  assert.doesNotMatch(facts, /Step/);
  assert.ok(facts.includes(durationText(Number(summary.facts['span_ns']))), facts);
  const table = await text(page, '.breakdown table');
  for (const row of summary.tables['step_breakdown'].rows) {
    assert.ok(table.includes(`${row['label']} ${durationText(Number(row['total_ns']))}`), `${row['label']}: ${table}`);
  }
  assert.match(await text(page, '.breakdown'), /No steps are marked/);
  assert.equal(await page.locator('.step-bars').count(), 0);
});

test('the overview of several ranks tells them apart and counts all of them', async () => {
  const { page } = site;
  const summary = site.served.summary(...kRanks);
  await site.open(`overview?${trace(...kRanks)}`);
  await page.waitForSelector('.step-bars .bar');
  const labels = await page.locator('.step-bars .bar text').allTextContents();
  assert.deepEqual(labels, ['0·1', '0·2', '1·1', '1·2', '2·1', '2·2']);
  const slices = countText(Number(summary.facts['slices'])).replace('\u202f', ' ');
  assert.ok((await text(page, '.facts')).includes(`Slices ${slices}`));
  assert.ok((await text(page, '.opened-facts')).includes(`${slices} slices`));
  assert.match(await text(page, '.opened'), /3 traces/);
  await page.locator('.step-bars .bar').nth(3).click();
  await whole(page);
  assert.equal(new URLSearchParams(page.url().split('?')[1]).get('shown'), kRanks[1]);
  const { steps } = await site.served.get<Timeline>(`timeline?${trace(kRanks[1])}`);
  const shown = await timeWindow(page);
  assert.ok(shown.start <= steps[1].start_ns && shown.end >= steps[1].start_ns + steps[1].duration_ns && shown.span < 1.2 * steps[1].duration_ns);
});

test('its steps are as long as those of strobe view overview', async () => {
  const { page } = site;
  // All device work of this trace ends inside its step, where both count the same.
  const view = JSON.parse(run(['view', 'overview', join(site.served.folder, kTraining)])) as { steps: { rows: (string | number)[][] } };
  const expected = view.steps.rows.map((row) => {
    const total = /Total: (\d+)us/.exec(String(row[2]))!;
    return `ProfilerStep#${row[0]}, ${durationText(Number(total[1]) * 1000)}`;
  });
  await site.open(`overview?${trace(kTraining)}`);
  await page.waitForSelector('.step-bars .bar');
  const shown = await page.locator('.step-bars .bar').evaluateAll((bars) => bars.map((bar) => bar.getAttribute('aria-label')));
  assert.deepEqual(shown, expected);
});

test('a step of the overview opens in the timeline', async () => {
  const { page } = site;
  await site.open(`overview?${trace(kTraining)}`);
  await page.locator('.step-bars .bar').nth(2).click();
  await whole(page);
  const { steps } = await site.served.get<Timeline>(`timeline?${trace(kTraining)}`);
  const shown = await timeWindow(page);
  assert.ok(shown.start <= steps[2].start_ns && shown.end >= steps[2].start_ns + steps[2].duration_ns);
  assert.ok(shown.span < 1.2 * steps[2].duration_ns);
});

test('a table sorts, filters, copies and leads to the timeline', async () => {
  const { page } = site;
  const rows = site.served.summary(kCompiled).tables['kernels'].rows;
  await site.open(`kernels?${trace(kCompiled)}`);
  await page.waitForSelector('tbody tr');
  await page.click('th:has-text("Calls") button');
  await page.waitForSelector('th[aria-sort="descending"]:has-text("Calls")');
  const most = Math.max(...rows.map((row) => Number(row['calls'])));
  assert.equal(await text(page, 'tbody tr:first-child td.count'), countText(most));
  assert.match(page.url(), /sort=-calls/);

  await page.keyboard.press('/');
  await page.keyboard.type('/triton|SOFTMAX/');
  const matching = rows.filter((row) => Object.values(row).some((cell) => typeof cell === 'string' && /triton|softmax/i.test(cell)));
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
  const found = await site.served.get<SearchResult>(`search?${trace(kCompiled)}&q=${encodeURIComponent(name)}`);
  const longest = Math.max(...found.matches.map((match) => match[2]));
  assert.equal(Number(await page.getAttribute('[data-duration]', 'data-duration')), longest);
});

test('the tables about waiting are those of strobe summary, and the longest opens in the timeline', async () => {
  const { page } = site;
  const { tables } = site.served.summary(kTraining);
  await site.open(`overview?${trace(kTraining)}`);
  await page.waitForSelector('.facts');
  await page.keyboard.press('i');
  await page.waitForSelector('.data-table tbody tr');
  const tabs = await text(page, '.tabs');
  for (const [key, name] of [['idle', 'Idle causes'], ['runtime_calls', 'Runtime calls'], ['streams', 'Streams']]) {
    assert.ok(tables[key].rows.length > 0 && tabs.includes(`${name} ${tables[key].rows.length}`), `${name}: ${tabs}`);
  }
  const [idle] = tables['idle'].rows;
  const first = await text(page, 'tbody tr:first-child');
  assert.ok(first.startsWith(String(idle['label'])) && first.includes(shareText(Number(idle['idle_share']))), first);
  await page.click('tbody tr:first-child button.link');
  await whole(page);
  const info = await site.served.get<Timeline>(`timeline?${trace(kTraining)}`);
  const start = Number(idle['longest_at_ns']);
  const end = start + Number(idle['idle_max_ns']);
  const shown = await timeWindow(page);
  assert.ok(shown.start <= start && shown.end >= end && shown.span < 4 * (end - start), `${JSON.stringify(shown)} for ${start} to ${end}`);
  await page.waitForURL(`**area=${start}-${end}*`);
  await page.waitForSelector('[data-selection-slices]');
  const { tracks } = await site.served.get<Selection>(`selection?${trace(kTraining)}&start_ns=${start}&end_ns=${end}`);
  const busy = info.tracks.filter((one) => one.kind === 'device' && tracks.some((two) => two.track === one.track && two.busy_ns > 0));
  assert.deepEqual(busy, [], 'no device works there');

  await site.open(`waiting?${trace(kTraining)}&table=runtime_calls`);
  await page.waitForSelector('tbody tr:has-text("cudaLaunchKernel")');
  const calls = tables['runtime_calls'].rows.find((row) => row['call'] === 'cudaLaunchKernel')!;
  assert.ok((await text(page, 'tbody tr:has-text("cudaLaunchKernel")')).includes(countText(Number(calls['calls']))));
  await site.open(`waiting?${trace(kTraining)}&table=streams`);
  await page.waitForSelector('tbody tr:has-text("GPU 0")');
  await page.click('tbody tr:first-child button.link');
  await whole(page);
});

test('what a table counts from the earliest slice opens at its place, after slices of the profiler', async () => {
  const { page } = site;
  const info = await site.served.get<Timeline>(`timeline?${trace(kCompiled)}`);
  const { tables, facts } = site.served.summary(kCompiled);
  assert.ok(info.steps[0].start_ns > 0, 'the profiler begins first');
  assert.equal(tables['steps'].rows[0]['start_ns'], info.steps[0].start_ns);
  assert.equal(info.summary_span_ns, facts['span_ns']);
  const [call] = tables['runtime_calls'].rows;
  await site.open(`waiting?${trace(kCompiled)}&table=runtime_calls`);
  await page.waitForSelector('tbody tr');
  await page.click('tbody tr:first-child button.link');
  await page.waitForURL(/area=\d+-\d+/);
  const [start, end] = /area=(\d+)-(\d+)/.exec(page.url())!.slice(1).map(Number);
  assert.equal(start, call['longest_at_ns']);
  assert.equal(end - start, call['host_max_ns']);
  const tile = await site.served.get<Tile>(`tile?${trace(kCompiled)}&start_ns=${start}&end_ns=${end}&columns=1000`);
  const slices = tile.rows.flatMap(({ slices: all }) => all.flatMap((_, i) => (i % 5 === 0 ? [all.slice(i, i + 5)] : [])));
  const found = slices.find(([, at, length, name]) => at === start && length === end - start && tile.names[name] === call['call']);
  assert.ok(found, 'the call is there');

  await site.open(`overview?${trace(kCompiled)}`);
  await page.click('.bar.clickable >> nth=3');
  await whole(page);
  const shown = await timeWindow(page);
  const step = info.steps[3];
  assert.ok(shown.start <= step.start_ns && shown.end >= step.start_ns + step.duration_ns && shown.span < 1.1 * step.duration_ns, `${JSON.stringify(shown)} for ${JSON.stringify(step)}`);
});

test('memory shows the peak and who held it', async () => {
  const { page } = site;
  const { places } = await site.served.get<Memory>(`memory?${trace(kTraining)}`);
  const place = places.reduce((a, b) => (a.peak_bytes >= b.peak_bytes ? a : b));
  await site.open(`memory?${trace(kTraining)}`);
  await page.waitForSelector('.plot canvas');
  assert.equal(await text(page, '[data-fact="peak"]'), bytesText(place.peak_bytes));
  await snapshot(page, 'memory_1280_light');
  const plot = (await page.locator('.plot .u-over').boundingBox())!;
  await page.mouse.click(plot.x + plot.width / 2, plot.y + plot.height / 2);
  await page.waitForURL(/#\/timeline/);
  await whole(page);
});

test('what was not recorded says how to record it', async () => {
  const { page } = site;
  await site.open(`memory?${trace(kCompiled)}`);
  await page.waitForSelector('.empty');
  assert.match(await text(page, '.empty'), /profile_memory=True/);
  await site.open(`modules?${trace(kCompiled)}`);
  await page.waitForSelector('.empty');
  assert.match(await text(page, '.empty'), /with_stack=True/);
});

test('modules are a tree that leads to the timeline', async () => {
  const { page } = site;
  const { modules } = await site.served.get<Modules>(`modules?${trace(kTraining)}`);
  await site.open(`modules?${trace(kTraining)}`);
  await page.waitForSelector('.modules tbody tr');
  const first = await text(page, '.modules tbody tr:first-child');
  assert.ok(first.includes(`${modules[0].name} ${countText(modules[0].calls)}`), first);
  await page.click('.modules .twist');
  await page.waitForFunction(() => document.querySelectorAll('.modules tbody tr').length === 1);
  await page.click('.modules .link.plain');
  await page.waitForSelector('.panel .full-name');
});

test('two runs stand side by side, and no difference without its spread', async () => {
  const { page } = site;
  await site.open('runs');
  for (const name of ['train', 'slower']) await page.check(`[aria-label="Choose ${name}"]`);
  await page.click('button:has-text("Diff two")');
  await page.waitForSelector('.diff-table tbody tr');
  const traces = [...new URLSearchParams(new URL(page.url()).hash.split('?')[1]).getAll('trace')];
  const diff = await site.served.get<Diff>(`diff?base=${encodeURIComponent(traces[0])}&other=${encodeURIComponent(traces[1])}`);
  const kernel = diff.kernels.find((row) => row.name.includes('softmax'))!;
  const row = await text(page, '.diff-table tbody tr:has-text("softmax")');
  assert.ok(row.includes(durationText(kernel.base!.device_ns!)) && row.includes(durationText(kernel.other!.device_ns!)), row);
  assert.ok(row.includes(`${durationText(kernel.base!.low_ns)} … ${durationText(kernel.base!.high_ns)}`), row);
  assert.ok(row.endsWith(kernel.beyond_spread ? 'beyond' : 'within'), row);
  assert.match(await text(page, '.verdict'), /(beyond|within) the spread of the steps/);
  await snapshot(page, 'diff_1280_light');
});

test('a report of several ranks has them side by side', async () => {
  const file = join(site.served.folder, 'ranks.html');
  run(['summary', ...kRanks.map((name) => join(site.served.folder, name)), '--format', 'html', '--output', file]);
  const { rows } = site.served.summary(...kRanks).tables['ranks'];
  await site.openPage(`file://${file}`);
  const { page } = site;
  await page.goto(`file://${file}#/ranks`);
  await page.waitForSelector('.data-table tbody tr');
  assert.equal(await page.locator('.data-table tbody tr').count(), 3);
  const headers = (await page.locator('.ranks th').allInnerTexts()).map((one) => one.replace(/\s+/g, ' '));
  for (const header of ['Own time per step', 'Exposed per step', 'Others waited']) assert.ok(headers.some((one) => one.startsWith(header)), headers.join(', '));
  const last = await text(page, 'tbody tr:has-text("rank 2")');
  assert.ok(last.includes(`${rows[2]['last_in']} of ${rows[2]['collectives']}`), last);
  const clipped = await page.locator('.ranks th button').evaluateAll((buttons) => buttons.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent));
  assert.deepEqual(clipped, []);
});
