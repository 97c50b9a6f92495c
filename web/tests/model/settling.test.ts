import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';

import { Settling } from '../../src/model/settling.ts';
import { Clock } from './time.ts';

const kQuietMs = 200;

function counted(context: TestContext): { settling: Settling; acts: () => number; pass: (ms: number) => void } {
  const clock = new Clock(context);
  let acts = 0;
  return { settling: new Settling(() => ++acts, kQuietMs), acts: () => acts, pass: (ms) => clock.pass(ms) };
}

test('a value that stays is acted upon, however often it is seen meanwhile', (context) => {
  const { settling, acts, pass } = counted(context);
  for (let ms = 0; ms < kQuietMs; ms += 50) {
    assert.equal(acts(), 0);
    settling.see('a');
    pass(50);
  }
  assert.equal(acts(), 1);
});

test('a value that changes is waited for', (context) => {
  const { settling, acts, pass } = counted(context);
  for (const value of ['a', 'b', 'c']) {
    settling.see(value);
    pass(kQuietMs - 1);
  }
  assert.equal(acts(), 0);
  pass(1);
  assert.equal(acts(), 1);
});

test('a value that is seen again later is acted upon again', (context) => {
  const { settling, acts, pass } = counted(context);
  for (let i = 0; i < 2; ++i) {
    settling.see('a');
    pass(kQuietMs);
  }
  assert.equal(acts(), 2);
});

test('after a stop nothing happens, and the same value starts anew', (context) => {
  const { settling, acts, pass } = counted(context);
  settling.see('a');
  settling.stop();
  pass(kQuietMs);
  assert.equal(acts(), 0);
  settling.see('a');
  pass(kQuietMs);
  assert.equal(acts(), 1);
});
