import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Memory, Row } from '../../src/api/types.ts';
import { bytesText, shareText } from '../../src/model/units.ts';
import { kScreens, snapshot, text } from './browser.ts';
import { Site, trace } from './site.ts';
import { kSource, kTraining, put, trainingTrace } from './strobe.ts';

// A snapshot of an allocator on the Memory screen, and what the other screens say about it.

const kOwn = 'memory/snapshot.pickle'; // two devices, and a request that failed
const kReal = 'memory/real.pkl.gz'; // one device with data, and no times
const kBad = 'memory/bad.pickle';
const kRealSource = join(kSource, '..', 'shared', 'traces', 'vendors', 'memory_snapshot', 'npu_expandable_segments.pkl.gz');
const hasReal = existsSync(kRealSource);

const site = new Site((folder) => {
  mkdirSync(join(folder, 'memory'));
  cpSync(join(kSource, 'tests', 'golden', 'api', 'snapshot.pickle'), join(folder, kOwn));
  if (hasReal) cpSync(kRealSource, join(folder, kReal));
  writeFileSync(join(folder, kBad), '\x80\x04c__builtin__\neval\n.', 'latin1');
  put(folder, kTraining, trainingTrace());
});
const { test } = site;

const bytesOf = (row: Row, key: string): string => bytesText(Number(row[`${key}_bytes`]));

test('memory of a snapshot says what strobe summary says', async () => {
  const { page } = site;
  const { tables } = site.served.summary(kOwn);
  await site.open(`memory?${trace(kOwn)}`);
  await page.waitForSelector('.holders tbody tr');
  const [device] = tables['devices'].rows;
  assert.equal(await text(page, '[data-fact="now"]'), bytesOf(device, 'requested'));
  assert.equal(await text(page, '[data-fact="peak"]'), bytesOf(device, 'peak_allocated'));
  const [failed] = tables['out_of_memory'].rows;
  const failure = await text(page, '.out-of-memory');
  assert.ok(failure.includes(`${bytesOf(failed, 'requested')} were asked for by ${failed['place']}`), failure);
  assert.ok(failure.includes(`${bytesOf(failed, 'device_free')} free on the device`), failure);
  for (const [tab, key] of [['In use now', 'holders'], ['At the peak', 'holders_at_peak'], ['What grew', 'grown']]) {
    await page.click(`.holders .tabs button:has-text("${tab}")`);
    const rows = tables[key].rows.filter((row) => row['device'] === 0);
    await page.waitForFunction((count) => document.querySelectorAll('.holders tbody tr').length === count, rows.length);
    const shown = await page.locator('.holders tbody tr').allInnerTexts();
    rows.forEach((row, i) => assert.ok(shown[i].includes(String(row['place'])) && shown[i].includes(shareText(Number(row['share']))), `${row['place']}: ${shown[i]}`));
  }
  const parts = await text(page, '.memory-parts');
  assert.ok(parts.includes(`free, stuck ${bytesOf(device, 'stuck')}`) && parts.includes(`free, releasable ${bytesOf(device, 'releasable')}`), parts);
});

test('a place unfolds to its stack, and a filter finds a place by any frame', async () => {
  const { page } = site;
  await site.open(`memory?${trace(kOwn)}&table=holders_at_peak`);
  await page.waitForSelector('.holders tbody tr');
  await page.locator('.holders tbody tr', { hasText: 'forward (model.py:31)' }).click();
  assert.deepEqual((await page.locator('.stack li').allInnerTexts()).slice(0, 4),
    ['at::native::empty_cuda(c10::ArrayRef<long>, c10::Device) EmptyTensor.cpp:217', 'forward linear.py:114', '_call_impl module.py:1562', 'forward model.py:31']);
  assert.equal(await text(page, '.stack .named'), 'forward model.py:31');
  assert.match(page.url(), /row=/);
  await page.reload();
  await page.waitForSelector('.stack');
  await page.fill('.holders input[type="search"]', 'linear.py');
  await page.waitForFunction(() => document.querySelectorAll('.holders tbody tr[aria-rowindex]').length === 1);
  await page.locator('.holders tbody tr[aria-rowindex]').click();
  assert.equal(await page.locator('.stack').count(), 0);
});

test('each device has its own page', async () => {
  const { page } = site;
  await site.open(`memory?${trace(kOwn)}`);
  await page.click('.tabs button:has-text("Device 1")');
  await page.waitForFunction(() => document.querySelector('[data-fact="now"]')?.textContent?.includes('3.91'));
  assert.match(page.url(), /device=1/);
  assert.match(await text(page, '.page'), /no events of this device, so only what is held now is known/);
  assert.equal(await page.locator('.out-of-memory').count(), 0);
  assert.deepEqual(await page.locator('.holders .tabs button').allInnerTexts(), ['In use now 1']);
});

test('other screens say that a snapshot has nothing for them', async () => {
  const { page } = site;
  for (const screen of ['overview', 'timeline', 'operators', 'kernels', 'modules', 'diff']) {
    await site.open(`${screen}?${trace(kOwn)}`);
    assert.match(await text(page, '.empty'), /snapshot\.pickle is a snapshot of an allocator .* It has no slices/, screen);
  }
  await page.click('.empty button.primary');
  await page.waitForSelector('.holders');
  await site.open(`overview?${trace(kTraining, kOwn)}`);
  await page.click('.empty button:has-text("Leave it out")');
  await page.waitForSelector('.overview .facts');
  await site.open(`timeline?${trace(kTraining, kOwn)}`);
  await page.waitForSelector('.tl-body');
});

test('the list of runs opens a snapshot in Memory and says why a bad one cannot be read', async () => {
  const { page } = site;
  await site.open('runs');
  const bad = page.locator('.entry', { hasText: 'bad.pickle' });
  await bad.locator('.problem').waitFor();
  assert.match(await bad.innerText(), /the pickle is more than plain data: it asks for GLOBAL.*never runs what a pickle asks for/s);
  await page.locator('.entry', { hasText: 'snapshot.pickle' }).locator('button').click();
  await page.waitForSelector('.holders');
  assert.match(page.url(), /#\/memory\?/);
});

test('a real snapshot fits its window, wide and narrow, light and dark', { skip: hasReal ? false : 'there is no ../shared' }, async () => {
  const { page } = site;
  const { snapshot: real } = await site.served.get<Memory>(`memory?${trace(kReal)}`);
  for (const look of [...kScreens, { width: 700, height: 900, dark: true }]) {
    await site.look(look);
    await site.open(`memory?${trace(kReal)}`);
    await page.waitForSelector('.holders tbody tr');
    await page.locator('.holders tbody tr').first().click();
    await page.waitForSelector('.stack');
    await snapshot(page, `memory_snapshot_${look.width}_${look.dark ? 'dark' : 'light'}`);
    assert.ok(await page.evaluate(() => document.querySelector('main')!.scrollWidth <= document.querySelector('main')!.clientWidth), `wider than ${look.width}`);
    assert.equal(await text(page, '[data-fact="peak"]'), bytesOf(real!.tables['devices'].rows[0], 'peak_allocated'));
  }
});
