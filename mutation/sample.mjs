// A sample of the faults: those of every n-th function, statement of a module or member of a class. Without
// TENANTCTL_MUTATE_EVERY, n is such that about 600 lines of the room have faults. Which ones depends on where they stand alone, so
// that two runs of the same code try the same faults. TENANTCTL_MUTATE_FROM, from 0 to n - 1, gives another sample: tests that
// were written for the survivors of one do not flatter it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

const every = Number(
  process.env.TENANTCTL_MUTATE_EVERY ?? Math.ceil(countLines(process.env.TENANTCTL_MUTATE) / 600),
);
const from = Number(process.env.TENANTCTL_MUTATE_FROM ?? 0);

export const strykerPlugins = [declareValuePlugin(PluginKind.Ignore, 'sample', { shouldIgnore })];

function shouldIgnore({ node, parentPath, scope }) {
  if (every <= 1 || !parentPath) return undefined;
  const isPart = parentPath.isProgram() || parentPath.isClassBody() || parentPath.isExportNamedDeclaration();
  const isWhole = node.type === 'ExportNamedDeclaration' || node.type === 'ClassDeclaration';
  if (!isPart || isWhole) return undefined;
  // By place and by the size of the file, or the first functions of all files would go together.
  const place = `${scope.getProgramParent().block.end}:${node.start}:${node.end}`;
  return hash(place) % every === from ? undefined : 'It is not in the sample.';
}

function hash(text) {
  let value = 2166136261;
  for (const char of text) value = Math.imul(value ^ char.charCodeAt(0), 16777619) >>> 0;
  return value >>> 4;
}

function countLines(room) {
  const files = readdirSync(`src/${room}`, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.ts'),
  );
  return files.flatMap((path) => readFileSync(join('src', room, path), 'utf8').split('\n')).length;
}
