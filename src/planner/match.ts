import { comparable } from '../kinds/field.ts';
import type { Kind, LiveObject } from '../kinds/kind.ts';
import { identityOf, ignoring, isKnownById, isRename, LiveIndex, type Match } from '../kinds/live-objects.ts';
import { keysOf, nowhere, type Resource } from '../kinds/resource.ts';
import { formatAddress, type Key, matchAddresses, scopeFilter } from '../model/address.ts';
import { groupBy, lazy } from '../model/basics.ts';
import { type Diagnostic, Failure } from '../model/failure.ts';
import { get } from '../model/json.ts';
import { pointer, topName } from '../model/pointer.ts';
import { changeFor, compare } from './change.ts';
import { findDeletions, findUndeclared } from './deletes.ts';
import type { PlanInput } from './input.ts';
import { resourcesByIdentity } from './references.ts';
import type { UnseenPolicy } from './unseen.ts';

type ComparedMatch = ReturnType<typeof changeFor> & { readonly match: Match };

/** The declared objects with their live ones: the part of a plan that needs no vendor's defaults. */
export interface Matched extends ReturnType<typeof findDeletions> {
  readonly present: readonly ComparedMatch[];
  readonly missing: readonly Match[];
  readonly alreadyAbsent: number;
}

/**
 * Matches and compares every resource, and finds the objects to delete. Pure. Throws a Failure for impossible pins. New objects
 * may look like one of the `others`, which were read in addition.
 */
export function matchAll(input: PlanInput, others: readonly LiveObject[] = []): Matched {
  const index = new LiveIndex(input.objects);
  const matches = matchResources(input, index);
  const absent = matches.filter(({ resource }) => resource.ensure === 'absent');
  const declared = matches.filter(({ resource }) => resource.ensure === 'present');
  const deletes = findDeletions(input, index, absent);
  const present = declared.filter(({ live }) => live);
  const missing = declared.filter(({ live }) => !live);
  // A new object may be one that the tenant has under another name.
  const doubts =
    missing.length === 0
      ? []
      : [
          ...findRenames(missing, input, others, deletes),
          ...findLookAlikes(missing, [...input.objects, ...others]),
        ];
  return {
    ...deletes,
    present: compareAll(input, present),
    missing,
    alreadyAbsent: absent.filter(({ live }) => !live).length,
    remarks: [...findMissedRenames(matches, index), ...doubts, ...deletes.remarks],
  };
}

export function compareAll(
  { environment, choices, secrets, objects, previous, written }: PlanInput,
  matches: readonly Match[],
  standards: LiveIndex = new LiveIndex([]),
): ComparedMatch[] {
  const { settings } = environment;
  const isRotated = matchAddresses(choices.rotate);
  const previousOf = previous && previousFinder(previous, new LiveIndex(objects));
  return matches.map((match): ComparedMatch => {
    const { kind, resource, live } = match;
    const standard = live ? null : standards.findByKey(kind, resource.key);
    const unseen = { secrets, left: !isRotated(resource.address) };
    const since = previousOf && { previous: previousOf(match), written: written?.get(resource.address) };
    return { match, ...changeFor(match, standard, { settings, unseen, since }) };
  });
}

/** Returns a function that finds an object's declaration at the revision: that of the same live one, or else of its key or former key. */
function previousFinder(previous: readonly Resource[], index: LiveIndex): (match: Match) => Resource | null {
  const present = previous.filter(({ ensure }) => ensure === 'present');
  const byIdentity = resourcesByIdentity(present);
  // Most manifests name their object as they did then.
  const byLive = lazy(() => new Map(present.map((each) => [index.find(each)?.address, each])));
  return ({ resource, live }) => {
    const then = findByKeys(resource, byIdentity) ?? null;
    const isSame = then !== null && then.id === resource.id && then.address === resource.address;
    return isSame || !live ? then : (byLive().get(live.address) ?? then);
  };
}

function findByKeys<T>(resource: Resource, byIdentity: ReadonlyMap<string, T>): T | undefined {
  const identities = keysOf(resource).map((key) => identityOf(resource.kind, key));
  return identities.map((identity) => byIdentity.get(identity)).find((found) => found !== undefined);
}

/** Throws a Failure for pins that no object has, that another resource names by key, or whose object would get another's key. */
function matchResources({ resources, choices }: PlanInput, index: LiveIndex): Match[] {
  const isInScope = scopeFilter(choices.scope);
  const matches = resources
    .filter(({ address }) => isInScope(address))
    .map((resource): Match => {
      const { kind, ensure, lifecycle } = resource;
      const live = index.find(resource);
      // A delete also removes ignored values.
      return { kind, resource, live: live && ensure === 'present' ? ignoring(live, lifecycle.ignore) : live };
    });
  if (resources.every(({ id }) => id === null)) return matches;
  const problems = [
    ...findPinnedElsewhere(resources, index, ({ address }) => isInScope(address)),
    ...matches.flatMap((match) => problemsOfPin(match, index)),
  ];
  if (problems.length > 0) throw new Failure(problems);
  return matches;
}

function problemsOfPin({ kind, resource, live }: Match, index: LiveIndex): Diagnostic[] {
  const { id, key, address } = resource;
  if (id === null || resource.ensure === 'absent') return [];
  if (!live) {
    const message = `The tenant has no ${kind.name} with the id "${id}" that this manifest pins.`;
    const hint = 'Correct the id, or remove it to match by name.';
    return [
      { code: 'unknown-id', severity: 'error', message, hint, source: resource.point('/id').source, address },
    ];
  }
  const holder = isRename({ kind, resource, live }) ? index.findByKey(kind, key) : null;
  if (!holder) return [];
  const other = holder.id === null ? 'without an id' : `with the id "${holder.id}"`;
  const message = `${live.address} cannot be renamed to "${key.join('/')}": the tenant has another ${kind.name} of that name, ${other}.`;
  const hint =
    'Choose another name. If the other object is to be renamed or deleted as well, do that first, in an apply with --only.';
  const source = resource.source();
  const place = source === nowhere ? {} : { source };
  return [{ code: 'key-taken', severity: 'error', message, hint, ...place, address }];
}

/** The problems of resources that name by key what another one pins by its id. `isMeant`: whether the two are reported. */
export function findPinnedElsewhere(
  resources: readonly Resource[],
  index: LiveIndex,
  isMeant: (resource: Resource, other: Resource) => boolean,
): Diagnostic[] {
  const pins = resources.flatMap((resource) => {
    const live = resource.id === null ? null : index.find(resource);
    return live ? [{ resource, live }] : [];
  });
  const byObject = new Map(pins.map(({ resource, live }) => [live, resource]));
  const byName = new Map(
    pins.map(({ resource, live }) => [identityOf(live.kind, live.shownKey), resource] as const),
  );
  return resources.flatMap((resource): Diagnostic[] => {
    if (resource.id !== null) return [];
    const live = index.find(resource);
    const other = live ? byObject.get(live) : findByKeys(resource, byName);
    if (!other || !isMeant(resource, other)) return [];
    const { file, line } = other.point('/id').source;
    const { address } = resource;
    const message = `${address} and ${other.address} (${file}:${line}, pinned by id) are the same object in the tenant.`;
    const hint =
      'Keep one of the two manifests. The one with the id renames the object, so the former name needs no manifest.';
    const source = resource.source();
    return [{ code: 'duplicate-object', severity: 'error', message, hint, source, address }];
  });
}

/** Remarks on renames that do not happen: a typo in the old name would create a second object. */
function findMissedRenames(matches: readonly Match[], index: LiveIndex): Diagnostic[] {
  return matches.flatMap(({ kind, resource, live }): Diagnostic[] => {
    const { renamedFrom } = resource.lifecycle;
    if (!renamedFrom || resource.id !== null || resource.ensure === 'absent') return [];
    const found = index.findByKey(kind, renamedFrom);
    if (live && (!found || found.identity === live.identity)) return [];
    const { address } = resource;
    const former = formatAddress(kind.name, renamedFrom);
    const [message, hint] = live
      ? [
          `${address} exists already, so ${former} is not renamed to it and stays.`,
          'Remove `renamedFrom`, and declare the old object with `ensure: absent` if it is to be deleted.',
        ]
      : [
          `The tenant has no ${former} to rename, so ${address} is created.`,
          'Correct `renamedFrom`, or remove it if the object is new.',
        ];
    const { source } = resource.point('/lifecycle/renamedFrom');
    return [{ code: 'not-renamed', severity: 'warning', message, hint, source, address }];
  });
}

/** More pairs mean another tenant rather than renames, and comparing them all would take long. */
const mostPairs = 10_000;

/** Asks whether a new object is one without a manifest under another name: it may be if it alone has the declared fields. */
function findRenames(
  missing: readonly Match[],
  input: PlanInput,
  others: readonly LiveObject[],
  { deletions }: Pick<Matched, 'deletions'>,
): Diagnostic[] {
  // Objects that a rollback restores belong to no manifest.
  const renamable = missing.filter(({ resource, kind: { can, keyFields } }) => {
    return resource.declaration !== null && keyFields.length === 1 && (can.rename || can.pin);
  });
  if (renamable.length === 0) return [];
  const left = new Set([...deletions.map(({ live }) => live), ...findUndeclared(input, others)]);
  const leftOf = new Map(groupBy([...left], ({ kind }) => kind));
  const pairs = renamable.reduce((sum, { kind }) => sum + (leftOf.get(kind)?.length ?? 0), 0);
  if (pairs > mostPairs) return [];
  const unseen = { secrets: input.secrets, left: true };
  const alike = renamable.flatMap((match) => {
    const same = (leftOf.get(match.kind) ?? []).filter((live) => isAlike({ ...match, live }, live, unseen));
    return same.map((live) => ({ match, live }));
  });
  // If several are alike, any of them may be it.
  const [matches, lives] = [groupBy(alike, ({ match }) => match), groupBy(alike, ({ live }) => live)];
  const unsure = new Set([...matches, ...lives].flatMap(([, same]) => (same.length > 1 ? same : [])));
  const deleted = new Set(deletions.flatMap(({ addresses }) => addresses));
  return alike
    .filter((pair) => !unsure.has(pair))
    .map(({ match: { kind, resource }, live }) =>
      renameRemark(kind, resource, live, deleted.has(live.address)),
    );
}

function renameRemark(kind: Kind, resource: Resource, live: LiveObject, isDeleted: boolean): Diagnostic {
  const { address } = resource;
  const message = isDeleted
    ? `Renamed? ${live.address} is deleted and ${address} is created. Fields that are not in the manifest, and the object's id, will be lost.`
    : `Renamed? The plan creates ${address}, but ${live.address}, which no manifest declares, has the same fields.`;
  const line = kind.can.rename
    ? `lifecycle: { renamedFrom: ${JSON.stringify(live.key.join('/'))} }`
    : `id: ${JSON.stringify(live.id)}`;
  const hint = `If they are the same object, write \`${line}\` in the manifest.`;
  return { code: 'renamed', severity: 'warning', message, hint, source: resource.source(), address };
}

/** Whether the object has all declared fields but the name, and at least one. */
function isAlike(match: Match, live: LiveObject, unseen: UnseenPolicy): boolean {
  if (isKnownById(live)) return false;
  const { declared, differences, notComparable } = compare(match, live, unseen);
  const name = pointer(match.kind.keyFields[0]?.name ?? '');
  if (differences.some(({ path }) => path !== name)) return false;
  const unknown = new Set(notComparable.map((at) => topName(at)));
  return Object.entries(match.kind.fields).some(
    ([name, field]) => comparable(field, get(declared, name)) !== null && !unknown.has(name),
  );
}

/** New objects whose keys differ from others in the tenant only in accents, invisible characters or blanks. */
function findLookAlikes(missing: readonly Match[], objects: readonly LiveObject[]): Diagnostic[] {
  const kinds = new Set(missing.map(({ kind }) => kind));
  const shown = new Map(
    objects
      .filter(({ kind }) => kinds.has(kind))
      .map((object) => [appearanceOf(object.kind, object.shownKey), object]),
  );
  return missing.flatMap(({ kind, resource }): Diagnostic[] => {
    const twin = shown.get(appearanceOf(kind, resource.key));
    if (!twin) return [];
    const [wanted, has] = [showCodePoints(resource.key), showCodePoints(twin.shownKey)];
    return [
      {
        code: 'look-alike-key',
        severity: 'warning',
        message: `The tenant has no ${kind.name} ${wanted}, but ${has}, which looks the same.`,
        hint: 'If they are the same object, write the key as the tenant has it: `tenantctl export` shows it.',
        source: resource.source(),
        address: resource.address,
      },
    ];
  });
}

function appearanceOf(kind: Kind, key: Key): string {
  const parts = key.map((part) =>
    part
      .normalize('NFC')
      .replace(/\p{Cf}|\p{Variation_Selector}|\u034f/gu, '')
      .replace(/\s+/g, ' ')
      .trim(),
  );
  return identityOf(kind, parts);
}

/** A key with each character outside ASCII made visible. */
function showCodePoints(key: Key): string {
  const text = key.join('/').replaceAll(/[^\x20-\x7e]/gu, (char) => {
    const code = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return `<U+${code}>`;
  });
  return `"${text.slice(0, 200)}"`;
}
