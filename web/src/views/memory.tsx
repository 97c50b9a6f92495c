import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';

import type { Memory as MemoryAnswer, MemoryPlace, Table } from '../api/types.ts';
import { deviceWord, headerOf, withPlaces } from '../model/names.ts';
import { shownTrace } from '../model/ranks.ts';
import { atScreen, withParameters } from '../model/route.ts';
import { bytesText, countText, durationText } from '../model/units.ts';
import { DataTable } from '../widgets/data_table.tsx';
import { useAnswer, useRoute, useSession } from '../widgets/hooks.ts';
import { MemoryCurve } from '../widgets/memory_curve.tsx';
import { Card, Empty, Facts, Failure, Waiting } from '../widgets/pieces.tsx';
import { RankPicker } from '../widgets/rank_picker.tsx';
import { SnapshotMemory } from './memory_snapshot.tsx';
import type { Screen } from './screen.ts';
import { WithSummary } from './summary_answer.tsx';

function Memory(): JSX.Element {
  const session = useSession();
  const route = useRoute();
  if (session.report) return <MemoryTables />;
  const trace = shownTrace(route);
  const memory = useAnswer(`memory ${trace}`, () => session.client.memory(trace));
  if (memory.is === 'loading') return <Waiting what="loading the allocations" />;
  if (memory.is === 'failed') return <Failure error={memory.error} />;
  if (memory.value.snapshot) return <SnapshotMemory snapshot={memory.value.snapshot} />;
  return <Places memory={memory.value} />;
}

function Places({ memory }: { memory: MemoryAnswer }): JSX.Element {
  const session = useSession();
  const route = useRoute();
  const places = memory.places.filter((place) => place.points.length > 0);
  const place = places.find((one) => one.place === route.parameters['place'])
    ?? places.reduce<MemoryPlace | undefined>((a, b) => (a && a.peak_bytes >= b.peak_bytes ? a : b), undefined);
  if (!place) return <><RankPicker /><NothingRecorded /></>;
  return (
    <div class="page memory">
      <RankPicker />
      {places.length > 1 && (
        <nav class="tabs" aria-label="Places">
          {places.map((one) => (
            <button key={one.place} type="button" aria-current={one === place ? 'page' : undefined}
                    onClick={() => session.amend(withParameters(route, { place: one.place }))}>
              {one.place} <span class="muted">{bytesText(one.peak_bytes)}</span>
            </button>
          ))}
        </nav>
      )}
      <Facts facts={[
        ['Peak allocated', <span data-fact="peak">{bytesText(place.peak_bytes)}</span>],
        ['Peak at', durationText(place.peak_ns)],
        ['Peak reserved', place.reserved_peak_bytes > 0 ? bytesText(place.reserved_peak_bytes) : '–'],
        ['Events', countText(place.events)],
        ['Not freed', bytesText(place.not_freed_bytes)],
      ]} />
      <PlaceCurve place={place} />
      <AtPeak place={place} />
    </div>
  );
}

function PlaceCurve({ place }: { place: MemoryPlace }): JSX.Element {
  const session = useSession();
  const route = useRoute();
  const points = useMemo(() => place.points.map(([x, used, reserved]) => ({ x, used, reserved: reserved >= 0 ? reserved : null })), [place]);
  const marks = useMemo(() => [{ x: place.peak_ns, y: place.peak_bytes, label: `peak of allocated: ${bytesText(place.peak_bytes)}` }], [place]);
  return (
    <MemoryCurve title={`${place.place} over time`} hint="drag to zoom, double click to reset, click to see that moment in the timeline" used="allocated"
                 points={points} marks={marks} onClick={(at) => session.go(atScreen(route, 'timeline', { at: String(Math.round(at)) }))} />
  );
}

const kPeakHeaders: Readonly<Record<string, string>> = { name: 'Operator', bytes: 'Memory', count: 'Allocations' };

function AtPeak({ place }: { place: MemoryPlace }): JSX.Element {
  const session = useSession();
  const route = useRoute();
  const table: Table = useMemo(() => ({
    title: 'Alive at the peak', rows_left_out: 0, notes: [],
    columns: [{ key: 'name', type: 'name' }, { key: 'bytes', type: 'bytes' }, { key: 'share', type: 'share', share_of: 'the peak' }, { key: 'count', type: 'count' }],
    rows: [...place.at_peak].sort((a, b) => b.bytes - a.bytes).map((one) => ({ name: one.name, bytes: one.bytes, share: one.bytes / (place.peak_bytes || 1), count: one.count })),
  }), [place]);
  return (
    <Card title={table.title} rows={table.rows.length} aside={<span class="muted">by the operator that allocated it</span>}>
      {table.rows.length === 0
        ? <p class="muted">The trace gives no addresses, so live memory cannot be computed.</p>
        : <DataTable table={table} headerOf={(key) => kPeakHeaders[key] ?? headerOf(key)} idOf={(row) => String(row['name'])} state={{ sort: route.parameters['sort'], filter: route.parameters['filter'] }}
                     onState={(state) => session.amend(withParameters(route, { ...state }))}
                     onOpen={(row) => session.go(atScreen(route, 'timeline', { q: `=${row['name']}` }))} />}
    </Card>
  );
}

function NothingRecorded(): JSX.Element {
  return (
    <Empty title="No memory was recorded">
      <p>Record with <code>profile_memory=True</code> (PyTorch: <code>torch.profiler.profile(profile_memory=True)</code>; Paddle:
        {' '}<code>paddle.profiler.Profiler(profile_memory=True)</code>) and this shows allocated and reserved memory over
        time, and who held it at the peak.</p>
    </Empty>
  );
}

function withPlaceNames(table: Table | undefined, device: string): Table | undefined {
  return table && { ...table, rows: table.rows.map((row) => ({ ...row, place: withPlaces(String(row['place'] ?? ''), device) })) };
}

// In a report there is no curve, but the tables are there.
function MemoryTables(): JSX.Element {
  const session = useSession();
  const route = useRoute();
  return (
    <WithSummary>
      {(summary) => {
        const device = deviceWord(summary);
        const [peaks, table] = [withPlaceNames(summary.tables['memory_peaks'], device), withPlaceNames(summary.tables['memory'], device)];
        if (!table?.rows.length && !peaks?.rows.length) return <NothingRecorded />;
        return (
          <div class="page memory">
            {peaks && peaks.rows.length > 0 && (
              <Facts facts={peaks.rows.map((row) => [`Peak of ${row['place']}`, bytesText(Number(row['peak_allocated_bytes'] ?? 0))])} />
            )}
            {table && table.rows.length > 0 && (
              <Card title={table.title} rows={table.rows.length}>
                <DataTable table={table} idOf={(row) => `${row['name']} ${row['place']} ${row['pool']}`} state={{ sort: route.parameters['sort'], filter: route.parameters['filter'] }}
                           onState={(state) => session.amend(withParameters(route, { ...state }))} />
              </Card>
            )}
          </div>
        );
      }}
    </WithSummary>
  );
}

export const memory: Screen = {
  id: 'memory', title: 'Memory', shows: 'summary', takesSnapshots: true, component: Memory,
  icon: 'M3 16l4-5 3 2 4-7 3 4M3 16h14',
};
