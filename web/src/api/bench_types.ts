// The answers of /api/v1/bench and below, as docs/api.md describes them. Times are microseconds, as in benchmark files.

export interface BenchFile {
  file: string;
  file_bytes: number;
  modified_ms: number;
  kind: 'run' | 'grids';
}

export interface BenchRoofs {
  copy_bytes_per_s: number | null;
  read_bytes_per_s: number | null;
  write_bytes_per_s: number | null;
  gemm_flop_per_s: number | null;
}

export interface BenchHeader {
  run: string;
  strobe: string;
  device: string;
  driver: string;
  started: string;
  command_line: string;
  libraries: Record<string, string>;
  device_facts: Record<string, number>;
  floors_us: Record<string, number | null>;
  roofs: BenchRoofs;
  method: { flush: string; stop: string; seed: number; is_held: boolean; modes: string[] };
}

// A case in one type.
export interface BenchSection {
  case: string;
  dtype: string;
  definition: string | null;
  cells: number;
  shapes: number;
  providers: { name: string; ok: number }[];
  times: string[];
}

export interface GridMean {
  value: number; // geometric, as `metric` says
  cells: number;
}

export interface BenchAlert {
  code: string;
  weight: 'matters' | 'worth_a_look';
  headline: string;
  advice: string;
}

export interface BenchRun {
  file: string;
  kind: 'run';
  header: BenchHeader;
  sections: BenchSection[];
  remarks: string[];
}

export type GridMetric = 'relative_performance_pct' | 'relative_overhead' | 'device_speedup_pct' | 'gbps';

export interface GridTable {
  version: string;
  device: string;
  case: string;
  dtype: string;
  baseline: string;
  contender: string;
  metric: GridMetric;
  cells: number;
  with_value: number;
  mean: GridMean | null;
  is_flat: boolean;
}

export interface IdentityCheck {
  law: string;
  cells: number;
  worst: number;
  worst_cell: string;
  violated: number;
  violations: string[];
}

export interface BenchGrids {
  file: string;
  kind: 'grids';
  rows: number;
  tables: GridTable[];
  tables_left_out: number;
  identities: IdentityCheck[];
  alerts: BenchAlert[];
  remarks: string[];
}

export type PairState = 'ratio' | 'same_kernels' | 'wrong' | 'oom' | 'oom_predicted' | 'error' | 'not_there';

export interface BenchCell {
  shape: string;
  dims: number[];
  state: PairState;
  value: number | null; // as `metric` says
  gain: number | null; // above 1: the contender is faster
  low: number | null; // of the value, 95 %
  high: number | null;
  ceiling: number | null; // percent
  baseline_us: number | null;
  contender_us: number | null;
  flags: string[];
  remarks: string[];
}

export interface BenchPanel {
  title: string;
  row_axis: string;
  column_axis: string | null; // null: one shape a row
  rows: string[];
  columns: string[];
  cells: (number | null)[][]; // by row and column: index into the table's cells
}

export interface BenchTable {
  file: string;
  case: string;
  definition: string | null;
  dtype: string;
  time: string | null;
  device: string;
  baseline: string;
  contender: string;
  metric: GridMetric;
  mean: GridMean | null;
  alerts: BenchAlert[];
  panels: BenchPanel[];
  cells: BenchCell[];
}

export interface BenchTime {
  mode: string;
  p50_us: number;
  p20_us: number | null;
  p80_us: number | null;
  min_us: number | null;
  mad_us: number | null;
  low_us: number | null; // 95 % interval of the median
  high_us: number | null;
  n: number;
  set_aside: number;
  bytes_per_s: number | null;
  flop_per_s: number | null;
  copy_roof_share: number | null;
  samples_us: number[];
  samples_left_out: number;
}

export interface BenchKernel {
  name: string;
  grid: number[];
  block: number[];
  us: number | null;
  registers: number | null;
  shared_bytes: number | null;
}

export interface BenchApiCall {
  name: string;
  count: number;
  us: number;
}

// Hardware counters of one call.
export interface BenchCounters {
  launches: number;
  l1_load_bytes: number | null;
  l1_load_hit_bytes: number | null;
  l1_store_bytes: number | null;
  l1_store_hit_bytes: number | null;
  l1_reduction_bytes: number | null;
  l1_reduction_hit_bytes: number | null;
  l2_read_bytes: number | null;
  l2_write_bytes: number | null;
  dram_read_bytes: number | null;
  dram_write_bytes: number | null;
  instructions: number | null;
  flops: number | null;
  matrix_flops: number | null;
}

export interface BenchSide {
  provider: string;
  status: string;
  reason: string;
  times: BenchTime[];
  burst_us: number | null;
  sustained_us: number | null;
  bytes: { min: number; unfused: number; resident: number | null; peak: number | null };
  flops: number;
  counters: BenchCounters | null;
  kernels: BenchKernel[];
  kernels_left_out: number;
  signature: string;
  api: BenchApiCall[];
  compile: { codegen_ms: number | null; nvrtc_ms: number | null; load_ms: number | null; autotune_ms: number | null; first_call_ms: number | null; is_cached: boolean };
  config: Record<string, string>;
  accuracy: {
    equality: number; checked: number; mismatches: number; max_abs: number | null; max_rel: number | null; norm_rel: number | null; worst_index: number; atol: number; rtol: number;
  } | null;
  clocks: { sm_mhz: number | null; memory_mhz: number | null; power_w: number | null; temperature_c: number | null; reasons: string[] };
  flags: string[];
  lacks: Record<string, string>; // why requested data is missing
  notes: string[];
}

export interface BenchDetails {
  file: string;
  case: string;
  dtype: string;
  shape: string;
  dims: number[];
  state: PairState;
  value: number | null;
  low: number | null;
  high: number | null;
  ceiling: number | null;
  ceiling_share: number | null;
  flags: string[];
  remarks: string[];
  baseline: BenchSide | null;
  contender: BenchSide | null;
}

export interface BenchPoint {
  provider: string;
  shape: string;
  time_us: number;
  min_bytes: number;
  bytes_per_s: number | null;
  flop_per_s: number | null;
  flop_per_byte: number | null;
  copy_roof_share: number | null;
}

export interface BenchPoints {
  file: string;
  case: string;
  dtype: string;
  time: string | null;
  roofs: BenchRoofs;
  points: BenchPoint[];
  points_left_out: number;
}
