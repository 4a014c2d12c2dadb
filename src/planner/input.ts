import type { Kinds } from '../kinds/catalog.ts';
import type { LiveObject } from '../kinds/kind.ts';
import { distinctKeys, identityOf, idsAsNames, type Match } from '../kinds/live-objects.ts';
import type { Environment, Secrets } from '../kinds/project.ts';
import { allOf, defaultsOf, type ReadRequest } from '../kinds/read-request.ts';
import { keysOf, type Resource, undeclared } from '../kinds/resource.ts';
import { type Address, scopeFilter } from '../model/address.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { Failure } from '../model/failure.ts';
import type { JsonObject } from '../model/json.ts';
import type { TenantName } from '../model/network.ts';
import type { Plan, Scope } from '../model/plan.ts';
import { pointer } from '../model/pointer.ts';
import { didYouMean } from '../model/words.ts';
import { referencesIn, resourcesByIdentity } from './references.ts';

export interface PlanChoices {
  readonly scope: Scope;
  /** Address globs of the objects whose secrets are written in any case. */
  readonly rotate: readonly string[];
  readonly maxDeletes: number | null;
  readonly allowDeleteAll: readonly string[];
}

export interface PlanInput {
  readonly tool: Plan['tool'];
  readonly createdAt: string;
  readonly environment: Environment;
  /** All resources of the project; lookups in scope are filled. */
  readonly resources: readonly Resource[];
  /** The resources as the revision of `scope.since` declared them; `null` without one. */
  readonly previous: readonly Resource[] | null;
  readonly tenant: TenantName;
  readonly objects: readonly LiveObject[];
  readonly secrets: Secrets;
  /** Why no manifest could declare an object, in words; `null` if one could. Only asked with `--prune`. */
  readonly whyUndeclarable: (live: LiveObject) => string | null;
  /** The writes of this checkout's applies since the revision of `--since`: the fields, or `null` if one deleted the object. */
  readonly written?: ReadonlyMap<Address, JsonObject | null>;
  readonly choices: PlanChoices;
  readonly diagnostics: readonly Diagnostic[];
}

export function readRequestsFor(
  input: Pick<PlanInput, 'resources' | 'previous' | 'environment' | 'choices'>,
): ReadRequest[] {
  const { resources, previous, environment } = input;
  const { scope } = input.choices;
  const isInScope = scopeFilter(scope);
  const named = [...resources, ...(previous ?? [])].filter(({ address }) => isInScope(address));
  const prunes = scope.prune ? environment.policy.prune.kinds : [];
  const targets = targetsOf(resources, isInScope, environment.kinds);
  const pastTargets = targetsOf(previous ?? [], isInScope, environment.kinds);
  return environment.kinds.all.flatMap((kind): ReadRequest[] => {
    const ofKind = named.filter((resource) => resource.kind === kind);
    const isPruned = prunes.includes(kind.name);
    const targetsOfKind = targets.filter((target) => target.kind === kind);
    const needed = [...ofKind, ...targetsOfKind];
    if (needed.length === 0 && !isPruned) return [];
    // Objects that were only referred to then show who changed a reference. A kind that nothing else needs is not read for it.
    const referred = [...targetsOfKind, ...pastTargets.filter((target) => target.kind === kind)];
    const wanted = [...ofKind, ...referred];
    // Only the whole list shows whether a delete removes the last object of a kind.
    const isWhole = ofKind.some(({ ensure }) => scope.since !== null || ensure === 'absent');
    const ids = [...new Set(wanted.flatMap(({ id }) => (id === null ? [] : [id])))];
    const complete = isPruned || isWhole;
    // Two objects with one key are reported at the manifest that refers to them.
    const known = new Set(ofKind.map(({ key }) => identityOf(kind, key)));
    const allowsDuplicates = referred
      .map(({ key }) => key)
      .filter((key) => !known.has(identityOf(kind, key)));
    // An object that is declared both now and at the revision is one object: read twice, it would look like two.
    const keys = distinctKeys(kind, wanted.flatMap(keysOf));
    return [{ kind, keys, ids, idsAsNames: idsAsNames(wanted), complete, allowsDuplicates }];
  });
}

/** The objects that the resources in scope refer to: the scope limits comparisons, not references. */
function targetsOf(resources: readonly Resource[], isInScope: (address: Address) => boolean, kinds: Kinds) {
  const inScope = resources.filter(({ address }) => isInScope(address));
  const references = referencesIn(inScope, kinds);
  const declared = resourcesByIdentity(references.length > 0 ? resources : []);
  return references.map(({ kind, key }) => declared.get(identityOf(kind, key)) ?? undeclared(kind, key));
}

interface OpenMatches {
  readonly present: readonly { readonly match: Pick<Match, 'resource'> }[];
  readonly missing: readonly Match[];
  readonly deletions: readonly { readonly live: LiveObject }[];
}

/** The vendor's defaults for creates and deletes, and those that may have moved since an object was customised. */
export function defaultsFor({ present, missing, deletions }: OpenMatches): ReadRequest[] {
  const based = present.flatMap(({ match: { resource } }) => (resource.lifecycle.basedOn ? [resource] : []));
  return defaultsOf([
    ...missing.map(({ resource }) => resource),
    ...based,
    ...deletions.map(({ live }) => live),
  ]);
}

export function nearDefaultsFor(
  { missing }: Pick<OpenMatches, 'missing'>,
  defaults: readonly LiveObject[],
): ReadRequest[] {
  return [...new Set(withoutDefault(missing, defaults).map(({ kind }) => kind))].map(allOf);
}

/** Objects of some kinds need a vendor's default, so a key without one is a mistake in the manifest. */
export function refuseUnknownKeys(missing: readonly Match[], defaults: readonly LiveObject[]): void {
  const problems = withoutDefault(missing, defaults).map(({ kind, resource }, at): Diagnostic => {
    const [name = ''] = resource.key;
    const keys = defaults.flatMap((each) => (each.kind === kind ? [each.key[0] ?? ''] : []));
    const names = [...new Set(keys)].toSorted();
    const message = `The tenant has no default ${kind.name} with the key "${name}", so it cannot be created.`;
    const all = at === 0 && names.length > 0 ? `Keys with a default: ${names.join(', ')}.` : null;
    const hint = didYouMean(name, names) ?? all;
    const place = resource.point(pointer(kind.keyFields[0]?.name ?? ''));
    const { address } = resource;
    return { code: 'unknown-key', severity: 'error', message, ...place, address, ...(hint ? { hint } : {}) };
  });
  if (problems.length > 0) throw new Failure(problems);
}

function withoutDefault(missing: readonly Match[], defaults: readonly LiveObject[]): Match[] {
  const names = new Set(defaults.map(familyOf));
  return missing.filter(({ kind, resource }) => kind.read.defaults && !names.has(familyOf(resource)));
}

/** The part of an object's key that its variants in other media and locales share. */
function familyOf({ kind, key: [name = ''] }: Pick<Resource, 'kind' | 'key'>): string {
  return `${kind.name} ${name}`;
}
