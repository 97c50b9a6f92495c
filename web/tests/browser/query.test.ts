import assert from 'node:assert/strict';

import type { QueryAnswer, QuerySchema } from '../../src/api/types.ts';
import { kScreens, snapshot, text, whole } from './browser.ts';
import { Site, trace } from './site.ts';
import { kRanks, kTraining, ownTraces } from './strobe.ts';

// SQL over the open traces. Without DuckDB on this machine, only the screen that says so is tested.

let hasEngine = true;
const site = new Site(ownTraces, async (served) => {
  hasEngine = (await served.get<QuerySchema>('query/schema')).engine !== null;
});

function test(name: string, body: () => Promise<void>): void {
  site.test(name, async (context) => {
    if (hasEngine) await body();
    else context.skip('DuckDB is not on this machine');
  });
}

async function run(sql: string): Promise<void> {
  await site.page.fill('.sql-editor textarea', sql);
  await site.page.keyboard.press('Control+Enter');
}

// Chromium logs every answer of 400.
function forgetErrors(): void {
  site.watched.complaints.length = 0;
}

const kLongest = 'select slice_id, name, start, dur\nfrom kernels\norder by dur desc, start\nlimit 5';

test('a query is answered as a table that sorts and copies, and the address holds it', async () => {
  const { page } = site;
  await site.open(`timeline?${trace(kTraining)}`);
  await whole(page);
  await page.keyboard.press('q');
  await page.waitForSelector('.sql-editor textarea');
  await run(kLongest);
  await page.waitForSelector('.data-table tbody tr');
  const answer = await site.served.get<QueryAnswer>(`query?${trace(kTraining)}&sql=${encodeURIComponent(kLongest)}`);
  assert.equal(await page.locator('.data-table tbody tr').count(), 5);
  await page.click('button:has-text("Copy as CSV")');
  await page.waitForSelector('button:has-text("Copied")');
  const lines = (await page.evaluate(() => navigator.clipboard.readText())).trim().split('\r\n');
  assert.equal(lines[0], 'slice_id,name,start,dur');
  assert.deepEqual(lines.slice(1), answer.rows.map((row) => row.join(',')));
  await page.click('th:has-text("start") button');
  await page.waitForSelector('th[aria-sort="descending"]:has-text("start")');
  assert.match(page.url(), /sort=-start/);
  await page.reload();
  await page.waitForSelector('th[aria-sort="descending"]:has-text("start")');
  assert.equal(await page.inputValue('.sql-editor textarea'), kLongest);
});

test('a row with slice_id leads to the timeline', async () => {
  const { page } = site;
  await site.open(`query?${trace(kTraining)}&sql=${encodeURIComponent(kLongest)}`);
  const answer = await site.served.get<QueryAnswer>(`query?${trace(kTraining)}&sql=${encodeURIComponent(kLongest)}`);
  await page.click('.data-table tbody tr:nth-child(2)');
  await page.waitForSelector('.panel .full-name');
  assert.equal(await text(page, '.panel .full-name'), answer.rows[1][1]);
  assert.equal(Number(await page.getAttribute('[data-duration]', 'data-duration')), answer.rows[1][3]);
  await page.goBack();
  await page.waitForSelector('.data-table tbody tr');
});

test('rows of several traces lead to their own', async () => {
  const { page } = site;
  await site.open(`query?${trace(...kRanks)}&sql=${encodeURIComponent('select slice_id, name from kernels')}`);
  await page.waitForSelector('.data-table tbody tr');
  assert.match(await text(page, '.query-facts'), /select run and rank too/);
  await run('select run, rank, slice_id, name, dur from kernels where rank = 2 order by dur desc');
  await page.waitForFunction(() => document.querySelector('.query-facts')?.textContent?.includes('opens the timeline'));
  await page.click('.data-table tbody tr:first-child');
  await page.waitForSelector('.panel .full-name');
  assert.equal(new URLSearchParams(page.url().split('?')[1]).get('shown'), kRanks[2]);
});

test('an error is marked at its place, until the text changes', async () => {
  const { page } = site;
  await site.open(`query?${trace(kTraining)}`);
  await page.waitForSelector('.sql-editor textarea');
  await run('select name,\n  namee\nfrom kernels');
  await page.waitForSelector('[role="alert"]');
  assert.match(await text(page, '[role="alert"]'), /"namee" not found.*line 2 of the query, column 3/);
  assert.equal(await text(page, '.sql-editor mark'), 'namee');
  await page.type('.sql-editor textarea', ' ');
  await page.waitForSelector('.sql-editor mark', { state: 'detached' });
  forgetErrors();
});

const kEndless = 'with recursive r as (select 1 union all select 1 from r)\nselect count(*) from r';

test('a query that runs is cancelled, here and at the server', async () => {
  const { page } = site;
  await site.open(`query?${trace(kTraining)}`);
  await page.waitForSelector('.sql-editor textarea');
  // Four may run at once: if cancelled ones went on, the sixth would be refused.
  for (let i = 0; i < 6; ++i) {
    await run(kEndless);
    await page.waitForSelector('.query-state button:has-text("Cancel")');
    await new Promise((resolve) => setTimeout(resolve, 60));
    if (i % 2 === 0) await page.click('.query-state button:has-text("Cancel")');
    else await page.keyboard.press('Escape');
    await page.waitForSelector('.query-state:has-text("Cancelled")');
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  await run('select count(*) as n from kernels');
  await page.waitForSelector('.data-table tbody tr');
  assert.equal(await text(page, '.data-table tbody td'), '24');
});

test('names of the schema go into the query, and examples run', async () => {
  const { page } = site;
  await site.open(`query?${trace(kTraining)}`);
  await page.fill('.sql-editor textarea', 'select count(*) as n from ');
  await page.fill('.schema input', 'flow');
  await page.click('.schema-table .link:has-text("flows")');
  assert.equal(await page.inputValue('.sql-editor textarea'), 'select count(*) as n from flows');
  await page.selectOption('.query-tools select', { index: 1 });
  await page.waitForSelector('.data-table tbody tr, .query-state:has-text("No rows")');
});

site.test('without DuckDB the screen says how to get it', async () => {
  const { page } = site;
  await page.route('**/api/v1/query/schema', (route) => route.fulfill({
    json: { engine: null, missing: { code: 'unavailable', what: 'DuckDB is not on this machine', hint: 'run tools/setup --with-query' }, tables: [], questions: [] },
  }));
  await site.open(`query?${trace(kTraining)}`);
  await page.waitForSelector('.empty');
  assert.match(await text(page, '.empty'), /run tools\/setup --with-query/);
  await page.unroute('**/api/v1/query/schema');
});

test('the screen is drawn in both sizes and themes', async () => {
  const { page } = site;
  for (const { width, height, dark } of kScreens) {
    await site.look({ width, height, dark });
    const look = `${width}_${dark ? 'dark' : 'light'}`;
    await site.open(`query?${trace(kTraining)}&sql=${encodeURIComponent(kLongest.replace('limit 5', 'limit 40'))}`);
    await page.waitForSelector('.data-table tbody tr');
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.equal(overflow, 0, `wider than ${width}`);
    await snapshot(page, `query_${look}`);
    await run('select name, namee, dur\nfrom kernels\nwhere dur > 1000');
    await page.waitForSelector('.sql-editor mark');
    await snapshot(page, `query_error_${look}`);
    forgetErrors();
  }
});
