import type { ComponentChildren, JSX } from 'preact';

import type { LinkKind, SliceRef } from '../../api/types.ts';
import { kindOf, toneOf } from '../../model/kinds.ts';
import { shortName } from '../../model/names.ts';
import type { TimelineModel } from '../../model/timeline_model.ts';
import { countText, durationText, exactDuration } from '../../model/units.ts';
import { useObservable, useSession } from '../hooks.ts';
import { CopyButton } from '../pieces.tsx';
import { kindColour } from './colours.ts';

// Everything about the chosen slice.

const kLinkWords: Record<LinkKind, string> = {
  launches: 'launches', launched_by: 'launched by', backward: 'backward', forward: 'forward', flow_out: 'arrow to', flow_in: 'arrow from',
};

function argText(value: unknown): string {
  if (typeof value === 'string') return value;
  return JSON.stringify(value, null, 1).replace(/\n\s*/g, ' ');
}

function RefButton({ model, slice, prefix, onJump }: {
  model: TimelineModel; slice: SliceRef; prefix?: ComponentChildren; onJump: () => void;
}): JSX.Element {
  return (
    <button type="button" class="ref" title={slice.name} onClick={() => {
      onJump();
      void model.choose(slice.slice, true);
    }}>
      {prefix}<span class="ref-name">{shortName(slice.name)}</span><span class="number muted">{durationText(slice.duration_ns)}</span>
    </button>
  );
}

export function SlicePanel({ model, onJump }: { model: TimelineModel; onJump: () => void }): JSX.Element {
  const theme = useObservable(useSession().theme);
  const slice = model.slice!;
  const track = model.info.tracks.find((one) => one.track === slice.track);
  const kind = kindOf(slice.kind);
  const entries = Object.entries(slice.args);
  const launcher = slice.links.find((one) => one.kind === 'launched_by'); // the call comes before what is around it
  return (
    <aside class="panel" aria-label="Chosen slice">
      <header>
        <h2><span class="swatch" style={{ background: kindColour(slice.kind, toneOf(slice.name), theme) }} aria-hidden="true" /> {kind.name}</h2>
        <button type="button" class="quiet" aria-label="Close details" onClick={() => void model.choose(null, false)}>✕</button>
      </header>
      <p class="full-name">{slice.name}</p>
      <p class="actions">
        <button type="button" class="quiet" onClick={() => model.frameChosen()}>Zoom to it <kbd>F</kbd></button>
        <button type="button" class="quiet" onClick={() => void model.find(`=${slice.name}`, 'stay')}>All of this name</button>
        <CopyButton label="Copy" text={() => JSON.stringify(slice, null, 2)} />
      </p>
      <dl class="pairs">
        <div><dt>Duration</dt><dd class="number" data-duration={slice.duration_ns}>{exactDuration(slice.duration_ns)}</dd></div>
        {slice.self_ns !== slice.duration_ns && <div><dt>Self</dt><dd class="number">{exactDuration(slice.self_ns)}</dd></div>}
        <div><dt>Start</dt><dd class="number">{exactDuration(slice.start_ns)}</dd></div>
        {slice.kernels !== null && slice.kernels > 0 && <div><dt>Device time</dt><dd class="number">{durationText(slice.device_ns ?? 0)} <span class="muted">in {countText(slice.kernels)}</span></dd></div>}
        {slice.launch_delay_ns !== null && slice.launch_delay_ns !== undefined && (
          <div><dt>Launch delay</dt><dd class="number" data-launch-delay={slice.launch_delay_ns}>{exactDuration(slice.launch_delay_ns)}
            {launcher && <span class="muted"> after {shortName(launcher.name)}</span>}</dd></div>
        )}
        {slice.step !== null && <div><dt>Step</dt><dd>{slice.step}</dd></div>}
        <div><dt>Track</dt><dd>{track?.name ?? slice.track}</dd></div>
        <div><dt>Category</dt><dd>{slice.category}</dd></div>
      </dl>
      {slice.links.length > 0 && (
        <>
          <h3>Arrows <kbd title="Follow the first">G</kbd></h3>
          <div class="refs">
            {slice.links.slice(0, 40).map((link) => (
              <RefButton key={`${link.kind} ${link.slice}`} model={model} slice={link} onJump={onJump}
                         prefix={<span class="muted link-kind">{kLinkWords[link.kind]}</span>} />
            ))}
            {slice.links.length + slice.links_left_out > 40 && <p class="muted">and {countText(slice.links.length + slice.links_left_out - 40)} more</p>}
          </div>
        </>
      )}
      {slice.ancestors.length > 0 && (
        <>
          <h3>Inside</h3>
          <div class="refs">{slice.ancestors.map((one) => <RefButton key={one.slice} model={model} slice={one} onJump={onJump} />)}</div>
        </>
      )}
      {entries.length > 0 && (
        <>
          <h3>Arguments</h3>
          <dl class="pairs args">
            {entries.map(([key, value]) => <div key={key}><dt>{key}</dt><dd>{argText(value)}</dd></div>)}
          </dl>
        </>
      )}
    </aside>
  );
}
