// Bundles the page into one self-contained HTML file.
//
//   node bundle.mjs [--output FILE]       default: dist/index.html
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const outputFlag = process.argv.indexOf('--output');
const output = outputFlag > 0 ? process.argv[outputFlag + 1] : join(here, 'dist', 'index.html');
const kMostBytes = 150 * 1024; // gzipped

const common = { absWorkingDir: here, bundle: true, minify: true, write: false, legalComments: 'none', charset: 'utf8', logLevel: 'warning' };
const [script, style] = await Promise.all([
  build({ ...common, entryPoints: ['src/main.tsx'], format: 'iife', target: 'es2022', jsx: 'automatic', jsxImportSource: 'preact' }),
  build({ ...common, entryPoints: ['src/style/page.css'], target: ['chrome100', 'firefox100', 'safari15.4'] }),
]);
// Browsers look for the end of an inline script before they parse JavaScript.
const scriptText = script.outputFiles[0].text.trim().replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
const styleText = style.outputFiles[0].text.trim();
const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const policy = [
  "default-src 'none'", `script-src ${hash(scriptText)}`, `style-src ${hash(styleText)}`, "connect-src 'self'", 'img-src data:',
  "base-uri 'none'", "form-action 'none'",
].join('; ');
const parts = { policy, style: styleText, script: scriptText };
const html = (await readFile(join(here, 'src', 'index.html'), 'utf8')).replace(/\{\{(\w+)\}\}/g, (_, name) => parts[name]);

const packed = gzipSync(html, { level: 9 }).length;
if (packed > kMostBytes) {
  console.error(`the page is ${packed} bytes gzipped, more than ${kMostBytes}`);
  process.exit(1);
}
await mkdir(dirname(output), { recursive: true });
await writeFile(output, html);
console.log(`${output}: ${html.length} characters, ${packed} bytes gzipped`);
