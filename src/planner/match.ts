import type { Kind, LiveObject } from '../kinds/kind.ts';
import { identityOf, ignoring, isKnownById, type LiveIndex } from '../kinds/live-objects.ts';
import { keysOf, type Resource } from '../kinds/resource.ts';
import type { Address, Key } from '../model/address.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { Failure } from '../model/failure.ts';

export interface Match {
  readonly kind: Kind;
  readonly resource: Resource;
  readonly live: LiveObject | null;
}

/**
 * Every resource in scope with its live object. Throws a Failure with all pinned ids that do not exist, since creating a
 * second object is never intended, with all resources that name by key what another one, in scope or not, pins by id, and
 * with all whose pinned object would get the key of another one.
 */
export function matchResources(
  resources: readonly Resource[],
  isInScope: (address: Address) => boolean,
  index: LiveIndex,
): Match[] {
  const matches = resources
    .filter(({ address }) => isInScope(address))
    .map((resource): Match => {
      const live = index.find(resource);
      return { kind: resource.kind, resource, live: live && ignoring(live, resource.lifecycle.ignore) };
    });
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
      { code: 'unknown-id', severity: 'error', message, hint, source: resource.locate('/id'), address },
    ];
  }
  const holder = isRename({ kind, resource, live }) ? index.findByKey(kind, key) : null;
  if (!holder) return [];
  const other = holder.id === null ? 'without an id' : `with the id "${holder.id}"`;
  const message = `${live.address} cannot be renamed to "${key.join('/')}": the tenant has another ${kind.name} of that name, ${other}.`;
  const hint =
    'Choose another name. If the other object is to be renamed or deleted as well, do that first, in an apply with --only.';
  return [{ code: 'key-taken', severity: 'error', message, hint, source: resource.source(), address }];
}

/**
 * The problems of resources that name by key what another one pins by its id.
 *
 * @param isMeant whether a resource and the other one are reported
 */
export function findPinnedElsewhere(
  resources: readonly Resource[],
  index: LiveIndex,
  isMeant: (resource: Resource, other: Resource) => boolean,
): Diagnostic[] {
  if (resources.every(({ id }) => id === null)) return [];
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
    const names = keysOf(resource).map((key) => identityOf(resource.kind, key));
    const named = names.map((name) => byName.get(name)).find((found) => found !== undefined);
    const other = live ? byObject.get(live) : named;
    if (!other || !isMeant(resource, other)) return [];
    const { file, line } = other.locate('/id');
    const { address } = resource;
    const message = `${address} and ${other.address} (${file}:${line}, pinned by id) are the same object in the tenant.`;
    const hint =
      'Keep one of the two manifests. The one with the id renames the object, so the former name needs no manifest.';
    const source = resource.source();
    return [{ code: 'duplicate-object', severity: 'error', message, hint, source, address }];
  });
}

/** Whether the live object needs another key to become the declared one. */
export function isRename({ kind, resource, live }: Match): boolean {
  if (!live || live.address === resource.address) return false;
  if (live.identity === identityOf(kind, resource.key)) return false;
  // It is the parent that gets another name.
  if (kind.parent) return false;
  // A nameless object is known by its id: it has no name to change.
  return !isKnownById(live);
}

/** New objects whose keys differ from others in the tenant only in accents, invisible characters or blanks. */
export function findLookAlikes(missing: readonly Match[], objects: readonly LiveObject[]): Diagnostic[] {
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

/** A key in which one sees each character that is not of ASCII. */
function showCodePoints(key: Key): string {
  const text = key.join('/').replaceAll(/[^\x20-\x7e]/gu, (char) => {
    const code = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return `<U+${code}>`;
  });
  return `"${text.slice(0, 200)}"`;
}
