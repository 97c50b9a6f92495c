import type { ComponentChildren, JSX } from 'preact';

import type { BenchDetails, BenchKernel, BenchSide, BenchTime } from '../api/bench_types.ts';
import { kFlags, percentText } from '../model/bench.ts';
import { halfWidthText, microText } from '../model/bench_samples.ts';
import { shortName } from '../model/names.ts';
import { byteRateText, flopRateText } from '../model/roofline.ts';
import { bytesText, countText, durationText, shareText } from '../model/units.ts';
import { SampleStrip } from './sample_strip.tsx';

// Everything known about one cell, the two providers side by side.

type Line = readonly [string, (side: BenchSide) => ComponentChildren];

const kModeWords: Readonly<Record<string, string>> = { device: 'Device', graph: 'Graph replay', call: 'Call', activity: 'Kernels’ sum', cpu: 'Host' };
export const modeWord = (mode: string): string => kModeWords[mode] ?? mode;

const kStatusWords: Readonly<Record<string, string>> = {
  oom: 'Out of memory', oom_predicted: 'Would not fit, not run', unsupported: 'Not supported', error: 'Failed', timeout: 'Took too long', wrong: 'Wrong values', missing: 'Not run',
};

export function BenchDetailsView({ details, onClose }: { details: BenchDetails; onClose: () => void }): JSX.Element {
  const sides = [details.baseline, details.contender].filter((side) => side !== null);
  return (
    <aside class="panel bench-details" aria-label={`Details of ${details.shape}`}>
      <header><h2>{details.shape} <span class="muted">{details.case}, {details.dtype}</span></h2>
        <button type="button" class="quiet" onClick={onClose} aria-label="Close" title="Close (Esc)">✕</button></header>
      <Ratio details={details} />
      {[...details.remarks, ...sides.filter((side) => side.status !== 'ok').map((side) => `${side.provider}: ${kStatusWords[side.status] ?? side.status}${side.reason === '' ? '' : `, ${side.reason}`}`)]
        .map((text) => <p key={text} class="remark">{text}</p>)}
      <Times sides={sides} />
      <Samples details={details} />
      <Both title="Memory" sides={sides} lines={[
        ['Least bytes', (side) => (side.bytes.min > 0 ? bytesText(side.bytes.min) : null)],
        ['Unfused bytes', (side) => (side.bytes.unfused > 0 ? bytesText(side.bytes.unfused) : null)],
        ['Rate', (side) => rate(side, (time) => (time.bytes_per_s === null ? null : byteRateText(time.bytes_per_s)))],
        ['Of the copy roof', (side) => rate(side, (time) => (time.copy_roof_share === null ? null : shareText(time.copy_roof_share)))],
        ['Operations', (side) => rate(side, (time) => (time.flop_per_s === null ? null : flopRateText(time.flop_per_s)))],
        ['Resident', (side) => (side.bytes.resident === null ? null : bytesText(side.bytes.resident))],
        ['Peak', (side) => (side.bytes.peak === null ? null : bytesText(side.bytes.peak))],
      ]} />
      <Both title="Counted" sides={sides} lines={[
        ['DRAM read', (side) => size(side.counters?.dram_read_bytes)], ['DRAM written', (side) => size(side.counters?.dram_write_bytes)],
        ['L2 read', (side) => size(side.counters?.l2_read_bytes)], ['L2 written', (side) => size(side.counters?.l2_write_bytes)],
        ['L1 loads', (side) => size(side.counters?.l1_load_bytes)], ['Found in L1', (side) => part(side.counters?.l1_load_hit_bytes, side.counters?.l1_load_bytes)],
        ['L1 stores', (side) => size(side.counters?.l1_store_bytes)], ['L1 reductions', (side) => size(side.counters?.l1_reduction_bytes || null)],
        ['Instructions', (side) => amount(side.counters?.instructions)], ['FLOP, 32 bit', (side) => amount(side.counters?.flops)],
        ['FLOP, matrix', (side) => amount(side.counters?.matrix_flops || null)],
      ]} />
      <section><h3>Kernels</h3>{sides.map((side) => <Kernels key={side.provider} side={side} />)}</section>
      <ApiCalls sides={sides.filter((side) => side.api.length > 0)} />
      <Both title="Compile" sides={sides} lines={[
        ['Source', (side) => milli(side.compile.codegen_ms)], ['NVRTC', (side) => milli(side.compile.nvrtc_ms)], ['Load', (side) => milli(side.compile.load_ms)],
        ['Tuning', (side) => milli(side.compile.autotune_ms)], ['First call', (side) => milli(side.compile.first_call_ms)], ['From the cache', (side) => (side.compile.is_cached ? 'yes' : null)],
      ]} />
      <Both title="Accuracy" sides={sides} lines={[
        ['Equality ratio', (side) => (side.accuracy ? `${(side.accuracy.equality * 100).toFixed(2)} %` : null)],
        ['Checked', (side) => (side.accuracy ? countText(side.accuracy.checked) : null)],
        ['Mismatches', (side) => (side.accuracy ? countText(side.accuracy.mismatches) : null)],
        ['Largest, absolute', (side) => small(side.accuracy?.max_abs)], ['Largest, relative', (side) => small(side.accuracy?.max_rel)], ['Norm, relative', (side) => small(side.accuracy?.norm_rel)],
        ['Allowed', (side) => (side.accuracy ? `${small(side.accuracy.atol)} + ${small(side.accuracy.rtol)} of it` : null)],
      ]} />
      <Both title="Clocks" sides={sides} lines={[
        ['SM', (side) => mega(side.clocks.sm_mhz)], ['Memory', (side) => mega(side.clocks.memory_mhz)],
        ['Power', (side) => (side.clocks.power_w === null ? null : `${countText(Math.round(side.clocks.power_w))} W`)],
        ['Temperature', (side) => (side.clocks.temperature_c === null ? null : `${side.clocks.temperature_c.toFixed(0)} °C`)],
        ['Held down by', (side) => (side.clocks.reasons.length > 0 ? side.clocks.reasons.join(', ') : null)],
      ]} />
      <Both title="Settings and marks" sides={sides} lines={[
        ...[...new Set(sides.flatMap((side) => Object.keys(side.config)))].map((key): Line => [key, (side) => side.config[key] ?? null]),
        ['Marks', (side) => (side.flags.length > 0 ? side.flags.map((flag) => <span key={flag} class="flag-word" title={kFlags[flag]?.text}>{flag.replaceAll('_', ' ')}</span>) : null)],
      ]} />
      <Notes sides={sides} />
    </aside>
  );
}

const size = (bytes: number | null | undefined): string | null => (bytes === null || bytes === undefined ? null : bytesText(bytes));
const amount = (count: number | null | undefined): string | null => (count === null || count === undefined ? null : countText(count));
const part = (hit: number | null | undefined, of: number | null | undefined): string | null => (hit === null || hit === undefined || !of ? null : shareText(hit / of));
const milli = (ms: number | null): string | null => (ms === null ? null : durationText(ms * 1e6));
const mega = (mhz: number | null): string | null => (mhz === null ? null : `${countText(Math.round(mhz))} MHz`);
const small = (value: number | null | undefined): string | null => (value === null || value === undefined ? null : value === 0 ? '0' : value.toExponential(1).replace('e-', 'e−'));

// The time that is compared with the roofs: the device's, or the host's without a device.
const headline = (side: BenchSide): BenchTime | null => side.times.find((time) => time.mode === 'device') ?? side.times.find((time) => time.mode === 'cpu') ?? side.times[0] ?? null;

function rate(side: BenchSide, text: (time: BenchTime) => string | null): string | null {
  const time = headline(side);
  return time ? text(time) : null;
}

function Ratio({ details }: { details: BenchDetails }): JSX.Element | null {
  if (details.value === null) return null;
  const word = details.state === 'same_kernels' ? 'the same kernels on both sides' : details.state === 'wrong' ? 'wrong values: not a result' : `of the speed of ${details.baseline?.provider ?? 'the baseline'}`;
  return (
    <div class="ratio">
      <span class="big number">{details.state === 'wrong' ? <s>{percentText(details.value)}</s> : percentText(details.value)}</span> <span class="muted">{word}</span>
      <div class="muted number">
        {details.low !== null && details.high !== null ? `95 % interval ${percentText(details.low)} … ${percentText(details.high)}` : 'no interval: its samples are not in the file'}
        {details.ceiling !== null && details.ceiling_share !== null && <> · {shareText(details.ceiling_share)} of the fusion ceiling, {percentText(details.ceiling)}</>}
      </div>
    </div>
  );
}

function SideHeads({ sides }: { sides: readonly BenchSide[] }): JSX.Element {
  return <thead><tr><th scope="col" />{sides.map((side) => <th key={side.provider} scope="col" class="number" title={side.provider}>{side.provider}</th>)}</tr></thead>;
}

function Times({ sides }: { sides: readonly BenchSide[] }): JSX.Element | null {
  const modes = [...new Set(sides.flatMap((side) => side.times.map((time) => time.mode)))];
  if (modes.length === 0) return null;
  const timeOf = (side: BenchSide, mode: string): BenchTime | null => side.times.find((time) => time.mode === mode) ?? null;
  const spread = (time: BenchTime): string => [
    time.p20_us !== null && time.p80_us !== null ? `p20–p80 ${microText(time.p20_us)} … ${microText(time.p80_us)}` : '', time.min_us !== null ? `least ${microText(time.min_us)}` : '',
    time.mad_us !== null ? `MAD ${microText(time.mad_us)}` : '', time.n > 0 ? `n ${countText(time.n)}` : '',
  ].filter(Boolean).join(', ');
  const long: Line[] = [['Burst', (side) => (side.burst_us === null ? null : microText(side.burst_us))], ['Sustained', (side) => (side.sustained_us === null ? null : microText(side.sustained_us))]];
  return (
    <section><h3>Time, medians</h3>
      <table class="small both"><SideHeads sides={sides} /><tbody>
        {modes.map((mode) => (
          <tr key={mode}><td>{modeWord(mode)}</td>{sides.map((side) => {
            const time = timeOf(side, mode);
            return <td key={side.provider} class={`number ${side.status === 'wrong' ? 'struck' : ''}`}>{time ? <span title={spread(time)}>{microText(time.p50_us)} <small class="muted">{halfWidthText(time)}</small></span> : <span class="absent">–</span>}</td>;
          })}</tr>
        ))}
        {long.map((line) => <BothRow key={line[0]} line={line} sides={sides} />)}
      </tbody></table>
    </section>
  );
}

function BothRow({ line: [name, text], sides }: { line: Line; sides: readonly BenchSide[] }): JSX.Element | null {
  const texts = sides.map(text);
  if (texts.every((one) => one === null)) return null;
  return <tr><td>{name}</td>{texts.map((one, i) => <td key={sides[i].provider} class="number">{one ?? <span class="absent">–</span>}</td>)}</tr>;
}

function Both({ title, sides, lines }: { title: string; sides: readonly BenchSide[]; lines: readonly Line[] }): JSX.Element | null {
  if (!lines.some(([, text]) => sides.some((side) => text(side) !== null))) return null;
  return (
    <section><h3>{title}</h3>
      <table class="small both"><SideHeads sides={sides} /><tbody>{lines.map((line) => <BothRow key={line[0]} line={line} sides={sides} />)}</tbody></table>
    </section>
  );
}

function Samples({ details }: { details: BenchDetails }): JSX.Element | null {
  const strips = ([['baseline', details.baseline], ['contender', details.contender]] as const).flatMap(([look, side]) => {
    const time = side ? side.times.find((one) => one.mode === headline(side)?.mode && one.samples_us.length > 1) : undefined;
    return side && time ? [<SampleStrip key={side.provider} time={time} name={`${side.provider}, ${modeWord(time.mode).toLowerCase()}`} look={look} />] : [];
  });
  return strips.length === 0 ? null : <section><h3>Samples</h3>{strips}</section>;
}

const triple = (dims: readonly number[]): string => (dims[2] === 1 ? (dims[1] === 1 ? String(dims[0]) : `${dims[0]}×${dims[1]}`) : dims.join('×'));

function Kernels({ side }: { side: BenchSide }): JSX.Element {
  const known = side.kernels.reduce((sum, kernel) => sum + (kernel.us ?? 0), 0);
  const how = (kernel: BenchKernel): string => [
    kernel.grid.some((one) => one > 1) || kernel.block.some((one) => one > 1) ? `grid ${triple(kernel.grid)}, block ${triple(kernel.block)}` : '',
    kernel.registers === null ? '' : `${kernel.registers} registers`, kernel.shared_bytes ? `${bytesText(kernel.shared_bytes)} shared` : '',
  ].filter(Boolean).join(', ');
  return (
    <div class="kernels-of">
      <div><span class="strip-name">{side.provider}</span> <span class="muted">{side.kernels.length === 0 ? 'no list of kernels' : `${side.kernels.length + side.kernels_left_out} ${side.kernels.length === 1 ? 'kernel' : 'kernels'}${known > 0 ? `, ${microText(known)} in all` : ''}`}</span></div>
      <ol>{side.kernels.map((kernel, i) => (
        <li key={i} title={[kernel.name, how(kernel)].filter(Boolean).join('\n')}><span class="kernel-name">{shortName(kernel.name)}</span><span class="number">{kernel.us === null ? '' : microText(kernel.us)}</span></li>
      ))}</ol>
    </div>
  );
}

// The driver calls of one call before it returns.
function ApiCalls({ sides }: { sides: readonly BenchSide[] }): JSX.Element | null {
  if (sides.length === 0) return null;
  return (
    <section><h3>API calls of a call</h3>{sides.map((side) => (
      <div key={side.provider} class="kernels-of">
        <div><span class="strip-name">{side.provider}</span> <span class="muted">{microText(side.api.reduce((sum, call) => sum + call.us, 0))} of the host in all</span></div>
        <ol>{side.api.map((call) => (
          <li key={call.name}><span class="kernel-name">{call.count > 1 ? `${call.count} × ` : ''}{call.name}</span><span class="number">{microText(call.us)}</span></li>
        ))}</ol>
      </div>
    ))}</section>
  );
}

function Notes({ sides }: { sides: readonly BenchSide[] }): JSX.Element | null {
  const notes = sides.flatMap((side) => side.notes.map((text) => ({ side, text })));
  if (notes.length === 0) return null;
  return <section><h3>Notes</h3><ul class="notes">{notes.map(({ side, text }) => <li key={side.provider + text}><span class="muted">{side.provider}:</span> {text}</li>)}</ul></section>;
}
