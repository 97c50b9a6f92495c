// Compiles the tests of one folder and runs them with Node's own runner.
//
//   node run_tests.mjs model|browser
import { rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const [folder] = process.argv.slice(2);
const output = join(here, 'node_modules', '.strobe-tests', `${folder}-${process.pid}`); // from where packages are found
process.on('exit', () => rmSync(output, { recursive: true, force: true }));
const names = (await readdir(join(here, 'tests', folder))).filter((name) => name.endsWith('.test.ts'));
if (names.length === 0) {
  console.error(`there are no tests in tests/${folder}`);
  process.exit(1);
}
// A process of browser tests starts one browser for several files. A browser waits at times, so three keep two cores busy.
const processes = folder === 'browser' ? 3 : names.length;
const shares = Array.from({ length: processes }, (_, i) => names.filter((__, at) => at % processes === i)).filter((share) => share.length > 0);
const files = await Promise.all(shares.map(async (share, i) => {
  const outfile = join(output, `${i}.test.mjs`);
  await build({
    absWorkingDir: here, bundle: true, platform: 'node', format: 'esm', target: 'node18', outfile, logLevel: 'warning', external: ['playwright-core'],
    stdin: { contents: share.map((name) => `import './${name}';`).join('\n'), resolveDir: join(here, 'tests', folder) },
  });
  return outfile;
}));
const tests = run({ files, concurrency: folder === 'browser' ? processes : 2 });
tests.on('test:fail', () => { process.exitCode = 1; });
tests.compose(new spec()).pipe(process.stdout);
