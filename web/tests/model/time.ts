import type { TestContext } from 'node:test';

// Timers that run out when the test says that time has passed, however busy the machine is.
export class Clock {
  private now = 0;
  private readonly timers = new Map<number, { at: number; call: () => void }>();
  private readonly real = { set: globalThis.setTimeout, clear: globalThis.clearTimeout };

  constructor(context: TestContext) {
    let last = 0;
    Object.assign(globalThis, {
      setTimeout: (call: () => void, ms: number) => {
        this.timers.set(++last, { at: this.now + ms, call });
        return last;
      },
      clearTimeout: (timer: number) => this.timers.delete(timer),
    });
    context.after(() => Object.assign(globalThis, { setTimeout: this.real.set, clearTimeout: this.real.clear }));
  }

  pass(ms: number): void {
    this.now += ms;
    for (const [timer, { at, call }] of [...this.timers]) if (at <= this.now && this.timers.delete(timer)) call();
  }
}

// Until everything has happened that needs no time to pass: an answer with a body takes several turns of the event loop.
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; ++turn) await new Promise((resolve) => setImmediate(resolve));
}
