// npm run house: the figures of the house, by the syntax trees of the sources. Generated files do not count. `way.mjs` adds
// what runs for one change.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync, Visitor } from 'oxc-parser';

const root = fileURLToPath(new URL('..', import.meta.url));
const src = readTree('src').filter(({ path }) => !path.startsWith('src/generated/'));
const sources = src.map(measure);
const test = readTree('test');
const longest = sources.toSorted((a, b) => b.lines - a.lines)[0];
const functionLengths = sources.flatMap(({ functions }) => functions).toSorted((a, b) => a - b);
const lines = sum(sources, ({ lines }) => lines);

print([
  ['src: files', sources.length],
  ['src: lines', lines],
  ['src: longest file', `${longest.lines} (${longest.path})`],
  ['src: functions with a name', functionLengths.length],
  ['src: median and 90th percentile of their lines', `${at(0.5)}, ${at(0.9)}`],
  ['src: exported names', sum(sources, ({ exports }) => exports)],
  ['src: files that exactly one file imports', countImportedOnce()],
  ['src: comment lines', `${((100 * sum(sources, ({ comments }) => comments)) / lines).toFixed(1)} %`],
  ['test: files', test.length],
  ['test: lines', sum(test, ({ text }) => countLines(text))],
]);

function readTree(folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => {
      const file = join(entry.parentPath, entry.name);
      return { path: relative(root, file), text: readFileSync(file, 'utf8') };
    });
}

function measure({ path, text }) {
  const { program, comments, module } = parseSync(path, text);
  const targets = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) => entries.map((entry) => entry.moduleRequest?.value)),
    ...module.dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start + 1, end - 1)),
  ];
  return {
    path,
    lines: countLines(text),
    functions: namedFunctions(program).map(({ start, end }) => countLines(`${text.slice(start, end)}\n`)),
    // What is only handed on has its name elsewhere.
    exports: sum(
      module.staticExports,
      ({ entries }) => entries.filter((entry) => !entry.moduleRequest).length,
    ),
    // A line counts if nothing but a comment stands on it.
    comments: sum(
      comments.filter(({ start }) => /(^|\n)[ \t]*$/.test(text.slice(0, start))),
      ({ start, end }) => countLines(`${text.slice(start, end)}\n`),
    ),
    imports: new Set(targets.filter((to) => to?.startsWith('.')).map((to) => resolve(dirname(path), to))),
  };
}

/** Declarations, methods, and functions that are the value of a constant, a member or a field. */
function namedFunctions(program) {
  const found = [];
  const keep = (value, node) => {
    if (value?.type === 'ArrowFunctionExpression' || value?.type === 'FunctionExpression') found.push(node);
  };
  new Visitor({
    FunctionDeclaration: (node) => void found.push(node),
    MethodDefinition: (node) => keep(node.value, node),
    PropertyDefinition: (node) => keep(node.value, node),
    Property: (node) => keep(node.value, node),
    VariableDeclarator: (node) => keep(node.init, node),
  }).visit(program);
  return found;
}

function countImportedOnce() {
  const importers = new Map();
  for (const { imports } of sources) {
    for (const to of imports) importers.set(to, (importers.get(to) ?? 0) + 1);
  }
  return sources.filter(({ path }) => importers.get(resolve(path)) === 1).length;
}

function at(share) {
  return functionLengths[Math.floor(functionLengths.length * share)];
}

function countLines(text) {
  return text.split('\n').length - 1;
}

function sum(items, count) {
  return items.reduce((total, item) => total + count(item), 0);
}

function print(rows) {
  for (const [name, value] of rows) console.log(`${name.padEnd(48)}${value}`);
}
