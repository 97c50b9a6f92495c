import type { Summary } from '../api/types.ts';

// Names of kernels are whole C++ signatures; they differ in the middle.

function withoutArguments(name: string): string {
  if (!name.endsWith(')')) return name;
  let depth = 0;
  for (let i = name.length - 1; i >= 0; --i) {
    if (name[i] === ')') ++depth;
    else if (name[i] === '(' && --depth === 0) return i === 0 ? name : name.slice(0, i);
  }
  return name;
}

const kEvaluate = 'autograd::engine::evaluate_function: ';
const kSignature = /^(?:void|static|auto) |[>)]\([^()]*\)$|>\(.*\)$/;

// The name as a table shows it: without return type, argument list and the namespaces in front.
export function shortName(name: string): string {
  if (name.startsWith(kEvaluate)) return `autograd: ${name.slice(kEvaluate.length)}`;
  if (!kSignature.test(name)) return name;
  const bare = withoutArguments(name.replace(/^(?:static |void |auto )+/, '')).trim();
  return bare.replace(/(?:\(anonymous namespace\)::|\b[A-Za-z_]\w*::)+(?=[A-Za-z_])/g, '');
}

// "a/b/worker0.pt.trace.json.gz" -> "worker0"
export function traceLabel(trace: string): string {
  const file = trace.slice(trace.lastIndexOf('/') + 1);
  return file.replace(/\.(?:gz|zst)$/, '').replace(/\.json$/, '').replace(/\.pt\.trace$/, '');
}

// "gemm_kernel" must not match "sm90_gemm": a whole name as a pattern.
export function exactPattern(name: string): string {
  return `^${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`;
}

const kWords: Record<string, string> = {
  flops: 'FLOPs', gpu: 'GPU',
};

// Headers that are not simply their keys, in the words of `strobe summary`. A key may mean less in one table than in another.
const kHeaders: Record<string, string> = {
  per_step_ns: 'Per step',
  share: 'Share',
  host_share: 'Share',
  host_self_share: 'Share',
  device_share: 'Share',
  device_total_ns: '{device} total',
  device_self_ns: '{device} self',
  device_self_share: 'Share',
  device_per_call_ns: '{device} per call',
  device_max_ns: '{device} longest',
  device_min_ns: '{device} shortest',
  steady_per_call_ns: 'Steady per call',
  steady_mean_queue: 'Mean queue, steady',
  host_max_ns: 'Host longest',
  host_min_ns: 'Host shortest',
  launched_device_ns: '{device} work launched',
  launched_kernel_ns: 'Kernels launched',
  top_operator: 'Launched by (mostly)',
  top_operator_share: 'Share',
  outer_operator: 'Inside',
  own_step_ns: 'Own time per step',
  own_step_share: 'Own time',
  step_average_ns: 'Average step',
  exposed_step_ns: 'Exposed per step',
  exposed_communication_ns: 'Exposed',
  device_busy_share: '{device} busy',
  busy_share: 'Busy',
  device_idle_ns: '{device} idle',
  in_steps_ns: 'In steps',
  idle_total_ns: 'Idle total',
  idle_share: 'Share',
  idle_max_ns: 'Longest',
  longest_rank: 'Of rank',
  longest_inside: 'Inside',
  longest_source: 'Called from',
  source: 'Called from',
  works: 'Work',
  median_delay_ns: 'Median delay',
  p90_delay_ns: '90 % below',
  max_delay_ns: 'Longest delay',
  beta_change: 'Share',
  latency_ns: 'Total',
  tensor_share: 'Tensor',
  dram_share: 'DRAM',
  achievable_headroom_ns: 'Headroom',
  q: 'q',
};

const kHeadersOfTables: Record<string, Record<string, string>> = {
  idle: { label: 'The host was in', word: 'Kind' },
  runtime_calls: { host_per_call_ns: 'Per call', host_median_ns: 'Median', host_max_ns: 'Longest' },
  ranks: { last_in: 'Last in collectives', busy_share: 'Busy' },
  steps: {
    duration_ns: 'Time', start_ns: 'Starts at', state: 'Remark', kernel_ns: 'Computes', communication_ns: 'Communicates', memcpy_ns: 'Copies', memset_ns: 'Sets memory',
    runtime_ns: 'Idle, in calls', data_loading_ns: 'Idle, loading', host_ns: 'Idle, in code', idle_ns: 'Idle, nothing',
  },
  kinds: { side: 'Where', busy_ns: 'Time' },
  kernels: { device_total_ns: 'Total', device_per_call_ns: 'Per call', device_max_ns: 'Longest', device_min_ns: 'Shortest' },
};

// "host_total_ns" -> "Host total": the unit is shown elsewhere. `device` is what the trace calls its devices.
export function headerOf(key: string, table = '', device = 'device'): string {
  const known = kHeadersOfTables[table]?.[key] ?? kHeaders[key];
  const words = key.replace(/_(?:ns|bytes)$/, '').split('_');
  const text = (known ?? words.map((word) => kWords[word] ?? word).join(' ')).replace('{device}', device);
  return known && !known.startsWith('{') ? text : text.charAt(0).toUpperCase() + text.slice(1);
}

// "GPU": as the table of devices calls them, without a number.
export function deviceWord(summary: Summary): string {
  const [first] = summary.tables['devices']?.rows ?? [];
  return String(first?.['device'] ?? '').replace(/\s*\d+$/, '') || 'device';
}

// "GPU 0" for "gpu:0", in a cell or in a sentence, as the timeline calls it.
export function withPlaces(text: string, device: string): string {
  return text.replace(/\bgpu:(\d+)\b/g, `${device === 'device' ? 'GPU' : device} $1`).replace(/^cpu$/, 'CPU');
}
