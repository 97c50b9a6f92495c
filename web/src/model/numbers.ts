// Arithmetic that several screens share.

// Of at least one value.
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

export const kRoundDigits: readonly number[] = [1, 2, 5];

// The least of 1, 2 and 5 times a power of ten that is not below `least`.
export function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return (kRoundDigits.find((digit) => digit * power >= least) ?? 10) * power;
}
