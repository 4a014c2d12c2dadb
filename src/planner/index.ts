import { arrangeChanges } from '../kinds/dependencies.ts';
import type { LiveObject } from '../kinds/kind.ts';
import { defaultsOf, LiveIndex, type Match, type ReadRequest } from '../kinds/live-objects.ts';
import { isIgnored } from '../kinds/places.ts';
import type { Kinds, Secrets } from '../kinds/project.ts';
import { byAddress, scopeFilter } from '../model/address.ts';
import { groupBy } from '../model/basics.ts';
import { sha256 } from '../model/digest.ts';
import { type Change, type DraftPlan, formats, secretsSentBy, tool } from '../model/documents.ts';
import { type Diagnostic, Failure, noteOverlay } from '../model/failure.ts';
import { itemsOf, objectFrom } from '../model/json.ts';
import { secretName, secretPlaces } from '../model/marker.ts';
import { pointer, valueAt } from '../model/pointer.ts';
import { didYouMean } from '../model/words.ts';
import { deletionOf } from './change.ts';
import { findRefusals } from './guards.ts';
import type { PlanInput } from './input.ts';
import { compareAll, type Matched } from './match.ts';

/** The vendor's defaults for creates and deletes, and those that may have moved since an object was customised. */
export function defaultsFor({ present, missing, deletions }: Matched): ReadRequest[] {
  return defaultsOf([
    ...missing.map(({ resource }) => resource),
    ...present.flatMap(({ match: { resource } }) => (resource.lifecycle.basedOn ? [resource] : [])),
    ...deletions.map(({ live }) => live),
  ]);
}

/** New objects without a vendor's default, if their kind needs one. One of another medium or locale is enough. */
export function withoutDefault(missing: readonly Match[], defaults: readonly LiveObject[]): Match[] {
  const known = new Set(defaults.map(({ kind, key }) => `${kind.name} ${key[0]}`));
  return missing.filter(
    ({ kind, resource: { key } }) => kind.read.defaults && !known.has(`${kind.name} ${key[0]}`),
  );
}

/**
 * The plan that makes the tenant match the manifests. Pure. Throws a Failure for a key without a vendor's default, if its kind
 * needs one, and for secrets that are needed and not set. `defaults` are those that `defaultsFor` asks for.
 */
export function planMatched(input: PlanInput, matched: Matched, defaults: readonly LiveObject[]): DraftPlan {
  const { environment, choices, previous, written } = input;
  const { present, missing, deletions } = matched;
  if (missing.length > 0) refuseUnknownKeys(missing, defaults);
  const standards = new LiveIndex(defaults);
  const writes = [...present, ...compareAll(input, missing, standards)].flatMap(({ change, match }) =>
    change ? [{ change, match }] : [],
  );
  // What was to be absent at the revision and is there was created in the tenant, unless an apply of this checkout did it.
  const absentThen = (previous ?? []).flatMap((each) => (each.ensure === 'absent' ? [each.address] : []));
  const deletes = deletions.map((deletion) => {
    const { kind, key, address } = deletion.live;
    const change = deletionOf(deletion, standards.findByKey(kind, key), environment.settings);
    const isBack = absentThen.some((each) => deletion.addresses.includes(each)) && !written?.get(address);
    const risk = isBack ? [...change.risk, 'undoes-tenant-change' as const] : change.risk;
    return { deletion, change: { ...change, risk } };
  });
  const batched = batchDeletes(
    deletes.map(({ change }) => change),
    environment.kinds,
  );
  const all = [...writes.map(({ change }) => change), ...batched].toSorted(byAddress);
  const changes = arrangeChanges(all, environment.kinds).ranks.flatMap((rank) => rank.changes);
  refuseUnsetSecrets(matched, changes, input.secrets);
  const { maxDeletes, allowDeleteAll } = choices;
  const counts = { create: 0, update: 0, delete: 0, manual: 0 };
  for (const { action } of changes) counts[action] += 1;
  return {
    formatVersion: formats.plan,
    tool,
    createdAt: input.createdAt,
    environment: environment.name,
    tenant: input.tenant,
    scope: choices.scope,
    // Guards lifted by options are part of the plan and its digest, and an apply of the plan respects them.
    ...(maxDeletes === null && allowDeleteAll.length === 0
      ? {}
      : { allowed: { maxDeletes, deleteAll: allowDeleteAll } }),
    summary: {
      ...counts,
      unchanged: present.length + missing.length + matched.alreadyAbsent - writes.length,
    },
    ...stateDesired(input, matched),
    changes,
    diagnostics: [
      ...findRefusals(input, deletes, writes),
      ...input.diagnostics,
      ...matched.remarks,
      ...present.filter(({ notComparable }) => notComparable.length > 0).flatMap(notComparableRemarks),
    ],
  };
}

/** Objects of some kinds need a vendor's default, so a key without one is a mistake in the manifest. A rollback has none. */
function refuseUnknownKeys(missing: readonly Match[], defaults: readonly LiveObject[]): void {
  const declared = missing.filter(({ resource }) => resource.declaration);
  const problems = withoutDefault(declared, defaults).map(({ kind, resource }, at): Diagnostic => {
    const { address, key } = resource;
    const [name = ''] = key;
    const names = [...new Set(defaults.map(({ key: [first = ''] }) => first))].toSorted();
    const message = `The tenant has no default ${kind.name} with the key "${name}", so it cannot be created.`;
    const all = at === 0 && names.length > 0 ? `Keys with a default: ${names.join(', ')}.` : null;
    const hint = didYouMean(name, names) ?? all;
    const place = resource.point(pointer(kind.keyFields[0]?.name ?? ''));
    return { code: 'unknown-key', severity: 'error', message, ...place, address, ...(hint ? { hint } : {}) };
  });
  if (problems.length > 0) throw new Failure(problems);
}

function stateDesired({ choices, resources }: PlanInput, { removed }: Matched) {
  const isInScope = scopeFilter(choices.scope);
  const declared = resources.flatMap(({ address, declaration }) =>
    declaration && isInScope(address) ? [{ address, declaration }] : [],
  );
  // A tenant that lacks an object because of its environment proves nothing for others.
  const here = declared.filter(({ declaration }) => declaration.isEnsuredHere);
  return {
    desired: objectFrom([
      ...removed.map(
        ({ address, declaration }) => [address, sha256({ removed: declaration.digest() })] as const,
      ),
      ...declared.map(({ address, declaration }) => [address, declaration.digest()] as const),
    ]),
    ...(here.length > 0 ? { ensuredHere: here.map(({ address }) => address) } : {}),
  };
}

type Compared = Matched['present'][number];

const largestBatch = 100;

/** Deletes of a kind that allows it carry one shared request, which the applier sends once. */
export function batchDeletes(deletes: readonly Change[], kinds: Kinds): Change[] {
  const named = new Set(kinds.all.flatMap(({ name, quirks }) => (quirks?.sharedDelete ? [name] : [])));
  const together = groupBy(
    deletes.filter(({ kind }) => named.has(kind)).toSorted(byAddress),
    ({ kind }) => kind,
  );
  const batches = together.flatMap(([, all]) => groupBy(all, (_, at) => Math.floor(at / largestBatch)));
  const shared = new Map(
    batches.flatMap(([, batch]) => {
      const [first, ...others] = batch.flatMap(({ requests }) => requests);
      if (!first) return [];
      const request = { ...first, body: [first, ...others].flatMap(({ body }) => itemsOf(body)) };
      return batch.map((change) => [change, request] as const);
    }),
  );
  return deletes.map((change) => {
    const request = shared.get(change);
    return request ? { ...change, requests: [request] } : change;
  });
}

function notComparableRemarks({ match: { resource }, change, notComparable }: Compared): Diagnostic[] {
  const { address, fields } = resource;
  const sent = new Set(change ? secretsSentBy(change) : []);
  return [true, false].flatMap((isWritten): Diagnostic[] => {
    const told = notComparable.filter((at) => sent.has(secretName(valueAt(fields, at)) ?? '') === isWritten);
    const [first] = told;
    if (first === undefined) return [];
    const written = isWritten ? ' It is written, because this plan writes what contains it.' : '';
    const message = `${address}: the tenant does not show ${told.join(', ')}, so it cannot be compared.${written}`;
    const hint = isWritten ? {} : { hint: `Write it with --rotate ${address}.` };
    const source = resource.point(first).source;
    return [{ code: 'not-comparable', severity: 'info', message, ...hint, address, source }];
  });
}

/** Throws a Failure for each secret that a plan compares or writes and that is not set, at its place. Others need not be set. */
function refuseUnsetSecrets(
  { present, missing }: Matched,
  changes: readonly Change[],
  secrets: Pick<Secrets, 'problem'>,
): void {
  const written = new Map(changes.map((change) => [change.address, secretsSentBy(change)]));
  const open = missing.map((match): Omit<Compared, 'change'> => ({ match, notComparable: [] }));
  const unset = [...present, ...open].flatMap(({ match, notComparable }) => {
    const { resource, live } = match;
    return secretPlaces(resource.fields).flatMap((at): Diagnostic[] => {
      const name = secretName(valueAt(resource.fields, at));
      if (name === null) return [];
      const isCompared =
        live !== null && !isIgnored(resource.lifecycle.ignore, at) && !notComparable.includes(at);
      const isWritten = written.get(resource.address)?.includes(name) === true;
      const problem = isCompared || isWritten ? secrets.problem(name) : null;
      if (!problem) return [];
      const message = noteOverlay(problem.message, resource.overlayAt(at) !== null);
      const { address } = resource;
      return [{ ...problem, message, severity: 'error', address, ...resource.point(at) }];
    });
  });
  if (unset.length > 0) throw new Failure(unset);
}
