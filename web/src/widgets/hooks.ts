import { createContext } from 'preact';
import { useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks';

import type { Observable } from '../model/observable.ts';
import type { Route } from '../model/route.ts';
import type { Loaded, Session } from '../model/session.ts';

const kSession = createContext<Session | null>(null);
export const SessionProvider = kSession.Provider;

export function useSession(): Session {
  const session = useContext(kSession);
  if (!session) throw new Error('there is no session above this component');
  return session;
}

export function useObservable<T>(observable: Observable<T>): T {
  const [, redraw] = useState(0);
  useEffect(() => {
    redraw((n) => n + 1); // it may have changed between drawing and listening
    return observable.listen(() => redraw((n) => n + 1));
  }, [observable]);
  return observable.value;
}

export function useRoute(): Route {
  return useObservable(useSession().route);
}

export function useAnswer<T>(key: string, ask: () => Promise<T>): Loaded<T> {
  const session = useSession();
  return useObservable(useMemo(() => session.answer(key, ask), [session, key]));
}

export interface Size {
  width: number;
  height: number;
}

export function useSize<E extends HTMLElement>(): [preact.RefObject<E | null>, Size] {
  const ref = useRef<E>(null);
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });
  useEffect(() => {
    const element = ref.current;
    if (!element) return undefined;
    const measure = (): void => {
      const { clientWidth: width, clientHeight: height } = element;
      setSize((old) => (old.width === width && old.height === height ? old : { width, height }));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, size];
}

let ruler: CanvasRenderingContext2D | null = null;

// Of a text as plots draw their words.
export function textWidth(text: string): number {
  if (!ruler) {
    ruler = document.createElement('canvas').getContext('2d')!;
    ruler.font = `11px ${getComputedStyle(document.documentElement).getPropertyValue('--sans')}`;
  }
  return ruler.measureText(text).width;
}

// Keys of the page; letters typed into fields are ignored.
export function useKeys(handle: (event: KeyboardEvent) => boolean | void): void {
  const latest = useRef(handle);
  latest.current = handle;
  useEffect(() => {
    const listener = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement | null;
      if (target?.closest('input, textarea, select, dialog')) return;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (latest.current(event)) event.preventDefault();
    };
    window.addEventListener('keydown', listener);
    return () => window.removeEventListener('keydown', listener);
  }, []);
}

export function prefersStill(): boolean {
  return window.matchMedia('(prefers-reduced-motion: reduce)').matches;
}
