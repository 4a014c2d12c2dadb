import { didYouMean } from '../model/suggest.ts';
import { findKind, kinds } from './index.ts';

/** Why a glob cannot match the address of any object, and what to write instead. */
export interface GlobProblem {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

/** What keeps an address glob from ever matching; `null` where it can match. Whoever mistypes one means some object. */
export function globProblem(glob: string): GlobProblem | null {
  const [name = '', ...parts] = glob.split('/');
  if (isPattern(name)) return null;
  const kind = findKind(name);
  if (!kind) return unknownKind(name);
  // `**` stands for any number of parts, and braces and parentheses may hold some.
  if (parts.length >= kind.keyFields.length || /\*\*|[{(]/.test(glob)) return null;
  const shape = [name, ...kind.keyFields.map((field) => field.name.toUpperCase())].join('/');
  return {
    code: 'address-glob',
    message: `\`${glob}\` is the address of no object: those of this kind are ${shape}`,
    hint: `Write \`${name}/**\` for all of them.`,
  };
}

/** A problem for a name that no kind has. */
export function unknownKind(name: string): GlobProblem {
  const names = kinds.map((kind) => kind.name);
  const hint = didYouMean(name, names) ?? `The kinds are ${names.join(', ')}.`;
  return { code: 'unknown-kind', message: `There is no kind \`${name}\``, hint };
}

function isPattern(segment: string): boolean {
  return /[*?{}()[\]!\\]/.test(segment);
}
