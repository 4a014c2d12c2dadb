import type { Kind, LiveObject } from '../kinds/kind.ts';
import { distinctKeys, identityOf, idsAsNames, type ReadRequest } from '../kinds/live-objects.ts';
import type { Environment, Kinds, Secrets } from '../kinds/project.ts';
import { keysOf, type Resource, undeclared } from '../kinds/resource.ts';
import { type Address, matchAddresses, scopeFilter } from '../model/address.ts';
import type { Scope } from '../model/documents.ts';
import type { Diagnostic } from '../model/failure.ts';
import type { JsonObject } from '../model/json.ts';
import type { ApiSettings, TenantName } from '../model/tenant.ts';
import { referencesIn, resourcesByIdentity } from './references.ts';

export interface PlanChoices {
  readonly scope: Scope;
  /** Address globs of the objects whose secrets are written in any case. */
  readonly rotate: readonly string[];
  readonly maxDeletes: number | null;
  readonly allowDeleteAll: readonly string[];
}

export interface PlanInput {
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

/** The resources with the lookups that their tenant also needs, as their kinds and the settings say. */
export function completeResources(resources: readonly Resource[], settings: ApiSettings): Resource[] {
  return resources.map((resource) => {
    const fields = resource.kind.quirks?.complete?.(resource.fields, settings);
    return fields === undefined ? resource : { ...resource, fields };
  });
}

export function readRequestsFor(
  input: Pick<PlanInput, 'resources' | 'previous' | 'environment' | 'choices'>,
  manifests: readonly Resource[] = input.resources,
): ReadRequest[] {
  const { resources, previous, environment } = input;
  const { scope } = input.choices;
  const isInScope = scopeFilter(scope);
  const named = [...resources, ...(previous ?? [])].filter(({ address }) => isInScope(address));
  const isWhole = kindsInWhole(named, manifests, environment, scope);
  const targets = targetsOf(resources, isInScope, environment.kinds);
  const pastTargets = targetsOf(previous ?? [], isInScope, environment.kinds);
  const current = new Set(resources);
  const now = resourcesByIdentity(manifests);
  const gone = (previous ?? []).filter(({ kind, key }) => !now.has(identityOf(kind, key)));
  const declared = [...manifests, ...gone];
  return environment.kinds.all.flatMap((kind): ReadRequest[] => {
    const ofKind = named.filter((resource) => resource.kind === kind);
    const complete = isWhole(kind);
    const targetsOfKind = targets.filter((target) => target.kind === kind);
    const needed = [...ofKind, ...targetsOfKind];
    if (needed.length === 0 && !complete) return [];
    // Objects that were only referred to then show who changed a reference. A kind that nothing else needs is not read for it.
    const referred = [...targetsOfKind, ...pastTargets.filter((target) => target.kind === kind)];
    const wanted = [...ofKind, ...referred];
    // An object that only the revision declares by its id alone may have a manifest by its name.
    const byId = idsAsNames(wanted.filter((each) => current.has(each)));
    const ids = [...new Set(wanted.flatMap(({ id }) => (id === null ? [] : [id])))];
    // Two objects with one key are reported at the manifest that refers to them.
    const known = new Set(ofKind.map(({ key }) => identityOf(kind, key)));
    const allowsDuplicates = referred
      .map(({ key }) => key)
      .filter((key) => !known.has(identityOf(kind, key)));
    // An object that is declared both now and at the revision is one object: read twice, it would look like two.
    const keys = distinctKeys(kind, wanted.flatMap(keysOf));
    return [{ kind, keys, ids, idsAsNames: byId, complete, allowsDuplicates, declared }];
  });
}

/**
 * Whether a plan needs all objects of a kind. Only they show whether a delete removes the last one, and what guards protect below
 * an object that is deleted, or that may be replaced, since a tenant deletes that too.
 */
function kindsInWhole(
  named: readonly Resource[],
  manifests: readonly Resource[],
  { policy: { protect, prune } }: Pick<Environment, 'policy'>,
  scope: Scope,
): (kind: Kind) => boolean {
  const namesOf = (resources: readonly Resource[]) => resources.map(({ kind }) => kind.name);
  const mayBeGone = scope.since === null ? named.filter(({ ensure }) => ensure === 'absent') : named;
  const gone = new Set([...(scope.prune ? prune.kinds : []), ...namesOf(mayBeGone)]);
  const lost = new Set([...gone, ...namesOf(named.filter(({ kind }) => kind.can.replace))]);
  const guarded = namesOf(manifests.filter(({ lifecycle }) => lifecycle.protect));
  const isGuardedBelow = guardedBelow(lost, [...protect, ...(scope.prune ? prune.keep : []), ...guarded]);
  return (kind) => gone.has(kind.name) || isGuardedBelow(kind);
}

/** Whether objects of a kind are below one that may be lost, and some of them may be guarded. Kinds are given by name. */
export function guardedBelow(lost: ReadonlySet<string>, guards: readonly string[]): (kind: Kind) => boolean {
  const isBelow = ({ parent }: Kind): boolean =>
    !!parent && (lost.has(parent.kind.name) || isBelow(parent.kind));
  // Alternatives may be of several kinds.
  const kindGlobs = guards.map((glob) => (/^[^/]*\{/.test(glob) ? '*' : glob.replace(/\/.*/s, '')));
  const isGuarded = matchAddresses(kindGlobs, { isGuard: true });
  return (kind) => isBelow(kind) && isGuarded(kind.name);
}

/** The objects that the resources in scope refer to: the scope limits comparisons, not references. */
function targetsOf(resources: readonly Resource[], isInScope: (address: Address) => boolean, kinds: Kinds) {
  const inScope = resources.filter(({ address }) => isInScope(address));
  const references = referencesIn(inScope, kinds);
  if (references.length === 0) return [];
  const declared = resourcesByIdentity(resources);
  return references.map(({ kind, key }) => declared.get(identityOf(kind, key)) ?? undeclared(kind, key));
}
