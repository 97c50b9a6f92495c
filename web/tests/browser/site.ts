import assert from 'node:assert/strict';
import { type TestContext, after, test } from 'node:test';

import type { Browser, Page } from 'playwright-core';

import { type Look, type Watched, openPage, sharedBrowser } from './browser.ts';
import { Served } from './strobe.ts';

type Body = (context: TestContext) => Promise<void>;
interface Options { skip?: boolean | string; timeout?: number }

// A served folder and a page of it that is blank at the start of every test and must not complain. A new page is expensive, so
// tests use one page in turn. What a test left behind is removed; after a failure the page is closed.
export class Site {
  served!: Served;
  browser!: Browser;
  watched!: Watched;
  private readonly fill: ((folder: string) => void) | undefined;
  private readonly prepare: (served: Served) => Promise<void>;
  private started: Promise<void> | undefined;
  private isOpen = false;

  // `prepare` runs once, before the first test.
  constructor(fill?: (folder: string) => void, prepare: (served: Served) => Promise<void> = async () => {}) {
    this.fill = fill;
    this.prepare = prepare;
    after(async () => { await this.served?.stop(); });
  }

  get page(): Page {
    return this.watched.page;
  }

  readonly test = (name: string, ...rest: [Body] | [Options, Body]): void => {
    const [options, body] = rest.length === 1 ? [{}, rest[0]] : rest;
    void test(name, options, async (context) => {
      await (this.started ??= this.start());
      if (this.isOpen) await this.look({});
      else await this.openPage();
      await this.judge(context, body);
    });
  };

  // Closes the current page and opens another one.
  async openPage(home = this.served.url): Promise<void> {
    await this.closePage();
    this.watched = await openPage(this.browser, home);
    this.isOpen = true;
  }

  // A blank page with this size and theme.
  async look(look: Look): Promise<void> {
    await this.watched.blank(look);
  }

  async open(hash: string): Promise<void> {
    await this.page.goto(`${this.served.url}#/${hash}`);
  }

  private async start(): Promise<void> {
    [this.served, this.browser] = await Promise.all([Served.start(this.fill), sharedBrowser()]);
    await this.prepare(this.served);
  }

  private async judge(context: TestContext, body: Body): Promise<void> {
    let isFine = false;
    try {
      await body(context);
      await this.watched.forget();
      assert.deepEqual(this.watched.complaints, []);
      isFine = true;
    } finally {
      if (!isFine) for (const one of this.watched.complaints) context.diagnostic(one);
      if (!isFine || this.watched.home !== this.served.url) await this.closePage();
    }
  }

  private async closePage(): Promise<void> {
    if (this.isOpen) await this.watched.context.close();
    this.isOpen = false;
  }
}

// As the address of a screen names them.
export const trace = (...names: readonly string[]): string => names.map((name) => `trace=${encodeURIComponent(name)}`).join('&');
