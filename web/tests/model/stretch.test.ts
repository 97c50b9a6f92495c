import assert from 'node:assert/strict';
import { test } from 'node:test';

import { stretchIn, stretchText } from '../../src/model/stretch.ts';

test('a stretch of a table is at the same time on the timeline', () => {
  assert.deepEqual(stretchIn(stretchText(100, 25)), { start_ns: 100, end_ns: 125 });
});

test('a stretch is written in whole nanoseconds and never begins before the trace', () => {
  assert.equal(stretchText(99.6, 25), '100-125');
  assert.equal(stretchText(-5, 25), '0-25');
});

test('what is no stretch is none', () => {
  for (const text of [undefined, '', '7', '9-3', 'a-b']) assert.equal(stretchIn(text), null);
});
