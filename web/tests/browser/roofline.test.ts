import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';

import type { Page } from 'playwright-core';

import type { KernelStudy, Runs } from '../../src/api/types.ts';
import { marksOf, withoutFlops } from '../../src/model/roofline.ts';
import { countText, durationText, shareText } from '../../src/model/units.ts';
import { covered, kScreens, snapshot, text } from './browser.ts';
import { Site } from './site.ts';
import { Served, put, trainingTrace } from './strobe.ts';

// Three layers of a small model as a profiler's CSV: matrix products, a norm, and a chain of small kernels, on a chip whose
// peaks are known.

interface Launch {
  name: string;
  ns: number;
  tensor: number; // percent, as the next
  dram: number;
}

const kLayer: readonly Launch[] = [
  { name: 'void lib::vectorized_layer_norm_kernel<float, float>(int, float, const float *)', ns: 6_400, tensor: 0, dram: 38 },
  { name: 'nvjet_sm90_hsh_128x64_64x8_1x2_h_bz_bias_TNT', ns: 48_000, tensor: 64, dram: 21 },
  { name: 'void lib::elementwise_kernel<128, 4, lib::MulFunctor<float>>(int)', ns: 15_200, tensor: 0, dram: 57 },
  { name: 'void lib::softmax_warp_forward<float, float, float, 9, false>(float *)', ns: 12_800, tensor: 1, dram: 71 },
  { name: 'nvjet_sm90_hsh_64x128_64x8_1x2_h_bz_NNN', ns: 22_400, tensor: 31, dram: 44 },
  { name: 'void lib::tiny_update<float>(float *)', ns: 1_920, tensor: 0, dram: 2 },
];

const kPeakBytes = 4.8e12;

function profilerCsv(layers: number): string {
  const metrics: [string, string, (one: Launch) => number][] = [
    ['gpu__time_duration.sum', 'ns', (one) => one.ns],
    ['sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed', '%', (one) => one.tensor],
    ['gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed', '%', (one) => one.dram],
    ['dram__bytes_read.sum', 'byte', (one) => Math.round((one.dram / 100) * kPeakBytes * one.ns * 1e-9 * 0.7)],
    ['dram__bytes_write.sum', 'byte', (one) => Math.round((one.dram / 100) * kPeakBytes * one.ns * 1e-9 * 0.3)],
  ];
  const identity = ['ID', 'Process ID', 'Process Name', 'Host Name', 'Kernel Name', 'Context', 'Stream', 'Block Size', 'Grid Size', 'Device', 'CC'];
  const line = (fields: readonly (string | number)[]): string => fields.map((field) => `"${String(field)}"`).join(',');
  const rows = Array.from({ length: layers }, () => kLayer).flat().map((one, i) => line([
    i, 4242, 'app', '127.0.0.1', one.name, 1, 7, '(256, 1, 1)', '(1056, 1, 1)', 0, '9.0', ...metrics.map(([, , value]) => value(one)),
  ]));
  return [
    '==PROF== Connected to process 4242 (./app)', line([...identity, ...metrics.map(([name]) => name)]), line([...identity.map(() => ''), ...metrics.map(([, unit]) => unit)]), ...rows, '',
  ].join('\n');
}

const kTable = [
  `${'Kernel'.padEnd(50)} ${'Latency'.padStart(11)}${'Tensor'.padStart(7)}${'DRAM'.padStart(7)}`,
  ...([['ampere_sgemm_128x64_tn', 30_000, 0.62, 0.2], ['softmax_warp_forward', 9_000, 0.02, 0.43], ['indexSelectLargeIndex', 5_000, 0, 0.04]] as const).map(
    ([name, ns, tensor, dram]) => `${name.padEnd(50)}|${String(ns).padStart(11)}${tensor.toFixed(2).padStart(7)}${dram.toFixed(2).padStart(7)}`),
  '',
].join('\n');

const kCsv = 'model/kernels.csv';
const kFractions = 'seed/table.txt';
const kTrace = 'training/train.json';

function files(folder: string): void {
  put(folder, kCsv, profilerCsv(3));
  put(folder, kFractions, kTable);
  put(folder, kTrace, trainingTrace());
  put(folder, 'training/metrics.csv', 'timestamp,gpu_sm_frequency\n1,1400\n');
}

let answer: KernelStudy;
const kShown = `roofline?file=${kCsv}&chip=h200`;

const site = new Site(files, async (served) => {
  answer = await served.get<KernelStudy>(`kernels?file=${kCsv}&chip=h200`);
});
const { test } = site;

const open = (hash: string): Promise<void> => site.open(hash);

async function middleOf(page: Page, selector: string): Promise<{ x: number; y: number }> {
  const box = (await page.locator(selector).first().boundingBox())!;
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

const indexOf = (part: string): number => answer.kernels.findIndex((one) => one.name.includes(part));
const windowOf = (page: Page): Promise<string | null> => page.getAttribute('.scatter svg', 'data-window');

test('every kernel is a mark or has a rate, and the roofs are named with height and source', async () => {
  const { page } = site;
  await open(kShown);
  await page.waitForSelector('.scatter .mark');
  assert.equal(await page.locator('.scatter .mark').count(), marksOf(answer, 'roofline').length);
  assert.equal(await page.locator('.rate-strip .mark').count(), withoutFlops(answer).length);
  assert.ok(marksOf(answer, 'roofline').length > 0 && withoutFlops(answer).length > 0);
  const roofs = (await page.locator('.scatter .roof text').allTextContents()).join('\n');
  assert.match(roofs, /f16 matrix \d+ TFLOP\/s · data sheet/);
  assert.match(roofs, /DRAM 4\.8\d? TB\/s · data sheet/);
  const facts = await text(page, '.facts');
  assert.ok(facts.includes(durationText(answer.totals.latency_ns)) && facts.includes(`${countText(answer.totals.launches)} launches`), facts);
  assert.ok(facts.includes(shareText(answer.totals.tensor_share!)) && facts.includes(shareText(answer.totals.dram_share!)), facts);
  assert.match(await page.title(), /Roofline · kernels/);
});

test('no name covers a mark', async () => {
  const { page } = site;
  await open(kShown);
  await page.waitForSelector('.scatter .mark-name');
  assert.deepEqual(await covered(page, '.scatter .mark', '.mark-name'), []);
});

test('the pointer tells a kernel, a click chooses it here and in the table', async () => {
  const { page } = site;
  await open(kShown);
  const gemm = indexOf('nvjet_sm90_hsh_128x64');
  const at = await middleOf(page, `.scatter .mark[data-kernel="${gemm}"] path`);
  await page.mouse.move(at.x, at.y);
  await page.waitForSelector('.tooltip');
  const tip = await text(page, '.tooltip');
  const one = answer.kernels[gemm];
  for (const part of [one.name, one.bound, durationText(one.latency_ns), shareText(one.share), shareText(one.tensor_share!), shareText(one.dram_share!), durationText(one.achievable_headroom_ns!), 'TFLOP/s']) {
    assert.ok(tip.includes(part), `${part}: ${tip}`);
  }
  await snapshot(page, 'roofline_tip_1280_light');
  await page.mouse.click(at.x, at.y);
  await page.waitForURL(/kernel=nvjet_sm90_hsh_128x64/);
  assert.equal(await text(page, '.kernel-list tr.chosen td.name'), one.name);
  await page.locator('.plot-note button').click();
  const row = (await page.locator('.kernel-list tr.chosen').boundingBox())!;
  assert.ok(row.y > 0 && row.y + row.height < 720, `the row is at ${row.y}`);
  await page.locator('.kernel-list .scroller').focus();
  await page.keyboard.press('ArrowDown');
  await page.waitForFunction((old) => document.querySelector('.mark.chosen')?.getAttribute('data-kernel') !== old, String(gemm));
  const chosen = Number(await page.getAttribute('.mark.chosen', 'data-kernel'));
  assert.equal(await text(page, '.kernel-list tr.chosen td.name'), answer.kernels[chosen].name);
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => document.querySelector('.mark.chosen') === null);
});

test('a filter and the families narrow the plot and the table together', async () => {
  const { page } = site;
  await open(kShown);
  await page.waitForSelector('.scatter .mark');
  await page.keyboard.press('/');
  await page.keyboard.type('/64x128|softmax/');
  await page.waitForURL(/filter=/);
  assert.equal(await page.locator('.plots .mark').count(), 2);
  assert.equal(await text(page, '.kernel-list .count'), '2 rows');
  await page.fill('.sieve input[type="search"]', '/(/');
  await page.waitForSelector('.filter.wrong');
  await page.fill('.sieve input[type="search"]', '');
  await page.locator('.chip-button', { hasText: 'gemm' }).click();
  await page.waitForURL(/family=gemm/);
  const gemms = answer.kernels.filter((one) => one.family === 'gemm').length;
  assert.equal(await page.locator('.plots .mark').count(), gemms);
  assert.equal(await text(page, '.kernel-list .count'), `${gemms} rows`);
  await page.locator('.chip-button', { hasText: 'softmax' }).click();
  await page.waitForURL(/family=gemm,softmax/);
  await page.reload();
  await page.waitForFunction((count) => document.querySelectorAll('.plots .mark').length === count, gemms + 1);
});

test('the plot zooms by box, wheel and keys, and everything comes back', async () => {
  const { page } = site;
  await open(kShown);
  await page.waitForSelector('.scatter .mark');
  const whole = await windowOf(page);
  const box = (await page.locator('.scatter svg').boundingBox())!;
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.wheel(0, -120);
  await page.waitForTimeout(100);
  assert.equal(await windowOf(page), whole, 'the wheel is for the page until the plot has the focus');
  await page.mouse.move(box.x + box.width * 0.4, box.y + box.height * 0.2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.8, box.y + box.height * 0.6, { steps: 4 });
  await page.mouse.up();
  await page.waitForFunction((old) => document.querySelector('.scatter svg')?.getAttribute('data-window') !== old, whole);
  const boxed = await windowOf(page);
  await page.mouse.wheel(0, -120);
  await page.waitForFunction((old) => document.querySelector('.scatter svg')?.getAttribute('data-window') !== old, boxed);
  await page.waitForURL(/window=/);
  const wheeled = await windowOf(page);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('-');
  assert.notEqual(await windowOf(page), wheeled);
  await page.waitForTimeout(400);
  const kept = (await windowOf(page))!.split(' ').map(Number);
  await page.reload();
  await page.waitForSelector('.scatter svg');
  const again = (await windowOf(page))!.split(' ').map(Number);
  kept.forEach((value, i) => assert.ok(Math.abs(again[i] / value - 1) < 2e-3, `${again[i]} is not ${value}`));
  await page.locator('.scatter svg').focus();
  await page.keyboard.press('0');
  await page.waitForFunction((old) => document.querySelector('.scatter svg')?.getAttribute('data-window') === old, whole);
  await page.waitForFunction(() => !location.hash.includes('window='));
});

test('fractions alone are drawn as fractions, and said so', async () => {
  const { page } = site;
  await open(`roofline?file=${kFractions}`);
  await page.waitForSelector('.scatter .mark');
  assert.equal(await page.locator('.scatter .mark').count(), 3);
  assert.equal(await page.locator('.roof').count(), 0);
  assert.match(await text(page, '.plot-note'), /Only fractions of the peaks are known/);
  assert.match((await page.locator('.axis .title').allTextContents()).join(' '), /DRAM, share of its peak.*Tensor/);
  await open(kShown);
  await page.locator('.switch button', { hasText: 'Fractions' }).click();
  await page.waitForURL(/axes=fractions/);
  await page.waitForFunction((count) => document.querySelectorAll('.scatter .mark').length === count, marksOf(answer, 'fractions').length);
});

test('a trace shows its times and says how to get counters', async () => {
  const { page } = site;
  await open(`roofline?file=${kTrace}`);
  await page.waitForSelector('.no-counters');
  const said = await text(page, '.no-counters');
  assert.match(said, /ncu .*--metrics gpu__time_duration\.sum/);
  assert.match(said, /strobe kernels record/);
  const headers = (await page.locator('.kernel-list th').allInnerTexts()).map((one) => one.trim().split(/\s/)[0]);
  assert.deepEqual(headers, ['Name', 'Family', 'Launches', 'Total', 'Share', 'Mean']);
  assert.equal(await text(page, '.kernel-list .count'), '2 rows');
  await page.locator('.kernel-list tbody tr').first().dblclick();
  await page.waitForURL(/#\/timeline\?trace=training\/train\.json/);
  await page.waitForSelector('.panel .full-name');
});

test('the table sorts and copies, the fusions open', async () => {
  const { page } = site;
  await open(kShown);
  await page.locator('.kernel-list th button', { hasText: 'Headroom' }).click();
  await page.waitForURL(/sort=-achievable_headroom_ns/);
  const most = [...answer.kernels].sort((a, b) => b.achievable_headroom_ns! - a.achievable_headroom_ns!)[0];
  assert.equal(await text(page, '.kernel-list tbody tr:first-child td.name'), most.name);
  await page.locator('.kernel-list button', { hasText: 'Copy as CSV' }).click();
  await page.waitForSelector('button:has-text("Copied")');
  const lines = (await page.evaluate(() => navigator.clipboard.readText())).trim().split('\r\n');
  assert.equal(lines.length, answer.kernels.length + 1);
  assert.match(lines[0], /^name,family,launches,latency_ns,share,mean_ns/);
  assert.equal(await page.locator('.fusion-list > li').count(), answer.fusion.groups.length);
  const [group] = answer.fusion.groups;
  await page.locator('.fusion-list summary').first().click();
  assert.deepEqual(await page.locator('.fusion-list .chain').first().locator('code').allInnerTexts(), group.names);
});

test('files and traces are offered, the one beside the open trace first', async () => {
  const { page } = site;
  const { kernel_files } = await site.served.get<Runs>('runs');
  assert.deepEqual(kernel_files.map((one) => one.file), [kCsv, kFractions]);
  await open(`overview?trace=${kTrace}`);
  await page.waitForSelector('.facts');
  await page.keyboard.press('k');
  await page.waitForURL(/#\/roofline\?trace=training\/train\.json&file=training\/train\.json/);
  await page.locator('.picker select').first().selectOption(kCsv);
  await page.waitForURL(/file=model\/kernels\.csv/);
  await page.waitForSelector('.scatter .mark');
  await page.locator('.picker.chip select').selectOption({ index: 1 });
  await page.waitForURL(/chip=/);
  await page.waitForSelector('.scatter .mark');
  await open('runs');
  await page.locator('.run.files button', { hasText: kFractions }).click();
  await page.waitForURL(/#\/roofline\?file=seed\/table\.txt/);
  await open('roofline?file=gone.csv');
  await page.waitForFunction(() => document.querySelector('[role="alert"]')?.textContent?.includes("nothing with kernels is called 'gone.csv'"));
});

test('a folder of nothing but counters opens with them, and one that goes away is gone', async () => {
  const own = await Served.start((folder) => put(folder, 'k.csv', profilerCsv(2)));
  await site.openPage(own.url);
  const { page } = site;
  await page.goto(own.url);
  await page.waitForURL(/#\/roofline\?file=k\.csv/);
  await page.waitForSelector('.scatter .mark');
  rmSync(join(own.folder, 'k.csv'));
  await page.waitForFunction(() => document.querySelector('.empty, [role="alert"]') !== null);
  await page.goto('about:blank'); // a page asks until it is left
  await own.stop();
});

test('the screen is drawn in both sizes and themes', async () => {
  const { page } = site;
  for (const { width, height, dark } of kScreens) {
    await site.look({ width, height, dark });
    for (const [name, hash] of [['roofline', kShown], ['fractions', `roofline?file=${kFractions}`], ['no_counters', `roofline?file=${kTrace}`]]) {
      await open(hash);
      await page.waitForSelector('.kernel-list tbody tr');
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.equal(overflow, 0, `wider than ${width}`);
      await snapshot(page, `${name}_${width}_${dark ? 'dark' : 'light'}`);
    }
  }
});
