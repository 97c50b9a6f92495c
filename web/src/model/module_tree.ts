import type { Module } from '../api/types.ts';

// The tree of modules as rows of a table, as far as it is expanded.

export interface ModuleRow {
  module: Module;
  depth: number;
  path: string;
  isOpen: boolean;
}

export type ModuleKey = 'name' | 'calls' | 'host_ns' | 'host_self_ns' | 'device_ns' | 'device_self_ns';

// Expanded down to the first branching: a chain of only children counts as one.
export function firstOpen(modules: readonly Module[]): Set<string> {
  const open = new Set<string>();
  const visit = (list: readonly Module[], path: string, depth: number): void => {
    list.forEach((module, i) => {
      const own = `${path}/${i}`;
      if (depth < 2 || list.length === 1) {
        open.add(own);
        visit(module.children, own, depth + 1);
      }
    });
  };
  visit(modules, '', 0);
  return open;
}

export function moduleRows(modules: readonly Module[], open: ReadonlySet<string>, sort: ModuleKey | null): ModuleRow[] {
  const rows: ModuleRow[] = [];
  const visit = (list: readonly Module[], path: string, depth: number): void => {
    const order = list.map((module, i) => ({ module, path: `${path}/${i}` }));
    if (sort === 'name') order.sort((a, b) => a.module.name.localeCompare(b.module.name, 'en', { numeric: true }));
    else if (sort !== null) order.sort((a, b) => b.module[sort] - a.module[sort]);
    for (const one of order) {
      const isOpen = open.has(one.path);
      rows.push({ ...one, depth, isOpen });
      if (isOpen) visit(one.module.children, one.path, depth + 1);
    }
  };
  visit(modules, '', 0);
  return rows;
}

export function filteredModules(modules: readonly Module[], matches: (name: string) => boolean): Module[] {
  return modules.flatMap((module) => {
    if (matches(module.name)) return [module];
    const children = filteredModules(module.children, matches);
    return children.length > 0 ? [{ ...module, children }] : [];
  });
}
