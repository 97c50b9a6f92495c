import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

import { kConditionKind, kKinds } from '../../model/kinds.ts';
import type { TimelineModel } from '../../model/timeline_model.ts';
import { isCondition } from '../../model/track_layout.ts';
import { countText, durationText } from '../../model/units.ts';
import { useKeys } from '../hooks.ts';

// Search over the names of slices, and the legend.

function state(model: TimelineModel): string {
  const { typed, result, index, problem } = model.search;
  if (problem !== '') return problem;
  if (typed === '') return '';
  if (!result) return 'searching';
  if (result.total === 0) return 'nothing is called that';
  const where = index >= 0 ? `${countText(index + 1)} of ` : '';
  return `${where}${countText(result.total)} ${result.total === 1 ? 'slice' : 'slices'}, ${durationText(result.total_ns)}`;
}

export function SearchBar({ model }: { model: TimelineModel }): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useKeys((event) => {
    if (event.key !== '/') return false;
    input.current?.select();
    return true;
  });
  const { typed, problem, result } = model.search;
  // Answers come late; they must not change what the user is typing.
  useEffect(() => {
    const box = input.current;
    if (box && box !== document.activeElement) box.value = typed;
  }, [typed]);
  // Then the keys of the timeline work again.
  const leave = (): void => {
    input.current?.blur();
    input.current?.closest('.timeline-column')?.querySelector<HTMLElement>('.tl-scroller')?.focus({ preventScroll: true });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      event.preventDefault(); // browsers would empty the box
      leave();
      return;
    }
    if (event.key !== 'Enter') return;
    event.preventDefault();
    clearTimeout(timer.current);
    const value = input.current?.value ?? '';
    if (value !== typed || !result) void model.find(value, 'first');
    else model.nextMatch(event.shiftKey ? -1 : 1);
    leave();
  };
  const hasConditions = model.info.tracks.some(isCondition);
  const kinds = new Set([2, 3, 5, 6, 7, 9, 10, ...(hasConditions ? [kConditionKind] : [])]);
  return (
    <div class="tools">
      <span class={`filter ${problem ? 'wrong' : ''}`}>
        <input ref={input} type="search" placeholder="Search slices, /pattern/ or =name" aria-label="Search slices" defaultValue={typed}
               spellcheck={false} aria-invalid={problem !== ''} onKeyDown={onKeyDown}
               onInput={(event) => {
                 const { value } = event.currentTarget;
                 clearTimeout(timer.current);
                 timer.current = setTimeout(() => void model.find(value, 'stay'), 140);
               }} />
        <kbd aria-hidden="true">/</kbd>
      </span>
      <button type="button" class="quiet square" aria-label="Previous match" title="Previous match (Shift-Enter)" disabled={!result?.total} onClick={() => model.nextMatch(-1)}>↑</button>
      <button type="button" class="quiet square" aria-label="Next match" title="Next match (Enter)" disabled={!result?.total} onClick={() => model.nextMatch(1)}>↓</button>
      <span class="count" role="status" data-search>{state(model)}</span>
      <span class="grow" />
      <ul class="legend" aria-label="Colours">
        {kKinds.map((kind, i) => kinds.has(i) && (
          <li key={kind.name}><span class={`swatch ${i === kConditionKind ? 'striped' : ''}`} style={{ '--kind': `var(--kind-${i})` }} aria-hidden="true" />{kind.name}</li>
        ))}
      </ul>
      {model.info.is_recording && (
        <button type="button" class="quiet follow" aria-pressed={model.isFollowing} title="Keep the end of the recording on the screen (E)"
                onClick={() => model.follow(!model.isFollowing)}>Follow the end</button>
      )}
      <button type="button" class="quiet" title="Show everything (0)" onClick={() => model.fit()}>Fit</button>
    </div>
  );
}
