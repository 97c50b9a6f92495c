// Errors come from code that the command line uses too; what only works there does not help on the page.

// Without the parts that name a flag or a parameter of the API.
export function hintForPage(hint: string): string {
  return hint.split(/[.;]\s+/).filter((part) => !/(?:^|[\s`'(])--[a-z]|\b[a-z]+=(?:1|REGEX)\b/.test(part)).join('; ');
}

// Whether pairing by position would help.
export function canAlign(hint: string): boolean {
  return /--align\b|\balign=1\b/.test(hint);
}

// Whether another way to find cycles would help.
export function asksForCycles(hint: string): boolean {
  return /\bmarker=/.test(hint);
}

// Sentences are the same as on a terminal, which writes "us" and "->".
export function withSigns(sentence: string): string {
  return sentence.replace(/(\d) us\b/g, '$1 µs').replace(/ -> /g, ' → ');
}

// "Slower: the median rose" after the word "Slower" -> "The median rose".
export function withoutAnswer(sentence: string, answer: string): string {
  const start = `${answer}:`;
  if (!sentence.toLowerCase().startsWith(start.toLowerCase())) return sentence;
  const rest = sentence.slice(start.length).trimStart();
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

// "92.2 % of the time goes into it" beside "92.2 %" -> "of the time goes into it".
export function withoutShare(sentence: string, share: string): string {
  return sentence.startsWith(`${share} `) ? sentence.slice(share.length + 1) : sentence;
}
