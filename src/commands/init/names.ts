import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { globSync } from 'tinyglobby';

/** The names that project file and manifests take from environment variables, each once, in order. */
export function namesFromEnvironment(root: string): string[] {
  const patterns = ['tenantctl.yaml', 'environments/*.{yaml,yml}', 'config/**/*.{yaml,yml}'];
  const texts = globSync(patterns, { cwd: root, expandDirectories: false })
    .sort()
    .map((path) => readFileSync(join(root, path), 'utf8'));
  const found = texts.flatMap((text) =>
    [...text.matchAll(/^[^#\n]*?!(?:env|secret) +["']?([A-Za-z_]\w*)/gm)].map(([, name = '']) => name),
  );
  return [...new Set(found)].sort();
}
