import picomatch from 'picomatch';
import { cutShort } from './words.ts';

/** A repeated group: each part of a name can belong to any repetition. */
const repeatedGroup = /[+*]\(|[)}]\+/;
/** Matches wildcards for any number of characters, including a plus after a class, and in parentheses. */
const stretch = /\*+|!\(|\]\+|(?<=\([^)]*)\+/g;
/** About the length of a long name, and so the number of ways in which a star can match. */
const waysOfStar = 300;
const mostWays = 100 * waysOfStar ** 3;
const mostGlobstars = 3;
/** The most ways to choose alternatives: each pair of braces, even `{,}`, multiplies them. */
const mostChoices = 1000;
const longestGlob = 4096;

/**
 * The problem with a glob whose comparison can take hours, or `null`: further stars between slashes and further alternatives
 * multiply the ways to try. A pull request can bring one, and names that take the longest.
 */
export function slowGlob(glob: string) {
  const plain = glob.slice(0, longestGlob).replace(/\\.|\[[^\]]*\]/g, ']');
  const stars = plain.split('/').map((part) => part.match(stretch)?.length ?? 0);
  // The ways to choose alternatives. A group in parentheses can be left out too.
  let choices = 1;
  const open: number[] = [];
  for (const char of plain.match(/[{}()|,]/g) ?? []) {
    if (char === '{') open.push(1);
    else if (char === '(') open.push(2);
    else if (char === '}' || char === ')') choices *= open.pop() ?? 1;
    else if (open.length > 0) open.push((open.pop() ?? 0) + 1);
  }
  const isSlow =
    glob.length > longestGlob ||
    repeatedGroup.test(plain) ||
    plain.split('**').length - 1 > mostGlobstars ||
    choices > mostChoices ||
    waysOfStar ** Math.max(...stars) * choices > mostWays;
  if (!isSlow) return null;
  return {
    code: 'slow-glob',
    message: `\`${cutShort(glob, 200)}\` is so long, or can match a name in so many ways, that comparing it could take hours.`,
    hint: 'Write at most three stars between two slashes, few groups of alternatives, and none that is repeated, such as `+(…)`. Or write several globs.',
  };
}

/** True for a name that a glob matches. In it, `[!a]` is any character but `a`, as in a shell. */
export const matchGlob = (
  globs: string | string[],
  options: picomatch.PicomatchOptions = {},
): ((name: string) => boolean) => picomatch(globs, { ...options, posix: true });
