import type { Screen } from './screen.ts';
import { bench } from './bench.tsx';
import { compare } from './compare.tsx';
import { diff } from './diff.tsx';
import { kernels } from './kernels.tsx';
import { memory } from './memory.tsx';
import { modules } from './modules.tsx';
import { operators } from './operators.tsx';
import { overview } from './overview.tsx';
import { query } from './query.tsx';
import { ranges } from './ranges.tsx';
import { ranks } from './ranks.tsx';
import { roofline } from './roofline.tsx';
import { timeline } from './timeline.tsx';
import { waiting } from './waiting.tsx';

// In the order of the navigation; the first is the start screen.
export const kScreens: readonly Screen[] = [
  overview,
  timeline,
  operators,
  kernels,
  waiting,
  roofline,
  ranges,
  memory,
  modules,
  ranks,
  diff,
  compare,
  bench,
  query,
];
