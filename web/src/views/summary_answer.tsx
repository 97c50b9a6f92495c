import type { JSX } from 'preact';

import type { Summary } from '../api/types.ts';
import type { Loaded } from '../model/session.ts';
import { useAnswer, useRoute, useSession } from '../widgets/hooks.ts';
import { Failure, Waiting } from '../widgets/pieces.tsx';

// The summary of the chosen traces, or the one this report was made of.
export function useSummary(): Loaded<Summary> {
  const session = useSession();
  const { traces } = useRoute();
  const { report } = session;
  return useAnswer(
    report ? 'report' : `summary ${traces.join(' ')}`,
    () => (report ? Promise.resolve(report) : session.client.summary(traces)));
}

export function WithSummary({ children }: { children: (summary: Summary) => JSX.Element }): JSX.Element {
  const summary = useSummary();
  if (summary.is === 'loading') return <Waiting what="adding up" />;
  if (summary.is === 'failed') return <Failure error={summary.error} title="This trace cannot be summarised" />;
  return children(summary.value);
}
