import type { JSX } from 'preact';

import type { Column, SelectionName } from '../../api/types.ts';
import { kConditionKind, toneOf } from '../../model/kinds.ts';
import { shortName } from '../../model/names.ts';
import { csvText } from '../../model/table.ts';
import type { TimelineModel } from '../../model/timeline_model.ts';
import { isCondition } from '../../model/track_layout.ts';
import { countText, durationText, exactDuration, shareText } from '../../model/units.ts';
import { useObservable, useSession } from '../hooks.ts';
import { CopyButton, ShareBar } from '../pieces.tsx';
import { kindColour } from './colours.ts';

const kCsvColumns: readonly Column[] = [
  { key: 'name', type: 'name' }, { key: 'count', type: 'count' }, { key: 'total_ns', type: 'duration_ns' }, { key: 'self_ns', type: 'duration_ns' },
];

// What held the machine back meanwhile; no part of the time above.
function Conditions({ model, conditions }: { model: TimelineModel; conditions: readonly SelectionName[] }): JSX.Element {
  return (
    <>
      <h3>Conditions</h3>
      <table class="small conditions">
        <tbody>
          {conditions.map((one) => (
            <tr key={one.name} class="clickable" tabIndex={0} title={`${one.name}\nshow the longest`} onClick={() => void model.choose(one.longest_slice, true)}
                onKeyDown={(event) => event.key === 'Enter' && void model.choose(one.longest_slice, true)}>
              <td><span class="swatch striped" style={{ '--kind': `var(--kind-${kConditionKind})` }} aria-hidden="true" /> {one.name}</td>
              <td class="number">{countText(one.count)}</td>
              <td class="number">{durationText(one.total_ns)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

// Sums over the chosen area.
export function AreaPanel({ model }: { model: TimelineModel }): JSX.Element {
  const theme = useObservable(useSession().theme);
  const area = model.area!;
  const sums = model.areaSums;
  const names = new Map(model.info.tracks.map((track) => [track.track, track.name]));
  const bands = new Set(model.info.tracks.filter(isCondition).map((track) => track.track));
  const conditions = (sums?.top ?? []).filter((one) => one.kind === kConditionKind);
  const csv = (): string => csvText(kCsvColumns, (sums?.top ?? []).map(({ name, count, total_ns, self_ns }) => ({ name, count, total_ns, self_ns })));
  return (
    <aside class="panel" aria-label="Chosen area">
      <header>
        <h2>Selection</h2>
        <button type="button" class="quiet" aria-label="Close selection" onClick={() => void model.chooseArea(null)}>✕</button>
      </header>
      <p class="big number">{exactDuration(Math.round(area.end_ns - area.start_ns))}</p>
      <p class="actions">
        <button type="button" class="quiet" onClick={() => model.frameChosen()}>Zoom to it <kbd>F</kbd></button>
        <CopyButton label="Copy as CSV" text={csv} />
      </p>
      {!sums ? <p class="muted">{model.problem ? String(model.problem) : 'adding up'}</p> : (
        <>
          <p data-selection-slices={sums.slices}>{countText(sums.slices)} slices on {countText(sums.tracks.length)} {sums.tracks.length === 1 ? 'track' : 'tracks'}</p>
          <h3>Busy</h3>
          <table class="small busy">
            <tbody>
              {sums.tracks.filter(({ track }) => !bands.has(track)).map((track) => (
                <tr key={track.track}>
                  <td title={names.get(track.track)}>{names.get(track.track)}</td>
                  <td><ShareBar share={track.busy_share} /></td>
                  <td class="number">{shareText(track.busy_share)}</td>
                  <td class="number muted">{durationText(track.busy_ns)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <h3>Most self time</h3>
          <table class="small top-names">
            <thead><tr><th scope="col">Name</th><th scope="col" class="number">Count</th><th scope="col" class="number">Self</th><th scope="col" class="number">Total</th></tr></thead>
            <tbody>
              {sums.top.filter((one) => one.kind !== kConditionKind).sort((a, b) => b.self_ns - a.self_ns).map((one) => (
                <tr key={`${one.kind} ${one.name}`} class="clickable" tabIndex={0} title={`${one.name}\nshow the longest`}
                    onClick={() => void model.choose(one.longest_slice, true)}
                    onKeyDown={(event) => event.key === 'Enter' && void model.choose(one.longest_slice, true)}>
                  <td><span class="swatch" style={{ background: kindColour(one.kind, toneOf(one.name), theme) }} aria-hidden="true" /> {shortName(one.name)}</td>
                  <td class="number">{countText(one.count)}</td>
                  <td class="number">{durationText(one.self_ns)}</td>
                  <td class="number">{durationText(one.total_ns)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {conditions.length > 0 && <Conditions model={model} conditions={conditions} />}
          {sums.names_left_out > 0 && <p class="muted">and {countText(sums.names_left_out)} more names</p>}
        </>
      )}
    </aside>
  );
}
