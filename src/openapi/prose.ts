/** What the description of a request says about the fields of its object. */
export interface Prose {
  /** The fields that it lists as those that can be changed; `null` without such a list. */
  readonly patchable: ReadonlySet<string> | null;
  /** The fields that it lists as those that cannot be changed. */
  readonly fixed: ReadonlySet<string>;
  /** True where it says that it only takes some of the objects. */
  readonly isForSome: boolean;
}

const ability = '(?:patch|chang|updat|modif|edit|mut)\\w*';
const cannot = new RegExp(
  `immutable|read-only|\\b(?:cannot|can't|not)\\s+(?:be\\s+)?${ability}|${ability}[^.]*\\bother than\\b`,
  'i',
);
const can = new RegExp(`patchable|\\bmutable|\\bcan be ${ability}`, 'i');

/**
 * Reads lists of fields, below a sentence or in it: "These fields are patchable:", "You cannot update `id`". Other sentences say
 * nothing about single fields that could be told from an example.
 */
export function readProse(description: string): Prose {
  const lines = description.split('\n');
  const found = { can: new Set<string>(), cannot: new Set<string>() };
  for (const [at, line] of lines.entries()) {
    const sentences = line.split(/(?<=[.!])\s+/);
    for (const [index, sentence] of sentences.entries()) {
      const says = cannot.test(sentence) ? 'cannot' : can.test(sentence) ? 'can' : null;
      if (says === null || itemIn(line) !== null) continue;
      const inside = namesIn(sentence);
      const below = index === sentences.length - 1 ? listBelow(lines.slice(at + 1)) : [];
      for (const name of inside.length > 0 ? inside : below) found[says].add(name);
    }
  }
  return {
    patchable: found.can.size === 0 ? null : found.can,
    fixed: found.cannot,
    isForSome: /\bcan only (patch|update|change)\b|\bdo not use this\b/i.test(description),
  };
}

export const saysFixed = (description: string): boolean =>
  /\b(is immutable|(cannot|can't) be (changed|updated|modified))\b/i.test(description);

/** Names in quotes or in code: `"name"`, `` `id` ``. */
const namesIn = (sentence: string) =>
  [...sentence.matchAll(/["`]([A-Za-z_][\w-]*)["`]/g)].flatMap(([, name]) => name ?? []);

function listBelow(lines: readonly string[]): string[] {
  const items = lines.filter((line) => line.trim() !== '').map(itemIn);
  const end = items.indexOf(null);
  return items.slice(0, end < 0 ? items.length : end).flatMap((item) => item ?? []);
}

/** The name in an item of a list, `* name`, or in a line of its own, `**name** (as long as …)`; `null` for other lines. */
function itemIn(line: string): string | null {
  const [, plain, marked] =
    /^\s*(?:[*-]\s+([\w-]+)|(?:[*-]\s+)?(?:\*\*|[`"])([\w-]+)(?:\*\*|[`"]))\s*(?:\(.*\))?\s*$/.exec(line) ??
    [];
  return plain ?? marked ?? null;
}
