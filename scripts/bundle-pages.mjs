// Bundles what a browser gets, the scripts and style sheets of the report and the preview and the page of the preview,
// into modules in src/generated that export them as text.
import { mkdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { publish } from './publish.mjs';

const pages = {
  'report-page': {
    script: 'src/report/html/browser/main.ts',
    style: 'src/report/html/browser/style.css',
  },
  'preview-page': {
    page: 'src/preview/browser/page.html',
    script: 'src/preview/browser/main.ts',
    style: 'src/preview/browser/style.css',
    messageStyle: 'src/preview/browser/message.css',
  },
};

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
mkdirSync('src/generated', { recursive: true });
for (const [page, files] of Object.entries(pages)) {
  const texts = await Promise.all(
    Object.entries(files).map(
      async ([name, file]) => `export const ${name}: string = ${JSON.stringify(await bundle(file))};\n`,
    ),
  );
  publish(`src/generated/${page}.ts`, texts.join(''));
}

/** A page as it is, or one script or style sheet with all that it imports. Names stay, so that errors can be read. */
async function bundle(file) {
  if (file.endsWith('.html')) return readFileSync(file, 'utf8');
  const { outputFiles } = await build({
    entryPoints: [file],
    bundle: true,
    platform: 'browser',
    format: 'iife',
    // Colours are made with light-dark(), which esbuild would otherwise write out for older browsers.
    target: 'esnext',
    minifyWhitespace: true,
    minifySyntax: true,
    write: false,
    logLevel: 'warning',
  });
  return outputFiles[0].text;
}
