import { shortName } from '../../model/names.ts';

// Fits names into slices. Measuring text costs more than drawing it, so widths are cached.

export const kFont = '11px Inter, system-ui, sans-serif'; // of all text on the canvases

const kEllipsis = '…';
const kNamespaces = /^(?:autograd: |\w+::)+(?=\w)/;

export class Words {
  private readonly context: CanvasRenderingContext2D;
  private widths = new Map<string, number>();
  private shorts = new Map<string, string>();

  constructor(context: CanvasRenderingContext2D) {
    this.context = context;
  }

  short(name: string): string {
    let known = this.shorts.get(name);
    if (known === undefined) this.shorts.set(name, (known = shortName(name)));
    return known;
  }

  width(text: string): number {
    let known = this.widths.get(text);
    if (known === undefined) this.widths.set(text, (known = this.context.measureText(text).width));
    return known;
  }

  // As much of the name as fits into `room`; nothing if only a stub would fit.
  fitting(name: string, room: number): string {
    const text = this.short(name);
    if (this.width(text) <= room) return text;
    const bare = text.replace(kNamespaces, '');
    return bare === text ? this.cut(text, room) : this.fitting(bare, room);
  }

  private cut(text: string, room: number): string {
    const width = this.width(text);
    const letters = Math.floor((text.length * (room - 8)) / width);
    return letters < 3 ? '' : text.slice(0, letters) + kEllipsis;
  }
}
