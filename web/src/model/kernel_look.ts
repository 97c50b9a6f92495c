import type { Bound } from '../api/types.ts';

// How to recognise a mark without its colour: the shape shows the limit, hollow means leaning.
export interface BoundLook {
  shape: 'circle' | 'square' | 'diamond' | 'triangle' | 'ring';
  isLeaning: boolean;
  text: string;
}

export const kBounds: Readonly<Record<Bound, BoundLook>> = {
  'tensor-bound': { shape: 'circle', isLeaning: false, text: 'the matrix pipe is busy 60 % of the time or more' },
  'tensor-leaning': { shape: 'circle', isLeaning: true, text: 'the matrix pipe is the busier resource, 30 to 60 %' },
  'dram-bound': { shape: 'square', isLeaning: false, text: 'DRAM runs at 60 % of its peak or more' },
  'dram-leaning': { shape: 'square', isLeaning: true, text: 'DRAM is the busier resource, 30 to 60 %' },
  'l2-bound': { shape: 'diamond', isLeaning: false, text: 'the second-level cache is what is busy' },
  'latency-bound': { shape: 'triangle', isLeaning: false, text: 'neither reaches 30 %: too short, too small or waiting' },
  unknown: { shape: 'ring', isLeaning: true, text: 'no counters' },
};

// A letter per family, for marks large enough to hold one.
const kLetters: Readonly<Record<string, string>> = {
  gemm: 'G', conv: 'V', attention: 'A', softmax: 'S', norm: 'N', concat: 'C', gather: 'I', reduce: 'R', collective: 'L', copy: 'M', rng: 'X', elementwise: 'E', other: 'O',
};

export function familyLetter(family: string): string {
  return kLetters[family] ?? 'O';
}

// Outlines around the origin, all of about the same area.
export function shapePath(shape: BoundLook['shape'], radius: number): string {
  const r = Number(radius.toFixed(2));
  if (shape === 'square') {
    const side = r * 0.886;
    return `M${-side} ${-side}H${side}V${side}H${-side}Z`;
  }
  if (shape === 'diamond') return `M0 ${-r * 1.253}L${r * 1.253} 0L0 ${r * 1.253}L${-r * 1.253} 0Z`;
  if (shape === 'triangle') return `M0 ${-r * 1.45}L${r * 1.347} ${r * 0.883}H${-r * 1.347}Z`;
  return `M${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
}
