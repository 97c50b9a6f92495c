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
  ns: '', host: 'Host', device: 'Device', self: 'self', per: 'per', gpu: 'GPU', flops: 'FLOPs',
};

const kHeaders: Record<string, string> = {
  per_step_ns: 'Per step',
  total_ns: 'Total',
  share: 'Share',
  host_share: 'Host share',
  device_share: 'Device share',
  host_self_share: 'Host self share',
  host_per_call_ns: 'Host per call',
  device_per_call_ns: 'Device per call',
  host_max_ns: 'Host longest',
  host_min_ns: 'Host shortest',
  device_max_ns: 'Device longest',
  device_min_ns: 'Device shortest',
  top_operator: 'Most for operator',
  own_step_ns: 'Own work per step',
  own_step_share: 'Own share',
  busy_share: 'Busy',
  q: 'q',
  beta_change: 'Share',
  latency_ns: 'Total',
  tensor_share: 'Tensor',
  dram_share: 'DRAM',
  achievable_headroom_ns: 'Headroom',
};

// "host_total_ns" -> "Host total": the unit is shown elsewhere.
export function headerOf(key: string): string {
  const known = kHeaders[key];
  if (known !== undefined) return known;
  const words = key.replace(/_(?:ns|bytes)$/, '').split('_');
  const text = words.map((word) => kWords[word] ?? word).join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
