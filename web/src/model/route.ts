// A view is a URL: `#/timeline?trace=a.json&from=0&to=1000`. It contains everything that determines the look of a screen and
// that a user would want to send to a colleague.

export interface Route {
  screen: string;
  traces: string[]; // the first is the one that single-trace screens show
  parameters: Record<string, string>;
}

const kFormerNames: Readonly<Record<string, string>> = { distributed: 'ranks' }; // in old links

export function parseRoute(hash: string): Route {
  const [path, query = ''] = hash.replace(/^#?\/?/, '').split('?', 2);
  const route: Route = { screen: kFormerNames[path] ?? path, traces: [], parameters: {} };
  for (const [key, value] of new URLSearchParams(query)) {
    if (key === 'trace') route.traces.push(value);
    else route.parameters[key] = value;
  }
  return route;
}

// Readable as far as the URL standard allows: people look at links before they click.
function escaped(text: string): string {
  return encodeURIComponent(text).replace(/%(?:2F|3A|2C|40|24|3B|3D)/g, decodeURIComponent).replace(/%20/g, '+');
}

export function routeHash(route: Route): string {
  const parts = route.traces.map((trace) => `trace=${escaped(trace)}`);
  for (const [key, value] of Object.entries(route.parameters)) {
    if (value !== '') parts.push(`${key}=${escaped(value)}`);
  }
  return `#/${route.screen}${parts.length > 0 ? `?${parts.join('&')}` : ''}`;
}

// Another screen for the same traces. Parameters of one screen are not carried over, except which of several traces is shown.
export function atScreen(route: Route, screen: string, parameters: Record<string, string> = {}): Route {
  const { shown } = route.parameters;
  return { screen, traces: route.traces, parameters: shown === undefined ? parameters : { shown, ...parameters } };
}

export function withParameters(route: Route, changes: Record<string, string | undefined>): Route {
  const parameters = { ...route.parameters };
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined || value === '') delete parameters[key];
    else parameters[key] = value;
  }
  return { ...route, parameters };
}

export function numberParameter(route: Route, key: string): number | null {
  const text = route.parameters[key];
  if (text === undefined || text === '') return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}
