import type { SearchResult } from '../api/types.ts';

// A search over the names of slices, and which of its matches is shown.

export interface Search {
  typed: string;
  result: SearchResult | null;
  index: number; // of the match shown; -1: none yet
  problem: string;
}

export const kNoSearch: Search = { typed: '', result: null, index: -1, problem: '' };

export function longestOf(result: SearchResult): number {
  let best = 0;
  result.matches.forEach((match, i) => {
    if (match[2] > result.matches[best][2]) best = i;
  });
  return best;
}

// The first match that starts at that time or later; if there is none, the first of all.
export function firstFrom(result: SearchResult, start_ns: number): number {
  return Math.max(0, result.matches.findIndex((match) => match[1] >= start_ns));
}

// The match that was shown, in a newer result; -1 if it is not there.
export function sameMatch(result: SearchResult, before: Search): number {
  const shown = before.result?.matches[before.index];
  return shown ? result.matches.findIndex((match) => match[0] === shown[0] && match[1] === shown[1]) : -1;
}
