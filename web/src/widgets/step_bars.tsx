import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { type Part, type Stack, kWarmUpWords, shareTexts, thinned, warmUpOf, warmUpText } from '../model/breakdown.ts';
import { kLabelKinds } from '../model/kinds.ts';
import { durationText, exactDuration } from '../model/units.ts';
import { useSize } from './hooks.ts';
import { Tooltip, type Tip } from './pieces.tsx';

// Stacked bars of parts that add up: every nanosecond of a step has one label.

export function partColour(word: string): string {
  const kind = kLabelKinds[word];
  return kind === undefined ? 'var(--idle)' : `var(--kind-${kind})`;
}

export function Swatch({ word }: { word: string }): JSX.Element {
  return <span class={`swatch ${kLabelKinds[word] === undefined ? 'hatched' : ''}`} style={{ background: partColour(word) }} aria-hidden="true" />;
}

function stackTip(stack: Stack, part: Part | null): JSX.Element {
  const shares = shareTexts(stack);
  return (
    <>
      <b>{stack.name}</b> <span class="number">{exactDuration(stack.total_ns)}</span>
      {stack.isWarmUp && <p class="warm-up-tip"><WarmUpMark /> {kWarmUpWords}</p>}
      <table class="small">
        <tbody>
          {stack.parts.filter((one) => one.value_ns > 0).map((one) => (
            <tr key={one.word} class={one === part ? 'chosen' : ''}>
              <td><Swatch word={one.word} /> {one.label}</td>
              <td class="number">{durationText(one.value_ns)}</td>
              <td class="number">{shares.get(one)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

export function WarmUpMark(): JSX.Element {
  return <span class="warm-up-mark" aria-hidden="true" />;
}

const kHeight = 168;
const kLeft = 52;
const kBottom = 20;
const kThickest = 120;
const kTextWidth = 44;

// A round number above the tallest bar, divided into two or four parts.
function axisTop(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most)));
  return ([1, 1.5, 2, 3, 4, 5, 6, 8, 10].find((step) => step * power >= most) ?? 10) * power;
}

// The axis is that of the steady steps. A warm-up beyond it is cut off and tells its time.
function axisTopOf(stacks: readonly Stack[]): number {
  const steady = stacks.filter((stack) => !stack.isWarmUp);
  const lengths = (steady.length > 0 ? steady : stacks).map((stack) => stack.total_ns);
  return axisTop(Math.max(1, ...lengths));
}

// One bar per step, side by side; too many to draw are thinned by taking the longest of neighbours.
export function StepBars({ stacks, unit, ranks, onOpen }: {
  stacks: readonly Stack[]; unit: string; ranks: number; onOpen?: (stack: Stack) => void;
}): JSX.Element {
  const [ref, size] = useSize<HTMLDivElement>();
  const [tip, setTip] = useState<Tip | null>(null);
  const width = Math.max(200, size.width);
  const room = width - kLeft;
  const most = Math.max(1, Math.floor(room / 5));
  const every = Math.ceil(stacks.length / most);
  const shown = every === 1 ? stacks : thinned(stacks, every);
  const pitch = room / Math.max(1, shown.length);
  const gap = pitch > 24 ? 6 : pitch > 8 ? 2 : 1;
  const thick = Math.min(kThickest, pitch - gap);
  const top = axisTopOf(shown);
  const warmUp = warmUpOf(stacks);
  const head = shown.some((stack) => stack.total_ns > top) ? 22 : 6; // room for the times of bars that are cut off
  const scale = (kHeight - kBottom - head) / top;
  const y = (ns: number): number => kHeight - kBottom - ns * scale;
  const everyName = Math.ceil(kTextWidth / pitch);
  return (
    <div ref={ref} class="step-bars" onMouseLeave={() => setTip(null)}>
      <svg width={width} height={kHeight} role="group" aria-label="Time of every step by label">
        <defs>
          <pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <rect width="5" height="5" fill="var(--idle)" /><line x1="0" x2="0" y1="0" y2="5" stroke="var(--hatch)" stroke-width="2" />
          </pattern>
        </defs>
        {[0, 0.5, 1].map((share) => (
          <g key={share}>
            <line x1={kLeft} x2={width} y1={y(top * share) + 0.5} y2={y(top * share) + 0.5} class="grid" />
            <text x={kLeft - 6} y={y(top * share) + 4} class="axis end">{durationText(top * share)}</text>
          </g>
        ))}
        {shown.map((stack, i) => {
          const x = kLeft + i * pitch + (pitch - thick) / 2;
          const cut = Math.min(1, (kHeight - kBottom - head + 6) / (scale * stack.total_ns)); // what is drawn of a bar beyond the axis
          let done = 0;
          return (
            <g key={stack.name} class={`bar ${onOpen ? 'clickable' : ''} ${stack.isWarmUp ? 'warm-up' : ''}`} tabindex={onOpen ? 0 : undefined} role={onOpen ? 'link' : undefined}
               aria-label={`${stack.name}, ${durationText(stack.total_ns)}${stack.isWarmUp ? ', warm-up' : ''}`} onClick={() => onOpen?.(stack)}
               onKeyDown={(event) => event.key === 'Enter' && onOpen?.(stack)}>
              <rect x={x} y={0} width={thick} height={kHeight - kBottom} class="catch"
                    onMouseMove={(event) => setTip({ x: event.clientX, y: event.clientY, content: stackTip(stack, null) })} />
              {stack.parts.map((part) => {
                if (part.value_ns <= 0) return null;
                done += part.value_ns * cut;
                const fill = kLabelKinds[part.word] === undefined ? 'url(#hatch)' : partColour(part.word);
                return <rect key={part.word} x={x} y={y(done)} width={thick} height={Math.max(0.5, part.value_ns * scale * cut)} fill={fill}
                             onMouseMove={(event) => setTip({ x: event.clientX, y: event.clientY, content: stackTip(stack, part) })} />;
              })}
              {stack.isWarmUp && <rect x={x} y={kHeight - kBottom + 2} width={thick} height={3} class="warm-up-line" />}
              {cut < 1 && <path d={brokenLine(x, y(top) + 8, thick)} class="broken" />}
              {cut < 1 && (thick > kTextWidth || isFirstCut(shown, i, top)) && <text x={x} y={10} class="axis">{durationText(stack.total_ns)}</text>}
              {i % everyName === 0 && <text x={x + thick / 2} y={kHeight - 5} class="axis middle">{stack.short}</text>}
            </g>
          );
        })}
      </svg>
      {warmUp.steps > 0 && (
        <p class="note warm-up-legend" title={kWarmUpWords}>
          <WarmUpMark /> warm-up: {warmUpText(warmUp, unit, ranks)}; averages leave {warmUp.steps === 1 ? 'it' : 'them'} out
        </p>
      )}
      {every > 1 && <p class="muted note">{stacks.length} {unit}s: each bar is the longest of {every}.</p>}
      {shown.some((stack) => stack.short.includes('·')) && <p class="muted note">below each bar: rank · step</p>}
      <Tooltip tip={tip} />
    </div>
  );
}

// A zigzag across a bar that goes on.
function brokenLine(x: number, y: number, width: number): string {
  const teeth = Math.max(1, Math.round(width / 6));
  const points = Array.from({ length: 2 * teeth + 1 }, (_, i) => `${x + (i * width) / (2 * teeth)} ${i % 2 === 0 ? y : y - 4}`);
  return `M${points.join('L')}`;
}

// Neighbours have no room for a text each.
function isFirstCut(stacks: readonly Stack[], i: number, top: number): boolean {
  return i === 0 || stacks[i - 1].total_ns <= top;
}

// One bar across the page.
export function ShareStrip({ stack }: { stack: Stack }): JSX.Element {
  const [tip, setTip] = useState<Tip | null>(null);
  const shares = shareTexts(stack);
  return (
    <div class="share-strip" onMouseLeave={() => setTip(null)} role="img"
         aria-label={stack.parts.map((part) => `${part.label} ${shares.get(part)}`).join(', ')}>
      {stack.parts.filter((part) => part.value_ns > 0).map((part) => (
        <span key={part.word} class={kLabelKinds[part.word] === undefined ? 'hatched' : ''}
              style={{ flexGrow: part.value_ns, background: partColour(part.word) }}
              onMouseMove={(event) => setTip({ x: event.clientX, y: event.clientY, content: stackTip(stack, part) })}>
          {part.value_ns / stack.total_ns > 0.07 ? shares.get(part) : ''}
        </span>
      ))}
      <Tooltip tip={tip} />
    </div>
  );
}
