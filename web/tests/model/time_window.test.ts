import assert from 'node:assert/strict';
import { test } from 'node:test';

import { type Attached, TimeWindow, align } from '../../src/model/time_window.ts';
import { spanOf } from '../../src/model/viewport.ts';

const kReach = { start_ns: 0, end_ns: 1_000_000 };

function counted(window: TimeWindow): { moved: number; pointed: number; stop: () => void } {
  const count = { moved: 0, pointed: 0, stop: () => {} };
  count.stop = window.listen({ moved: () => ++count.moved, pointed: () => ++count.pointed });
  return count;
}

test('everybody who shares a window hears of its moves, until they stop listening', () => {
  const window = new TimeWindow(kReach);
  const [a, b] = [counted(window), counted(window)];
  window.zoom(2, 500_000, false);
  window.pan(0.1, true);
  b.stop();
  window.fit();
  assert.deepEqual([a.moved, b.moved], [3, 2]);
});

test('pointing is no move, and pointing again at the same time is nothing', () => {
  const window = new TimeWindow(kReach);
  const count = counted(window);
  window.point(5);
  window.point(5);
  window.point(null);
  assert.deepEqual([count.moved, count.pointed], [0, 2]);
});

test('a glide advances once per frame, however many watch it', () => {
  const window = new TimeWindow(kReach);
  window.set({ start_ns: 0, end_ns: 100_000 });
  window.glideTo({ start_ns: 500_000, end_ns: 600_000 });
  window.advance(16, 0.5, 1000);
  window.advance(16, 0.5, 1000);
  assert.equal(Math.round(window.view.start_ns), 250_000);
  window.advance(32, 1, 1000);
  assert.deepEqual(window.view, { start_ns: 500_000, end_ns: 600_000 });
  assert.equal(window.goal, null);
});

test('quick keys add up to where a running glide will end', () => {
  const window = new TimeWindow(kReach);
  window.set({ start_ns: 400_000, end_ns: 500_000 });
  window.pan(0.2, true);
  window.pan(0.2, true);
  assert.equal(Math.round(window.goal!.start_ns), 440_000);
});

test('aligned stretches begin at one place, are seen whole, and the window reaches both ends of both', () => {
  const attached: { window: TimeWindow; zero_ns: number }[] = [];
  const timeline = (span_ns: number): Attached => ({ whole: { start_ns: 0, end_ns: span_ns }, attach: (window, zero_ns) => attached.push({ window, zero_ns }) });
  const window = align([
    { timeline: timeline(1_000_000), start_ns: 200_000, duration_ns: 50_000 },
    { timeline: timeline(3_000_000), start_ns: 900_000, duration_ns: 80_000 },
  ]);
  assert.deepEqual(attached.map((one) => one.zero_ns), [200_000, 900_000]);
  assert.ok(attached.every((one) => one.window === window));
  assert.deepEqual(window.reach, { start_ns: -900_000, end_ns: 2_100_000 });
  assert.ok(window.view.start_ns < 0 && window.view.end_ns > 80_000 && spanOf(window.view) < 120_000);
});

test('when the trace grows, what is on the screen stays, wherever its times have moved', () => {
  const window = new TimeWindow({ start_ns: 0, end_ns: 1_000_000 });
  window.set({ start_ns: 400_000, end_ns: 500_000 });
  window.regrow({ start_ns: -50_000, end_ns: 3_000_000 }, 20_000);
  assert.deepEqual(window.view, { start_ns: 420_000, end_ns: 520_000 });
  window.set({ start_ns: 2_900_000, end_ns: 3_000_000 });
  assert.deepEqual(window.view, { start_ns: 2_900_000, end_ns: 3_000_000 });
});
