import type { JSX } from 'preact';

import type { FusionGroup, KernelLayers, KernelStudy } from '../api/types.ts';
import { withSigns, withoutShare } from '../model/error_words.ts';
import { countText, durationText, shareText } from '../model/units.ts';
import { Card, ShareBar } from './pieces.tsx';

// Results of a study beyond single kernels: advice, neighbours to fuse, repeating layers, doubts.

export function AdviceCard({ study }: { study: KernelStudy }): JSX.Element | null {
  if (study.findings.length === 0) return null;
  return (
    <Card title="Where to start">
      <ol class="advice">
        {study.findings.map((one) => (
          <li key={one.code + one.headline}><span class="stake number">{one.share > 0 ? shareText(one.share) : ''}</span><span><b>{withoutShare(withSigns(one.headline), shareText(one.share))}</b> <span class="muted">{withSigns(one.advice)}</span></span></li>
        ))}
      </ol>
    </Card>
  );
}

function Group({ group, most_ns }: { group: FusionGroup; most_ns: number }): JSX.Element {
  const runs = group.runs === 1 ? 'once' : `${countText(group.runs)} times`;
  return (
    <li>
      <details>
        <summary>
          <span class="stake number">{durationText(group.saved_ns)} <span class="muted">{shareText(group.saved_share)}</span></span>
          <ShareBar share={most_ns > 0 ? group.saved_ns / most_ns : 0} />
          <span class="fusion-what"><b>{group.what || group.families}</b> <span class="muted">{countText(group.launches_per_run)} kernels, {runs}, {durationText(group.latency_ns)}</span></span>
        </summary>
        {group.why !== '' && <p>{withSigns(group.why)}</p>}
        <ol class="chain">{group.names.map((name, i) => <li key={i}><code>{name}</code></li>)}
          {group.names_left_out > 0 && <li class="muted">and {countText(group.names_left_out)} more</li>}</ol>
      </details>
    </li>
  );
}

export function FusionCard({ study }: { study: KernelStudy }): JSX.Element {
  const { fusion } = study;
  const [first] = fusion.groups;
  return (
    <Card title="Neighbours to fuse" class="fusions" aside={fusion.runs > 0 ? <span class="muted">at most {durationText(fusion.saved_ns)} of {durationText(fusion.latency_ns)}, if every chain became one kernel as slow as its slowest</span> : undefined}>
      {!first ? <p class="muted">No neighbouring kernels could be fused.</p>
        : <ul class="fusion-list">{fusion.groups.map((group) => <Group key={`${group.first_launch}`} group={group} most_ns={first.saved_ns} />)}</ul>}
      {fusion.groups_left_out > 0 && <p class="muted">{countText(fusion.groups_left_out)} smaller ones were left out.</p>}
    </Card>
  );
}

const kBarHeight = 46;

export function LayersCard({ layers }: { layers: KernelLayers }): JSX.Element {
  const most = Math.max(1, ...layers.layer_ns);
  const width = 100 / layers.layer_ns.length;
  const odd = layers.odd_layers.map((one) => `layer ${one}`).join(', ');
  return (
    <Card title="Layers" aside={<span class="muted">{countText(layers.layers)} × {countText(layers.launches_per_layer)} kernels, {durationText(layers.inside_ns)}</span>}>
      <svg class="layer-bars" width="100%" height={kBarHeight} viewBox={`0 0 100 ${kBarHeight}`} preserveAspectRatio="none" role="img" aria-label={`Time of ${layers.layers} layers`}>
        {layers.layer_ns.map((ns, i) => (
          <rect key={i} class={layers.odd_layers.includes(i) ? 'odd' : ''} x={i * width + width * 0.08} width={width * 0.84} y={kBarHeight * (1 - ns / most)} height={(kBarHeight * ns) / most}><title>layer {i}: {durationText(ns)}</title></rect>
        ))}
      </svg>
      <p class="muted">{countText(layers.prologue_launches)} kernels before ({durationText(layers.prologue_ns)}), {countText(layers.epilogue_launches)} after ({durationText(layers.epilogue_ns)}).
        {odd === '' ? ' No layer stands out.' : ` Unlike the others: ${odd}.`}</p>
    </Card>
  );
}

export function DoubtsCard({ study }: { study: KernelStudy }): JSX.Element | null {
  const doubts = [...study.warnings, ...study.remarks];
  if (doubts.length === 0) return null;
  return <Card title="About the measurement" class="doubts"><ul class="quality">{doubts.map((text) => <li key={text}>{withSigns(text)}</li>)}</ul></Card>;
}
