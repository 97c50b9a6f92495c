import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { tableFromIPC } from 'apache-arrow';

import { kBinary, kSource } from './strobe.ts';

// Answers as files of Apache Arrow, read by its own library.

const kTrace = join(kSource, 'examples', 'gpt_inference_compiled.json.gz');
const folder = mkdtempSync(join(tmpdir(), 'strobe-arrow-'));
after(() => rmSync(folder, { recursive: true }));

const doctor = JSON.parse(spawnSync(kBinary, ['doctor', '--format', 'json'], { encoding: 'utf8' }).stdout) as { parts: { key: string; present: boolean }[] };
const skip = doctor.parts.some((part) => part.key === 'duckdb' && part.present) ? false : 'DuckDB is not on this machine';

type Row = Record<string, unknown>;

function rowsByArrow(sql: string): Row[] {
  const file = join(folder, 'answer.arrow');
  execFileSync(kBinary, ['query', kTrace, sql, '-o', file]);
  // Its whole numbers are of 64 bits.
  return tableFromIPC(readFileSync(file)).toArray().map((row: { toJSON: () => Row }) =>
    Object.fromEntries(Object.entries(row.toJSON()).map(([name, value]) => [name, typeof value === 'bigint' ? Number(value) : value])));
}

function rowsByJson(sql: string): Row[] {
  return JSON.parse(execFileSync(kBinary, ['query', kTrace, sql, '--format', 'json'], { encoding: 'utf8', maxBuffer: 1 << 28 })) as Row[];
}

for (const [what, sql] of [
  ['every type, with absent values', 'select name, dur, dur / 3.0 as third, communicates, correlation, nullif(stream, \'7\') as stream, dur % 5 = 0 as is_round, nullif(dur % 3, 0) as rest from kernels order by slice_id'],
  ['several batches', 'select a.slice_id, a.name from kernels a, range(20) order by all'],
  ['names that are not ASCII', 'select \'µs, 時間\' as "größe", \'\' as empty, null::varchar as none'],
  ['no rows', 'select name, dur from kernels where dur < 0'],
] as const) {
  test(`an Arrow file has the rows of the answer: ${what}`, { skip }, () => {
    assert.deepEqual(rowsByArrow(sql), rowsByJson(sql));
  });
}

test('a sum beyond 64 bits is refused, with what to do', { skip }, () => {
  const done = spawnSync(kBinary, ['query', kTrace, 'select sum(9223372036854775807::hugeint * 3) as huge from range(4)', '-o', join(folder, 'huge.arrow')], { encoding: 'utf8' });
  assert.equal(done.status, 2, done.stderr);
  assert.match(done.stderr, /'huge'.*64 bits[\s\S]*cast it/);
});
