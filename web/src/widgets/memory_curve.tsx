import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';

import { bytesText, durationText } from '../model/units.ts';
import { Card } from './pieces.tsx';
import { Plot, type PlotLine, type PlotMark } from './plot.tsx';

export interface CurvePoint {
  x: number;
  used: number;
  reserved: number | null; // null: unknown
}

// Memory over time: what is used of what is reserved. `points` and `marks` must stay the same objects while they are shown.
export function MemoryCurve({ title, hint, used, points, marks, xText = durationText, xLabel, onClick }: {
  title: string; hint: string; used: string; points: readonly CurvePoint[]; marks: readonly PlotMark[]; xText?: (x: number) => string; xLabel?: string;
  onClick?: (x: number) => void;
}): JSX.Element {
  const { x, lines } = useMemo(() => {
    const all: PlotLine[] = [{ label: used, colour: '--kind-2', isArea: true, values: points.map((point) => point.used) }];
    if (points.some((point) => point.reserved !== null)) all.push({ label: 'reserved', colour: '--muted', isArea: false, values: points.map((point) => point.reserved) });
    return { x: points.map((point) => point.x), lines: all };
  }, [points]);
  return (
    <Card title={title} aside={<span class="muted">{hint}</span>}>
      <Plot x={x} lines={lines} height={260} xText={xText} yText={bytesText} xLabel={xLabel} inBytes label={title} marks={marks} onClick={onClick} />
    </Card>
  );
}
