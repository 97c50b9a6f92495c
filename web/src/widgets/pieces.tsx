import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

import type { ApiError } from '../api/client.ts';
import { hintForPage } from '../model/error_words.ts';
import { shareText } from '../model/units.ts';

// Small things that every screen uses.

// With `rows` it holds a table and is no higher than that.
export function Card({ title, aside, children, class: extra = '', rows }: {
  title?: ComponentChildren; aside?: ComponentChildren; children: ComponentChildren; class?: string; rows?: number;
}): JSX.Element {
  return (
    <section class={`card ${extra} ${rows === undefined ? '' : 'fill by-rows'}`} style={rows === undefined ? undefined : { '--rows': rows }}>
      {title !== undefined && <header><h2>{title}</h2>{aside}</header>}
      {children}
    </section>
  );
}

export function Failure({ error, title = 'This cannot be shown' }: { error: ApiError; title?: string }): JSX.Element {
  const hint = hintForPage(error.hint);
  return (
    <div class="empty" role="alert">
      <h2>{title}</h2>
      <p class="what">{error.message}{error.where ? <span class="muted"> ({error.where})</span> : null}</p>
      {hint !== '' && <p class="muted">{hint}</p>}
    </div>
  );
}

// Says what would have to be recorded, not only that there is no data.
export function Empty({ title, children }: { title: string; children: ComponentChildren }): JSX.Element {
  return <div class="empty"><h2>{title}</h2>{children}</div>;
}

// Appears only after a noticeable wait.
export function Waiting({ what }: { what: string }): JSX.Element {
  return <div class="waiting" role="status"><span class="spinner" aria-hidden="true" /> {what}</div>;
}

export function ShareBar({ share, colour }: { share: number; colour?: string }): JSX.Element {
  return (
    <span class="share-bar" role="img" aria-label={shareText(share)}>
      <span style={{ width: `${Math.min(100, Math.max(0, share * 100))}%`, background: colour }} />
    </span>
  );
}

// A list to choose one from; `children` are its options.
export function Picker({ label, value, onPick, children, class: extra = '', isDisabled = false, title }: {
  label: string; value: string; onPick: (choice: string) => void; children: ComponentChildren; class?: string; isDisabled?: boolean; title?: string;
}): JSX.Element {
  return (
    <label class={`picker ${extra}`}><span>{label}</span>
      <select value={value} disabled={isDisabled} title={title} onChange={(event) => onPick(event.currentTarget.value)}>{children}</select>
    </label>
  );
}

export function CopyButton({ text, label }: { text: () => string; label: string }): JSX.Element {
  const [state, setState] = useState<'' | 'copied' | 'failed'>('');
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async (): Promise<void> => {
    setState((await copyText(text())) ? 'copied' : 'failed');
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setState(''), 1800);
  };
  return (
    <button type="button" class="quiet" onClick={() => void copy()} aria-live="polite">
      {state === '' ? label : state === 'copied' ? 'Copied' : 'Copying is not allowed here'}
    </button>
  );
}

// The clipboard API is missing on plain HTTP from another machine and in files.
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    area.className = 'offscreen';
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}

export interface Tip {
  x: number;
  y: number;
  content: ComponentChildren;
}

// Beside the pointer, inside the window.
export function Tooltip({ tip }: { tip: Tip | null }): JSX.Element | null {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const box = ref.current;
    if (!box || !tip) return;
    const { width, height } = box.getBoundingClientRect();
    const x = tip.x + 14 + width > window.innerWidth ? tip.x - width - 10 : tip.x + 14;
    const y = tip.y + 16 + height > window.innerHeight ? tip.y - height - 8 : tip.y + 16;
    box.style.transform = `translate(${Math.max(4, x)}px, ${Math.max(4, y)}px)`;
  });
  if (!tip) return null;
  return <div class="tooltip" ref={ref} role="presentation">{tip.content}</div>;
}

export function Facts({ facts }: { facts: [string, ComponentChildren][] }): JSX.Element {
  return (
    <dl class="facts">
      {facts.map(([label, value]) => <div key={label}><dt>{label}</dt><dd>{value}</dd></div>)}
    </dl>
  );
}
