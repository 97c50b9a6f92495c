import type { FunctionComponent } from 'preact';

import type { Route } from '../model/route.ts';

// One screen of the page. A new one is a file with such a value and a line in screens.ts.
export interface Screen {
  id: string; // the word in the URL
  title: string;
  icon: string; // path of a 20 by 20 drawing, stroked
  shows: 'summary' | 'trace' | 'traces' | 'runs'; // a summary is all that a report in a file has
  key?: string; // a letter instead of a number
  subject?: (route: Route) => string; // for the title, if the traces do not determine it
  takesSnapshots?: boolean; // shows also what a snapshot of an allocator tells
  component: FunctionComponent;
}
