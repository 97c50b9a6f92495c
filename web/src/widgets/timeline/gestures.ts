import { framing, spanOf } from '../../model/viewport.ts';
import { headHeight, kAxis_px, kStrip_px, stripTime } from './paint_head.ts';
import { arrowAt } from './paint_overlay.ts';
import type { Stage } from './stage.ts';

// Pointer, wheel and keys on the timeline.

const kClick_px = 4;

interface Drag {
  x: number;
  y: number;
  view: { start_ns: number; end_ns: number };
  scrollTop: number;
  selects: boolean;
  moved: boolean;
}

export interface Gestures {
  onHover: (event: PointerEvent | null) => void;
  takesWheel: () => boolean; // else it scrolls the page
  onJump: () => void; // the view changed in a way that "back" should undo
}

function pixels(event: WheelEvent): { x: number; y: number } {
  const scale = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 33 : event.deltaMode === WheelEvent.DOM_DELTA_PAGE ? 400 : 1;
  return { x: event.deltaX * scale, y: event.deltaY * scale };
}

// The browser took the pointer away (a system gesture): a drag ends without choosing anything.
function dropDragged(stage: Stage): void {
  stage.overlay.dragged = null;
  stage.repaintOverlay();
}

// On the rows. Returns a function that stops them.
export function bodyGestures(stage: Stage, surface: HTMLElement, scroller: HTMLElement, gestures: Gestures): () => void {
  const { model, overlay } = stage;
  let drag: Drag | null = null;
  const at = (event: MouseEvent): { x: number; y: number } => {
    const box = surface.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };

  const down = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    const { x, y } = at(event);
    drag = { x, y, view: model.view, scrollTop: scroller.scrollTop, selects: event.shiftKey, moved: false };
    surface.setPointerCapture(event.pointerId);
    scroller.focus({ preventScroll: true });
  };
  const move = (event: PointerEvent): void => {
    const { x, y } = at(event);
    overlay.pointer = { x, y };
    model.pointAt(model.timeAt(x));
    if (drag && Math.hypot(x - drag.x, y - drag.y) > kClick_px) drag.moved = true;
    if (drag?.moved && drag.selects) {
      overlay.dragged = { x0: drag.x, y0: drag.y, x1: x, y1: y };
    } else if (drag?.moved) {
      const by = ((drag.x - x) / model.width_px) * spanOf(drag.view);
      model.setView({ start_ns: drag.view.start_ns + by, end_ns: drag.view.end_ns + by });
      scroller.scrollTop = drag.scrollTop + drag.y - y;
    }
    overlay.hover = drag?.moved ? null : model.hitAt(x, y);
    const isLink = overlay.hover !== null || arrowAt(model, { x, y }) !== null;
    surface.style.cursor = drag?.moved ? (drag.selects ? 'crosshair' : 'grabbing') : isLink ? 'pointer' : event.shiftKey ? 'crosshair' : 'default';
    gestures.onHover(drag?.moved ? null : event);
    stage.repaintOverlay();
  };
  const up = (event: PointerEvent): void => {
    const ended = drag;
    drag = null;
    if (!ended) return;
    const { x, y } = at(event);
    if (ended.moved && ended.selects) {
      overlay.dragged = null;
      void model.chooseArea(model.areaBetween(ended.x, ended.y, x, y));
    } else if (!ended.moved) click(x, y);
    surface.style.cursor = 'default';
  };
  const cancel = (): void => {
    drag = null;
    surface.style.cursor = 'default';
    dropDragged(stage);
  };
  const click = (x: number, y: number): void => {
    const hit = model.hitAt(x, y);
    if (hit?.is === 'slice') void model.choose(hit.slice, false);
    else if (hit) model.glideTo(framing(hit.start_ns, Math.max(hit.duration_ns, spanOf(model.view) / 40), model.reach, 0.5));
    else {
      const arrow = arrowAt(model, { x, y });
      if (arrow) void model.choose(arrow.link.slice, true);
      else if (model.area) void model.chooseArea(null);
      else void model.choose(null, false);
    }
  };
  const leave = (): void => {
    overlay.pointer = null;
    model.pointAt(null);
    overlay.hover = null;
    gestures.onHover(null);
    stage.repaintOverlay();
  };
  const twice = (event: MouseEvent): void => {
    const { x, y } = at(event);
    gestures.onJump();
    const hit = model.hitAt(x, y);
    if (hit) model.glideTo(framing(hit.start_ns, hit.duration_ns, model.reach));
    else model.frameChosen();
  };
  const wheel = (event: WheelEvent): void => {
    if (!gestures.takesWheel()) return;
    event.preventDefault();
    const { x: dx, y: dy } = pixels(event);
    if (event.shiftKey) scroller.scrollTop += dy || dx;
    else if (Math.abs(dx) > Math.abs(dy)) model.setView({ start_ns: model.view.start_ns + (dx / model.width_px) * spanOf(model.view), end_ns: model.view.end_ns + (dx / model.width_px) * spanOf(model.view) });
    else model.zoom(Math.exp(-Math.max(-240, Math.min(240, dy)) * 0.0028), model.timeAt(at(event).x), Math.abs(dy) > 30);
  };
  surface.addEventListener('pointerdown', down);
  surface.addEventListener('pointermove', move);
  surface.addEventListener('pointerup', up);
  surface.addEventListener('pointercancel', cancel);
  surface.addEventListener('pointerleave', leave);
  surface.addEventListener('dblclick', twice);
  surface.addEventListener('wheel', wheel, { passive: false });
  return () => {
    surface.removeEventListener('pointerdown', down);
    surface.removeEventListener('pointermove', move);
    surface.removeEventListener('pointerup', up);
    surface.removeEventListener('pointercancel', cancel);
    surface.removeEventListener('pointerleave', leave);
    surface.removeEventListener('dblclick', twice);
    surface.removeEventListener('wheel', wheel);
  };
}

// On the strip (moves the window), the axis (selects a range on all tracks) and the steps (shows one).
export function headGestures(stage: Stage, head: HTMLElement, gestures: Gestures): () => void {
  const { model, overlay } = stage;
  let drag: { from: number; part: 'strip' | 'axis' | 'steps'; grab_ns: number; moved: boolean } | null = null;
  const at = (event: MouseEvent): { x: number; y: number } => {
    const box = head.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const down = (event: PointerEvent): void => {
    const { x, y } = at(event);
    const part = y < kStrip_px ? 'strip' : y < kStrip_px + kAxis_px ? 'axis' : 'steps';
    const time = stripTime(model, x);
    const isInside = time >= model.view.start_ns && time <= model.view.end_ns;
    drag = { from: x, part, grab_ns: isInside ? time - model.view.start_ns : spanOf(model.view) / 2, moved: false };
    head.setPointerCapture(event.pointerId);
    if (part === 'strip') moveWindow(x);
  };
  const moveWindow = (x: number): void => {
    const start = stripTime(model, x) - drag!.grab_ns;
    model.setView({ start_ns: start, end_ns: start + spanOf(model.view) });
  };
  const move = (event: PointerEvent): void => {
    const { x, y } = at(event);
    overlay.pointer = y < kStrip_px ? null : { x, y: 0 };
    model.pointAt(overlay.pointer && model.timeAt(x));
    if (drag && Math.abs(x - drag.from) > kClick_px) drag.moved = true;
    if (drag?.part === 'strip') moveWindow(x);
    else if (drag?.moved) overlay.dragged = { x0: drag.from, y0: -model.scrollTop, x1: x, y1: model.layout.height - model.scrollTop };
    stage.repaintOverlay();
  };
  const up = (event: PointerEvent): void => {
    const ended = drag;
    drag = null;
    if (!ended || ended.part === 'strip') return;
    const { x } = at(event);
    if (ended.moved) {
      overlay.dragged = null;
      void model.chooseArea(model.areaBetween(ended.from, -model.scrollTop, x, model.layout.height - model.scrollTop));
    } else if (ended.part === 'steps') {
      const time = model.timeAt(x);
      const step = model.info.steps.find((one) => time >= one.start_ns && time <= one.start_ns + one.duration_ns);
      if (step) {
        gestures.onJump();
        model.glideTo(framing(step.start_ns, step.duration_ns, model.reach, 0.94));
      }
    } else if (model.area) void model.chooseArea(null);
  };
  const cancel = (): void => {
    drag = null;
    dropDragged(stage);
  };
  const leave = (): void => {
    overlay.pointer = null;
    model.pointAt(null);
    stage.repaintOverlay();
  };
  const wheel = (event: WheelEvent): void => {
    if (!gestures.takesWheel()) return;
    event.preventDefault();
    const { y } = at(event);
    const centre = y < kStrip_px ? null : model.timeAt(at(event).x);
    model.zoom(Math.exp(-Math.max(-240, Math.min(240, pixels(event).y)) * 0.0028), centre, true);
  };
  const twice = (event: MouseEvent): void => {
    if (at(event).y < Math.min(kStrip_px, headHeight(model))) model.fit();
  };
  head.addEventListener('pointerdown', down);
  head.addEventListener('pointermove', move);
  head.addEventListener('pointerup', up);
  head.addEventListener('pointercancel', cancel);
  head.addEventListener('pointerleave', leave);
  head.addEventListener('wheel', wheel, { passive: false });
  head.addEventListener('dblclick', twice);
  return () => {
    head.removeEventListener('pointerdown', down);
    head.removeEventListener('pointermove', move);
    head.removeEventListener('pointerup', up);
    head.removeEventListener('pointercancel', cancel);
    head.removeEventListener('pointerleave', leave);
    head.removeEventListener('wheel', wheel);
    head.removeEventListener('dblclick', twice);
  };
}

const kMoves: Record<string, string> = { ArrowLeft: 'a', ArrowRight: 'd' };

// True if the key was handled.
export function keyDown(stage: Stage, event: KeyboardEvent, gestures: Gestures): boolean {
  const { model, overlay } = stage;
  const key = kMoves[event.key] ?? (event.key.length === 1 ? event.key.toLowerCase() : event.key);
  const centre = overlay.pointer ? model.timeAt(overlay.pointer.x) : null;
  if ('wasd'.includes(key) && key.length === 1) {
    if (event.repeat) return true;
    stage.pressed.set(key, performance.now());
    if (key === 'w') model.zoom(1.5, centre, true);
    else if (key === 's') model.zoom(1 / 1.5, centre, true);
    else model.pan(key === 'a' ? -0.2 : 0.2, true);
    return true;
  }
  switch (key) {
    case 'ArrowUp': model.scrollGoal = Math.max(0, (model.scrollGoal ?? model.scrollTop) - 60); break;
    case 'ArrowDown': model.scrollGoal = Math.min(model.mostScroll, (model.scrollGoal ?? model.scrollTop) + 60); break;
    case '0': case 'Home': gestures.onJump(); model.fit(); break;
    case 'e': if (!model.info.is_recording) return false; model.follow(!model.isFollowing); break;
    case 'f': gestures.onJump(); return model.frameChosen();
    case 'm':
      model.mark_ns = model.mark_ns === null ? (centre ?? model.slice?.start_ns ?? model.view.start_ns) : null;
      break;
    case 'g': gestures.onJump(); model.followLink(); break;
    case 'n': model.nextMatch(event.shiftKey ? -1 : 1); break;
    case 'Enter':
      if (model.search.typed === '' || (event.target as HTMLElement | null)?.closest('button, a')) return false;
      model.nextMatch(event.shiftKey ? -1 : 1);
      break;
    case 'Escape': escape(stage); break;
    default: return false;
  }
  stage.repaint();
  return true;
}

function escape({ model }: Stage): void {
  if (model.mark_ns !== null) model.mark_ns = null;
  else if (model.area) void model.chooseArea(null);
  else if (model.slice) void model.choose(null, false);
  else if (model.search.typed !== '') void model.find('', 'stay');
}

export function keyUp(stage: Stage, event: KeyboardEvent): void {
  stage.pressed.delete(kMoves[event.key] ?? event.key.toLowerCase());
}
