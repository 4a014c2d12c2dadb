import picomatch from 'picomatch';
import { projectPath } from './source.ts';

/** What a project file's globs ask for, and what they leave out: `!` takes paths out again. */
export function splitGlobs(patterns: readonly string[]): { wanted: string[]; unwanted: string[] } {
  const isUnwanted = (pattern: string) => pattern.startsWith('!');
  return {
    wanted: patterns.filter((pattern) => !isUnwanted(pattern)).map(projectPath),
    unwanted: [
      ...patterns.filter(isUnwanted).map((pattern) => projectPath(pattern.slice(1))),
      '**/node_modules/**',
    ],
  };
}

/** Tells which paths of a project its globs match, without a look at the disk. */
export function matchGlobs(patterns: readonly string[]): (path: string) => boolean {
  const { wanted, unwanted } = splitGlobs(patterns);
  return picomatch(wanted, { ignore: unwanted });
}
