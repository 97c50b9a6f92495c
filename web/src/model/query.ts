import { exactPattern } from './names.ts';

// What users type into a search or filter box: words (case is ignored), `/pattern/`, or `=name` for a whole name.
export interface NameQuery {
  text: string;
  regex: boolean;
}

export function parseQuery(typed: string): NameQuery | null {
  const text = typed.trim();
  if (text === '' || text === '/' || text === '=') return null;
  if (text.startsWith('=')) return { text: exactPattern(text.slice(1)), regex: true };
  const pattern = /^\/(.*?)\/?$/.exec(text);
  return pattern ? { text: pattern[1], regex: true } : { text, regex: false };
}

// An invalid pattern matches nothing; `problem` says why.
export interface Matcher {
  matches: (name: string) => boolean;
  problem: string;
}

export function matcherOf(typed: string): Matcher {
  const query = parseQuery(typed);
  if (query === null) return { matches: () => true, problem: '' };
  if (!query.regex) {
    const needle = query.text.toLowerCase();
    return { matches: (name) => name.toLowerCase().includes(needle), problem: '' };
  }
  try {
    const pattern = new RegExp(query.text, 'i');
    return { matches: (name) => pattern.test(name), problem: '' };
  } catch (reason) {
    return { matches: () => false, problem: reason instanceof Error ? reason.message : String(reason) };
  }
}
