import type { JSX } from 'preact';

import type { Summary } from '../api/types.ts';
import type { Loaded } from '../model/session.ts';
import { chosenEntries } from '../model/ranks.ts';
import { atScreen } from '../model/route.ts';
import { useAnswer, useObservable, useRoute, useSession } from '../widgets/hooks.ts';
import { Empty, Failure, Waiting } from '../widgets/pieces.tsx';

// The summary of the chosen traces, or the one this report was made of.
export function useSummary(): Loaded<Summary> {
  const session = useSession();
  const { traces } = useRoute();
  const { report } = session;
  return useAnswer(
    report ? 'report' : `summary ${traces.join(' ')}`,
    () => (report ? Promise.resolve(report) : session.client.summary(traces)));
}

// A recorded program that used no device and marked no ranges: there is nothing to add up, but much to see.
function OnlySamples(): JSX.Element {
  const session = useSession();
  const route = useRoute();
  return (
    <Empty title="Only samples were recorded">
      <p>The program used no device that strobe could watch, so there is no work to add up. The timeline shows the samples of the machine, its processes and threads.</p>
      <p><button type="button" class="primary" onClick={() => session.go(atScreen(route, 'timeline'))}>Open the timeline</button></p>
    </Empty>
  );
}

export function WithSummary({ children }: { children: (summary: Summary) => JSX.Element }): JSX.Element {
  const summary = useSummary();
  const route = useRoute();
  const runs = useObservable(useSession().runs);
  const entries = runs.is === 'ready' ? chosenEntries(runs.value, route) : [];
  const hasNoSlices = entries.length > 0 && entries.every((entry) => entry.slices === 0 && entry.span_ns !== null && entry.span_ns > 0);
  if (summary.is === 'loading') return <Waiting what="adding up" />;
  if (summary.is === 'failed' && hasNoSlices) return <OnlySamples />;
  if (summary.is === 'failed') return <Failure error={summary.error} title="This trace cannot be summarised" />;
  return children(summary.value);
}
