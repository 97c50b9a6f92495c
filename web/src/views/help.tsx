import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

const kKeys: readonly { title: string; keys: readonly (readonly [string, string])[] }[] = [
  { title: 'Timeline', keys: [
    ['W S', 'zoom in and out, at the pointer'],
    ['A D', 'move left and right; arrow keys too'],
    ['wheel', 'zoom; with Shift, or beside the tracks: scroll'],
    ['drag', 'move; with Shift: select an area'],
    ['F', 'zoom to the selection or the chosen slice; double click too'],
    ['0 Home', 'show everything'],
    ['E', 'follow the end of a recording; a move lets go'],
    ['M', 'mark a moment and measure from it'],
    ['click', 'choose a slice, or follow an arrow'],
    ['G', 'follow the first arrow: to the kernel, or back to its launch'],
    ['Esc', 'clear mark, selection, slice, search'],
  ] },
  { title: 'Metrics', keys: [
    ['hover', 'the values at that time'],
    ['∿', 'beside a thread: its time on a core'],
    ['hatched', 'a clock limit or a wait for a core; not time of the program'],
  ] },
  { title: 'Search', keys: [
    ['/', 'search or filter'],
    ['Enter', 'next match; N too'],
    ['Shift Enter', 'previous match'],
    ['/re/', 'a pattern'],
    ['=name', 'exactly this name'],
  ] },
  { title: 'Tables', keys: [
    ['↑ ↓', 'move through the rows'],
    ['Enter', 'show the row in the timeline; double click too'],
  ] },
  { title: 'Memory', keys: [
    ['click', 'on a place: the stack that allocated it'],
    ['drag', 'on the curve: zoom; double click: all of it'],
  ] },
  { title: 'Compare', keys: [
    ['← →', 'on the strip: the cycle before and after'],
    ['Enter', 'on a row: its function in the timeline of the abnormal run'],
    ['click', 'on a timeline: keys and wheel move both'],
  ] },
  { title: 'Ranks', keys: [
    ['click', 'on the map: that step of that rank beside a typical peer; arrows move, Enter opens'],
    ['hover', 'on a band of the timeline: who waits in that collective, and for whom'],
  ] },
  { title: 'Roofline', keys: [
    ['drag', 'on the plot: zoom to a box; with Shift: move'],
    ['wheel', 'zoom, once the plot was clicked'],
    ['+ −', 'zoom; arrow keys move, 0 shows everything'],
    ['click', 'choose a kernel, there or in the table'],
  ] },
  { title: 'Bench', keys: [
    ['arrows', 'from cell to cell; the details follow once they are open'],
    ['Enter', 'the details of the cell; click too'],
    ['Esc', 'close them'],
  ] },
  { title: 'Query', keys: [
    ['Ctrl Enter', 'run the query'],
    ['Esc', 'cancel it'],
    ['click', 'on a row with slice_id: the slice in the timeline'],
  ] },
  { title: 'Everywhere', keys: [
    ['1 … 9', 'the screens that have no letter, in their order'],
    ['I', 'idle time: who waits for whom'],
    ['K', 'kernels against the roofs of the chip'],
    ['C', 'compare two runs'],
    ['B', 'benchmarks: one implementation against another'],
    ['Q', 'SQL over the open traces'],
    ['R', 'runs'],
    ['T', 'light, dark, or as the system'],
    ['?', 'this page'],
  ] },
];

export function Help({ onClose }: { onClose: () => void }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="help" aria-label="Keys" onClose={onClose}
            onClick={(event) => event.target === dialog.current && dialog.current?.close()}>
      <div class="help-body">
        <header><h2>Keys</h2><button type="button" class="quiet" onClick={() => dialog.current?.close()} aria-label="Close">✕</button></header>
        <div class="help-columns">
          {kKeys.map((group) => (
            <section key={group.title}>
              <h3>{group.title}</h3>
              <dl>{group.keys.map(([keys, what]) => <div key={keys}><dt>{keys.split(' ').map((key) => <kbd key={key}>{key}</kbd>)}</dt><dd>{what}</dd></div>)}</dl>
            </section>
          ))}
        </div>
      </div>
    </dialog>
  );
}
