import { kindNamed, kinds } from '../kinds/index.ts';
import type { Kind } from '../kinds/kind.ts';
import { identityOf, identityOfObject } from '../kinds/live.ts';
import type { Wanted } from '../kinds/wanted.ts';
import { type Key, matchAddresses } from '../model/address.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { planDigest } from '../model/digest.ts';
import type { LiveObject, TenantState } from '../model/live.ts';
import { type Action, type Change, type Plan, planFormat, type Scope, type Summary } from '../model/plan.ts';
import type { Environment } from '../model/project.ts';
import type { Resource } from '../model/resource.ts';
import type { Secrets } from '../model/secrets.ts';
import { batchDeletes } from './batch.ts';
import { changeFor, deletionOf, type Outcome } from './change.ts';
import { refuseUnknownKeys } from './defaults.ts';
import { deletions } from './deletes.ts';
import { guard } from './guards.ts';
import { type Kept, NamedObject } from './keep.ts';
import { LiveIndex, type Match, matchResources, missedRenames } from './match.ts';
import { withOrigins } from './origin.ts';
import { scopeFilter } from './scope.ts';

export { defaultsFor, nearDefaultsFor } from './defaults.ts';
export { equalTo, type Kept, keeperFor, wholeObject } from './keep.ts';
export { fillLookups, looksUp, lookupsIn } from './lookups.ts';
export { scopeFilter } from './scope.ts';

/** What somebody who asks for a plan may choose. */
export interface PlanChoices {
  readonly scope: Scope;
  /** Address globs of the objects whose secrets are written whether they differ or not. */
  readonly rotate: readonly string[];
  /** `null`: the environment's own limit. */
  readonly maxDeletes: number | null;
  /** Kinds of which every object may be deleted. */
  readonly allowDeleteAll: readonly string[];
}

/** Everything a plan is computed from; nothing else has a say. */
export interface PlanInput {
  readonly tool: Plan['tool'];
  readonly createdAt: string;
  readonly environment: Environment;
  /** Every resource of the project, lookups inside the scope filled. */
  readonly resources: readonly Resource[];
  /** The resources as the revision of `scope.since` declared them; `null` without one. */
  readonly previous: readonly Resource[] | null;
  readonly state: TenantState<Kept>;
  readonly secrets: Secrets;
  readonly choices: PlanChoices;
  /** What the loader had to say. */
  readonly diagnostics: readonly Diagnostic[];
}

/** What has to be read of the tenant before {@link planChanges} can be called. */
export function wantedFor(
  input: Pick<PlanInput, 'resources' | 'previous' | 'environment' | 'choices'>,
): Wanted[] {
  const { scope } = input.choices;
  const inScope = scopeFilter(scope);
  const named = [...input.resources, ...(input.previous ?? [])].filter(({ address }) => inScope(address));
  const prunes = scope.prune ? input.environment.policy.prune.kinds : [];
  return kinds.flatMap((kind): Wanted[] => {
    const ofKind = named.filter((resource) => resource.kind === kind.name);
    const pruned = prunes.includes(kind.name);
    if (ofKind.length === 0 && !pruned) return [];
    const renamed = ofKind.flatMap(({ lifecycle }) => (lifecycle.renamedFrom ? [lifecycle.renamedFrom] : []));
    return [
      {
        kind,
        // Declared now and then is one object: read twice, it would pass for two of one key.
        keys: distinct(kind, ofKind, renamed),
        ids: [...new Set(ofKind.flatMap(({ id }) => (id === null ? [] : [id])))],
        // Whether a delete takes the last object of a kind shows only in the whole list.
        complete: pruned || scope.since !== null || ofKind.some(({ ensure }) => ensure === 'absent'),
      },
    ];
  });
}

function distinct(kind: Kind, resources: readonly Resource[], renamed: readonly Key[]): Key[] {
  const declared = resources.map((resource) => [identityOfObject(kind, resource), resource.key] as const);
  return [...new Map([...declared, ...renamed.map((key) => [identityOf(kind, key), key] as const)]).values()];
}

/** Who is matched with whom, and what goes. */
export interface Matched {
  readonly matches: readonly Match[];
  readonly asked: ReturnType<typeof deletions>;
  /** What there is to say of the matches. */
  readonly remarks: readonly Diagnostic[];
}

/** Finds the live object of every resource, and what somebody asks to delete. Throws as {@link planChanges} does. */
export function matchUp({
  environment,
  choices,
  state,
  resources,
  previous,
}: Omit<PlanInput, 'state'> & { readonly state: Pick<TenantState<Kept>, 'objects'> }): Matched {
  const inScope = scopeFilter(choices.scope);
  const index = new LiveIndex(state.objects);
  const matches = matchResources(
    resources.filter(({ address }) => inScope(address)),
    index,
  );
  const asked = deletions({
    resources,
    absent: matches.filter(({ resource }) => resource.ensure === 'absent'),
    objects: state.objects,
    index,
    inScope,
    previous,
    prune: choices.scope.prune ? environment.policy.prune : null,
  });
  return { matches, asked, remarks: missedRenames(matches, index) };
}

/** The resources of which updates may come: others are as the tenant has them, or not there. */
export function perhapsUpdated({ matches }: Matched): Resource[] {
  return matches.flatMap(({ resource, live }) =>
    resource.ensure === 'absent' || live === null || live instanceof NamedObject ? [] : [resource],
  );
}

/**
 * Compares the manifests with the tenant. Pure: the same input gives the same plan.
 *
 * @param matched what {@link matchUp} says of the same input; the vendor's defaults have no say in it
 *
 * Throws a Failure for what only the tenant can know to be wrong in a manifest: a pinned id that does not exist, a
 * key the vendor has no default for.
 */
export function planChanges(input: PlanInput, { matches, asked, remarks }: Matched): Plan {
  const { environment, choices, state } = input;
  const defaults = new LiveIndex(state.defaults);
  refuseUnknownKeys(matches, state.defaults);
  const compared = compareAll(input, matches, defaults);
  const writes = compared.flatMap(({ match, change }) =>
    change ? [{ change, resource: match.resource }] : [],
  );
  const deletes = asked.deletions.map((deletion) => {
    const kind = kindNamed(deletion.live.kind);
    const base = defaults.byKey(kind, deletion.live.key);
    return { deletion, change: deletionOf(kind, deletion, base, environment.settings) };
  });
  const refusals = guard({
    deletes,
    objects: state.objects,
    protect: environment.policy.protect,
    maxDeletes: choices.maxDeletes ?? environment.policy.maxDeletes,
    allowDeleteAll: choices.allowDeleteAll,
    changes: writes,
  });
  const goneAsDeclared = deletes.filter(({ deletion }) => deletion.asked === 'absent').length;
  const changes = inOrder(
    writes.map(({ change }) => change),
    batchDeletes(deletes.map(({ change }) => change)),
  );
  return finish(input, changes, {
    unchanged: matches.length - writes.length - goneAsDeclared,
    diagnostics: [
      ...refusals,
      ...input.diagnostics,
      ...remarks,
      ...compared.flatMap(({ match, outcome }) => notComparable(match, outcome)),
      ...asked.leftAlone,
    ],
  });
}

interface Compared {
  readonly match: Match;
  readonly outcome: Outcome;
  readonly change: Change | null;
}

/** Every object that is to exist, compared with the tenant. */
function compareAll(
  input: PlanInput,
  matches: readonly Match[],
  defaults: LiveIndex<LiveObject>,
): Compared[] {
  const { environment, choices, secrets, previous } = input;
  const isRotated = matchAddresses(choices.rotate);
  return matches
    .filter(({ resource }) => resource.ensure === 'present')
    .map((match) => {
      const { kind, resource, live } = match;
      if (live instanceof NamedObject) return unchanged(match, live);
      const rotate = isRotated(resource.address);
      const base = live ? null : defaults.byKey(kind, resource.key);
      const compared = { kind, resource, live };
      const outcome = changeFor(compared, base, { settings: environment.settings, secrets, rotate });
      const change =
        outcome.change && previous ? withOrigins(outcome.change, compared, previous) : outcome.change;
      return { match, outcome, change };
    });
}

function unchanged(match: Match, { notComparable }: NamedObject): Compared {
  return { match, outcome: { change: null, notComparable }, change: null };
}

function finish(
  input: PlanInput,
  changes: readonly Change[],
  more: { unchanged: number; diagnostics: readonly Diagnostic[] },
): Plan {
  const count = (action: Action) => changes.filter((change) => change.action === action).length;
  const summary: Summary = {
    create: count('create'),
    update: count('update'),
    delete: count('delete'),
    manual: count('manual'),
    unchanged: more.unchanged,
  };
  const plan: Omit<Plan, 'digest'> = {
    formatVersion: planFormat,
    tool: input.tool,
    createdAt: input.createdAt,
    environment: input.environment.name,
    tenant: input.state.tenant,
    scope: input.choices.scope,
    summary,
    changes,
    diagnostics: more.diagnostics,
  };
  return { ...plan, digest: planDigest(plan) };
}

/** The order in which they are sent: kinds as listed, deletes last and the other way round; by address within. */
function inOrder(writes: readonly Change[], deletes: readonly Change[]): Change[] {
  const rank = new Map(kinds.map(({ name }, at) => [name, at]));
  const by = (direction: 1 | -1) => (a: Change, b: Change) =>
    direction * ((rank.get(a.kind) ?? 0) - (rank.get(b.kind) ?? 0)) || (a.address < b.address ? -1 : 1);
  return [...writes.toSorted(by(1)), ...deletes.toSorted(by(-1))];
}

function notComparable({ resource }: Match, { notComparable: places }: Outcome): Diagnostic[] {
  const [first] = places;
  if (first === undefined) return [];
  return [
    {
      code: 'not-comparable',
      severity: 'info',
      message: `${resource.address}: the tenant does not show ${places.join(', ')}, so it is not compared.`,
      hint: `Write it with --rotate ${resource.address}.`,
      address: resource.address,
      source: resource.locate(first),
    },
  ];
}
