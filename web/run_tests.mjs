// Compiles the tests of one folder and runs them with Node's own runner.
//
//   node run_tests.mjs model|browser
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const [folder] = process.argv.slice(2);
const output = join(here, 'node_modules', '.strobe-tests', folder); // from where packages are found
const names = (await readdir(join(here, 'tests', folder))).filter((name) => name.endsWith('.test.ts'));
if (names.length === 0) {
  console.error(`there are no tests in tests/${folder}`);
  process.exit(1);
}
await build({
  absWorkingDir: here, bundle: true, platform: 'node', format: 'esm', target: 'node18', outdir: output, logLevel: 'warning',
  outExtension: { '.js': '.mjs' }, entryPoints: names.map((name) => join('tests', folder, name)), external: ['playwright-core'],
});
const files = names.map((name) => join(output, name.replace(/\.ts$/, '.mjs')));
// Two files at a time: a browser mostly waits.
const tests = run({ files, concurrency: 2 });
tests.on('test:fail', () => { process.exitCode = 1; });
tests.compose(new spec()).pipe(process.stdout);
