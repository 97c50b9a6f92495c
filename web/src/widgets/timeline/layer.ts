import type { ComponentChildren } from 'preact';

import type { TimelineModel } from '../../model/timeline_model.ts';
import type { Colours } from './colours.ts';
import type { Pointer } from './paint_overlay.ts';

// Something that a timeline draws besides its tracks, over them.
export interface Layer {
  look: (model: TimelineModel) => void; // requests what the window needs
  isComplete: (model: TimelineModel) => boolean;
  paint: (context: CanvasRenderingContext2D, model: TimelineModel, colours: Colours) => void;
  paintOverlay: (context: CanvasRenderingContext2D, model: TimelineModel, colours: Colours, pointer: Pointer | null) => void;
  tip: (model: TimelineModel, pointer: Pointer) => ComponentChildren | null;
}
