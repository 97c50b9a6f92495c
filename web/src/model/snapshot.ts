import type { AllocatorCurve, MemorySnapshot, Row, Table } from '../api/types.ts';
import { numberAt } from './table.ts';

// A snapshot of an allocator, one device at a time.

const kNoTable: Table = { title: '', columns: [], rows: [], rows_left_out: 0, notes: [] };

export function devicesOf(snapshot: MemorySnapshot): Row[] {
  return snapshot.tables['devices']?.rows ?? [];
}

// The rows of one device, of which the column says nothing then.
export function tableOf(snapshot: MemorySnapshot, key: string, device: number): Table {
  const table = snapshot.tables[key] ?? kNoTable;
  return { ...table, columns: table.columns.filter((column) => column.key !== 'device'), rows: table.rows.filter((row) => row['device'] === device) };
}

export interface Course {
  hasTimes: boolean; // otherwise `x` is the number of the event
  points: { x: number; used: number; reserved: number }[];
}

// Times that go back, as of events that several threads wrote, cannot be an axis.
export function courseOf(curve: AllocatorCurve | undefined): Course {
  const points = curve?.points ?? [];
  const hasTimes = points.length > 0 && points.every(([, time_ns], i) => time_ns !== null && (i === 0 || time_ns >= points[i - 1][1]!));
  return { hasTimes, points: points.map(([event, time_ns, used, reserved]) => ({ x: hasTimes ? time_ns! : event, used, reserved })) };
}

// Where an event is on the axis of the course.
export function placeOf(course: Course, event: number, time_ns: number | null): number {
  return course.hasTimes && time_ns !== null ? time_ns : event;
}

export interface MemoryPart {
  word: 'used' | 'rounding' | 'stuck' | 'releasable' | 'other';
  bytes: number;
}

// What the reserved memory of a device is; parts without bytes are left out, the rest add up to it.
export function partsOf(device: Row): MemoryPart[] {
  const bytes = (key: string): number => numberAt(device, `${key}_bytes`, 0);
  const rounding = Math.max(0, bytes('active') + bytes('awaiting_free') - bytes('requested'));
  const parts: MemoryPart[] = [
    { word: 'used', bytes: bytes('requested') }, { word: 'rounding', bytes: rounding }, { word: 'stuck', bytes: bytes('stuck') },
    { word: 'releasable', bytes: bytes('releasable') },
  ];
  const known = parts.reduce((sum, part) => sum + part.bytes, 0);
  return [...parts, { word: 'other' as const, bytes: bytes('reserved') - known }].filter((part) => part.bytes > 0);
}

// The frames of a row, the innermost first.
export function framesOf(row: Row): string[] {
  return typeof row['stack'] === 'string' ? row['stack'].split('\n') : [];
}

export interface Frame {
  function: string;
  place: string; // file and line
}

// "forward (model.py:54)"
export function partsOfFrame(text: string): Frame {
  const open = text.lastIndexOf(' (');
  return open < 0 || !text.endsWith(')') ? { function: text, place: '' } : { function: text.slice(0, open), place: text.slice(open + 2, -1) };
}
