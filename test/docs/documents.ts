import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));

/** The documents in the root, and everything in docs/. */
export function documents(): string[] {
  const files = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
  return ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...files.map((name) => `docs/${name}`)].filter(
    (path) => existsSync(join(root, path)),
  );
}

export const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The fenced blocks of one language, and the lines they begin on. */
export function blocksOf(path: string, language: string): { line: number; content: string }[] {
  const text = textOf(path);
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    ({ index, 1: content = '' }) => ({ line: text.slice(0, index).split('\n').length, content }),
  );
}
