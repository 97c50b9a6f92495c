import type { JSX } from 'preact';

import { chosenEntries, rankName, shownTrace } from '../model/ranks.ts';
import { withParameters } from '../model/route.ts';
import { useObservable, useRoute, useSession } from './hooks.ts';

// Says which of several chosen traces a screen shows, and lets the user choose another.
export function RankPicker(): JSX.Element | null {
  const session = useSession();
  const route = useRoute();
  const runs = useObservable(session.runs);
  if (runs.is !== 'ready' || route.traces.length < 2) return null;
  const entries = chosenEntries(runs.value, route);
  // Ids of slices and tracks belong to one trace; the window and the search are useful in another one too.
  const pick = (shown: string): void => session.go(withParameters(route, { shown, slice: undefined, area: undefined, tracks: undefined, place: undefined }));
  return (
    <p class="hint-bar rank-picker">
      <label>This screen shows one trace of {entries.length}:
        <select value={shownTrace(route)} onChange={(event) => pick(event.currentTarget.value)}>
          {entries.map((entry) => <option key={entry.trace} value={entry.trace}>{rankName(entry)}</option>)}
        </select>
      </label>
    </p>
  );
}
