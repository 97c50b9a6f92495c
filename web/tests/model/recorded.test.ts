import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { RecordedRun } from '../../src/api/types.ts';
import { recordedFacts, recordedNotes, recordedOutcome } from '../../src/model/recorded.ts';

const run: RecordedRun = {
  state: 'finished', command: 'python3 train.py', exit_code: 0, signal: null, started_ms: Date.UTC(2026, 0, 2, 3, 4), duration_ns: 12_300_000_000,
  processes: 2, ranks: 1, missing: [], losses: [],
};

test('how a run ended is told in words', () => {
  assert.deepEqual(recordedOutcome(run), { is: 'good', text: 'exit code 0' });
  assert.deepEqual(recordedOutcome({ ...run, exit_code: 3 }), { is: 'bad', text: 'exit code 3' });
  assert.deepEqual(recordedOutcome({ ...run, exit_code: null, signal: 9 }), { is: 'bad', text: 'ended by signal 9' });
  assert.deepEqual(recordedOutcome({ ...run, exit_code: null }), { is: 'good', text: 'finished' });
  assert.equal(recordedOutcome({ ...run, state: 'killed' }).is, 'bad');
  assert.deepEqual(recordedOutcome({ ...run, state: 'recording' }), { is: 'recording', text: 'recording… 12.3 s' });
});

test('what is not known is left out', () => {
  assert.deepEqual(recordedFacts(run), ['12.3 s', '2 processes', '1 rank', '2026-01-02 03:04 UTC']);
  assert.deepEqual(recordedFacts({ ...run, duration_ns: null, processes: 0, ranks: 0, started_ms: null }), []);
  assert.deepEqual(recordedFacts({ ...run, started_ms: 1e20, ranks: 0, processes: 1 }), ['12.3 s', '1 process']);
});

test('losses come before what was never there', () => {
  const notes = recordedNotes({
    ...run, losses: ['CUPTI dropped 12 records'],
    missing: [{ source: 'scheduler', is_partial: false, why: 'not permitted' }, { source: 'odd', is_partial: true, why: '' }],
  });
  assert.deepEqual(notes, [
    { what: 'lost', why: 'CUPTI dropped 12 records' }, { what: 'no waits for a core', why: 'not permitted' }, { what: 'only a part of odd', why: '' },
  ]);
});
