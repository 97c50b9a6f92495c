import type { Theme } from './kinds.ts';

export type ThemeChoice = Theme | 'system';

const kKey = 'strobe.theme';

// A page from a file or in a locked-down browser may have no storage.
export function rememberedTheme(storage: Pick<Storage, 'getItem'> | null): ThemeChoice {
  try {
    const value = storage?.getItem(kKey);
    return value === 'light' || value === 'dark' ? value : 'system';
  } catch {
    return 'system';
  }
}

export function rememberTheme(storage: Pick<Storage, 'setItem'> | null, choice: ThemeChoice): void {
  try {
    storage?.setItem(kKey, choice);
  } catch {
    return;
  }
}

export function themeOf(choice: ThemeChoice, prefersDark: boolean): Theme {
  if (choice !== 'system') return choice;
  return prefersDark ? 'dark' : 'light';
}
