import assert from 'node:assert/strict';
import { test } from 'node:test';

import { type Axis, type PlotWindow, movedAxis, parseWindow, partOfAxis, shareAlong, ticksOf, valueAt, windowText, withinReason, zoomedAxis } from '../../src/model/axis.ts';

const log: Axis = { isLog: true, low: 1, high: 10_000 };
const linear: Axis = { isLog: false, low: 0, high: 1 };

const near = (a: number, b: number): void => assert.ok(Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(b)), `${a}, not ${b}`);

test('values and places are each other\'s way back', () => {
  near(shareAlong(log, 100), 0.5);
  near(valueAt(log, 0.25), 10);
  for (const axis of [log, linear]) for (const share of [-0.5, 0, 0.3, 1, 1.5]) near(shareAlong(axis, valueAt(axis, share)), share);
});

test('zooming keeps what is under the pointer', () => {
  for (const axis of [log, linear]) {
    const closer = zoomedAxis(axis, 0.2, 0.5);
    near(valueAt(closer, 0.2), valueAt(axis, 0.2));
    near(shareAlong(axis, closer.high) - shareAlong(axis, closer.low), 0.5);
  }
});

test('moving and boxes are in parts of what is seen', () => {
  assert.deepEqual([movedAxis(log, 0.25).low, movedAxis(log, 0.25).high].map(Math.round), [10, 100_000]);
  const part = partOfAxis(linear, 0.75, 0.25); // whichever way it was dragged
  assert.deepEqual([part.low, part.high], [0.25, 0.75]);
});

test('powers of ten are numbered, and what lies between them when few are in sight', () => {
  assert.deepEqual(ticksOf(log, 8).filter((tick) => tick.isMajor).map((tick) => tick.value), [1, 10, 100, 1000, 10_000]);
  const close = ticksOf({ isLog: true, low: 8, high: 120 }, 6);
  assert.deepEqual(close.filter((tick) => tick.isMajor).map((tick) => tick.value), [10, 20, 50, 100]);
  assert.ok(close.some((tick) => tick.value === 30 && !tick.isMajor));
  const far = ticksOf({ isLog: true, low: 1, high: 1e12 }, 4).filter((tick) => tick.isMajor);
  assert.ok(far.length <= 5, String(far.length));
  const tight = ticksOf({ isLog: true, low: 100, high: 120 }, 5);
  assert.deepEqual(tight.map((tick) => tick.value), [100, 105, 110, 115, 120]);
});

test('a linear axis has round steps, within its ends', () => {
  assert.deepEqual(ticksOf(linear, 5).map((tick) => Math.round(tick.value * 100)), [0, 20, 40, 60, 80, 100]);
  assert.deepEqual(ticksOf({ isLog: false, low: -0.085, high: 1.005 }, 7).map((tick) => Math.round(tick.value * 100)), [0, 20, 40, 60, 80, 100]);
});

test('a window survives its way through the address; nonsense does not', () => {
  const whole: PlotWindow = { x: log, y: linear };
  const window: PlotWindow = { x: { ...log, low: 12.34, high: 567 }, y: { ...linear, low: -0.05, high: 0.25 } };
  assert.deepEqual(parseWindow(windowText(window), whole), window);
  for (const wrong of [undefined, '', '1:2:3', '1:2:3:x', '5:1:0:1', '0:10:0:1', '-1:10:0:1', '1:2:0:1:7']) assert.equal(parseWindow(wrong, whole), null, wrong);
});

test('one can neither get lost in a point nor out in space', () => {
  const whole: PlotWindow = { x: log, y: linear };
  const point = withinReason({ x: { ...log, low: 100, high: 100.001 }, y: linear }, whole).x;
  near(shareAlong(log, point.high) - shareAlong(log, point.low), 1e-3);
  assert.ok(Math.abs(shareAlong(log, Math.sqrt(point.low * point.high)) - 0.5) < 1e-6);
  assert.deepEqual(withinReason({ x: { ...log, low: 1e-9, high: 1e20 }, y: linear }, whole).x, log);
  const fine = { ...log, low: 2, high: 50 };
  assert.deepEqual(withinReason({ x: fine, y: linear }, whole).x, fine);
});
