// Numbers for people: with their unit, and with useful digits only.

const kThinSpace = '\u202f';

export interface Unit {
  name: string;
  size: number;
}

const kTimeUnits: readonly Unit[] = [
  { name: 's', size: 1e9 },
  { name: 'ms', size: 1e6 },
  { name: 'µs', size: 1e3 },
  { name: 'ns', size: 1 },
];

const kByteUnits: readonly Unit[] = [
  { name: 'GiB', size: 2 ** 30 },
  { name: 'MiB', size: 2 ** 20 },
  { name: 'KiB', size: 2 ** 10 },
  { name: 'B', size: 1 },
];

const kPrefixes: readonly Unit[] = [
  { name: 'P', size: 1e15 },
  { name: 'T', size: 1e12 },
  { name: 'G', size: 1e9 },
  { name: 'M', size: 1e6 },
  { name: 'k', size: 1e3 },
  { name: '', size: 1 },
];

const kCountUnits = kPrefixes.slice(1); // counts are never in P

function fitting(units: readonly Unit[], value: number): Unit {
  const size = Math.abs(value);
  return units.find((unit) => size >= unit.size) ?? units[units.length - 1];
}

// The prefix for a quantity in a decimal unit such as B/s; with a `slack` below 1, a value just below a prefix has it already.
export function prefixOf(value: number, slack = 1): Unit {
  return kPrefixes.find((one) => Math.abs(value) >= one.size * slack) ?? kPrefixes[kPrefixes.length - 1];
}

// Three significant digits, never fewer than all whole ones.
export function threeDigits(value: number): string {
  const size = Math.abs(value);
  if (size >= 100 || size === 0) return grouped(Math.round(value));
  if (size >= 10) return value.toFixed(1);
  return value.toFixed(2);
}

export function grouped(value: number): string {
  const digits = Math.abs(value).toFixed(0);
  const text = digits.length > 4 ? digits.replace(/\B(?=(\d{3})+$)/g, kThinSpace) : digits;
  return value < 0 ? `−${text}` : text;
}

function withUnit(value: number, unit: Unit): string {
  const scaled = value / unit.size;
  const text = unit.size === 1 ? grouped(scaled) : threeDigits(scaled).replace('-', '−');
  return `${text} ${unit.name}`;
}

export function durationText(ns: number): string {
  if (ns === 0) return '0';
  if (ns !== 0 && Math.abs(ns) < 1) return `${ns.toPrecision(2)} ns`;
  return withUnit(ns, fitting(kTimeUnits, ns));
}

// Every digit there is: for details and tooltips.
export function exactDuration(ns: number): string {
  const unit = fitting(kTimeUnits, ns);
  if (unit.size === 1) return `${grouped(ns)} ns`;
  const decimals = Math.round(Math.log10(unit.size));
  return `${(ns / unit.size).toFixed(decimals).replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '')} ${unit.name}`;
}

export function bytesText(bytes: number): string {
  return withUnit(bytes, fitting(kByteUnits, bytes));
}

export function countText(count: number): string {
  if (Math.abs(count) < 1e7) return Number.isInteger(count) ? grouped(count) : threeDigits(count);
  const unit = fitting(kCountUnits, count);
  return `${threeDigits(count / unit.size)} ${unit.name}`;
}

// A value of a counter, in the unit that the API gives.
export function valueText(unit: string, value: number): string {
  switch (unit) {
    case 'share': return shareText(value);
    case 'bytes': return bytesText(value);
    case 'number': return countText(value);
    case '%': return `${value.toFixed(1)} %`;
    case 'B/s': {
      const prefix = prefixOf(value);
      return `${threeDigits(value / prefix.size)} ${prefix.name}B/s`;
    }
    case '1/s': return `${countText(value)} /s`;
    default: return `${threeDigits(value)} ${unit}`;
  }
}

export function shareText(share: number): string {
  const percent = share * 100;
  if (percent !== 0 && Math.abs(percent) < 0.05) return '<0.1 %';
  return `${percent.toFixed(1)} %`;
}

// Shares of one whole, rounded to tenths of a percent so that they still add up to it: the largest
// remainders are rounded up.
export function balancedShares(shares: readonly number[]): number[] {
  const permille = shares.map((share) => Math.floor(share * 1000));
  const whole = Math.round(shares.reduce((sum, share) => sum + share, 0) * 1000);
  let missing = whole - permille.reduce((sum, one) => sum + one, 0);
  const order = shares.map((share, i) => ({ i, rest: share * 1000 - permille[i] })).sort((a, b) => b.rest - a.rest);
  for (const { i } of order) if (missing-- > 0) ++permille[i];
  return permille.map((one) => one / 1000);
}

export function signedDuration(ns: number): string {
  return ns > 0 ? `+${durationText(ns)}` : durationText(ns);
}

export function signedShare(share: number): string {
  const text = `${Math.abs(share * 100).toFixed(1)} %`;
  return share === 0 ? text : share < 0 ? `−${text}` : `+${text}`;
}

// One unit for a whole column, so that its numbers line up: that of its largest value, unless most values would then lose
// their digits.
export function columnUnit(type: 'duration_ns' | 'bytes' | 'count', values: readonly number[]): Unit {
  if (type === 'count') return { name: '', size: 1 };
  const sizes = values.map(Math.abs).filter((value) => value > 0).sort((a, b) => a - b);
  if (sizes.length === 0) return type === 'bytes' ? kByteUnits[3] : kTimeUnits[1];
  const units = type === 'bytes' ? kByteUnits : kTimeUnits;
  const largest = fitting(units, sizes[sizes.length - 1]);
  const typical = fitting(units, sizes[Math.floor(sizes.length / 2)]);
  const between = units.indexOf(typical) - units.indexOf(largest);
  return between > 1 ? units[units.indexOf(largest) + 1] : largest;
}

// The decimals that a column with this largest value needs.
export function decimalsFor(most: number, unit: Unit): number {
  if (unit.size === 1) return 0;
  const size = Math.abs(most) / unit.size;
  return size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3;
}

// Whether a number keeps two digits with so many decimals.
export function isReadable(value: number, unit: Unit, decimals: number): boolean {
  return value === 0 || Math.abs(value) / unit.size >= 10 ** (1 - decimals);
}

export function inUnit(value: number, unit: Unit, decimals: number): string {
  const [whole, fraction] = Math.abs(value / unit.size).toFixed(decimals).split('.');
  return `${value < 0 ? '−' : ''}${grouped(Number(whole))}${fraction === undefined ? '' : `.${fraction}`}`;
}
