import { kindNamed, kinds } from '../kinds/index.ts';
import type { Wanted } from '../kinds/wanted.ts';
import { matchAddresses } from '../model/address.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { planDigest } from '../model/digest.ts';
import { Failure } from '../model/failure.ts';
import type { LiveObject, TenantState } from '../model/live.ts';
import { type Action, type Change, type Plan, planFormat, type Scope, type Summary } from '../model/plan.ts';
import type { Environment } from '../model/project.ts';
import type { Resource } from '../model/resource.ts';
import type { Secrets } from '../model/secrets.ts';
import { changeFor, deletionOf, type Outcome } from './change.ts';
import { deletions } from './deletes.ts';
import { guard } from './guards.ts';
import { LiveIndex, type Match, matchResources } from './match.ts';
import { withOrigins } from './origin.ts';

export { fillLookups, lookupKey, lookupsIn } from './lookups.ts';

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
  /** Every resource of the project, lookups filled. */
  readonly resources: readonly Resource[];
  /** The resources as the revision of `scope.since` declared them; `null` without one. */
  readonly previous: readonly Resource[] | null;
  readonly state: TenantState;
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
        keys: [...ofKind.map(({ key }) => key), ...renamed],
        ids: ofKind.flatMap(({ id }) => (id === null ? [] : [id])),
        // Whether a delete takes the last object of a kind shows only in the whole list.
        complete: pruned || scope.since !== null || ofKind.some(({ ensure }) => ensure === 'absent'),
      },
    ];
  });
}

/**
 * Compares the manifests with the tenant. Pure: the same input gives the same plan.
 *
 * Throws a Failure for what only the tenant can know to be wrong in a manifest: a pinned id that does not exist, a
 * key the vendor has no default for.
 */
export function planChanges(input: PlanInput): Plan {
  const { environment, choices, state } = input;
  const inScope = scopeFilter(choices.scope);
  const index = new LiveIndex(state.objects);
  const defaults = new LiveIndex(state.defaults);
  const matches = matchResources(
    input.resources.filter(({ address }) => inScope(address)),
    index,
  );
  const present = matches.filter(({ resource }) => resource.ensure === 'present');
  refuseUnknownKeys(present, state.defaults);

  const rotated = matchAddresses(choices.rotate);
  const compared = present.map((match) => {
    const context = {
      settings: environment.settings,
      secrets: input.secrets,
      rotate: rotated(match.resource.address),
    };
    const base = match.live ? null : defaults.byKey(match.kind, match.resource.key);
    const outcome = changeFor(match, base, context);
    const change =
      outcome.change && input.previous ? withOrigins(outcome.change, match, input.previous) : outcome.change;
    return { match, outcome, change };
  });
  const writes = compared.flatMap(({ match, change }) =>
    change ? [{ change, resource: match.resource }] : [],
  );

  const asked = deletions({
    resources: input.resources,
    absent: matches.filter(({ resource }) => resource.ensure === 'absent'),
    objects: state.objects,
    index,
    inScope,
    previous: input.previous,
    prune: choices.scope.prune ? environment.policy.prune : null,
  });
  const deletes = asked.deletions.map((deletion) => ({
    deletion,
    change: deletionOf(kindNamed(deletion.live.kind), deletion.live, environment.settings, deletion.source),
  }));

  const refusals = guard({
    deletes,
    objects: state.objects,
    protect: environment.policy.protect,
    maxDeletes: choices.maxDeletes ?? environment.policy.maxDeletes,
    allowDeleteAll: choices.allowDeleteAll,
    changes: writes,
  });
  return finish(
    input,
    inOrder(
      writes.map(({ change }) => change),
      deletes.map(({ change }) => change),
    ),
    {
      unchanged:
        matches.length - writes.length - deletes.filter(({ deletion }) => deletion.asked === 'absent').length,
      diagnostics: [
        ...refusals,
        ...input.diagnostics,
        ...compared.flatMap(({ match, outcome }) => notComparable(match, outcome)),
        ...asked.leftAlone,
      ],
    },
  );
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

/** Some kinds can only be laid over a vendor's default, so a key without one is a mistake in the manifest. */
function refuseUnknownKeys(present: readonly Match[], defaults: readonly LiveObject[]): void {
  const problems = present.flatMap(({ kind, resource, live }) => {
    const known = defaults.some(({ kind: name, key }) => name === kind.name && key[0] === resource.key[0]);
    if (!kind.defaults || live || known) return [];
    const message = `The tenant has no default ${kind.name} with the key "${resource.key[0]}", so none can be created.`;
    return [
      {
        code: 'unknown-key',
        severity: 'error',
        message,
        source: resource.source,
        address: resource.address,
      } as const,
    ];
  });
  if (problems.length > 0) throw new Failure(problems);
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

function scopeFilter({ only, except }: Pick<Scope, 'only' | 'except'>): (address: string) => boolean {
  const included = matchAddresses(only);
  const excluded = matchAddresses(except);
  return (address) => (only.length === 0 || included(address)) && !excluded(address);
}
