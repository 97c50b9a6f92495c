#!/usr/bin/env node
// How soon `strobe serve` is usable: from its start until the trace is ready, the first time and
// from the cache, and from opening an address until the page is painted, in a real Chromium.
//
//   perf/serve_start.mjs [--strobe build/strobe] [--trace FILE] [--rounds N]
//
// Needs the packages of web/ (web/build installs them) and Debian's chromium.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { chromium } from '../web/node_modules/playwright-core/index.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const large = join(root, '../shared/traces/h200_gpt_infer_big.json.gz');
const { values } = parseArgs({
  options: {
    strobe: { type: 'string', default: join(root, 'build/strobe') },
    trace: { type: 'string', default: existsSync(large) ? large : join(root, 'examples/gpt_inference_compiled.json.gz') },
    rounds: { type: 'string', default: '5' },
  },
});
const folder = mkdtempSync(join(tmpdir(), 'strobe-start-'));
const logs = mkdtempSync(join(tmpdir(), 'strobe-logs-'));
symlinkSync(resolve(values.trace), join(logs, basename(values.trace)));

// Milliseconds until /api/v1/runs says that everything is loaded, and the server for further questions.
async function start() {
  const began = performance.now();
  const server = spawn(values.strobe, ['serve', logs, '--port', '0', '--quiet', '--cache', '--cache-dir', folder]);
  const url = await new Promise((reported, failed) => {
    server.stdout.once('data', (line) => reported(line.toString().trim()));
    server.once('exit', (code) => failed(new Error(`strobe serve ended with ${code}`)));
  });
  server.removeAllListeners('exit');
  let runs;
  do runs = await (await fetch(`${url}api/v1/runs`)).json(); while (runs.loading);
  const ready_ms = performance.now() - began;
  const bad = runs.runs.flatMap((run) => run.traces).find((trace) => trace.state !== 'ready');
  if (bad) throw new Error(`${bad.trace}: ${bad.error?.what ?? bad.state}`);
  return { server, url, ready_ms };
}

async function stop(server) {
  const ended = new Promise((done) => server.once('exit', done));
  server.kill('SIGINT');
  await ended;
}

const least = (list) => Math.min(...list);
const first = [];
const second = [];
for (let round = 0; round < Number(values.rounds); ++round) {
  rmSync(folder, { recursive: true, force: true });
  const cold = await start();
  first.push(cold.ready_ms);
  await new Promise((done) => setTimeout(done, 1500)); // the cache is written after the answer
  await stop(cold.server);
  const warm = await start();
  second.push(warm.ready_ms);
  await stop(warm.server);
}

const { server, url } = await start();
const browser = await chromium.launch({ executablePath: process.env.STROBE_CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
const name = basename(values.trace);
async function paint(hash, selector) {
  const page = await browser.newPage({ viewport: { width: 1600, height: 900 } });
  const began = performance.now();
  await page.goto(`${url}#/${hash}?trace=${encodeURIComponent(name)}`);
  await page.waitForSelector(selector);
  const whole_ms = performance.now() - began;
  const first_ms = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN);
  await page.close();
  return { first_ms, whole_ms };
}
const overview = await paint('overview', '.facts');
const timeline = await paint('timeline', '.tl-body[data-complete="true"]');
await browser.close();
await stop(server);
rmSync(folder, { recursive: true, force: true });
rmSync(logs, { recursive: true, force: true });

const ms = (value) => `${value.toFixed(0)} ms`;
console.log(`| ${name} | measured |\n|---|--:|`);
console.log(`| start until the trace is ready, first time (best of ${first.length}) | ${ms(least(first))} |`);
console.log(`| the same from the cache | ${ms(least(second))}, ${((100 * least(second)) / least(first)).toFixed(1)} % |`);
console.log(`| overview: first paint, complete | ${ms(overview.first_ms)}, ${ms(overview.whole_ms)} |`);
console.log(`| timeline: first paint, complete | ${ms(timeline.first_ms)}, ${ms(timeline.whole_ms)} |`);
