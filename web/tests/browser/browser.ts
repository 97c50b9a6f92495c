import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';

import { type Browser, type BrowserContext, type Page, chromium } from 'playwright-core';

// A real Chromium, and the parts of the page that tests check.

const kScreenshots = process.env['STROBE_SCREENSHOTS'];

let browser: Promise<Browser> | undefined;

// One for all tests of this process.
export function sharedBrowser(): Promise<Browser> {
  browser ??= chromium.launch({ executablePath: process.env['STROBE_CHROMIUM'], args: ['--no-sandbox', '--disable-gpu'] });
  return browser;
}

after(async () => { await (await browser)?.close(); });

export interface Look { width?: number; height?: number; dark?: boolean }

export interface Watched {
  page: Page;
  context: BrowserContext;
  complaints: string[]; // every console message except plain ones, and every foreign request
  home: string; // where requests may go
  forget: () => Promise<void>; // leaves the page, and removes what it has stored
  blank: (look: Look) => Promise<void>; // leaves the page, for one of this size and theme
}

// Both sizes and both themes, each once; STROBE_ALL_SCREENS=1 draws all four pairs.
const kAllScreens = [1280, 1920].flatMap((width) => [true, false].map((dark) => ({ width, height: (width * 9) / 16, dark })));
export const kScreens = process.env.STROBE_ALL_SCREENS ? kAllScreens : [kAllScreens[0], kAllScreens[3]];

const kTimeoutMs = 20_000;

export async function openPage(on: Browser, home: string): Promise<Watched> {
  const context = await on.newContext({
    viewport: sizeOf({}), colorScheme: 'light', reducedMotion: 'reduce', permissions: home.startsWith('http') ? ['clipboard-read', 'clipboard-write'] : [],
  });
  const page = await context.newPage();
  page.setDefaultTimeout(kTimeoutMs);
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('request', (request) => {
    if (![home, 'data:', kBlank].some((start) => request.url().startsWith(start))) complaints.push(`asks a stranger: ${request.url()}`);
  });
  return { page, context, complaints, home, forget: () => forget(page), blank: (look) => blank(page, look) };
}

const kBlank = 'about:blank';
const sizeOf = ({ width = 1280, height = 720 }: Look): { width: number; height: number } => ({ width, height });

async function forget(page: Page): Promise<void> {
  if (page.url() === kBlank) return;
  await page.evaluate(() => {
    localStorage.clear();
    sessionStorage.clear();
  });
  await page.mouse.move(-1, -1);
  await page.goto(kBlank);
}

async function blank(page: Page, look: Look): Promise<void> {
  page.setDefaultTimeout(kTimeoutMs);
  await page.goto(kBlank);
  await page.setViewportSize(sizeOf(look));
  await page.emulateMedia({ colorScheme: look.dark ? 'dark' : 'light' });
}

export async function snapshot(page: Page, name: string): Promise<void> {
  if (!kScreenshots) return;
  mkdirSync(kScreenshots, { recursive: true });
  // What a scroll brings into view is painted in the next frame.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  await page.screenshot({ path: join(kScreenshots, `${name}.png`) });
}

// Waits until everything is drawn, at the current size of the page.
export async function whole(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const body = document.querySelector<HTMLCanvasElement>('.tl-body[data-complete="true"]');
    const room = body?.parentElement?.clientWidth ?? 0;
    return body !== null && Math.abs(body.width - room * window.devicePixelRatio) <= 1;
  });
}

export async function timeWindow(page: Page): Promise<{ start: number; end: number; span: number }> {
  const [start, end] = (await page.getAttribute('.tl-body', 'data-window'))!.split(' ').map(Number);
  return { start, end, span: end - start };
}

// Waits until the window differs from `before` and has come to rest.
export async function windowChanged(page: Page, before: { start: number; end: number }): Promise<{ start: number; end: number; span: number }> {
  await page.waitForFunction(
    (old) => document.querySelector<HTMLElement>('.tl-body')?.dataset['window'] !== old, `${before.start} ${before.end}`);
  await page.evaluate(() => new Promise<void>((resolve) => {
    const kStillFrames = 6; // a glide changes the window in every frame, however slow the machine
    let last = '';
    let still = 0;
    const look = (): void => {
      const now = document.querySelector<HTMLElement>('.tl-body')?.dataset['window'] ?? '';
      still = now === last ? still + 1 : 0;
      last = now;
      if (still < kStillFrames) requestAnimationFrame(look);
      else resolve();
    };
    look();
  }));
  await whole(page);
  return timeWindow(page);
}

// A key that is pressed and released at once, however slow the machine: held for longer, it moves on.
export async function tap(page: Page, key: string): Promise<void> {
  await page.evaluate((name) => {
    for (const kind of ['keydown', 'keyup']) document.body.dispatchEvent(new KeyboardEvent(kind, { key: name, bubbles: true }));
  }, key);
}

// Where the chosen slice is drawn, in pixels of the page.
export async function chosenBox(page: Page): Promise<{ x: number; y: number; width: number; height: number }> {
  await page.waitForSelector('.tl-body:not([data-chosen=""])');
  await whole(page);
  const [x, y, width, height] = (await page.getAttribute('.tl-body', 'data-chosen'))!.split(' ').map(Number);
  const canvas = (await page.locator('.tl-body').boundingBox())!;
  return { x: canvas.x + x, y: canvas.y + y, width, height };
}

// Pairs of marks and words that lie on each other.
export async function covered(page: Page, marks: string, words: string): Promise<string[]> {
  return page.evaluate(([markSelector, wordSelector]) => {
    const all = [...document.querySelectorAll(wordSelector)].map((word) => ({ text: word.textContent, box: word.getBoundingClientRect() }));
    return [...document.querySelectorAll(markSelector)].map((mark) => mark.getBoundingClientRect()).flatMap((mark) => all
      .filter(({ box }) => mark.left < box.right && mark.right > box.left && mark.top < box.bottom && mark.bottom > box.top)
      .map(({ text: word }) => `${word} on a mark at ${Math.round(mark.x)}, ${Math.round(mark.y)}`));
  }, [marks, words]);
}

export async function text(page: Page, selector: string): Promise<string> {
  return (await page.locator(selector).first().innerText()).replace(/\s+/g, ' ').trim();
}
