import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Summary } from '../../src/api/types.ts';

// The real binary, on a folder of real traces.

export const kSource = need('STROBE_SOURCE_DIR');
export const kBinary = need('STROBE_BINARY');

function need(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run these tests through web/test`);
  return value;
}

const kShared = join(kSource, '..', 'shared', 'traces');

export const kCompiled = 'inference/gpt_inference_compiled.json.gz';
export const kTraining = 'training/train.json';
export const kMetrics = 'metrics/train.json';
export const kShapeless = 'shapeless/one.json';
export const kRanks = [0, 1, 2].map((rank) => `ranks/rank${rank}.json`);
export const kEightRanks = Array.from({ length: 8 }, (_, rank) => `shared/megatron_tp8/megatron_kineto_${rank}.json.zst`);
export const kBroken = 'broken/archive.pt.trace.json'; // a trace by its name

// A small training run with everything the screens show: steps, two threads, launches, memory,
// modules. Times are microseconds, as the profiler writes them; `slower` stretches one kernel.
export function trainingTrace(slower = 1): string {
  const events: object[] = [
    { ph: 'M', name: 'process_name', pid: 100, tid: 0, args: { name: 'python3' } },
    { ph: 'M', name: 'process_labels', pid: 0, tid: 0, args: { labels: 'GPU 0' } },
  ];
  let correlation = 1;
  let allocated = 1 << 20;
  const memory = (ts: number, bytes: number, addr: number): void => {
    allocated += bytes;
    events.push({ ph: 'i', s: 't', cat: 'cpu_instant_event', name: '[memory]', pid: 100, tid: 1, ts,
                  args: { 'Total Reserved': 1 << 26, 'Total Allocated': allocated, Bytes: bytes, Addr: addr, 'Device Id': 0, 'Device Type': 1 } });
  };
  for (let step = 0; step < 4; ++step) {
    const t = 1000 + step * 1000;
    events.push({ ph: 'X', cat: 'user_annotation', name: `ProfilerStep#${step + 1}`, pid: 100, tid: 1, ts: t, dur: 960 + step * 5, args: {} });
    events.push({ ph: 'X', cat: 'python_function', name: 'nn.Module: Net_0', pid: 100, tid: 1, ts: t + 20, dur: 700, args: { 'Python id': step * 10 + 1, 'Python module id': 0 } });
    for (let i = 0; i < 6; ++i) {
      const at = t + 30 + i * 110;
      const kernel = i % 3 === 2 ? 'void softmax_warp_forward<float>(float*, int)' : 'sm90_gemm_128x128';
      const duration = (i % 3 === 2 ? 20 : 60) * (i % 3 === 2 ? slower : 1) + step;
      events.push(
        { ph: 'X', cat: 'python_function', name: `nn.Module: Linear_${i}`, pid: 100, tid: 1, ts: at - 4, dur: 100, args: { 'Python id': step * 10 + 2 + i, 'Python parent id': step * 10 + 1, 'Python module id': i + 1 } },
        { ph: 'X', cat: 'cpu_op', name: i % 3 === 2 ? 'aten::softmax' : 'aten::linear', pid: 100, tid: 1, ts: at, dur: 90, args: { 'External id': correlation } },
        { ph: 'X', cat: 'cpu_op', name: i % 3 === 2 ? 'aten::_softmax' : 'aten::addmm', pid: 100, tid: 1, ts: at + 5, dur: 80, args: { 'External id': correlation } },
        { ph: 'X', cat: 'cuda_runtime', name: 'cudaLaunchKernel', pid: 100, tid: 1, ts: at + 40, dur: 12, args: { correlation, 'External id': correlation } },
        { ph: 'X', cat: 'kernel', name: kernel, pid: 0, tid: 7, ts: at + 60, dur: duration, args: { correlation, 'External id': correlation, device: 0, stream: 7, grid: [64, 1, 1] } });
      memory(at + 6, 1 << 21, 0x1000 * (i + 1));
      ++correlation;
    }
    for (let i = 0; i < 6; ++i) memory(t + 800 + i, -(1 << 21), 0x1000 * (i + 1));
  }
  return JSON.stringify({
    schemaVersion: 1, deviceProperties: [{ id: 0, name: 'Test GPU', totalGlobalMem: 1 << 30, numSms: 8 }], traceEvents: events,
  });
}

// The training run with what `strobe record` would have sampled: clocks and power of the device, a foreign process on it, the
// machine, the process and its threads; a clock limit, and waits for a core. As Chrome's format has them: counters, and slices
// of the category "condition".
export function metricsTrace(): string {
  const trace = JSON.parse(trainingTrace()) as { traceEvents: object[] };
  const sample = (pid: number | string, tid: number | string, ts: number, values: Record<string, number>): void => {
    for (const [name, value] of Object.entries(values)) trace.traceEvents.push({ ph: 'C', name, pid, tid, ts, args: { [name]: value } });
  };
  const condition = (pid: number, tid: string, name: string, ts: number, dur: number): void =>
    void trace.traceEvents.push({ ph: 'X', cat: 'condition', name, pid, tid, ts, dur, args: {} });
  for (let ts = 1000; ts <= 5000; ts += 100) {
    const isLimited = ts >= 3000 && ts < 4000;
    sample(0, 'metrics', ts, { gpu_sm_frequency: isLimited ? 1410 : 1980, gpu_power_mw: isLimited ? 700_000 : 550_000, gpu_power_limit_mw: 700_000,
                               gpu_temperature_c: 50 + ts / 1000, gpu_usage: 90 });
    trace.traceEvents.push({ ph: 'C', name: 'gpu_foreign_process_usage', pid: 0, tid: 'metrics', ts, args: { 'python3 (991)': 30, 'Xorg (1200)': 3 } });
    sample('Host', 'metrics', ts, { host_cpu_usage: 40 });
    // It waits for a quarter of the time: 25 us of each 100.
    sample(100, 'metrics', ts, { process_cpu_usage: 120, schedstat_runq_ns: (ts - 1000) * 250 });
    sample(100, 1, ts, { on_cpu_pct: 70, waiting_for_core_pct: 25, core: 3 });
  }
  condition(0, 'clock limits', 'power cap', 3000, 1000);
  condition(100, '1 waits for a core', 'waits: python3 (991) runs', 2000, 300);
  condition(100, '1 waits for a core', 'waits: python3 (991) runs', 2600, 150);
  return JSON.stringify(trace);
}

// One rank of a run: a step with a kernel, then a collective that starts `late` microseconds after the first rank's. It also has
// what the profiler did itself, on no process, as newer profilers write it.
export function rankTrace(rank: number, ranks: number, late = 0): string {
  const events: object[] = [
    { ph: 'M', name: 'process_name', pid: 100, tid: 0, args: { name: 'python3' } },
    { ph: 'M', name: 'process_labels', pid: rank, tid: 0, args: { labels: `GPU ${rank}` } },
    { ph: 'X', cat: 'overhead', name: 'Activity Buffer Request', pid: -1, tid: 0, ts: 1001, dur: 9, args: {} },
  ];
  let correlation = 1;
  const launch = (ts: number, name: string, start: number, dur: number): void => {
    events.push(
      { ph: 'X', cat: 'cpu_op', name: 'aten::op', pid: 100, tid: 1, ts: ts - 5, dur: 30, args: { 'External id': correlation } },
      { ph: 'X', cat: 'cuda_runtime', name: 'cudaLaunchKernel', pid: 100, tid: 1, ts, dur: 10, args: { correlation, 'External id': correlation } },
      { ph: 'X', cat: 'kernel', name, pid: rank, tid: 7, ts: start, dur, args: { correlation, 'External id': correlation, device: rank, stream: 7 } });
    ++correlation;
  };
  for (let step = 0; step < 2; ++step) {
    const t = 1000 + step * 1000;
    events.push({ ph: 'X', cat: 'user_annotation', name: `ProfilerStep#${step + 1}`, pid: 100, tid: 1, ts: t, dur: 950, args: {} });
    launch(t + 20, 'sm90_gemm_128x128', t + 60, 300 + late);
    launch(t + 60, 'ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)', t + 400 + late, 400 - late);
  }
  return JSON.stringify({
    schemaVersion: 1, distributedInfo: { backend: 'nccl', rank, world_size: ranks },
    deviceProperties: Array.from({ length: ranks }, (_, id) => ({ id, name: 'Test GPU', totalGlobalMem: 1 << 30, numSms: 8 })), traceEvents: events,
  });
}

// Twelve steps of 1 ms, of which the first two load code first: they take 41 and 9 ms.
export function coldStartTrace(): string {
  const events: object[] = [
    { ph: 'M', name: 'process_name', pid: 100, tid: 0, args: { name: 'python3' } },
    { ph: 'M', name: 'process_labels', pid: 0, tid: 0, args: { labels: 'GPU 0' } },
  ];
  let now = 1000;
  for (let step = 0; step < 12; ++step) {
    const loads = [40_000, 8_000][step] ?? 0;
    const correlation = step + 1;
    events.push({ ph: 'X', cat: 'user_annotation', name: `ProfilerStep#${step}`, pid: 100, tid: 1, ts: now, dur: loads + 1000, args: {} });
    events.push({ ph: 'X', cat: 'cpu_op', name: 'aten::mm', pid: 100, tid: 1, ts: now, dur: loads + 100, args: { 'External id': correlation } });
    if (loads > 0) events.push({ ph: 'X', cat: 'cuda_runtime', name: 'cuLibraryLoadData', pid: 100, tid: 1, ts: now + 10, dur: loads - 20, args: {} });
    events.push(
      { ph: 'X', cat: 'cuda_runtime', name: 'cudaLaunchKernel', pid: 100, tid: 1, ts: now + loads + 10, dur: 10, args: { correlation, 'External id': correlation } },
      { ph: 'X', cat: 'kernel', name: 'sm90_gemm', pid: 0, tid: 7, ts: now + loads + 25, dur: 900 + step, args: { correlation, 'External id': correlation, device: 0, stream: 7 } });
    now += loads + 1000;
  }
  return JSON.stringify({
    schemaVersion: 1, deviceProperties: [{ id: 0, name: 'Test GPU', totalGlobalMem: 1 << 30, numSms: 8 }], traceEvents: events,
  });
}

// A trace that marks no steps and in which nothing recurs.
export function shapelessTrace(): string {
  const events: object[] = [];
  ['aten::copy_', 'aten::sort', 'aten::mm', 'aten::topk'].forEach((name, i) => {
    const ts = 1000 + i * i * 100;
    events.push(
      { ph: 'X', cat: 'cpu_op', name, pid: 100, tid: 1, ts, dur: 40 + i, args: { 'External id': i + 1 } },
      { ph: 'X', cat: 'cuda_runtime', name: 'cudaLaunchKernel', pid: 100, tid: 1, ts: ts + 10, dur: 8, args: { correlation: i + 1, 'External id': i + 1 } },
      { ph: 'X', cat: 'kernel', name: `kernel_of_${name}`, pid: 0, tid: 7, ts: ts + 25, dur: 50 + 7 * i, args: { correlation: i + 1, 'External id': i + 1, device: 0, stream: 7 } });
  });
  return JSON.stringify({ schemaVersion: 1, deviceProperties: [{ id: 0, name: 'Test GPU', totalGlobalMem: 1 << 30, numSms: 8 }], traceEvents: events });
}

export function put(folder: string, name: string, text: string): void {
  mkdirSync(join(folder, name, '..'), { recursive: true });
  writeFileSync(join(folder, name), text);
}

// Small traces, quickly loaded.
export function ownTraces(folder: string): void {
  mkdirSync(join(folder, 'inference'));
  cpSync(join(kSource, 'examples', 'gpt_inference_compiled.json.gz'), join(folder, kCompiled));
  cpSync(join(kSource, 'examples', 'paddle_attention.json.gz'), join(folder, 'inference', 'paddle_attention.json.gz'));
  put(folder, kTraining, trainingTrace());
  put(folder, 'training/slower.json', trainingTrace(3));
  put(folder, kMetrics, metricsTrace());
  put(folder, kShapeless, shapelessTrace());
  kRanks.forEach((name, rank) => put(folder, name, rankTrace(rank, kRanks.length, rank === 2 ? 80 : 0)));
  put(folder, kBroken, 'PK\u0003\u0004 but no JSON');
}

function everyKind(folder: string): void {
  ownTraces(folder);
  if (!existsSync(kShared)) return;
  mkdirSync(join(folder, 'shared'));
  for (const name of ['h200_gpt_train_shapes_memory.json.gz', 'h200_gpt_train_stack.json.gz', 'h200_gpt_infer_big.json.gz']) {
    cpSync(join(kShared, name), join(folder, 'shared', name));
  }
  cpSync(join(kShared, 'megatron_tp8'), join(folder, 'shared', 'megatron_tp8'), { recursive: true });
}

export class Served {
  readonly folder: string;
  readonly url: string;
  private readonly process: ChildProcess;

  private constructor(folder: string, url: string, process: ChildProcess) {
    this.folder = folder;
    this.url = url;
    this.process = process;
  }

  static async start(fill: (folder: string) => void = everyKind): Promise<Served> {
    const folder = mkdtempSync(join(tmpdir(), 'strobe-web-'));
    fill(folder);
    const process = spawn(kBinary, ['serve', folder, '--port', '0', '--quiet'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const url = await new Promise<string>((resolve, reject) => {
      let text = '';
      process.stdout!.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        const found = /https?:\/\/\S+/.exec(text);
        if (found && text.includes('\n')) resolve(found[0]);
      });
      process.on('exit', (code) => reject(new Error(`strobe serve ended with ${code}: ${text}`)));
    });
    return new Served(folder, url.endsWith('/') ? url : `${url}/`, process);
  }

  get hasShared(): boolean {
    return existsSync(join(this.folder, 'shared'));
  }

  summary(...traces: string[]): Summary {
    return JSON.parse(run(['summary', ...traces.map((trace) => join(this.folder, trace)), '--format', 'json'])) as Summary;
  }

  // Asks again while the server loads what is asked for, as the page does.
  async get<T>(path: string): Promise<T> {
    for (let left_ms = 20_000; ;) {
      const response = await fetch(`${this.url}api/v1/${path}`);
      if (response.ok) return (await response.json()) as T;
      const answer = await response.text();
      const { code, retry_ms } = (JSON.parse(answer) as { error: { code: string; retry_ms?: number } }).error;
      if (code !== 'loading' || retry_ms === undefined || left_ms <= 0) throw new Error(`${path}: ${response.status} ${answer}`);
      left_ms -= retry_ms;
      await new Promise((resolve) => setTimeout(resolve, retry_ms));
    }
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.process.once('exit', resolve));
    this.process.kill('SIGTERM');
    await ended;
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export function run(args: readonly string[]): string {
  return execFileSync(kBinary, [...args], { encoding: 'utf8', maxBuffer: 1 << 28 });
}
