import { globProblem, unknownKind } from '../kinds/address-glob.ts';
import { findKind } from '../kinds/index.ts';
import { type Address, matchAddresses, scopeFilter } from '../model/address.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { Failure } from '../model/failure.ts';

/** Options that name objects by globs, or kinds. */
interface Named {
  readonly only: readonly string[];
  readonly except: readonly string[];
  readonly rotate?: readonly string[];
  readonly allowDeleteAll?: readonly string[];
}

/** Throws a Failure for globs that can match nothing and for kinds that do not exist: ignored, they would mislead. */
export function checkGlobs({ only, except, rotate = [], allowDeleteAll = [] }: Named): void {
  const problems = [
    ...only.flatMap((glob) => problemOf('--only', globProblem(glob))),
    ...except.flatMap((glob) => problemOf('--except', globProblem(glob))),
    ...rotate.flatMap((glob) => problemOf('--rotate', globProblem(glob))),
    ...allowDeleteAll.flatMap((name) =>
      problemOf('--allow-delete-all', findKind(name) ? null : unknownKind(name)),
    ),
  ];
  if (problems.length > 0) throw new Failure(problems);
}

/** Whether `--only` and `--except` leave an object in. Throws a Failure for globs that can match nothing. */
export function scopeOf({ only, except }: Pick<Named, 'only' | 'except'>): (address: Address) => boolean {
  checkGlobs({ only, except });
  return scopeFilter({ only, except });
}

function problemOf(option: string, problem: ReturnType<typeof globProblem>): Diagnostic[] {
  if (!problem) return [];
  const { code, message, hint } = problem;
  return [{ code, severity: 'error', message: `${option}: ${message}.`, hint }];
}

/** A warning for each glob that matches none of the objects there are: it probably has a typo. */
export function unmatchedGlobs(
  { only, except, rotate = [] }: Named,
  objects: readonly { readonly address: Address }[],
): Diagnostic[] {
  const given = [
    ...only.map((glob) => ['--only', glob] as const),
    ...except.map((glob) => ['--except', glob] as const),
    ...rotate.map((glob) => ['--rotate', glob] as const),
  ];
  const isUnmatched = (glob: string) => {
    const matches = matchAddresses([glob]);
    return !objects.some(({ address }) => matches(address));
  };
  return given
    .filter(([, glob]) => isUnmatched(glob))
    .map(([option, glob]) => ({
      code: 'unmatched-glob',
      severity: 'warning',
      message: `${option} \`${glob}\` matches no object, declared or read from the tenant.`,
      hint: 'Addresses are written as a plan shows them: `SenderAddress/help@acme.example`.',
    }));
}
