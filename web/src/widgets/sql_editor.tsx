import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

import type { Place } from '../model/sql.ts';

// A text field for SQL. What an error is about is marked behind the text.

export interface Caret {
  at: number;
}

export function SqlEditor({ sql, place, caret, onSql, onRun, onCancel, field }: {
  sql: string; place: Place | null; caret: Caret | null; onSql: (sql: string) => void; onRun: () => void; onCancel: () => void;
  field: preact.RefObject<HTMLTextAreaElement | null>;
}): JSX.Element {
  const behind = useRef<HTMLPreElement>(null);
  const follow = (): void => {
    if (!field.current || !behind.current) return;
    behind.current.scrollTop = field.current.scrollTop;
    behind.current.scrollLeft = field.current.scrollLeft;
  };
  useEffect(() => {
    if (!caret || !field.current) return;
    field.current.focus();
    field.current.setSelectionRange(caret.at, caret.at);
  }, [caret]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onRun();
    else if (event.key === 'Escape') onCancel();
    else return;
    event.preventDefault();
  };
  const rows = Math.min(14, Math.max(5, sql.split('\n').length + 1));
  return (
    <div class="sql-editor">
      <pre ref={behind} aria-hidden="true">{place && <>{sql.slice(0, place.start)}<mark>{sql.slice(place.start, place.end) || ' '}</mark>{sql.slice(place.end)}</>}{'\n'}</pre>
      <textarea ref={field} value={sql} rows={rows} spellcheck={false} autocomplete="off" autocapitalize="off" aria-label="Query in SQL" aria-invalid={place !== null}
                onInput={(event) => onSql(event.currentTarget.value)} onKeyDown={onKeyDown} onScroll={follow} />
    </div>
  );
}
