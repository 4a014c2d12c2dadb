import { kinds } from '../kinds/index.ts';
import type { Wanted } from '../kinds/wanted.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { Failure } from '../model/failure.ts';
import type { LiveObject } from '../model/live.ts';
import { didYouMean } from '../model/suggest.ts';
import type { Matched } from './index.ts';
import type { Match } from './match.ts';

/**
 * The vendor's defaults that `planChanges` has use for: those that are created over, and those that a delete goes
 * back to.
 *
 * @param known the defaults that have been read already, of a key all or none
 */
export function defaultsFor({ matches, asked }: Matched, known: readonly LiveObject[]): Wanted[] {
  const names = namesOf(known);
  const deleted = asked.deletions.filter(({ live }) => !names.has(nameOf(live)));
  const needed = [
    ...withoutDefault(matches, known).map(({ resource }) => resource),
    ...deleted.map(({ live }) => live),
  ];
  return kinds.flatMap((kind): Wanted[] => {
    const keys = kind.defaults ? needed.flatMap((each) => (each.kind === kind.name ? [each.key] : [])) : [];
    return keys.length > 0 ? [{ kind, keys, ids: [], complete: false }] : [];
  });
}

/** All defaults of kinds of which a declared key has none, so that `planChanges` can tell the near ones. */
export function nearDefaultsFor({ matches }: Matched, defaults: readonly LiveObject[]): Wanted[] {
  const unknown = new Set(withoutDefault(matches, defaults).map(({ kind }) => kind));
  return [...unknown].map((kind) => ({ kind, keys: [], ids: [], complete: true }));
}

/** Some kinds can only be laid over a vendor's default, so a key without one is a mistake in the manifest. */
export function refuseUnknownKeys(matches: readonly Match[], defaults: readonly LiveObject[]): void {
  const problems = withoutDefault(matches, defaults).map(({ kind, resource }): Diagnostic => {
    const [name = ''] = resource.key;
    const known = defaults.flatMap(({ kind: of, key: [key = ''] }) => (of === kind.name ? [key] : []));
    const message = `The tenant has no default ${kind.name} with the key "${name}", so none can be created.`;
    const hint = didYouMean(name, [...new Set(known)]);
    const { source, address } = resource;
    return { code: 'unknown-key', severity: 'error', message, source, address, ...(hint ? { hint } : {}) };
  });
  if (problems.length > 0) throw new Failure(problems);
}

function withoutDefault(matches: readonly Match[], defaults: readonly LiveObject[]): Match[] {
  const names = namesOf(defaults);
  return matches.filter(({ kind, resource, live }) => {
    if (!kind.defaults || live || resource.ensure === 'absent') return false;
    return !names.has(nameOf(resource));
  });
}

/** What an object and its relatives in other media and locales have in common. */
function nameOf({ kind, key: [name = ''] }: Pick<LiveObject, 'kind' | 'key'>): string {
  return `${kind} ${name}`;
}

function namesOf(defaults: readonly LiveObject[]): ReadonlySet<string> {
  return new Set(defaults.map(nameOf));
}
