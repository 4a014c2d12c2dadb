import { slowGlob } from '../model/address.ts';
import type { Diagnostic } from '../model/failure.ts';
import { didYouMean } from '../model/words.ts';
import type { Kind } from './kind.ts';

/** The kinds of one project. Projects may have different ones, so they belong to the project. */
export interface Kinds {
  /** In the order in which an apply writes them; deletes go the other way. */
  readonly all: readonly Kind[];
  find(name: string): Kind | undefined;
  get(name: string): Kind;
}

export function catalogOf(all: readonly Kind[]): Kinds {
  const byName = new Map(all.map((kind) => [kind.name, kind]));
  return {
    all,
    find: (name) => byName.get(name),
    get(name) {
      const kind = byName.get(name);
      if (!kind) throw new TypeError(`"${name}" is not in the list of kinds.`);
      return kind;
    },
  };
}

type GlobProblem = Required<Pick<Diagnostic, 'code' | 'message' | 'hint'>>;

/** Why an address glob can never match, or takes too long to; `null` if it is usable. */
export function globProblem(glob: string, kinds: Kinds): GlobProblem | null {
  const slow = slowGlob(glob);
  if (slow) return slow;
  // They are not split there, since a key may have commas.
  const several = /[{(]/.test(glob) ? [glob] : glob.split(/,\s*(?=\w+\/)/);
  if (several.slice(1).some((each) => kinds.find(each.split('/')[0] ?? ''))) {
    return {
      code: 'address-glob',
      message: `\`${glob}\` is a single address, since keys may have commas, and looks like several.`,
      hint: `Name each by itself: ${several.map((each) => `\`${each}\``).join(' and ')}. Write a comma in a key as \`%2C\`.`,
    };
  }
  const [name = '', ...parts] = glob.split('/');
  if (/[*?{}()[\]!\\]/.test(name)) return null;
  const kind = kinds.find(name);
  if (!kind) return unknownKind(name, kinds);
  // `**` matches any number of parts, and braces and parentheses may contain some.
  if (parts.length >= kind.keyFields.length || /\*\*|[{(]/.test(glob)) return null;
  const shape = [name, ...kind.keyFields.map((field) => field.name.toUpperCase())].join('/');
  return {
    code: 'address-glob',
    message: `\`${glob}\` cannot be an address: addresses of this kind are ${shape}.`,
    hint: `Write \`${name}/**\` for all of them.`,
  };
}

export function unknownKind(name: string, kinds: Kinds): GlobProblem {
  const names = kinds.all.map((kind) => kind.name);
  const others = 'A project describes others in `kinds/NAME.kind.yaml`: see `tenantctl kind --help`.';
  const hint = didYouMean(name, names) ?? `The kinds are ${names.join(', ')}. ${others}`;
  return { code: 'unknown-kind', message: `There is no kind \`${name || '""'}\`.`, hint };
}
