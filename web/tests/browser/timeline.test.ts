import assert from 'node:assert/strict';

import type { SearchResult, Selection, SliceDetails, Timeline } from '../../src/api/types.ts';
import { toneOf } from '../../src/model/kinds.ts';
import { exactDuration, shareText } from '../../src/model/units.ts';
import { kindColour } from '../../src/widgets/timeline/colours.ts';
import { chosenBox, snapshot, tap, text, timeWindow, whole, windowChanged } from './browser.ts';
import { Site, trace } from './site.ts';
import { kCompiled, kRanks, kTraining } from './strobe.ts';

const site = new Site();
const { test } = site;

test('the timeline zooms by wheel and keys, and moves', async () => {
  const { page } = site;
  await site.open(`timeline?${trace(kCompiled)}`);
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
  await tap(page, 'd');
  const moved = await windowChanged(page, keyed);
  assert.ok(moved.start > keyed.start && Math.abs(moved.span - keyed.span) < keyed.span * 0.01);
  await tap(page, 'ArrowLeft');
  const back = await windowChanged(page, moved);
  assert.ok(Math.abs(back.start - keyed.start) < keyed.span * 0.01);
  await page.keyboard.press('0');
  const fit = await windowChanged(page, back);
  assert.ok(Math.abs(fit.span - all.span) < all.span * 0.01);
});

test('a search counts its matches and walks through them', async () => {
  const { page } = site;
  await site.open(`timeline?${trace(kTraining)}`);
  await whole(page);
  const found = await site.served.get<SearchResult>(`search?${trace(kTraining)}&q=softmax_warp`);
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

test('after a search the keys are those of the timeline again', async () => {
  const { page } = site;
  await site.open(`timeline?${trace(kTraining)}`);
  await whole(page);
  await page.keyboard.press('/');
  await page.keyboard.type('softmax_warp');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.panel .full-name');
  await whole(page);
  const before = await timeWindow(page);
  await page.keyboard.press('f');
  const framed = await windowChanged(page, before);
  assert.ok(framed.span < before.span);
  assert.equal(await page.inputValue('[aria-label="Search slices"]'), 'softmax_warp');
  await page.keyboard.press('/');
  await page.keyboard.press('Escape');
  await page.keyboard.press('0');
  await windowChanged(page, framed);
  assert.equal(await page.inputValue('[aria-label="Search slices"]'), 'softmax_warp');
});

test('a collective has the colour of communication, on the device too', async () => {
  const { page } = site;
  const found = await site.served.get<SearchResult>(`search?${trace(kRanks[0])}&q=ncclDevKernel`);
  await site.open(`timeline?${trace(kRanks[0])}&slice=${found.matches[0][0]}`);
  await page.waitForSelector('.panel .full-name');
  assert.equal(await text(page, '.panel h2'), 'communication');
  await page.keyboard.press('f');
  const box = await chosenBox(page);
  const canvas = (await page.locator('.tl-body').boundingBox())!;
  const pixel = await page.evaluate(([x, y]) => {
    const body = document.querySelector<HTMLCanvasElement>('.tl-body')!;
    return [...body.getContext('2d')!.getImageData(x * devicePixelRatio, y * devicePixelRatio, 1, 1).data].slice(0, 3);
  }, [box.x - canvas.x + box.width - 8, box.y - canvas.y + box.height / 2]);
  assert.equal(`rgb(${pixel.join(' ')})`, kindColour(5, toneOf(found.names[0]), 'light'));
});

test('no track is called by a number that means nothing', async () => {
  const { page } = site;
  await site.open(`timeline?${trace(kRanks[1])}`);
  await whole(page);
  const names = await page.locator('.lane-name').allInnerTexts();
  assert.deepEqual(names.filter((name) => /-1|^thread 0$/.test(name)), []);
  assert.ok(names.includes('stream 7') && names.includes('profiler') && names.some((name) => name.endsWith('GPU 1')) && names.includes('busy'), names.join(', '));
});

test('of several ranks the timeline says which one it shows, and shows another', async () => {
  const { page } = site;
  await site.open(`timeline?${trace(...kRanks)}`);
  await whole(page);
  const picker = page.locator('.rank-picker select');
  assert.match(await text(page, '.rank-picker'), /one trace of 3/);
  assert.deepEqual(await picker.locator('option').allInnerTexts(), ['rank 0', 'rank 1', 'rank 2']);
  await picker.selectOption('rank 2');
  await page.locator('.lane-name', { hasText: 'GPU 2' }).waitFor();
  await whole(page);
  await page.reload();
  await page.locator('.lane-name', { hasText: 'GPU 2' }).waitFor();
  await site.open(`timeline?${trace(kRanks[0])}`);
  await page.locator('.lane-name', { hasText: 'GPU 0' }).waitFor();
  assert.equal(await page.locator('.rank-picker').count(), 0);
});

test('device work shows how long it waited after its launch, and its queue is a line', async () => {
  const { page } = site;
  const found = await site.served.get<SearchResult>(`search?${trace(kTraining)}&q=sm90_gemm`);
  await site.open(`timeline?${trace(kTraining)}&slice=${found.matches[0][0]}`);
  await page.waitForSelector('[data-launch-delay]');
  // The call begins 40 us after its operator and takes 12, the kernel starts at 60.
  assert.equal(await page.getAttribute('[data-launch-delay]', 'data-launch-delay'), '8000');
  assert.match(await text(page, '[data-launch-delay]'), /8 µs after cudaLaunchKernel/);
  const { counters } = await site.served.get<Timeline>(`timeline?${trace(kTraining)}`);
  assert.ok(counters.some((one) => one.name === 'GPU 0 queue' && one.unit === 'number' && one.max >= 1));
});

test('a slice is chosen by a click, and its arrow leads to the kernel and back', async () => {
  const { page } = site;
  const found = await site.served.get<SearchResult>(`search?${trace(kTraining)}&q=cudaLaunchKernel`);
  const launch = await site.served.get<SliceDetails>(`slice?${trace(kTraining)}&slice=${found.matches[3][0]}`);
  await site.open(`timeline?${trace(kTraining)}&slice=${launch.slice}`);
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
  const { page } = site;
  const found = await site.served.get<SearchResult>(`search?${trace(kTraining)}&q=cudaLaunchKernel`);
  const launch = await site.served.get<SliceDetails>(`slice?${trace(kTraining)}&slice=${found.matches[0][0]}`);
  await site.open(`timeline?${trace(kTraining)}&slice=${launch.slice}`);
  const from = await chosenBox(page);
  const kernel = launch.links.find((one) => one.kind === 'launches')!;
  // Directly below the launching slice the curve goes straight down.
  await page.mouse.click(from.x + Math.min(from.width / 2, 6), from.y + from.height + 3);
  await page.waitForFunction((name) => document.querySelector('.panel .full-name')?.textContent === name, kernel.name);
});

test('an area is selected with Shift, and its sums are those of the API', async () => {
  const { page } = site;
  await site.open(`timeline?${trace(kTraining)}`);
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
  const sums = await site.served.get<Selection>(`selection?${trace(kTraining)}&start_ns=${start}&end_ns=${end}`);
  assert.equal(Number(await page.getAttribute('[data-selection-slices]', 'data-selection-slices')), sums.slices);
  assert.ok((await text(page, '.panel table.busy')).includes(shareText(sums.tracks[0].busy_share)));
  const before = await timeWindow(page);
  await page.keyboard.press('f');
  const framed = await windowChanged(page, before);
  assert.ok(framed.start <= start && framed.end >= end && framed.span < (end - start) * 1.1);
});

test('a mark measures to the pointer until Escape', async () => {
  const { page } = site;
  await site.open(`timeline?${trace(kTraining)}`);
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
  const { page } = site;
  await site.open(`timeline?${trace(kTraining)}`);
  await whole(page);
  const tracks = await page.locator('.lane.track').count();
  const group = page.locator('.lane.group').first();
  await group.click();
  await page.waitForSelector('.lane.group[aria-expanded="false"]');
  assert.ok((await page.locator('.lane.track').count()) < tracks);
  await group.click();
  await page.waitForFunction((count) => document.querySelectorAll('.lane.track').length === count, tracks);
});

test('large real traces open, pan and find', async (context) => {
  if (!site.served.hasShared) {
    context.skip('../shared/traces is not beside this checkout');
    return;
  }
  const { page } = site;
  const big = 'shared/h200_gpt_infer_big.json.gz';
  await site.open(`timeline?${trace(big)}`);
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
