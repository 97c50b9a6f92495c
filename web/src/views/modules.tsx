import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';

import type { Module, Modules as ModulesAnswer } from '../api/types.ts';
import { type ModuleKey, filteredModules, firstOpen, moduleRows } from '../model/module_tree.ts';
import { matcherOf } from '../model/query.ts';
import { shownTrace } from '../model/ranks.ts';
import { atScreen, withParameters } from '../model/route.ts';
import { csvText } from '../model/table.ts';
import { columnUnit, countText, decimalsFor, inUnit } from '../model/units.ts';
import { CellBar, FilterBox } from '../widgets/data_table.tsx';
import { useAnswer, useRoute, useSession } from '../widgets/hooks.ts';
import { CopyButton, Empty, Failure, Waiting } from '../widgets/pieces.tsx';
import { RankPicker } from '../widgets/rank_picker.tsx';
import type { Screen } from './screen.ts';

const kColumns: readonly { key: Exclude<ModuleKey, 'name' | 'calls'>; header: string }[] = [
  { key: 'host_ns', header: 'Host total' },
  { key: 'host_self_ns', header: 'Host self' },
  { key: 'device_ns', header: 'Device total' },
  { key: 'device_self_ns', header: 'Device self' },
];

function Modules(): JSX.Element {
  const session = useSession();
  const trace = shownTrace(useRoute());
  const answer = useAnswer(`modules ${trace}`, () => session.client.modules(trace));
  if (answer.is === 'loading') return <Waiting what="loading the tree" />;
  if (answer.is === 'failed') return <Failure error={answer.error} />;
  if (answer.value.modules.length === 0) {
    return (
      <>
        <RankPicker />
        <Empty title="No modules were recorded">
          <p>Record with <code>with_stack=True</code> (or <code>with_modules=True</code>) and this shows the model as a tree,
            with the host and device time of every module.</p>
        </Empty>
      </>
    );
  }
  return <Tree key={trace} answer={answer.value} />;
}

function flat(modules: readonly Module[], path = ''): { path: string; module: Module }[] {
  return modules.flatMap((module) => [{ path: `${path}/${module.name}`, module }, ...flat(module.children, `${path}/${module.name}`)]);
}

function Tree({ answer }: { answer: ModulesAnswer }): JSX.Element {
  const session = useSession();
  const route = useRoute();
  const [open, setOpen] = useState(() => firstOpen(answer.modules));
  const filter = route.parameters['filter'] ?? '';
  const sort = (route.parameters['sort'] ?? null) as ModuleKey | null;
  const { matches, problem } = matcherOf(filter);
  const shown = useMemo(() => (filter === '' ? answer.modules : filteredModules(answer.modules, matches)), [answer, filter]);
  const rows = moduleRows(shown, open, sort);
  const all = useMemo(() => flat(answer.modules), [answer]);
  const units = useMemo(() => new Map(kColumns.map(({ key }) => [key, columnUnit('duration_ns', all.map(({ module }) => module[key]))])), [all]);
  const most = Math.max(1, ...answer.modules.map((module) => Math.max(module.device_ns, module.host_ns)));
  const toggle = (path: string): void => {
    const next = new Set(open);
    if (!next.delete(path)) next.add(path);
    setOpen(next);
  };
  const csv = (): string => csvText(
    [{ key: 'path', type: 'name' }, { key: 'calls', type: 'count' }, ...kColumns.map(({ key }) => ({ key, type: 'duration_ns' as const }))],
    all.map(({ path, module }) => ({ path, calls: module.calls, host_ns: module.host_ns, host_self_ns: module.host_self_ns, device_ns: module.device_ns, device_self_ns: module.device_self_ns })));
  const header = (key: ModuleKey, text: string): JSX.Element => (
    <th scope="col" class={key === 'name' ? 'name' : 'number'} aria-sort={sort === key ? 'descending' : undefined}>
      <button type="button" onClick={() => session.amend(withParameters(route, { sort: sort === key ? undefined : key }))}>
        {text}{key !== 'name' && key !== 'calls' ? <span class="unit"> {units.get(key)!.name}</span> : null}<span class="arrow" aria-hidden="true">{sort === key ? '↓' : ''}</span>
      </button>
    </th>
  );
  return (
    <div class="data-table modules">
      <div class="tools">
        <FilterBox value={filter} problem={problem} onValue={(value) => session.amend(withParameters(route, { filter: value }))} />
        <span class="count">{countText(all.length)} modules</span>
        <span class="grow" />
        <button type="button" class="quiet" onClick={() => setOpen(new Set(moduleRows(answer.modules, new Set(), null).map((row) => row.path)))}>Close all</button>
        <CopyButton label="Copy as CSV" text={csv} />
      </div>
      <div class="scroller" tabIndex={0} role="region" aria-label="Modules">
        <table role="treegrid">
          <thead><tr>{header('name', 'Module')}{header('calls', 'Calls')}{kColumns.map((column) => header(column.key, column.header))}</tr></thead>
          <tbody>
            {rows.map(({ module, depth, path, isOpen }) => (
              <tr key={path} role="row" aria-level={depth + 1} aria-expanded={module.children.length > 0 ? isOpen : undefined}
                  onDblClick={() => session.go(atScreen(route, 'timeline', { slice: String(module.first_slice) }))}>
                <td class="name" style={{ paddingLeft: `${10 + depth * 16}px` }}>
                  {module.children.length > 0
                    ? <button type="button" class="twist" aria-label={isOpen ? 'Close' : 'Open'} onClick={() => toggle(path)}>{isOpen ? '▾' : '▸'}</button>
                    : <span class="twist" />}
                  <button type="button" class="link plain" title={`${module.name}: show its first call in the timeline`}
                          onClick={() => session.go(atScreen(route, 'timeline', { slice: String(module.first_slice) }))}>{module.name}</button>
                </td>
                <td class="number">{countText(module.calls)}</td>
                {kColumns.map(({ key }) => (
                  <td key={key} class="share">
                    <CellBar share={module[key] / most} /><span class={`over ${module[key] === 0 ? 'absent' : ''}`}>{module[key] === 0 ? '0' : inUnit(module[key], units.get(key)!, decimalsFor(most, units.get(key)!))}</span>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        {rows.length === 0 && <p class="nothing muted">No module matches this filter.</p>}
      </div>
    </div>
  );
}

export const modules: Screen = {
  id: 'modules', title: 'Modules', shows: 'trace', component: Modules,
  icon: 'M4 4h4v4H4zM12 9h4v4h-4zM12 15h4v2h-4zM6 8v8h6M6 11h6',
};
