import type { ComponentChildren, JSX } from 'preact';
import { useMemo } from 'preact/hooks';

import type { MemorySnapshot, Row, Table } from '../api/types.ts';
import { headerOf } from '../model/names.ts';
import { withParameters } from '../model/route.ts';
import { type Course, type MemoryPart, courseOf, devicesOf, framesOf, partsOf, partsOfFrame, placeOf, tableOf } from '../model/snapshot.ts';
import { numberAt } from '../model/table.ts';
import { balancedShares, bytesText, countText, durationText, exactDuration, shareText } from '../model/units.ts';
import { DataTable, type Unfolding, kRowHeight } from '../widgets/data_table.tsx';
import { useRoute, useSession } from '../widgets/hooks.ts';
import { MemoryCurve } from '../widgets/memory_curve.tsx';
import { Card, Empty, Facts } from '../widgets/pieces.tsx';
import type { PlotMark } from '../widgets/plot.tsx';
import { RankPicker } from '../widgets/rank_picker.tsx';

// The Memory screen of a snapshot of an allocator: who holds what, now and at the peak, what grew, and which
// reserved memory is not used.

export function SnapshotMemory({ snapshot }: { snapshot: MemorySnapshot }): JSX.Element {
  const session = useSession();
  const route = useRoute();
  const devices = devicesOf(snapshot);
  const device = devices.find((row) => String(row['device']) === route.parameters['device']) ?? mostReserved(devices);
  if (!device) return <><RankPicker /><Empty title="This snapshot is empty"><p>It has neither segments nor events: the program had allocated nothing when it was taken.</p></Empty></>;
  return (
    <div class="page memory">
      <RankPicker />
      {devices.length > 1 && (
        <nav class="tabs" aria-label="Devices">
          {devices.map((row) => (
            <button key={row['device']} type="button" aria-current={row === device ? 'page' : undefined}
                    onClick={() => session.amend({ ...route, parameters: { device: String(row['device']) } })}>
              Device {row['device']} <span class="muted">{bytesText(numberAt(row, 'reserved_bytes', 0))}</span>
            </button>
          ))}
        </nav>
      )}
      <Device key={device['device']} snapshot={snapshot} device={device} />
    </div>
  );
}

function mostReserved(devices: readonly Row[]): Row | undefined {
  const reserved = (row: Row): number => numberAt(row, 'peak_reserved_bytes', 0);
  return devices.reduce<Row | undefined>((a, b) => (a && reserved(a) >= reserved(b) ? a : b), undefined);
}

function Device({ snapshot, device }: { snapshot: MemorySnapshot; device: Row }): JSX.Element {
  const number = numberAt(device, 'device', 0);
  const course = useMemo(() => courseOf(snapshot.curves.find((one) => one.device === number)), [snapshot, number]);
  const failures = useMemo(() => tableOf(snapshot, 'out_of_memory', number), [snapshot, number]);
  return (
    <>
      <DeviceFacts device={device} />
      <Failures failures={failures} />
      <DeviceCurve device={device} course={course} failures={failures} />
      <Holders snapshot={snapshot} device={number} hasEvents={numberAt(device, 'events', 0) > 0} />
      <Fragmentation snapshot={snapshot} device={device} />
      <Remarks snapshot={snapshot} device={number} />
    </>
  );
}

// When the most was in use.
function peakTime(device: Row): string {
  const [event, after_ns] = [numberAt(device, 'peak_event', null), numberAt(device, 'peak_after_ns', null)];
  if (event === null) return 'at the start';
  return after_ns !== null ? `at ${durationText(after_ns)}` : `after event ${countText(event)}`;
}

function DeviceFacts({ device }: { device: Row }): JSX.Element {
  const bytes = (key: string): string => bytesText(numberAt(device, `${key}_bytes`, 0));
  const free = numberAt(device, 'stuck_bytes', 0) + numberAt(device, 'releasable_bytes', 0);
  const events = numberAt(device, 'events', 0);
  const awaiting = numberAt(device, 'awaiting_free_bytes', 0); // freed by the program, while a stream may still use it
  return (
    <Facts facts={[
      ['In use now', <><span data-fact="now">{bytes('requested')}</span> <small>of {bytes('reserved')} reserved{awaiting > 0 && `, ${bytesText(awaiting)} of it awaiting a free`}</small></>],
      ...(events > 0 ? [
        ['Peak in use', <><span data-fact="peak">{bytes('peak_allocated')}</span> <small>of {bytes('reserved_at_peak')} reserved, {peakTime(device)}</small></>],
        ['Peak reserved', bytes('peak_reserved')],
      ] as [string, ComponentChildren][] : []),
      ['Free now', <>{bytesText(free)} <small>{bytes('stuck')} stuck</small></>],
      ['Largest free block', bytes('largest_free')],
      ['Events', countText(events)],
    ]} />
  );
}

const kCurveHint = 'drag to zoom, double click to reset';
const eventText = (event: number): string => (Number.isInteger(event) ? countText(event) : '');

function DeviceCurve({ device, course, failures }: { device: Row; course: Course; failures: Table }): JSX.Element {
  const marks = useMemo(() => {
    const all: PlotMark[] = failures.rows.map((row) => ({
      x: placeOf(course, numberAt(row, 'event', 0), numberAt(row, 'after_ns', null)), y: numberAt(row, 'allocated_bytes', 0), label: 'out of memory', isBad: true,
    }));
    const event = numberAt(device, 'peak_event', null);
    const peak = numberAt(device, 'peak_allocated_bytes', 0);
    if (course.points.length > 0) {
      all.unshift({ x: event === null ? course.points[0].x : placeOf(course, event, numberAt(device, 'peak_after_ns', null)), y: peak, label: `peak in use: ${bytesText(peak)}` });
    }
    return all;
  }, [course, failures, device]);
  if (course.points.length === 0) {
    return (
      <Card title="Over time">
        <p class="muted">The snapshot has no events of this device, so only what is held now is known. Call <code>torch.cuda.memory._record_memory_history()</code> before
          the part to be looked at, and the snapshot tells how it came to that.</p>
      </Card>
    );
  }
  return <MemoryCurve title={`In use and reserved, ${course.hasTimes ? 'over time' : 'event by event'}`} hint={course.hasTimes ? kCurveHint : `the events have no times, or times that go back; ${kCurveHint}`}
                      used="in use" points={course.points} marks={marks} xText={course.hasTimes ? durationText : eventText} xLabel={course.hasTimes ? 'time' : 'event'} />;
}

const kHeaders: Readonly<Record<string, string>> = {
  place: 'Allocated by', callers: 'Called from', requested_bytes: 'In use', allocated_bytes: 'In use', rounding_bytes: 'Lost to rounding', device_free_bytes: 'Free on the device',
  largest_free_bytes: 'Largest free block', live_bytes: 'Live', bytes: 'Size', after_ns: 'After the first event', is_expandable: 'Expandable',
};

interface HolderTable {
  key: string;
  tab: string;
  bytes: string; // the header of its bytes
  lead: string;
}

const kHolders: readonly HolderTable[] = [
  { key: 'holders', tab: 'In use now', bytes: 'In use',
    lead: 'Live blocks by the place that allocated them, as requested. [before the history]: allocated before the first event, nobody knows by whom. Click a row to see its stack.' },
  { key: 'holders_at_peak', tab: 'At the peak', bytes: 'In use',
    lead: 'What was in use at the peak, by the place that allocated it. [before the history]: allocated before the first event and freed later, nobody knows by whom.' },
  { key: 'grown', tab: 'What grew', bytes: 'Grew by',
    lead: 'Held at the lowest point of the last quarter of the history, less what was held at the lowest point of its first quarter: what stays, whatever the steps of a loop need in between.' },
];

// A place is no signature: nothing of it is left out.
const exactly = (row: Row): string => String(row['stream']); // a stream's number is a name
const asIs = (_: Row, text: string): string | undefined => text || undefined;
const kHolderColumns = ['place', 'bytes', 'share', 'blocks', 'callers'];

function Holders({ snapshot, device, hasEvents }: { snapshot: MemorySnapshot; device: number; hasEvents: boolean }): JSX.Element {
  const session = useSession();
  const route = useRoute();
  // Without events nothing is known but what is held now.
  const known = hasEvents ? kHolders : kHolders.slice(0, 1);
  const tables = useMemo(() => known.map((one) => ({ ...one, table: tableOf(snapshot, one.key, device) })), [snapshot, device]);
  const shown = tables.find((one) => one.key === route.parameters['table']) ?? tables.find((one) => one.table.rows.length > 0) ?? tables[0];
  const { table } = shown;
  // Two stacks may have the same place and the same bytes.
  const ids = useMemo(() => new Map(table.rows.map((row, i) => [row, String(i)])), [table]);
  const idOf = (row: Row): string => ids.get(row) ?? '';
  const chosen = table.rows.find((row) => idOf(row) === route.parameters['row']) ?? null;
  return (
    <section class={`card fill by-rows holders ${chosen ? 'unfolds' : ''}`} style={{ '--rows': table.rows.length + (chosen ? unfoldedHeight(chosen) / kRowHeight : 0) }}>
      <nav class="tabs" aria-label="Who holds the memory">
        {tables.map((one) => (
          <button key={one.key} type="button" aria-current={one === shown ? 'page' : undefined}
                  onClick={() => session.amend(withParameters(route, { table: one.key, row: undefined, sort: undefined }))}>
            {one.tab} <span class="muted">{countText(one.table.rows.length)}</span>
          </button>
        ))}
      </nav>
      <p class="muted table-lead">{shown.lead}</p>
      {table.rows.length === 0
        ? <p class="muted">{shown.key === 'grown' ? 'Nothing grew, or the history is too short to tell.' : 'Nothing was in use.'}</p>
        : <DataTable key={shown.key} table={table} columns={kHolderColumns} idOf={idOf} chosen={chosen} unfold={unfold} draw={{ place: asIs, callers: asIs }}
                     headerOf={(key) => (key === 'bytes' ? shown.bytes : kHeaders[key] ?? headerOf(key))}
                     state={{ sort: route.parameters['sort'], filter: route.parameters['filter'] }}
                     onState={(state) => session.amend(withParameters(route, { ...state }))}
                     onChoose={(row) => session.amend(withParameters(route, { row: row ? idOf(row) : undefined }))} />}
      {shown.key === 'grown' && table.rows.length > 0 && table.notes.map((note) => <p key={note} class="note muted">{note}</p>)}
      {table.rows_left_out > 0 && <p class="note muted">{countText(table.rows_left_out)} more places{devicesOf(snapshot).length > 1 && ' of all devices'} are left out; <code>strobe summary --format json</code> has them all.</p>}
    </section>
  );
}

const kBeforeHistory = '[before the history]';
const kFrameHeight = 19;
const kMostFrames = 14; // more of them scroll

function unfoldedHeight(row: Row): number {
  return Math.max(1, Math.min(kMostFrames, framesOf(row).length)) * kFrameHeight + 14;
}

function unfold(row: Row): Unfolding {
  return { height: unfoldedHeight(row), content: <Stack row={row} /> };
}

// The innermost frame first; the one that the row is called after stands out.
function Stack({ row }: { row: Row }): JSX.Element {
  const frames = framesOf(row);
  if (frames.length === 0) return <p class="muted">{row['place'] === kBeforeHistory ? 'Allocated before events were recorded, so the snapshot does not tell by whom.' : 'No stack was recorded for these allocations.'}</p>;
  const named = frames.indexOf(String(row['place']));
  return (
    <ol class="stack">
      {frames.map((text, i) => {
        const frame = partsOfFrame(text);
        return <li key={i} class={i === named ? 'named' : ''}><span>{frame.function}</span> <span class="muted">{frame.place}</span></li>;
      })}
    </ol>
  );
}

const kPartWords: Readonly<Record<MemoryPart['word'], { label: string; what: string; colour: string }>> = {
  used: { label: 'in use', what: 'what the program asked for, until its free has completed', colour: 'var(--kind-2)' },
  rounding: { label: 'lost to rounding', what: 'blocks are larger than what was asked for', colour: 'var(--kind-4)' },
  stuck: { label: 'free, stuck', what: 'beside live blocks of the same segment, which cannot go back to the device', colour: 'var(--kind-5)' },
  releasable: { label: 'free, releasable', what: 'in segments without a live block: empty_cache() gives them back', colour: 'var(--idle)' },
  other: { label: 'in no block', what: 'the snapshot names no block for it', colour: 'var(--hatch)' },
};

const kPoolColumns = ['type', 'stream', 'pool', 'segments', 'reserved_bytes', 'requested_bytes', 'rounding_bytes', 'free_bytes', 'releasable_bytes', 'largest_free_bytes', 'free_blocks'];
const kSegmentColumns = ['address', 'type', 'bytes', 'live_bytes', 'free_bytes', 'largest_free_bytes', 'blocks', 'is_expandable'];

function Fragmentation({ snapshot, device }: { snapshot: MemorySnapshot; device: Row }): JSX.Element | null {
  const number = numberAt(device, 'device', 0);
  const pools = useMemo(() => tableOf(snapshot, 'pools', number), [snapshot, number]);
  const segments = useMemo(() => tableOf(snapshot, 'segments', number), [snapshot, number]);
  const parts = partsOf(device);
  const reserved = numberAt(device, 'reserved_bytes', 0);
  if (reserved === 0) return null;
  const shares = balancedShares(parts.map((part) => part.bytes / reserved));
  return (
    <>
      <Card title="Fragmentation" aside={<span class="muted">what {bytesText(reserved)} of reserved memory are</span>}>
        <div class="share-strip" role="img" aria-label={parts.map((part, i) => `${kPartWords[part.word].label} ${shareText(shares[i])}`).join(', ')}>
          {parts.map((part, i) => (
            <span key={part.word} class={part.word === 'releasable' ? 'hatched' : ''} style={{ flexGrow: part.bytes, background: kPartWords[part.word].colour }} title={`${kPartWords[part.word].label}: ${bytesText(part.bytes)}`}>
              {shares[i] > 0.07 ? shareText(shares[i]) : ''}
            </span>
          ))}
        </div>
        <table class="small memory-parts">
          <thead><tr><th>Reserved memory</th><th class="number">Size</th><th class="number">Share of reserved</th><th /></tr></thead>
          <tbody>
            {parts.map((part, i) => (
              <tr key={part.word}>
                <td><span class={`swatch ${part.word === 'releasable' ? 'hatched' : ''}`} style={{ background: kPartWords[part.word].colour }} aria-hidden="true" /> {kPartWords[part.word].label}</td>
                <td class="number">{bytesText(part.bytes)}</td>
                <td class="number">{shareText(shares[i] || part.bytes / reserved)}</td>
                <td class="muted">{kPartWords[part.word].what}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Card>
      <PlainTable table={pools} title="Pools" columns={kPoolColumns} name="pools"
                  lead="Only segments of one pool and stream can lend each other memory. A request fails although enough is free if it is larger than the largest free block." />
      <PlainTable table={segments} columns={kSegmentColumns} title={segments.title} name="segments" lead="A live block keeps the free memory around it from going back to the device." />
    </>
  );
}

// A table of its own order, without a filter; nothing without rows.
function PlainTable({ table, title, columns, name, lead }: { table: Table; title: string; columns: readonly string[]; name: string; lead: string }): JSX.Element | null {
  const session = useSession();
  const route = useRoute();
  const ids = useMemo(() => new Map(table.rows.map((row, i) => [row, String(i)])), [table]);
  const key = `${name}_sort`;
  if (table.rows.length === 0) return null;
  return (
    <Card title={title} rows={table.rows.length} class="plain-table">
      <p class="muted table-lead">{lead}</p>
      <DataTable table={table} columns={columns} idOf={(row) => ids.get(row) ?? ''} isFilteredElsewhere draw={{ stream: exactly }} headerOf={(column) => kHeaders[column] ?? headerOf(column)}
                 state={{ sort: route.parameters[key] }} onState={({ sort }) => session.amend(withParameters(route, { [key]: sort }))} />
      {table.rows_left_out > 0 && <p class="note muted">{countText(table.rows_left_out)} more rows are left out.</p>}
    </Card>
  );
}

const kShownFailures = 5;

// Requests that the device had no memory for.
function Failures({ failures }: { failures: Table }): JSX.Element | null {
  if (failures.rows.length === 0) return null;
  const bytes = (row: Row, key: string): string => bytesText(numberAt(row, `${key}_bytes`, 0));
  return (
    <Card title="Out of memory" class="out-of-memory">
      <ul class="findings">
        {failures.rows.slice(0, kShownFailures).map((row, i) => {
          const after_ns = numberAt(row, 'after_ns', null);
          return (
            <li key={i} class="matters">
              <p class="headline">{bytes(row, 'requested')} were asked for by {row['place']}, and the device had no memory left.</p>
              <p class="advice">{bytes(row, 'allocated')} were in use, {bytes(row, 'reserved')} reserved, {bytes(row, 'device_free')} free on the device; event {countText(numberAt(row, 'event', 0))}
                {after_ns !== null && <span title={exactDuration(after_ns)}>, {durationText(after_ns)} after the first</span>}.</p>
            </li>
          );
        })}
      </ul>
      {failures.rows.length > kShownFailures && <p class="note muted">{countText(failures.rows.length + failures.rows_left_out - kShownFailures)} more; the curve marks them.</p>}
    </Card>
  );
}

// What happened how often, and how the allocator was set.
function Remarks({ snapshot, device }: { snapshot: MemorySnapshot; device: number }): JSX.Element | null {
  const events = tableOf(snapshot, 'events', device).rows;
  const settings = snapshot.tables['settings']?.rows ?? [];
  if (events.length === 0 && settings.length === 0) return null;
  return (
    <details class="card">
      <summary>What the file says besides: events by action, settings of the allocator</summary>
      <div class="two">
        {events.length > 0 && (
          <table class="small"><tbody>{events.map((row) => <tr key={row['action']}><td>{row['action']}</td><td class="number">{countText(numberAt(row, 'count', 0))}</td></tr>)}</tbody></table>
        )}
        {settings.length > 0 && (
          <table class="small settings"><tbody>{settings.map((row) => <tr key={row['setting']}><td>{row['setting']}</td><td class="number">{row['value']}</td></tr>)}</tbody></table>
        )}
      </div>
    </details>
  );
}
