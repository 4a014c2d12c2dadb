import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Functions with a name: `function f` and `const f = (…) =>`. */
const declaration =
  /\bfunction\*? (?<name>\w+)|\bconst (?<constant>\w+) = (?:async )?(?:<[^>]*>)?\([^()]*\)(?:: [^=;]+)? =>/g;

const participle =
  '(?:[a-z]{2,}(?<!ne|fe|spe|se|exce|proce|emb|succe)ed|kept|lost|sent|unsent|known|gone|found|given|[a-z]*written|hidden|[a-z]*proven|[a-z]*taken|[a-z]*seen)';
const preposition = '(?:In|By|On|With|For|To|Of|At|Since)';

/** A participle alone, or with a preposition, says what a value is and not what the function does. */
const isParticiple = new RegExp(`^${participle}${preposition}?$`);

function namesIn(text: string): string[] {
  return [...text.matchAll(declaration)].map(({ groups }) => groups?.name ?? groups?.constant ?? '');
}

const findMisnamed = (text: string) =>
  namesIn(text).filter((name) => isParticiple.test(name) || /^(?:tell|lay)(?:s|[A-Z]|$)/.test(name));

it('tells a participle from a verb', () => {
  const text = [
    'function merged() {}',
    'const writtenBy = (a: string) => a;',
    'function tellAll() {}',
    'function merge() {}',
    'const embed = () => 1;',
    'export function mergedFields() {}',
    'const failed = rows.filter((row) => row.failed);',
  ].join('\n');
  expect(namesIn(text)).toEqual(['merged', 'writtenBy', 'tellAll', 'merge', 'embed', 'mergedFields']);
  expect(findMisnamed(text)).toEqual(['merged', 'writtenBy', 'tellAll']);
});

it.each(['src', 'bench', 'scripts', 'site'])('names no function in %s by a participle', (folder) => {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter(
    (path) => /\.(ts|mjs)$/.test(path) && !path.startsWith('generated'),
  );
  const misnamed = files.flatMap((path) =>
    findMisnamed(readFileSync(join(root, folder, path), 'utf8')).map((name) => `${path}: ${name}`),
  );
  expect(misnamed).toEqual([]);
});
