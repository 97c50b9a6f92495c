import type { BenchFile } from './bench_types.ts';

// The answers of strobe's HTTP API, version 1, as docs/api.md describes them. Times are whole
// nanoseconds since the trace's origin.

export interface ApiErrorBody {
  code: 'bad_request' | 'not_found' | 'loading' | 'unreadable' | 'internal' | 'limit' | 'unavailable';
  what: string;
  where?: string;
  hint?: string;
  retry_ms?: number;
}

export type TraceState = 'queued' | 'loading' | 'ready' | 'failed';

export interface TraceEntry {
  trace: string;
  worker: string;
  span: string;
  rank: number | null;
  state: TraceState;
  progress: number;
  error: ApiErrorBody | null;
  file_bytes: number;
  dialect: string | null;
  device: string | null;
  slices: number | null;
  span_ns: number | null;
  import_warning: string | null;
  generation: number; // of its content: another one whenever it was loaded
  is_recording: boolean; // there will be more
  kind: 'trace' | 'snapshot' | null; // a snapshot of an allocator tells about memory only; null until it is ready
}

// What `strobe record` says about a run.
export interface RecordedRun {
  state: 'recording' | 'finished' | 'killed';
  command: string | null;
  exit_code: number | null; // of a program that failed, if one has
  signal: number | null; // that has ended the program
  started_ms: number | null;
  duration_ns: number | null;
  processes: number; // that have a trace
  ranks: number;
  missing: { source: string; is_partial: boolean; why: string }[];
  losses: string[];
}

export interface Run {
  name: string;
  recorded: RecordedRun | null; // null: not recorded by strobe
  traces: TraceEntry[];
}

// A list of kernels with their counters; read when requested.
export interface KernelFile {
  file: string;
  file_bytes: number;
}

export interface Runs {
  strobe: string;
  folder: string;
  generation: number;
  loading: boolean;
  runs: Run[];
  kernel_files: KernelFile[];
  bench_files: BenchFile[];
}

export type Cell = string | number | null;
export type ColumnType = 'text' | 'name' | 'count' | 'number' | 'bytes' | 'duration_ns' | 'share';

export interface Column {
  key: string;
  type: ColumnType;
  share_of?: string;
}

export type Row = Record<string, Cell>;

export interface Table {
  title: string;
  columns: Column[];
  rows: Row[];
  rows_left_out: number;
  notes: string[];
}

export interface Finding {
  code: string;
  weight: 'note' | 'worth_a_look' | 'matters';
  share: number;
  headline: string;
  advice: string;
  against?: string[]; // what speaks against it, a sentence each
}

export type HealthVerdict = 'complete' | 'usable' | 'not_for';

export interface HealthRemark {
  code: string;
  verdict: HealthVerdict; // `complete`: only worth knowing
  seen: string;
  consequence: string;
  advice: string;
  count: number;
  of: number | null;
  share: number | null;
  ranks: string[];
}

// Whether the recording can carry the answer.
export interface Health {
  verdict: HealthVerdict;
  text: string;
  remarks: HealthRemark[];
}

// The document of `strobe summary --format json`.
export interface Summary {
  schema: string;
  version: number;
  facts: Record<string, Cell>;
  health?: Health;
  findings: Finding[];
  tables: Record<string, Table>;
}

// `condition`: not the program's own time, but a state of the machine during it.
export type TrackKind = 'host' | 'device' | 'async' | 'other' | 'condition';

export interface TrackGroup {
  name: string;
  kind: TrackKind;
  tracks: number[];
}

export interface Track {
  track: number;
  name: string;
  process: string;
  thread: string;
  kind: TrackKind;
  rows: number;
  slices: number;
  busy_ns: number;
}

export interface CounterInfo {
  counter: number;
  name: string; // in the whole trace
  label: string; // below its group or thread; lines of one label are drawn together
  key: string; // tells them apart
  group: number | null; // index into groups
  track: number | null; // the thread that it is about
  is_main: boolean;
  unit: string; // share, bytes, number, or as it is written: MHz, B/s
  min: number;
  max: number;
}

export interface Step {
  name: string;
  start_ns: number;
  duration_ns: number;
}

export interface Timeline {
  origin_ns: string;
  span_ns: number;
  summary_span_ns: number; // what a summary's shares of the span are of
  reach_start_ns: number; // of everything that can be shown; samples may be before the first slice
  reach_end_ns: number;
  generation: number;
  is_recording: boolean;
  groups: TrackGroup[];
  tracks: Track[];
  counters: CounterInfo[];
  steps: Step[];
}

export interface TileRow {
  track: number;
  row: number;
  slices: number[]; // five each: slice, start, length, name, kind
  dense: number[]; // six each: column, columns, cover in thousandths, slices, name, kind
}

export interface Tile {
  start_ns: number;
  end_ns: number;
  columns: number;
  generation: number;
  names: string[];
  rows: TileRow[];
}

export interface SliceRef {
  slice: number;
  name: string;
  track: number;
  row: number;
  start_ns: number;
  duration_ns: number;
}

export type LinkKind = 'launches' | 'launched_by' | 'backward' | 'forward' | 'flow_out' | 'flow_in';

export interface Link extends SliceRef {
  kind: LinkKind;
}

export interface SliceDetails extends SliceRef {
  kind: number;
  category: string;
  self_ns: number;
  step: string | null;
  device_ns: number | null; // null: it is device work itself
  kernels: number | null;
  launch_delay_ns: number | null; // of device work: since the end of the call that launched it
  ancestors: SliceRef[];
  links: Link[];
  links_left_out: number;
  args: Record<string, unknown>;
}

// Slice, start, length, track, row, index into names.
export type Match = [number, number, number, number, number, number];

export interface SearchResult {
  total: number;
  total_ns: number;
  names: string[];
  matches: Match[];
}

export interface SelectionName {
  name: string;
  kind: number;
  count: number;
  total_ns: number;
  self_ns: number;
  longest_slice: number;
}

export interface Selection {
  span_ns: number;
  slices: number;
  tracks: { track: number; slices: number; busy_ns: number; busy_share: number }[];
  top: SelectionName[];
  names_left_out: number;
}

export interface CounterPoints {
  generation: number;
  points: [number, number, number][]; // time, lowest, highest
}

// How far the loaded content of traces reaches.
export interface Recordings {
  traces: { trace: string; generation: number; is_recording: boolean; reach_ns: number }[];
}

export interface MemoryPlace {
  place: string;
  peak_bytes: number;
  peak_ns: number;
  reserved_peak_bytes: number; // -1: unknown
  points: [number, number, number][]; // time, allocated, reserved (-1: unknown)
  at_peak: { name: string; bytes: number; count: number }[];
  events: number;
  not_freed_bytes: number;
}

// A device of a snapshot over time.
export interface AllocatorCurve {
  device: number;
  points: [number, number | null, number, number][]; // event, time since the first one (if events have times), in use, reserved
}

// What `strobe summary --format json` tells of a snapshot of an allocator, with curves.
export interface MemorySnapshot {
  facts: Record<string, Cell>;
  tables: Record<string, Table>;
  curves: AllocatorCurve[];
}

export interface Memory {
  places: MemoryPlace[]; // empty for a snapshot
  snapshot: MemorySnapshot | null;
}

export interface Module {
  name: string;
  calls: number;
  host_ns: number;
  host_self_ns: number;
  device_ns: number;
  device_self_ns: number;
  first_slice: number;
  children: Module[];
}

export interface Modules {
  modules: Module[];
}

export interface DiffSide {
  trace: string;
  steps: number;
  warm_up_steps: number; // the first of them, which no average counts
  step_ns: number;
  low_ns: number;
  high_ns: number;
}

export interface DiffCell {
  calls: number;
  host_ns?: number;
  device_ns?: number;
  low_ns: number;
  high_ns: number;
}

export interface DiffRow {
  name: string;
  base: DiffCell | null;
  other: DiffCell | null;
  beyond_spread: boolean;
}

export interface Diff {
  per: string;
  base: DiffSide;
  other: DiffSide;
  labels: { name: string; label: string; base_ns: number; other_ns: number }[];
  operators: DiffRow[];
  kernels: DiffRow[];
  operators_left_out: number;
  kernels_left_out: number;
}

// A quantity per cycle in two runs, with its tests. Unknown values are null; so is q if there are too few values for a test.
export interface Change {
  n_normal: number; // of metrics: cycles that share a sample count once
  n_abnormal: number;
  mean_normal: number;
  mean_abnormal: number;
  median_normal: number | null;
  median_abnormal: number | null;
  shift: number | null;
  shift_low: number | null;
  shift_high: number | null;
  cliffs_delta: number | null;
  q: number | null;
}

export interface ComparedCycle {
  cycle: number; // from 1
  name: string;
  type: string;
  start_ns: number;
  duration_ns: number;
  left_out_on: string[]; // devices
}

// The test of one type of cycles.
export interface ComparedCycleType {
  type: string;
  verdict: string;
  ms: Change;
  // Without the wildest cycles; `decide`: the verdict is theirs, because the shift does not show it.
  means_ms: { normal: number; abnormal: number; difference: number; low: number | null; high: number | null; decide: boolean };
}

export interface ComparedRank {
  rank: number;
  path: string; // the trace, as listed in runs
  cycles: { count: number; method: string; confidence: string; marker: string; list: ComparedCycle[] };
}

export interface ComparedRun {
  label: string;
  path: string;
  runs: number;
  ranks: ComparedRank[];
}

export interface ComparedFunction {
  function: string;
  device: string;
  kind: string;
  rank: number;
  cycle_type: string;
  verdict: string;
  verdict_text: string; // the same with its direction
  dbeta: number; // points of the cycle's time
  calls_normal: number;
  calls_abnormal: number;
  q_bh: number | null;
  cliffs_delta: number | null;
  suspicion: number;
  ms: Change;
}

export interface ComparedMetric {
  device: string;
  metric: string;
  unit: string;
  rank: number;
  told_by: 'all' | 'busy';
  changed: boolean;
  all: Change;
  busy: Change;
}

export interface Evidence {
  text: string;
  function: string;
  metric: string;
}

export interface Cause {
  cause: string;
  score: number;
  headline: string;
  evidence: Evidence[];
  against: Evidence[];
  advice: string;
}

export type CompareAnswer = 'no_change' | 'slower' | 'faster' | 'shifted' | 'unclear' | 'cannot_tell';

// The document of `strobe compare --format json`, as far as the page reads it.
export interface Comparison {
  schema: string;
  version: number;
  verdict: { answer: CompareAnswer; sentences: string[]; cause: string | null; confidence: string };
  runs: { normal: ComparedRun; abnormal: ComparedRun };
  cycles: { types: ComparedCycleType[] };
  causes: Cause[];
  functions: ComparedFunction[];
  metrics: ComparedMetric[];
  quality: string[];
}

export type Bound = 'tensor-bound' | 'tensor-leaning' | 'dram-bound' | 'dram-leaning' | 'l2-bound' | 'latency-bound' | 'unknown';

// Sums over launches; null if no launch was counted. Tensor and DRAM are in percent of the peak, weighted by time.
export interface KernelSums {
  launches: number;
  latency_ns: number;
  share: number; // of all time
  mean_ns: number;
  least_ns: number;
  most_ns: number;
  tensor_share: number | null;
  dram_share: number | null;
  headroom_ns: number | null; // below the peak of the busier resource
  achievable_headroom_ns: number | null; // below what is achievable
}

export interface NamedSums extends KernelSums {
  name: string;
}

export interface StudiedKernel extends NamedSums {
  full_name: string;
  family: string;
  bound: Bound;
}

export interface Roof {
  name: string;
  value: number; // FLOP/s or bytes/s
  source: string;
}

export interface RooflinePoint {
  kernel: number; // index into `kernels`
  launches: number;
  latency_ns: number;
  tensor_share: number | null;
  dram_share: number | null;
  flop_per_s: number | null;
  flop_per_byte: number | null; // of DRAM
  dram_bytes_per_s: number | null;
  l2_bytes_per_s: number | null;
  attainable_flop_per_s: number | null;
  flops_are_estimated: boolean; // from the tensor share and the peak
  bytes_are_estimated: boolean; // from the DRAM share and its peak
}

export interface KernelLayers {
  prologue_launches: number;
  layers: number;
  launches_per_layer: number;
  epilogue_launches: number;
  prologue_ns: number;
  inside_ns: number;
  epilogue_ns: number;
  layer_ns: number[];
  odd_layers: number[];
}

export interface FusionGroup {
  what: string;
  why: string;
  families: string;
  runs: number;
  launches_per_run: number;
  first_launch: number;
  latency_ns: number;
  saved_ns: number;
  saved_share: number;
  names: string[]; // of one run, in order
  names_left_out: number;
}

// The answer of /api/v1/kernels.
export interface KernelStudy {
  source: { name: string; kind: string; clock: 'free' | 'locked' | null };
  device: { name: string | null; capability: string | null; sm_count: number | null } | null;
  chip: { name: string; source: string } | null;
  chips: string[]; // the accepted values of `chip`
  achievable: { tensor: number; dram: number };
  totals: KernelSums;
  kernels: StudiedKernel[];
  kernels_left_out: number;
  families: NamedSums[];
  bounds: NamedSums[];
  roofline: { compute: Roof[]; memory: Roof[]; ridge_flop_per_byte: number | null; points: RooflinePoint[] };
  layers: KernelLayers | null;
  fusion: { runs: number; launches: number; latency_ns: number; saved_ns: number; groups: FusionGroup[]; groups_left_out: number };
  warnings: string[];
  remarks: string[]; // parts of the file that could not be used
  findings: Finding[];
}

// What SQL sees, and whether there is an engine for it.
export interface QuerySchema {
  engine: { name: string; version: string } | null;
  missing: ApiErrorBody | null; // why there is none
  tables: { name: string; meaning: string; columns: SchemaColumn[] }[];
  questions: { name: string; meaning: string; sql: string }[];
}

export interface SchemaColumn {
  name: string;
  type: string;
  unit: string | null;
  meaning: string;
}

export type QueryCell = string | number | boolean | null; // whole numbers that a double cannot hold are texts

export interface QueryAnswer {
  traces: { trace: string; run: string; rank: number }[];
  columns: { name: string; type: 'bool' | 'whole' | 'real' | 'text'; unit: string | null }[];
  rows: QueryCell[][];
  is_cut: boolean; // there are more rows
  elapsed_ns: number;
}
