import assert from 'node:assert/strict';
import { test } from 'node:test';

import { between, clamped, fitted, framing, panned, revealing, spanOf, ticks, zoomed } from '../../src/model/viewport.ts';

const kSpan = 1_000_000;
const kAll = { start_ns: 0, end_ns: kSpan };

function near(actual: number, expected: number): void {
  assert.ok(Math.abs(actual - expected) <= Math.max(1e-6, Math.abs(expected) * 1e-9), `${actual} is not ${expected}`);
}

test('zooming keeps the time under the pointer where it is', () => {
  const view = { start_ns: 100_000, end_ns: 300_000 };
  const closer = zoomed(view, 4, 150_000, kAll);
  near(spanOf(closer), 50_000);
  near((150_000 - closer.start_ns) / spanOf(closer), 0.25);
});

test('a glide keeps it there too, at every moment', () => {
  const from = { start_ns: 100_000, end_ns: 300_000 };
  const to = zoomed(from, 4, 150_000, kAll);
  for (const share of [0.1, 0.5, 0.9]) {
    const view = between(from, to, share);
    near((150_000 - view.start_ns) / spanOf(view), 0.25);
  }
  assert.deepEqual(between(from, to, 1), to);
});

test('the window stays near the trace', () => {
  const far = panned({ start_ns: 0, end_ns: 10_000 }, 1e12, kAll);
  assert.ok(far.end_ns <= kSpan * 1.01 && far.start_ns < kSpan);
  const wide = clamped({ start_ns: -1e9, end_ns: 1e9 }, kAll);
  assert.ok(spanOf(wide) <= kSpan * 1.1);
  assert.ok(wide.start_ns <= 0 && wide.end_ns >= kSpan);
});

test('the closest zoom still shows some nanoseconds', () => {
  assert.ok(spanOf(zoomed({ start_ns: 0, end_ns: 30 }, 1000, 10, kAll)) >= 20);
});

test('everything fits with a margin', () => {
  const view = fitted(kAll);
  assert.ok(view.start_ns < 0 && view.end_ns > kSpan);
});

test('a framed slice takes the middle of the screen', () => {
  const view = framing(400_000, 60_000, kAll, 0.6);
  near(spanOf(view), 100_000);
  near(view.start_ns, 380_000);
});

test('a slice in view is not moved; one outside is centred at the same zoom; a speck is framed', () => {
  const view = { start_ns: 0, end_ns: 100_000 };
  assert.equal(revealing(view, 10_000, 20_000, kAll), view);
  const moved = revealing(view, 500_000, 20_000, kAll);
  near(spanOf(moved), 100_000);
  near((moved.start_ns + moved.end_ns) / 2, 510_000);
  near(spanOf(revealing(view, 500_000, 25, kAll)), 100);
});

test('ticks are round, in order, inside the window, and tell neighbours apart', () => {
  for (const view of [fitted(kAll), { start_ns: 2_000_000_000, end_ns: 2_000_000_500 }, { start_ns: 0, end_ns: 3.4e9 }]) {
    const all = ticks(view, 1000);
    assert.ok(all.length >= 4 && all.length <= 10, `${all.length} ticks`);
    assert.equal(new Set(all.map((tick) => tick.text)).size, all.length);
    all.forEach((tick) => assert.ok(tick.at_ns >= view.start_ns && tick.at_ns <= view.end_ns));
  }
  assert.deepEqual(ticks({ start_ns: 0, end_ns: 4_000_000 }, 500).map((tick) => tick.text), ['0', '1 ms', '2 ms', '3 ms', '4 ms']);
  const around = { start_ns: -2_000_000, end_ns: 2_000_000 };
  assert.deepEqual(ticks(around, 500, -Infinity).map((tick) => tick.text), ['−2 ms', '−1 ms', '0', '1 ms', '2 ms']);
  assert.equal(ticks(around, 500)[0].text, '0');
});
