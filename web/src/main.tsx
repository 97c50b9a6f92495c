import { render } from 'preact';

import { Client } from './api/client.ts';
import type { Summary } from './api/types.ts';
import { Session } from './model/session.ts';
import { rememberTheme, rememberedTheme, themeOf } from './model/theme.ts';
import { App } from './views/app.tsx';
import { SessionProvider } from './widgets/hooks.ts';
import { publishKinds } from './widgets/timeline/colours.ts';

function storage(): Storage | null {
  try {
    return window.localStorage;
  } catch {
    return null;
  }
}

// A report contains its document; in a served page the block is empty.
function embeddedReport(): Summary | null {
  const text = document.getElementById('strobe-report')?.textContent?.trim() ?? '';
  return text === '' ? null : (JSON.parse(text) as Summary);
}

const systemIsDark = window.matchMedia('(prefers-color-scheme: dark)');
const choice = rememberedTheme(storage());
const session = new Session(
  new Client(location.href),
  {
    hash: () => location.hash,
    push: (hash) => history.pushState(null, '', hash),
    replace: (hash) => history.replaceState(null, '', hash),
  },
  embeddedReport(), choice, themeOf(choice, systemIsDark.matches));

function applyTheme(): void {
  const theme = themeOf(session.themeChoice.value, systemIsDark.matches);
  document.documentElement.dataset['theme'] = theme;
  publishKinds(document.documentElement, theme);
  session.theme.set(theme);
}

applyTheme();
systemIsDark.addEventListener('change', applyTheme);
session.themeChoice.listen(() => {
  rememberTheme(storage(), session.themeChoice.value);
  applyTheme();
});
window.addEventListener('popstate', () => session.addressChanged());
session.isHidden = () => document.hidden;
if (!session.report) {
  void session.pollRuns();
  void session.follow();
}

render(<SessionProvider value={session}><App /></SessionProvider>, document.getElementById('app')!);
