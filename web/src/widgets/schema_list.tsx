import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import type { QuerySchema } from '../api/types.ts';
import { countText } from '../model/units.ts';

// The tables that SQL sees. A click on a name puts it into the query.

function matches(text: string, filter: string): boolean {
  return text.toLowerCase().includes(filter.trim().toLowerCase());
}

export function SchemaList({ schema, onName }: { schema: QuerySchema; onName: (name: string) => void }): JSX.Element {
  const [filter, setFilter] = useState('');
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set(['kernels']));
  const toggle = (table: string): void => {
    const next = new Set(open);
    if (!next.delete(table)) next.add(table);
    setOpen(next);
  };
  const found = schema.tables
    .map((table) => ({ ...table, shown: filter === '' || matches(table.name, filter) ? table.columns : table.columns.filter((column) => matches(column.name, filter)) }))
    .filter((table) => table.shown.length > 0);
  return (
    <aside class="panel schema" aria-label="Tables">
      <header><h2>Tables</h2><span class="muted">{countText(found.length)}</span></header>
      <p class="filter"><input type="search" value={filter} placeholder="Table or column" aria-label="Find a table or column" spellcheck={false} onInput={(event) => setFilter(event.currentTarget.value)} /></p>
      <ul>
        {found.map((table) => {
          const isOpen = open.has(table.name) || (filter !== '' && table.shown.length < table.columns.length);
          return (
            <li key={table.name}>
              <div class="schema-table" title={table.meaning}>
                <button type="button" class="twist" aria-expanded={isOpen} aria-label={`Columns of ${table.name}`} onClick={() => toggle(table.name)}>{isOpen ? '▾' : '▸'}</button>
                <button type="button" class="link plain" onClick={() => onName(table.name)}>{table.name}</button>
                <span class="muted">{table.meaning}</span>
              </div>
              {isOpen && (
                <ul>
                  {table.shown.map((column) => (
                    <li key={column.name} class="schema-column" title={column.meaning}>
                      <button type="button" class="link plain" onClick={() => onName(column.name)}>{column.name}</button>
                      <span class="muted">{column.unit ?? (column.type === 'NAME' ? 'name' : column.type.toLowerCase())}</span>
                      <span class="muted">{column.meaning}</span>
                    </li>
                  ))}
                </ul>
              )}
            </li>
          );
        })}
      </ul>
    </aside>
  );
}
