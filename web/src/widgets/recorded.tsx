import type { JSX } from 'preact';

import type { RecordedRun } from '../api/types.ts';
import { recordedFacts, recordedOutcome, recordedNotes } from '../model/recorded.ts';

// What `strobe record` knows about a run.

export function RecordedHead({ recorded }: { recorded: RecordedRun }): JSX.Element {
  const outcome = recordedOutcome(recorded);
  return (
    <p class="recorded">
      <span class={`outcome ${outcome.is}`}>{outcome.text}</span>
      {recorded.command !== null && <code title={recorded.command}>{recorded.command}</code>}
      <span class="muted">{recordedFacts(recorded).join(' · ')}</span>
    </p>
  );
}

export function RecordedNotes({ recorded }: { recorded: RecordedRun }): JSX.Element | null {
  const notes = recordedNotes(recorded);
  if (notes.length === 0) return null;
  return <ul class="plain recorded-notes">{notes.map(({ what, why }) => <li key={what + why}><b>{what}</b>{why !== '' && <>: {why}</>}</li>)}</ul>;
}
