import type { JSX } from 'preact';

import type { Bound } from '../api/types.ts';
import { familyLetter, kBounds, shapePath } from '../model/kernel_look.ts';

// A kernel as a mark: its colour and letter show the family, its shape the limit.

const kLetterFrom = 8; // pixels of radius that a letter needs

export function KernelMark({ family, bound, radius, hasLetter = true }: { family: string; bound: Bound; radius: number; hasLetter?: boolean }): JSX.Element {
  const { shape, isLeaning } = kBounds[bound] ?? kBounds.unknown;
  return (
    <g class={`sign ${isLeaning ? 'leaning' : ''}`} style={{ color: `var(--family-${family}, var(--family-other))` }}>
      <path d={shapePath(shape, radius)} />
      {hasLetter && radius >= kLetterFrom && <text class="letter" y={radius * 0.32} font-size={Math.min(15, radius * 0.95)}>{familyLetter(family)}</text>}
    </g>
  );
}

// In a table or legend.
export function SmallMark({ family, bound }: { family: string; bound: Bound }): JSX.Element {
  return <svg class="small-mark" width={14} height={14} viewBox="-7 -7 14 14" aria-hidden="true"><KernelMark family={family} bound={bound} radius={4.2} /></svg>;
}

export function FamilySwatch({ family }: { family: string }): JSX.Element {
  return <span class="family-swatch" aria-hidden="true" style={{ background: `var(--family-${family}, var(--family-other))` }}>{familyLetter(family)}</span>;
}
