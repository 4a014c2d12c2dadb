import type { LiveObject } from '../kinds/kind.ts';
import { addressesOf, LiveIndex } from '../kinds/live-objects.ts';
import { type Environment, globProblem, type Kinds, unknownKind } from '../kinds/project.ts';
import type { Resource } from '../kinds/resource.ts';
import { type Address, matchAddresses, scopeFilter } from '../model/address.ts';
import type { Scope } from '../model/documents.ts';
import { type Diagnostic, Failure, fail, hasErrors, isError } from '../model/failure.ts';
import { valueAt } from '../model/pointer.ts';
import { didYouMean } from '../model/words.ts';
import type { PlanChoices, PlanInput } from '../planner/input.ts';

/** The options of a plan; the defaults are those of the command. */
export interface PlanOptions extends Partial<Scope>, Partial<Omit<PlanChoices, 'scope'>> {
  /** The maximum number of requests for running changed searches. Left out or `null`: they are not run. */
  readonly impactRequests?: number | null;
  /** The environment variables for reading the manifests of `since`. Left out: those of the process. */
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * Throws a Failure for globs that can match nothing, for kinds that do not exist, for a number of deletes that cannot be one, and
 * for `prune` in an environment that names no kinds to prune. Ignoring them would mislead.
 */
export function choicesFrom(options: PlanOptions, { name, policy, kinds }: Environment): PlanChoices {
  const { only = [], except = [], prune = false, since = null } = options;
  const { rotate = [], maxDeletes = null, allowDeleteAll = [] } = options;
  checkScope({ only, except, rotate, allowDeleteAll }, kinds);
  if (maxDeletes !== null && !(Number.isSafeInteger(maxDeletes) && maxDeletes >= 0))
    throw fail('usage', `\`maxDeletes\` must be a whole number of 0 or more, not ${maxDeletes}.`);
  if (prune && policy.prune.kinds.length === 0)
    throw fail('prune-kinds', `The environment ${name} does not say which kinds --prune may delete.`, {
      hint: 'Name them in this environment: `prune: { kinds: [NotificationTemplate] }`.',
    });
  return { scope: { only, except, prune, since }, rotate, maxDeletes, allowDeleteAll };
}

/** A filter of addresses, and {@link unmatchedGlobs} for those that it was asked about. */
export function selectionOf({ only, except }: Pick<Globs, 'only' | 'except'>) {
  const isIncluded = scopeFilter({ only, except });
  const asked = new Set<Address>();
  return {
    includes(address: Address): boolean {
      asked.add(address);
      return isIncluded(address);
    },
    findUnmatched(): Diagnostic[] {
      const objects = [...asked].map((address) => ({ address }));
      return unmatchedGlobs({ only, except }, objects, objects);
    },
  };
}

/**
 * A warning for each glob that matches no object. Throws a Failure for addresses that name none. Only `known` objects are
 * suggested: the warning is part of a plan's digest, which must not depend on others' objects.
 */
export function unmatchedGlobs(
  globs: Globs,
  objects: readonly { readonly address: Address }[],
  known: readonly { readonly address: Address }[],
): Diagnostic[] {
  const problems = givenGlobs(globs).flatMap(({ option, glob }): Diagnostic[] => {
    const matches = matchAddresses([glob]);
    if (objects.some(({ address }) => matches(address))) return [];
    const isAddress = !/[*{}]/.test(glob);
    const kind = isAddress
      ? ({ code: 'unknown-address', severity: 'error' } as const)
      : ({ code: 'unmatched-glob', severity: 'warning' } as const);
    const message = `${option} \`${glob}\` ${isAddress ? 'names' : 'matches'} no object that is declared or was read.`;
    const [start = ''] = glob.split('/');
    const ofKind = known.flatMap(({ address }) => (address.startsWith(`${start}/`) ? [address] : []));
    const hint =
      didYouMean(glob, [...new Set(ofKind)].sort()) ??
      'Write addresses as plans show them: `SenderAddress/help@acme.example`. `SenderAddress/**` means all objects of a kind, `**` means all objects.';
    return [{ ...kind, message, hint }];
  });
  if (hasErrors(problems)) throw new Failure(problems.filter(isError));
  return problems;
}

/** Warns of globs that match nothing, and of those that miss what they mean. `others` came with lists, though nothing asked. */
export function globWarnings(
  { scope, rotate }: Pick<PlanChoices, 'scope' | 'rotate'>,
  { resources, previous, objects }: Pick<PlanInput, 'resources' | 'previous' | 'objects'>,
  others: readonly LiveObject[],
): Diagnostic[] {
  const globs = { ...scope, rotate };
  // Naming thousands of objects takes a while.
  if (givenGlobs(globs).length === 0) return [];
  const index = new LiveIndex(objects);
  const isInScope = scopeFilter(scope);
  const kept = resources.filter(({ ensure, address }) => ensure === 'present' && isInScope(address));
  const declared = new Set(kept.map((resource) => index.find(resource)));
  // A delete is left out by either name of its object, and what stays declared only by its name in the manifest.
  const names = [...objects, ...others]
    .filter((live) => !declared.has(live))
    .flatMap((live) => addressesOf(live).map((address) => ({ address })));
  return [
    ...unmatchedGlobs(globs, [...resources, ...(previous ?? []), ...names], resources),
    ...rotationsOfNothing(rotate, resources, index),
  ];
}

/** A warning for each glob of `--rotate` that finds no secret to write again. */
function rotationsOfNothing(rotate: readonly string[], resources: readonly Resource[], index: LiveIndex) {
  return rotate.flatMap((glob): Diagnostic[] => {
    const matches = matchAddresses([glob]);
    const named = resources.filter(({ address }) => matches(address));
    const hasSecret = named.some(
      (resource) =>
        resource.secrets().length > 0 ||
        index.find(resource)?.hidden.some((at) => valueAt(resource.fields, at) !== undefined),
    );
    if (named.length === 0 || hasSecret) return [];
    const message = `--rotate \`${glob}\` finds no secret: no object that it names declares one, or a value that the tenant hides.`;
    const hint = 'Mark the value with `!secret` in the manifest, or name the object that has it.';
    return [{ code: 'no-secret', severity: 'warning', message, hint }];
  });
}

interface Globs {
  readonly only: readonly string[];
  readonly except: readonly string[];
  readonly rotate?: readonly string[];
  readonly allowDeleteAll?: readonly string[];
  readonly kinds?: readonly string[] | undefined;
}

function givenGlobs({ only, except, rotate = [] }: Globs): { option: string; glob: string }[] {
  return Object.entries({ only, except, rotate }).flatMap(([name, globs]) =>
    globs.map((glob) => ({ option: `--${name}`, glob })),
  );
}

export function checkScope({ allowDeleteAll = [], kinds: named = [], ...globs }: Globs, kinds: Kinds): void {
  const problems = [
    ...givenGlobs(globs).map(({ option, glob }) => ({ option, problem: globProblem(glob, kinds) })),
    ...[
      ...allowDeleteAll.map((name) => ({ option: '--allow-delete-all', name })),
      ...named.map((name) => ({ option: '--kinds', name })),
    ].map(({ option, name }) => ({ option, problem: kinds.find(name) ? null : unknownKind(name, kinds) })),
  ];
  const diagnostics = problems.flatMap(({ option, problem }): Diagnostic[] => {
    if (!problem) return [];
    const { code, message, hint } = problem;
    return [{ code, severity: 'error', message: `${option}: ${message}`, hint }];
  });
  if (diagnostics.length > 0) throw new Failure(diagnostics);
}

/** The kinds in `--kinds`, or else in `--only`, if each of its globs begins with the name of a kind. */
export function kindsNamed({ only, kinds }: Pick<Globs, 'only' | 'kinds'>): readonly string[] | undefined {
  const named = only.flatMap((glob) => /^(\w+)(?:\/|$)/.exec(glob)?.[1] ?? []);
  return kinds ?? (only.length > 0 && named.length === only.length ? [...new Set(named)] : undefined);
}
