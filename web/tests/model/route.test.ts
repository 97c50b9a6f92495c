import assert from 'node:assert/strict';
import { test } from 'node:test';

import { atScreen, numberParameter, parseRoute, routeHash, withParameters } from '../../src/model/route.ts';

test('a route survives the way through the address bar', () => {
  const route = {
    screen: 'timeline',
    traces: ['run 1/a&b.json', 'ü.json.gz'],
    parameters: { q: '=void f<int>(char*, 3ul) #1 100%', from: '-120', to: '4000' },
  };
  assert.deepEqual(parseRoute(routeHash(route)), route);
});

test('names of traces stay readable in the address', () => {
  assert.equal(routeHash({ screen: 'overview', traces: ['a/b c.json'], parameters: {} }), '#/overview?trace=a/b+c.json');
});

test('an empty address is no screen, no trace', () => {
  assert.deepEqual(parseRoute(''), { screen: '', traces: [], parameters: {} });
});

test('another screen keeps the traces and drops what belonged to the last one', () => {
  const route = parseRoute('#/timeline?trace=a&from=1&to=2');
  assert.deepEqual(atScreen(route, 'kernels'), { screen: 'kernels', traces: ['a'], parameters: {} });
});

test('a parameter without a value is taken out', () => {
  const route = parseRoute('#/kernels?trace=a&sort=-calls&filter=gemm');
  assert.equal(routeHash(withParameters(route, { filter: '', row: 'x' })), '#/kernels?trace=a&sort=-calls&row=x');
});

test('numbers in the address are numbers or nothing', () => {
  const route = parseRoute('#/timeline?trace=a&from=12&to=twelve');
  assert.equal(numberParameter(route, 'from'), 12);
  assert.equal(numberParameter(route, 'to'), null);
  assert.equal(numberParameter(route, 'slice'), null);
});

test('a link to the screen of ranks under its old name still opens it', () => {
  assert.deepEqual(parseRoute('#/distributed?trace=a&trace=b'), { screen: 'ranks', traces: ['a', 'b'], parameters: {} });
});
