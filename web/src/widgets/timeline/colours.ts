import { type Theme, kKinds, rgbOf, toned } from '../../model/kinds.ts';
import { type Inks, inksOf } from '../../model/pixels.ts';

// The colours of the page, in the form that canvases need.
export interface Colours {
  theme: Theme;
  inks: Inks;
  background: string;
  band: string;
  line: string;
  text: string;
  muted: string;
  accent: string;
  sliceText: string;
  counter: string;
  lines: readonly string[]; // of several counters in one lane
}

const kLines: Record<Theme, readonly string[]> = {
  light: ['#2a78bd', '#c2571a', '#17805e', '#8557ab', '#927000', '#6b717b'],
  dark: ['#6fb0e6', '#ee9560', '#57c39f', '#b99be0', '#d3b04a', '#a4abb5'],
};

// The same colours as CSS variables, for everything that is not a canvas.
export function publishKinds(root: HTMLElement, theme: Theme): void {
  kKinds.forEach((kind, i) => root.style.setProperty(`--kind-${i}`, kind[theme]));
  kLines[theme].forEach((line, i) => root.style.setProperty(`--line-${i}`, line));
}

export function kindColour(kind: number, tone: number, theme: Theme): string {
  const [r, g, b] = toned(rgbOf((kKinds[kind] ?? kKinds[0])[theme]), tone, theme);
  return `rgb(${r} ${g} ${b})`;
}

export function readColours(theme: Theme): Colours {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string): string => style.getPropertyValue(name).trim();
  const background = read('--canvas');
  return {
    theme,
    background,
    inks: inksOf(theme, background),
    band: read('--band'),
    line: read('--line'),
    text: read('--text'),
    muted: read('--muted'),
    accent: read('--accent'),
    sliceText: read('--slice-text'),
    counter: read('--counter'),
    lines: kLines[theme],
  };
}
