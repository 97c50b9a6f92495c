import type { FunctionComponent } from 'preact';

// One screen of the page. A new one is a file with such a value and a line in screens.ts.
export interface Screen {
  id: string; // the word in the URL
  title: string;
  icon: string; // path of a 20 by 20 drawing, stroked
  shows: 'summary' | 'trace' | 'traces'; // a summary is all that a report in a file has
  component: FunctionComponent;
}
