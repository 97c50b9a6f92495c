import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach } from 'node:test';

import type { Browser, Page } from 'playwright-core';

import { type Watched, openBrowser, openPage } from './browser.ts';
import { Served } from './strobe.ts';

// A served folder and a fresh page of it for every test, which must not complain.
export class Site {
  served!: Served;
  browser!: Browser;
  watched!: Watched;

  constructor(fill?: (folder: string) => void) {
    before(async () => {
      [this.served, this.browser] = await Promise.all([Served.start(fill), openBrowser()]);
    });
    after(async () => {
      await this.browser?.close();
      await this.served?.stop();
    });
    beforeEach(() => this.openPage());
    afterEach(async () => {
      const { complaints } = this.watched;
      await this.watched.context.close();
      assert.deepEqual(complaints, []);
    });
  }

  get page(): Page {
    return this.watched.page;
  }

  async openPage(home = this.served.url, look: { width?: number; height?: number; dark?: boolean } = {}): Promise<void> {
    this.watched = await openPage(this.browser, home, look);
  }

  async open(hash: string): Promise<void> {
    await this.page.goto(`${this.served.url}#/${hash}`);
  }
}

// As the address of a screen names them.
export const trace = (...names: readonly string[]): string => names.map((name) => `trace=${encodeURIComponent(name)}`).join('&');
