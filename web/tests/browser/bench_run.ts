import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { put } from './strobe.ts';

// A made-up run that holds every state a cell can have, with samples beside it.

const kSizes = [128, 1024, 4096, 16384];
const kRows = kSizes.flatMap((rows) => kSizes.map((columns) => [rows, columns]));

type Record = { [key: string]: unknown };

// Values around a median, always the same: a low-discrepancy sequence.
function samplesAround(median: number, count: number, spread: number): number[] {
  return Array.from({ length: count }, (_, i) => median * (1 + spread * (((i * 0.6180339887) % 1) - 0.5)));
}

class Writer {
  readonly cells: Record[] = [];
  readonly samples: number[] = [];

  add(caseId: string, shape: number[], provider: string, us: number | null, more: Record = {}): void {
    const cell: Record = { case: caseId, shape, dtype: 'f32', provider, status: 'ok', ...more };
    if (us !== null) {
      const samples = samplesAround(us, 60, 0.04);
      cell['time'] = {
        device: { p50: us, p20: us * 0.99, p80: us * 1.01, min: us * 0.98, mad: us * 0.005, n: 60, ci95: [us * 0.998, us * 1.002], samples: { at: this.samples.length, n: samples.length } },
        call: { p50: us + 6, p20: us + 5, p80: us + 7, min: us + 4, mad: 1, n: 60, ci95: [us + 5.9, us + 6.1] }, ...(more['time'] as Record | undefined),
      };
      this.samples.push(...samples);
    }
    this.cells.push(cell);
  }
}

const kernel = (name: string, us: number): Record => ({ name, grid: [132, 1, 1], block: [256, 1, 1], us, registers: 32, shared_bytes: 4096 });

function chain(writer: Writer): void {
  for (const [rows, columns] of kRows) {
    const bytes = rows * columns * 8;
    const bytesOf = { bytes: { min: bytes, unfused: bytes * 5.5, resident: bytes * 3, peak: bytes * 4 }, flops: rows * columns * 3 };
    const base = 4 + bytes / 4e6;
    const unfused = { ...bytesOf, kernels: ['strobe_cos', 'strobe_mul', 'strobe_max', 'strobe_add'].map((name) => kernel(name, base)), api: [{ name: 'cuLaunchKernel', count: 4, us: 11.5 }, { name: 'cuEventRecord', count: 1, us: 1.25 }] };
    const fused = { ...bytesOf, kernels: [kernel('strobe_pointwise_1d', base)], config: { schedule: 'pointwise-1d' }, compile: { nvrtc_ms: 180, autotune_ms: 900, is_cached: false }, accuracy: { max_abs: 1e-7, max_rel: 2e-7, norm_rel: 1e-7, checked: rows * columns, mismatches: 0, worst_index: 5, atol: 1e-6, rtol: 1e-5 }, clocks: { sm_mhz: 1980, memory_mhz: 3201, power_w: 540, temperature_c: 51, reasons: [] } };
    const shape = [rows, columns];
    writer.add('pointwise_chain', shape, 'cuda-unfused', base * 4.6, unfused);
    const name = `${rows}x${columns}`;
    if (name === '128x128') writer.add('pointwise_chain', shape, 'cuda-fused', base, { ...fused, flags: ['near_floor'] });
    else if (name === '128x1024') writer.add('pointwise_chain', shape, 'cuda-fused', base * 1.7, { ...fused, status: 'wrong', reason: 'the values differ from the reference', accuracy: { max_abs: 0.5, max_rel: 0.4, norm_rel: 0.3, checked: 1000, mismatches: 250, worst_index: 7, atol: 1e-6, rtol: 1e-5 } });
    else if (name === '128x4096') writer.add('pointwise_chain', shape, 'cuda-fused', base * 4.55, { ...fused, kernels: unfused.kernels });
    else if (name === '1024x128') writer.add('pointwise_chain', shape, 'cuda-fused', base * 1.1, { ...fused, flags: ['noisy', 'throttled'], clocks: { sm_mhz: 1200, reasons: ['power cap'] } });
    else if (name === '4096x4096') writer.add('pointwise_chain', shape, 'cuda-fused', base * 9.2, fused);
    else if (name === '16384x4096') writer.add('pointwise_chain', shape, 'cuda-fused', null, { status: 'oom_predicted', reason: 'it needs 3 GB and 2 GB are free' });
    else if (name === '16384x16384') writer.add('pointwise_chain', shape, 'cuda-fused', null, { status: 'oom', reason: 'the device refused 2 GB' });
    else if (name === '16384x128') writer.add('pointwise_chain', shape, 'cuda-fused', null, { status: 'error', reason: 'the worker ended with signal 11' });
    else if (name === '16384x1024') writer.add('pointwise_chain', shape, 'cuda-fused', null, { status: 'unsupported', reason: 'rows of that many are not for it' });
    else writer.add('pointwise_chain', shape, 'cuda-fused', base * (1 + rows / 9000), fused);
  }
}

function attention(writer: Writer): void {
  for (const [heads, width] of [[32, 64], [16, 128]]) {
    for (const batch of [1, 8]) {
      for (const sequence of [128, 1024, 8192]) {
        const bytes = { min: 8 * batch * sequence * heads * width, unfused: 40 * batch * sequence * heads * width };
        const flops = 4 * batch * heads * sequence * sequence * width;
        const us = 10 + flops / 3e8;
        writer.add('attention', [batch, sequence, heads, width], 'torch-eager', us * 9, { dtype: 'f16', bytes, flops });
        writer.add('attention', [batch, sequence, heads, width], 'torch-inductor', us * 4, { dtype: 'f16', bytes, flops });
        writer.add('attention', [batch, sequence, heads, width], 'cudnn', us, { dtype: 'f16', bytes, flops });
      }
    }
  }
}

function convolution(writer: Writer): void {
  for (const shape of [[32, 56, 56, 64, 64, 3, 1], [32, 28, 28, 128, 128, 3, 1], [32, 224, 224, 3, 64, 7, 2]]) {
    writer.add('conv_relu', shape, 'torch-eager', 90 + shape[3], { bytes: { min: 1e8, unfused: 1.6e8 }, flops: 7e9 });
    writer.add('conv_relu', shape, 'cudnn', 70 + shape[3], { bytes: { min: 1e8, unfused: 1.6e8 }, flops: 7e9 });
  }
}

export const kRun = 'bench/run.json';
export const kGrids = 'bench/grids.csv';

export function benchRun(slower = 1): { json: string; samples: Buffer } {
  const writer = new Writer();
  chain(writer);
  attention(writer);
  convolution(writer);
  if (slower !== 1) writer.cells[0]['time'] = { device: { p50: 1000 * slower, n: 20, ci95: [990 * slower, 1010 * slower] } };
  const header = {
    run: 'made up', strobe: '0', device: 'Test GPU', driver: '1.2', libraries: { nvrtc: '13.0' }, floors: { event_pair_us: 1.28, empty_kernel_events_us: 2.75 },
    roofs: { copy_gbps: 4300, gemm_tflops: 800 }, method: { flush: 'cold', stop: 'median:0.5%', modes: ['device', 'call'], seed: 7 }, command_line: 'strobe bench run --case all', started: '2026-01-02T03:04:05Z',
  };
  return { json: JSON.stringify({ schema: 'strobe.bench/1', header, cells: writer.cells }), samples: Buffer.from(new Float32Array(writer.samples).buffer) };
}

// Two devices, two providers; on the second device the contender silently is the baseline from cell 20 on.
function ratioGrids(): string {
  const lines = ['version,device,case,baseline,contender,metric,dim0,dim1,value,status'];
  const sizes = [128, 256, 512, 1024, 2048, 4096, 8192];
  for (const [device, flatFrom] of [['OldGPU', 1e9], ['NewGPU', 20]] as const) {
    let index = 0;
    for (const rows of sizes) {
      for (const columns of sizes) {
        const value = index >= flatFrom ? 100 + ((index * 7) % 9) / 10 - 0.4 : 180 + ((index * 37) % 200);
        lines.push(rows === 8192 && columns === 8192 ? `v3,${device},softmax,eager,inductor,relative_performance_pct,${rows},${columns},,oom`
          : `v3,${device},softmax,eager,inductor,relative_performance_pct,${rows},${columns},${value.toFixed(2)},ok`);
        ++index;
      }
    }
  }
  for (const rows of sizes) lines.push(`layout,OldGPU,bias_dropout_add_transposed,,triton,gbps,${rows},1024,${(rows / 10).toFixed(3)},ok`);
  return `${lines.join('\n')}\n`;
}

export function benchFiles(folder: string): void {
  const { json, samples } = benchRun();
  put(folder, kRun, json);
  writeFileSync(join(folder, `${kRun}.samples`), samples);
  put(folder, kGrids, ratioGrids());
}
