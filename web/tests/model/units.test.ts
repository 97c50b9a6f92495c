import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  balancedShares, bytesText, columnUnit, countText, decimalsFor, durationText, exactDuration, inUnit, shareText, signedDuration, signedShare,
} from '../../src/model/units.ts';
import { isReadable } from '../../src/model/units.ts';

test('a duration has three digits and the unit that fits', () => {
  assert.equal(durationText(0), '0');
  assert.equal(durationText(999), '999 ns');
  assert.equal(durationText(1_500), '1.50 µs');
  assert.equal(durationText(46_170_521), '46.2 ms');
  assert.equal(durationText(277_439_175), '277 ms');
  assert.equal(durationText(3_390_000_000), '3.39 s');
  assert.equal(durationText(-1_030_000), '−1.03 ms');
});

test('an exact duration keeps every nanosecond', () => {
  assert.equal(exactDuration(46_170_521), '46.170521 ms');
  assert.equal(exactDuration(30_240), '30.24 µs');
  assert.equal(exactDuration(2_000_000_000), '2 s');
  assert.equal(exactDuration(7), '7 ns');
});

test('bytes count in powers of two', () => {
  assert.equal(bytesText(392), '392 B');
  assert.equal(bytesText(5_805_322_752), '5.41 GiB');
  assert.equal(bytesText(-2_098_778_112), '−1.95 GiB');
});

test('large counts are grouped, very large ones get a letter', () => {
  assert.equal(countText(5646), '5646');
  assert.equal(countText(50_468), '50\u202f468');
  assert.equal(countText(8_349_416_423_424), '8.35 T');
});

test('a share that is not nothing does not look like nothing', () => {
  assert.equal(shareText(0), '0.0 %');
  assert.equal(shareText(0.0000739), '<0.1 %');
  assert.equal(shareText(0.4337), '43.4 %');
});

test('differences carry their sign', () => {
  assert.equal(signedDuration(7_250), '+7.25 µs');
  assert.equal(signedDuration(-8_740), '−8.74 µs');
  assert.equal(signedShare(-0.155), '−15.5 %');
  assert.equal(signedShare(0.003), '+0.3 %');
  assert.equal(signedShare(0), '0.0 %');
});

test('a column has the unit of its largest value, or the next smaller when most values are tiny', () => {
  assert.equal(columnUnit('duration_ns', [36_187_364, 17_705_286, 6_000_000]).name, 'ms');
  assert.equal(columnUnit('duration_ns', [2_000_000_000, 900, 800, 700]).name, 'ms');
  assert.equal(columnUnit('bytes', []).name, 'B');
  const ms = columnUnit('duration_ns', [36_187_364]);
  assert.equal(decimalsFor(36_187_364, ms), 2);
  assert.equal(inUnit(36_187_364, ms, 2), '36.19');
  assert.equal(inUnit(-12_345_678_901, { name: 'ms', size: 1e6 }, 1), '−12\u202f345.7');
});

test('shares of one whole still add up when rounded, as in the report', () => {
  assert.deepEqual(balancedShares([0.41155, 0.0026, 0.18475, 0.4003, 0.0008]), [0.411, 0.003, 0.185, 0.4, 0.001]);
  assert.deepEqual(balancedShares([1 / 3, 1 / 3, 1 / 3]), [0.334, 0.333, 0.333]);
  assert.deepEqual(balancedShares([]), []);
});

test('a number too small for the unit of its column is told apart', () => {
  const ms = { name: 'ms', size: 1e6 };
  assert.equal(isReadable(400_000, ms, 2), true);
  assert.equal(isReadable(40_000, ms, 2), false);
  assert.equal(isReadable(0, ms, 2), true);
  assert.equal(isReadable(-2e9, ms, 0), true);
});
