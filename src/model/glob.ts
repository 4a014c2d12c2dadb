import { type Failure, failure } from './failure.ts';

/** Four stars or more between two slashes. Braces and parentheses may repeat them. */
const manyStars = /(?:^|\/)(?:[^/*]*\*+(?!\*)){4}/;

/** Whether comparing a name with a glob can take hours: each further star multiplies the ways to try. */
export const isSlowGlob = (glob: string): boolean => manyStars.test(glob);

/** What is wrong with such a glob. A pull request can bring one, and names that take the longest. */
export const slowGlob = (glob: string) => ({
  code: 'slow-glob',
  message: `\`${glob}\` has more than three stars between two slashes, and can take hours to compare`,
  hint: 'Name more of it, or write several globs with fewer stars.',
});

/** The same as a failure. */
export function slowGlobFailure(glob: string): Failure {
  const { code, message, hint } = slowGlob(glob);
  return failure(code, `${message}.`, { hint });
}
