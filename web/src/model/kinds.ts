// The kinds of slices, as the API numbers them, and their colours. Colours follow the palette of Okabe and Ito, which works
// for every kind of colour vision; neighbours also differ in lightness. Names of one kind get slightly different tones.

export type Theme = 'light' | 'dark';

export interface Kind {
  name: string;
  light: string;
  dark: string;
}

export const kKinds: readonly Kind[] = [
  { name: 'other', light: '#cdd2d9', dark: '#4d545e' },
  { name: 'step', light: '#b4bcc9', dark: '#586377' },
  { name: 'operator', light: '#86b6de', dark: '#2a6aa3' },
  { name: 'range', light: '#b9def5', dark: '#2b6a8f' },
  { name: 'data loading', light: '#f1c666', dark: '#7f5e13' },
  { name: 'communication', light: '#ee9d70', dark: '#a94e18' },
  { name: 'Python frame', light: '#d3d8e2', dark: '#454d5c' },
  { name: 'runtime call', light: '#b9b0e0', dark: '#5f5799' },
  { name: 'profiler, waiting', light: '#e2ddd3', dark: '#57524a' },
  { name: 'kernel', light: '#69c3a6', dark: '#197459' },
  { name: 'copy', light: '#dda6c8', dark: '#8e4e77' },
  { name: 'memset', light: '#ecd0e1', dark: '#6b445f' },
  { name: 'device annotation', light: '#cbe4db', dark: '#385c51' },
  { name: 'condition', light: '#e9b0a6', dark: '#8c3f34' },
];

// Conditions are also hatched: they are not the program's own time.
export const kConditionKind = 13;

// Labels of the step breakdown, by their key in the summary, and the kind whose colour they share. `idle` has none: it is the
// background, hatched.
export const kLabelKinds: Readonly<Record<string, number>> = {
  kernel: 9,
  communication: 5,
  memcpy: 10,
  memset: 11,
  runtime: 7,
  data_loading: 4,
  host: 2,
};

export function kindOf(kind: number): Kind {
  return kKinds[kind] ?? kKinds[0];
}

export const kTones = 4;

// A number from 0 to kTones - 1 that stays with the name.
export function toneOf(name: string): number {
  let hash = 2166136261;
  for (let i = 0; i < name.length; ++i) hash = Math.imul(hash ^ name.charCodeAt(i), 16777619);
  return ((hash >>> 13) ^ (hash >>> 3)) % kTones;
}

export type Rgb = readonly [number, number, number];

export function rgbOf(hex: string): Rgb {
  const value = parseInt(hex.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

export function mixed(a: Rgb, b: Rgb, share: number): Rgb {
  return [0, 1, 2].map((i) => Math.round(a[i] + (b[i] - a[i]) * share)) as unknown as Rgb;
}

export function toned(colour: Rgb, tone: number, theme: Theme): Rgb {
  const towards: Rgb = theme === 'light' ? [255, 255, 255] : [0, 0, 0];
  const away: Rgb = theme === 'light' ? [40, 50, 60] : [235, 240, 245];
  return [mixed(colour, towards, 0.16), colour, mixed(colour, away, 0.07), mixed(colour, towards, 0.3)][tone];
}
