import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

import type { Exchanges, Fleet, JobDocument } from '../../src/api/job_types.ts';
import type { Row } from '../../src/api/types.ts';
import { Job } from '../../src/model/job.ts';
import { durationText, signedDuration } from '../../src/model/units.ts';
import { kScreens, snapshot, text, timeWindow, whole, windowChanged } from './browser.ts';
import { Site, trace } from './site.ts';
import { kSource, run } from './strobe.ts';

// The screen of a job's ranks: says what strobe fleet says, and shows when.

const kReal = join(kSource, '..', 'shared', 'traces', 'megatron_tp8');
const eight = (folder: string): string[] => Array.from({ length: 8 }, (_, rank) => `${folder}/rank${rank}.json.gz`);
const kSleeps = eight('sleeps');
const kEqual = eight('equal');
const kMegatron = Array.from({ length: 8 }, (_, rank) => `megatron/megatron_kineto_${rank}.json.zst`);

const site = new Site((folder) => {
  cpSync(join(kSource, 'tests', 'data', 'ranks', 'rank_5_sleeps'), join(folder, 'sleeps'), { recursive: true });
  cpSync(join(kSource, 'tests', 'data', 'ranks', 'equal'), join(folder, 'equal'), { recursive: true });
  if (existsSync(kReal)) cpSync(kReal, join(folder, 'megatron'), { recursive: true });
  mkdirSync(join(folder, 'twice'));
  for (const name of ['a', 'b']) cpSync(join(folder, 'sleeps', 'rank0.json.gz'), join(folder, 'twice', `${name}.json.gz`));
});
const { test } = site;

function fleetDocument(folder: string): JobDocument {
  return JSON.parse(run(['fleet', join(site.served.folder, folder), '--format', 'json'])) as JobDocument;
}

const cellOf = (document: JobDocument, rank: number, step: number): Row => document.tables['rank_steps'].rows.filter((row) => row['rank'] === rank)[step];

// In pixels of the page, once it is on the screen.
async function boxOf(selector: string): Promise<{ x: number; y: number; width: number; height: number }> {
  const found = site.page.locator(selector).first();
  await found.evaluate((element) => element.scrollIntoView({ block: 'center' }));
  return (await found.boundingBox())!;
}

// The middle of a cell of the map.
async function cellPlace(rank: number, step: number, ranks = 8, steps = 16): Promise<{ x: number; y: number }> {
  const box = await boxOf('.rank-heat canvas');
  return { x: box.x + ((step + 0.5) / steps) * box.width, y: box.y + ((rank + 0.5) / ranks) * box.height };
}

const chips = (): Promise<string[]> => site.page.locator('.lane-chip').evaluateAll((all) => all.map((one) => one.textContent!.replace('✕', '')));

test('the ranks screen says what strobe fleet says', async () => {
  const { page } = site;
  const job = fleetDocument('sleeps');
  await site.open(`ranks?${trace(...kSleeps)}`);
  await page.waitForSelector('.rank-heat canvas');
  const said = await text(page, '.job-verdict');
  for (const sentence of job.verdict) assert.ok(said.includes(sentence.replace(/\s+/g, ' ')), sentence);
  const [straggler] = job.tables['stragglers'].rows;
  const row = await text(page, '.stragglers tbody tr');
  for (const part of [straggler['who'], straggler['reason'], durationText(Number(straggler['later_ns'])), `${straggler['last']} of ${straggler['collectives']}`]) {
    assert.ok(row.includes(String(part)), `${part}: ${row}`);
  }
  assert.equal(await page.locator('.job-tables tbody tr').count(), 8);
  const headers = (await page.locator('.job-tables th').allInnerTexts()).map((one) => one.replace(/\s+/g, ' ').trim());
  for (const header of ['Own work', 'Waits', 'Transfers', 'Late by', 'Last in', 'Caused wait', 'Host']) assert.ok(headers.some((one) => one.startsWith(header)), headers.join(', '));
  await page.click('.job-tables .tabs button:has-text("Collectives")');
  await page.waitForFunction((count) => document.querySelectorAll('.job-tables tbody tr').length === count, job.tables['collectives'].rows.length);
  assert.match(page.url(), /table=collectives/);
});

test('a click on the map puts that step of that rank beside a typical peer', async () => {
  const { page } = site;
  const document = fleetDocument('sleeps');
  const fleet = await site.served.get<Fleet>(`fleet?${trace(...kSleeps)}`);
  const job = new Job(fleet);
  await site.open(`ranks?${trace(...kSleeps)}`);
  await page.waitForSelector('.rank-heat canvas');
  const place = await cellPlace(5, 3);
  await page.mouse.move(place.x, place.y);
  const tip = await text(page, '.tooltip');
  const cell = cellOf(document, 5, 3);
  for (const part of ['rank 5', fleet.step_names[3], `${durationText(Number(cell['lateness_ns']))} late`, durationText(Number(cell['wait_ns'])), durationText(Number(cell['caused_wait_ns']))]) {
    assert.ok(tip.includes(part), `${part}: ${tip}`);
  }
  await page.mouse.click(place.x, place.y);
  await page.waitForSelector('.step-parts');
  const peer = job.ranks[job.typicalPeer({ row: 5, step: 3 })!];
  assert.match(page.url(), /cell=5\.3/);
  assert.deepEqual(await chips(), [5, peer].sort((a, b) => a - b).map((rank) => (rank === 5 ? 'rank 5slow' : `rank ${rank}`)));
  for (const [key, name] of [['host_ns', 'host'], ['wait_ns', 'wait'], ['transfer_ns', 'transfer'], ['step_ns', 'the step']]) {
    const [own, other] = [5, peer].map((rank) => Number(cellOf(document, rank, 3)[key]));
    assert.equal(await text(page, `.step-parts tbody tr:has-text("${name}")`), `${name} ${durationText(own)} ${durationText(other)} ${signedDuration(own - other)}`);
  }
  await whole(page);
  const [slow, beside] = [5, peer].map((rank) => fleet.ranks.find((one) => one.rank === rank)!.steps.slice(6, 8));
  const shown = await timeWindow(page);
  const [start, end] = [Math.min(slow[0], beside[0]), Math.max(slow[1], beside[1])];
  assert.ok(shown.start <= start && shown.end >= end && shown.span < 1.2 * (end - start), `${JSON.stringify(shown)} for ${start} to ${end}`);
  await snapshot(page, 'ranks_cell_1280_light');
  await page.goBack();
  await page.waitForSelector('.step-parts', { state: 'detached' });
});

test('the map is switched, and moved over with keys', async () => {
  const { page } = site;
  const document = fleetDocument('sleeps');
  await site.open(`ranks?${trace(...kSleeps)}`);
  await page.waitForSelector('.rank-heat canvas');
  assert.match(await text(page, '.heat-legend'), /early .* late/);
  await page.click('.map-tools button:has-text("caused wait")');
  await page.waitForURL(/map=caused/);
  assert.match(await text(page, '.heat-legend'), /^0 .*they wait$/);
  await page.focus('.heat-area');
  for (const key of ['ArrowDown', 'ArrowRight', 'ArrowRight', 'ArrowDown']) await page.keyboard.press(key);
  const { rank, step } = { rank: 1, step: 2 };
  assert.equal(await text(page, '.rank-heat [role="status"]'), `rank ${rank}, ${cellOf(document, rank, step)['step']}, caused wait ${durationText(Number(cellOf(document, rank, step)['caused_wait_ns']))}`);
  await page.keyboard.press('Enter');
  await page.waitForURL(/cell=1\.2/);
});

test('the common timeline shows the collectives across its ranks, with who waits', async () => {
  const { page } = site;
  await site.open(`ranks?${trace(...kSleeps)}&ranks=0,5`);
  await whole(page);
  const fleet = await site.served.get<Fleet>(`fleet?${trace(...kSleeps)}`);
  const { exchanges, kinds } = await site.served.get<Exchanges>(`fleet/exchanges?${trace(...kSleeps)}&start_ns=${fleet.ranks[0].steps[0]}&end_ns=${fleet.ranks[0].steps[5]}&columns=400&ranks=0,5`);
  const one = exchanges.find((exchange) => exchange.parts[3] > 0 && exchange.parts[7] === 0)!;
  const [, start, length, wait] = one.parts;
  await page.goto(`${site.served.url}#/ranks?${trace(...kSleeps)}&ranks=0,5&from=${start - length}&to=${start + 2 * length}`);
  await page.reload();
  await whole(page);
  const shown = await timeWindow(page);
  const body = await boxOf('.tl-surface');
  await page.mouse.move(body.x + ((start + wait / 2 - shown.start) / shown.span) * body.width, body.y + 12);
  const tip = await text(page, '.tooltip');
  const { kind, group } = kinds[one.kind];
  assert.ok(tip.startsWith(kind) && tip.includes(group), tip);
  assert.ok(tip.includes(`rank 0 ${durationText(wait)} ${durationText(length - wait)}`), tip);
  assert.match(tip, /rank 5 0 \S+ \S+ the last/);
});

test('slices of each rank stand on the common clock, and open in the timeline of their rank', async () => {
  const { page } = site;
  const fleet = await site.served.get<Fleet>(`fleet?${trace(...kSleeps)}`);
  await site.open(`ranks?${trace(...kSleeps)}&ranks=2,5&cell=5.4`);
  await whole(page);
  const { rank, steps } = fleet.ranks[5];
  assert.equal(rank, 5);
  const shown = await timeWindow(page);
  const body = await boxOf('.tl-surface');
  const lane = (await page.locator('.lane.track').nth(1).boundingBox())!;
  const x = body.x + (((steps[8] + steps[9]) / 2 - shown.start) / shown.span) * body.width;
  await page.mouse.click(x, lane.y + 6);
  await page.waitForSelector('.aligned .picked code');
  assert.equal(await text(page, '.aligned .picked code'), fleet.step_names[4]);
  assert.ok((await text(page, '.aligned .picked')).endsWith(durationText(steps[9] - steps[8])));
  await page.click('button:has-text("Open in the timeline of rank 5")');
  await page.waitForURL(/#\/timeline\?.*shown=sleeps\/rank5/);
  await page.waitForSelector('.panel .full-name');
  assert.equal(await text(page, '.panel .full-name'), fleet.step_names[4]);
});

test('ranks are added, left out and chosen again', async () => {
  const { page } = site;
  await site.open(`ranks?${trace(...kSleeps)}`);
  await whole(page);
  const usual = await chips();
  assert.ok(usual.includes('rank 5slow') && usual.length === 5, usual.join());
  await boxOf('.tl-surface');
  await page.click('.tl-surface', { position: { x: 300, y: 2 } });
  const before = await timeWindow(page);
  await page.keyboard.press('w');
  const zoomed = await windowChanged(page, before);
  await page.waitForURL(/from=/);
  await page.fill('[aria-label="Add ranks"]', '0-7');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelectorAll('.lane-chip').length === 8 && document.querySelectorAll('.lane.group').length === 8);
  await whole(page);
  assert.deepEqual(await timeWindow(page), zoomed, 'more ranks in the same window');
  await page.click('[aria-label="Leave out rank 5"]');
  await page.waitForURL(/ranks=0,1,2,3,4,6,7/);
  await page.fill('[aria-label="Add ranks"]', '12');
  assert.equal(await page.getAttribute('[aria-label="Add ranks"]', 'aria-invalid'), 'true');
  await page.click('button:has-text("Slow and typical ranks")');
  await page.waitForFunction(() => document.querySelectorAll('.lane-chip').length === 5);
  assert.deepEqual(await chips(), usual);
});

test('without alignment each rank has its own clock', async () => {
  const { page } = site;
  await site.open(`ranks?${trace(...kSleeps)}`);
  await whole(page);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.check('.job-bar input');
  await page.waitForURL(/align=0/);
  await whole(page);
  const about = asked.filter((url) => url.includes('/fleet'));
  assert.ok(about.length >= 2 && about.every((url) => url.includes('align=0')), about.join('\n'));
  assert.match(await text(page, '.job-timeline > header'), /own clock/);
  page.removeAllListeners('request');
});

test('eight ranks of a real job pan and zoom', async (context) => {
  const { page } = site;
  const traces = existsSync(kReal) ? kMegatron : kEqual;
  await site.look({ width: 1600, height: 1000 });
  await site.open(`ranks?${trace(...traces)}&ranks=0-7`);
  await whole(page);
  const body = await boxOf('.tl-surface');
  await page.mouse.click(body.x + body.width / 2, body.y + 100);
  const before = await timeWindow(page);
  await page.mouse.wheel(0, -400);
  const zoomed = await windowChanged(page, before);
  assert.ok(zoomed.span < before.span * 0.6);
  await page.keyboard.press('d');
  const panned = await windowChanged(page, zoomed);
  assert.ok(panned.start > zoomed.start && Math.abs(panned.span - zoomed.span) < 2);
  // Frames while it is dragged and zoomed, and the time that painting takes in each.
  const { frames, paints } = await page.evaluate(async () => {
    const canvas = document.querySelector<HTMLCanvasElement>('.tl-body')!;
    const surface = canvas.parentElement!;
    const { left, top } = surface.getBoundingClientRect();
    const [passed, painted]: number[][] = [[], []];
    let last = performance.now();
    for (let i = 0; i < 120; ++i) {
      surface.dispatchEvent(new WheelEvent('wheel', { deltaY: i % 40 < 20 ? -24 : 24, clientX: left + 300 + i * 4, clientY: top + 60, bubbles: true, cancelable: true }));
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const now = performance.now();
      passed.push(now - last);
      painted.push(Number(canvas.dataset['paintMs']));
      last = now;
    }
    return { frames: passed.sort((a, b) => a - b), paints: painted.sort((a, b) => a - b) };
  });
  context.diagnostic(`eight ranks, ${traces[0].split('/')[0]}: frames of ${frames[60].toFixed(1)} ms (95 %: ${frames[114].toFixed(1)} ms), painting ${paints[60].toFixed(1)} ms (95 %: ${paints[114].toFixed(1)} ms)`);
  await snapshot(page, 'ranks_eight_1600_light');
});

test('a map of 4,096 ranks in 100 steps is switched and pointed at', async (context) => {
  const { page } = site;
  const real = await site.served.get<Fleet>(`fleet?${trace(...kSleeps)}`);
  const steps = Array.from({ length: 100 }, (_, step) => `ProfilerStep#${step}`);
  const rows: Row[] = [];
  for (let rank = 0; rank < 4096; ++rank) {
    for (let step = 0; step < 100; ++step) rows.push({ rank, step_ns: 4e7, host_ns: 1e7 + ((rank * 31 + step * 17) % 1000) * 100, wait_ns: 2e7, lateness_ns: rank === 4000 ? 3e7 : ((rank * 7 + step) % 100) * 1000 - 50_000 });
  }
  const ranks = Array.from({ length: 4096 }, (_, rank) => ({ ...real.ranks[rank % 8], rank, steps: steps.flatMap((__, step) => [step * 4e7, (step + 1) * 4e7]) }));
  const tables = { ...real.document.tables, rank_steps: { ...real.document.tables['rank_steps'], rows } };
  const body = JSON.stringify({ ...real, step_names: steps, ranks, document: { ...real.document, tables } });
  await page.route(/\/api\/v1\/fleet\?/, (route) => route.fulfill({ contentType: 'application/json', body }));
  const began = performance.now();
  await site.open(`ranks?${trace(...kSleeps)}`);
  await page.waitForSelector('.rank-heat canvas', { timeout: 60_000 });
  const opened = performance.now() - began;
  await page.unroute(/\/api\/v1\/fleet\?/);
  const place = await cellPlace(4000, 42, 4096, 100);
  await page.mouse.move(place.x, place.y);
  assert.match(await text(page, '.tooltip'), /^rank 4000 ProfilerStep#42 .*the most extreme of ranks 4000 to 4009$/);
  const { switched, frames } = await page.evaluate(async () => {
    const paint = (): Promise<number> => new Promise(requestAnimationFrame);
    const began = performance.now();
    [...document.querySelectorAll<HTMLButtonElement>('.map-tools button')].find((one) => one.textContent === 'own work')!.click();
    await paint();
    await paint();
    const took = performance.now() - began;
    const canvas = document.querySelector<HTMLCanvasElement>('.rank-heat canvas')!;
    const { left, top } = canvas.getBoundingClientRect();
    const passed: number[] = [];
    let last = await paint();
    for (let i = 0; i < 60; ++i) {
      canvas.dispatchEvent(new PointerEvent('pointermove', { clientX: left + i * 10, clientY: top + i * 6, bubbles: true }));
      const now = await paint();
      passed.push(now - last);
      last = now;
    }
    return { switched: took, frames: passed.sort((a, b) => a - b) };
  });
  context.diagnostic(`4,096 ranks in 100 steps: ${(body.length / 1e6).toFixed(0)} MB shown after ${opened.toFixed(0)} ms, switched in ${switched.toFixed(0)} ms, pointed at with frames of ${frames[30].toFixed(1)} ms (95 %: ${frames[57].toFixed(1)} ms)`);
});

test('one trace, and traces that are no job, say what to do', async () => {
  const { page } = site;
  await site.open(`distributed?${trace(kSleeps[0])}`);
  await page.waitForSelector('.empty');
  assert.match(await text(page, '.page'), /Choose the traces of several ranks/);
  await page.click('button:has-text("Take all of them as its ranks")');
  await page.waitForSelector('.rank-heat canvas');
  assert.match(page.url(), /#\/ranks\?/);

  await site.open(`ranks?${trace('twice/a.json.gz', 'twice/b.json.gz')}`);
  await page.waitForSelector('[role="alert"]');
  assert.match(await text(page, '[role="alert"]'), /These traces are not one job .*rank 0/);
  site.watched.complaints.splice(0); // the browser tells that the server has refused
});

test('the screen fits into small and large windows, light and dark', async () => {
  const { page } = site;
  for (const look of [...kScreens, { width: 800, height: 900, dark: false }]) {
    await site.look(look);
    for (const [name, traces] of [['sleeps', kSleeps], ['equal', kEqual]] as const) {
      await site.open(`ranks?${trace(...traces)}&cell=5.3`);
      await page.waitForSelector('.step-parts');
      await whole(page);
      const overflow = await page.evaluate(() => document.querySelector('main')!.scrollWidth - document.querySelector('main')!.clientWidth);
      assert.equal(overflow, 0, `${name} is wider than ${look.width}`);
      await snapshot(page, `ranks_${name}_${look.width}_${look.dark ? 'dark' : 'light'}`);
    }
  }
});
