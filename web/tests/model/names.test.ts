import assert from 'node:assert/strict';
import { test } from 'node:test';

import { deviceWord, exactPattern, headerOf, shortName, traceLabel, withPlaces } from '../../src/model/names.ts';
import { matcherOf, parseQuery } from '../../src/model/query.ts';

test('a kernel is shown without its return type, arguments and namespaces', () => {
  const name = 'void at::native::vectorized_elementwise_kernel<8, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul> >'
    + '(int, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul>)';
  assert.equal(shortName(name), 'vectorized_elementwise_kernel<8, CUDAFunctor_add<BFloat16>, array<char*, 3ul> >');
});

test('operators and Python frames keep their names', () => {
  for (const name of ['aten::mm', 'threading.py(323): wait', 'nvjet_sm90_tst_192x128_64x5_1x2_h_bz_NTT', 'Memcpy HtoD (Pageable -> Device)']) {
    assert.equal(shortName(name), name);
  }
});

test('an evaluated autograd node is called by its node', () => {
  assert.equal(shortName('autograd::engine::evaluate_function: AddmmBackward0'), 'autograd: AddmmBackward0');
});

test('a trace is called by its file without the endings', () => {
  assert.equal(traceLabel('resnet50/worker0.1623143089861.pt.trace.json.gz'), 'worker0.1623143089861');
  assert.equal(traceLabel('a.json'), 'a');
});

test('headers are the keys as words, without the unit', () => {
  assert.equal(headerOf('host_total_ns'), 'Host total');
  assert.equal(headerOf('peak_allocated_bytes'), 'Peak allocated');
  assert.equal(headerOf('calls'), 'Calls');
});

test('headers are those of strobe summary, with the word for the device', () => {
  assert.equal(headerOf('device_total_ns', 'operators', 'GPU'), 'GPU total');
  assert.equal(headerOf('device_total_ns', 'kernels', 'GPU'), 'Total');
  assert.equal(headerOf('top_operator'), 'Launched by (mostly)');
  assert.equal(headerOf('memcpy_ns', 'steps', 'GPU'), 'Copies');
  assert.equal(headerOf('q'), 'q');
  assert.equal(headerOf('host_max_ns', 'runtime_calls'), 'Longest');
  const summary = { schema: '', version: 1, facts: {}, findings: [], tables: { devices: { title: '', columns: [], rows: [{ device: 'NPU 3' }], rows_left_out: 0, notes: [] } } };
  assert.equal(deviceWord(summary), 'NPU');
  assert.equal(deviceWord({ ...summary, tables: {} }), 'device');
});

test('a query is words, a pattern between slashes, or a whole name after an equals sign', () => {
  assert.deepEqual(parseQuery(' gemm '), { text: 'gemm', regex: false });
  assert.deepEqual(parseQuery('/^aten::(mm|bmm)$/'), { text: '^aten::(mm|bmm)$', regex: true });
  assert.deepEqual(parseQuery('=f(a)'), { text: '^f\\(a\\)$', regex: true });
  assert.equal(parseQuery('  '), null);
  assert.equal(parseQuery('/'), null);
});

test('words match in any letter case, a whole name only itself', () => {
  assert.equal(matcherOf('GEMM').matches('sm90_gemm_bf16'), true);
  assert.equal(matcherOf('=aten::mm').matches('aten::mm'), true);
  assert.equal(matcherOf('=aten::mm').matches('aten::mm_out'), false);
  assert.equal(new RegExp(exactPattern('a+b[0]')).test('a+b[0]'), true);
});

test('a pattern that cannot be read matches nothing and says why', () => {
  const { matches, problem } = matcherOf('/(/');
  assert.equal(matches('('), false);
  assert.notEqual(problem, '');
});

test('a place has the name that the timeline gives it, alone and in a sentence', () => {
  assert.equal(withPlaces('gpu:0', 'GPU'), 'GPU 0');
  assert.equal(withPlaces('cpu', 'GPU'), 'CPU');
  assert.equal(withPlaces('gpu:12', 'MLU'), 'MLU 12');
  assert.equal(withPlaces('gpu:1', 'device'), 'GPU 1');
  assert.equal(withPlaces('the allocator reserves 8 GiB on gpu:1 but uses at most 2 GiB', 'GPU'), 'the allocator reserves 8 GiB on GPU 1 but uses at most 2 GiB');
  assert.equal(withPlaces('gpu_pinned', 'GPU'), 'gpu_pinned');
});
