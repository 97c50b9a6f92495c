import type { JSX } from 'preact';

import type { JobRank } from '../../api/job_types.ts';
import { type ExchangeHit, type ExchangeTiles, type SeenExchange, exchangeAt, lastOf } from '../../model/exchange_tiles.ts';
import type { TimelineModel } from '../../model/timeline_model.ts';
import { bytesText, durationText } from '../../model/units.ts';
import { spanOf } from '../../model/viewport.ts';
import { type Colours, kindColour } from './colours.ts';
import type { Layer } from './layer.ts';
import type { Pointer } from './paint_overlay.ts';
import { Words, kFont } from './words.ts';

// The collectives of a job across its ranks: a bar on the band of each rank, whose lighter part is waiting, and ribbons that
// connect the bars of neighbours. Also the steps of each rank, which begin at different times.

const kCommunication = 5;
const kInset_px = 3; // between the edge of a band and the bars on it
const kLeastRibbon_px = 3; // narrower exchanges have none
const kLeastLabel_px = 40;
const kNear_px = 3;
const kWaitAlpha = 0.42;

interface Band {
  rank: JobRank;
  top: number;
  bottom: number;
  below: number; // where the next band begins
}

interface Bar {
  x: number;
  arrival: number; // where waiting ends
  end: number;
  band: Band;
}

function bandsOf(model: TimelineModel, ranks: readonly JobRank[]): Band[] {
  const groups = model.layout.lanes.filter((lane) => lane.kind === 'group');
  return groups.map((lane, i) => ({
    rank: ranks[lane.group], top: lane.top - model.scrollTop, bottom: lane.top + lane.height - model.scrollTop,
    below: (groups[i + 1]?.top ?? model.layout.height) - model.scrollTop,
  }));
}

export class ExchangeLayer implements Layer {
  private readonly tiles: ExchangeTiles;
  private readonly ranks: readonly JobRank[];
  private readonly onHidden: (hidden: boolean) => void;
  private shown: SeenExchange[] = [];
  private words: Words | null = null;

  // `ranks`: those of the timeline's groups. `onHidden` hears whether some exchanges are too narrow to be drawn.
  constructor(tiles: ExchangeTiles, ranks: readonly JobRank[], onHidden: (hidden: boolean) => void) {
    this.tiles = tiles;
    this.ranks = ranks;
    this.onHidden = onHidden;
  }

  look(model: TimelineModel): void {
    this.tiles.look(model.goal ?? model.view, model.columns);
  }

  isComplete(model: TimelineModel): boolean {
    return this.tiles.isComplete(model.view, model.columns);
  }

  paint(context: CanvasRenderingContext2D, model: TimelineModel, colours: Colours): void {
    const { exchanges, hidden } = this.tiles.seen(model.view, model.columns);
    this.shown = exchanges;
    this.onHidden(hidden);
    this.words ??= new Words(context);
    const bands = bandsOf(model, this.ranks);
    const drawn = exchanges.map((exchange) => ({ exchange, bars: barsOf(model, bands, exchange) }));
    const ink = kindColour(kCommunication, 1, colours.theme);
    context.fillStyle = ink;
    for (const { bars } of drawn) paintRibbons(context, bars);
    for (const { exchange, bars } of drawn) for (const bar of bars) paintBar(context, model, colours, ink, this.words, exchange, bar);
    paintSteps(context, model, colours, bands);
  }

  paintOverlay(context: CanvasRenderingContext2D, model: TimelineModel, colours: Colours, pointer: Pointer | null): void {
    const hit = pointer && this.hitAt(model, pointer);
    if (!hit) return;
    context.strokeStyle = colours.text;
    context.lineWidth = 1;
    for (const { x, end, band } of barsOf(model, bandsOf(model, this.ranks), hit.exchange)) {
      const left = Math.max(x, -4);
      context.strokeRect(left - 0.5, band.top + kInset_px - 0.5, Math.max(1, Math.min(end, model.width_px + 4) - left) + 1, band.bottom - band.top - 2 * kInset_px + 1);
    }
  }

  tip(model: TimelineModel, pointer: Pointer): JSX.Element | null {
    const hit = this.hitAt(model, pointer);
    return hit && <ExchangeTip {...hit} />;
  }

  private hitAt(model: TimelineModel, { x, y }: Pointer): ExchangeHit | null {
    const lane = y > 0 ? model.laneAt(y) : null; // above: the axis
    if (lane?.kind !== 'group') return null;
    return exchangeAt(this.shown, this.ranks[lane.group].rank, model.timeAt(x), (kNear_px * spanOf(model.view)) / model.width_px);
  }
}

function barsOf(model: TimelineModel, bands: readonly Band[], { parts }: SeenExchange): Bar[] {
  return bands.flatMap((band) => parts.filter((part) => part.rank === band.rank.rank).map((part) => ({
    x: model.xOf(part.start_ns), arrival: model.xOf(part.start_ns + part.wait_ns), end: model.xOf(part.start_ns + part.length_ns), band,
  })));
}

// Between the bars of neighbours: waiting is lighter than transfer, as in the bars.
function paintRibbons(context: CanvasRenderingContext2D, bars: readonly Bar[]): void {
  const quad = (a: Bar, b: Bar, from: (bar: Bar) => number, to: (bar: Bar) => number): void => {
    const [top, bottom] = [a.band.bottom - kInset_px, b.band.top + kInset_px];
    context.beginPath();
    context.moveTo(from(a), top);
    context.lineTo(to(a), top);
    context.lineTo(to(b), bottom);
    context.lineTo(from(b), bottom);
    context.fill();
  };
  for (let i = 1; i < bars.length; ++i) {
    const [a, b] = [bars[i - 1], bars[i]];
    if (Math.max(a.end - a.x, b.end - b.x) < kLeastRibbon_px) continue;
    context.globalAlpha = 0.1;
    quad(a, b, (bar) => bar.x, (bar) => bar.arrival);
    context.globalAlpha = 0.28;
    quad(a, b, (bar) => bar.arrival, (bar) => bar.end);
  }
  context.globalAlpha = 1;
}

function paintBar(
  context: CanvasRenderingContext2D, model: TimelineModel, colours: Colours, ink: string, words: Words, exchange: SeenExchange, { x, arrival, end, band }: Bar,
): void {
  if (end < 0 || x > model.width_px) return;
  const [top, height] = [band.top + kInset_px, band.bottom - band.top - 2 * kInset_px];
  context.fillStyle = ink;
  context.globalAlpha = kWaitAlpha;
  if (arrival > x) context.fillRect(x, top, arrival - x, height);
  context.globalAlpha = 1;
  context.fillRect(arrival, top, Math.max(1, end - arrival), height);
  if (lastOf(exchange)?.rank === band.rank.rank) paintLast(context, colours, x, band);
  const left = Math.max(0, x);
  const room = Math.min(end, model.width_px) - left;
  if (room < kLeastLabel_px) return;
  const { kind, bytes } = exchange.kind;
  const long = bytes === null ? kind : `${kind} ${bytesText(bytes)}`;
  context.font = kFont;
  const text = words.width(long) <= room - 14 ? long : words.fitting(kind, room - 14);
  context.fillStyle = colours.sliceText;
  context.textBaseline = 'middle';
  context.fillText(text, left + 8, top + height / 2 + 0.5);
}

// A flag where the last rank comes.
function paintLast(context: CanvasRenderingContext2D, colours: Colours, x: number, { top, bottom }: Band): void {
  context.fillStyle = colours.text;
  context.fillRect(x, top, 1.5, bottom - top);
  context.beginPath();
  context.moveTo(x, top);
  context.lineTo(x + 6, top + 3.5);
  context.lineTo(x, top + 7);
  context.fill();
}

const kLeastStep_px = 24;

function paintSteps(context: CanvasRenderingContext2D, model: TimelineModel, colours: Colours, bands: readonly Band[]): void {
  context.fillStyle = colours.muted;
  context.globalAlpha = 0.45;
  for (const { rank, top, below } of bands) {
    for (let i = 0; i < rank.steps.length; i += 2) {
      const [from, to] = [model.xOf(rank.steps[i]), model.xOf(rank.steps[i + 1])];
      if (from >= 0 && from <= model.width_px && to - from >= kLeastStep_px) context.fillRect(Math.round(from), top, 1, below - top);
    }
  }
  context.globalAlpha = 1;
}

function ExchangeTip({ exchange, part }: ExchangeHit): JSX.Element {
  const { kind, parts, sequence } = exchange;
  const last = lastOf(exchange);
  return (
    <>
      <b>{kind.kind}</b>{kind.bytes !== null && <> <span class="number">{bytesText(kind.bytes)}</span></>} <span class="muted">{sequence !== null && `number ${sequence}, `}on the {kind.runs_on}</span>
      <br /><span class="muted">{kind.group}</span>
      <table class="small lines">
        <thead><tr><th /><th class="number">waits</th><th class="number">transfers</th><th /></tr></thead>
        <tbody>
          {parts.map((one) => (
            <tr key={one.rank} class={one === part ? 'chosen' : ''}>
              <td>rank {one.rank}</td><td class="number">{durationText(one.wait_ns)}</td><td class="number">{durationText(one.length_ns - one.wait_ns)}</td>
              <td>{one === last ? 'the last' : ''}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {!last && <span class="muted">The last to come is a rank that is not shown.</span>}
    </>
  );
}
