import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { parseRanks } from '../model/job.ts';

// Which ranks a common timeline shows: a chip for each, and a field for more.

interface Props {
  ranks: readonly number[];
  all: readonly number[];
  slow: readonly number[];
  most: number;
  onPick: (ranks: number[] | null) => void; // null: the usual ones
}

export function LanePicker({ ranks, all, slow, most, onPick }: Props): JSX.Element {
  const [typed, setTyped] = useState('');
  const wanted = parseRanks(typed, all);
  const room = most - ranks.length;
  const more = wanted?.filter((rank) => !ranks.includes(rank)) ?? [];
  const problem = wanted === null ? 'numbers of ranks of this job, such as 3 or 0-2, 7' : more.length > room ? `at most ${most} ranks fit` : '';
  const add = (event: Event): void => {
    event.preventDefault();
    if (problem !== '' || more.length === 0) return;
    setTyped('');
    onPick([...ranks, ...more].sort((a, b) => a - b));
  };
  return (
    <form class="lane-picker" onSubmit={add}>
      {ranks.map((rank) => (
        <span key={rank} class={`lane-chip ${slow.includes(rank) ? 'slow' : ''}`}>rank {rank}{slow.includes(rank) && <small>slow</small>}
          <button type="button" aria-label={`Leave out rank ${rank}`} disabled={ranks.length === 1} onClick={() => onPick(ranks.filter((one) => one !== rank))}>✕</button>
        </span>
      ))}
      <input type="search" value={typed} placeholder="add ranks: 3 or 0-2, 7" aria-label="Add ranks" disabled={room === 0} spellcheck={false} title={problem || undefined}
             class={problem !== '' ? 'wrong' : ''} aria-invalid={problem !== ''} onInput={(event) => setTyped(event.currentTarget.value)} />
      {problem !== '' && <span class="muted" role="status">{problem}</span>}
      <span class="grow" />
      <button type="button" class="link" onClick={() => onPick(null)}>Slow and typical ranks</button>
    </form>
  );
}
