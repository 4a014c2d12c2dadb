import { comparable } from '../kinds/field.ts';
import type { LiveObject } from '../kinds/kind.ts';
import { identityOf, isKnownById, type LiveIndex } from '../kinds/live-objects.ts';
import type { Resource } from '../kinds/resource.ts';
import { type Address, formatAddress } from '../model/address.ts';
import { groupBy } from '../model/basics.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { get } from '../model/json.ts';
import { type Pointer, pointer, segmentsOf } from '../model/pointer.ts';
import { compare, type UnseenPolicy } from './change.ts';
import type { Match } from './match.ts';

/** Remarks on renames that do not happen: a typo in the old name would create a second object. */
export function findMissedRenames(matches: readonly Match[], index: LiveIndex): Diagnostic[] {
  return matches.flatMap(({ kind, resource, live }): Diagnostic[] => {
    const { renamedFrom } = resource.lifecycle;
    if (!renamedFrom || kind.parent || resource.id !== null || resource.ensure === 'absent') return [];
    const found = index.findByKey(kind, renamedFrom);
    if (live && (!found || found === live)) return [];
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
    const source = resource.locate('/lifecycle/renamedFrom');
    return [{ code: 'not-renamed', severity: 'warning', message, hint, source, address }];
  });
}

interface Former {
  readonly address: Address;
  /** The line of a manifest that makes the two one object. */
  readonly line: string;
}

interface RenameEvidence {
  /** What the revision of `--since` declared of the objects that are deleted. */
  readonly lost: readonly Resource[];
  /** Objects that are deleted, or that no manifest names. */
  readonly left: readonly LiveObject[];
  readonly deleted: ReadonlySet<Address>;
  readonly unseen: UnseenPolicy;
}

/**
 * Asks whether a new object is one that loses its manifest in the same plan, or has none, under another name. It may be if a
 * rename was taken back in the repository, if it alone has another name in its file, or if it alone has the declared fields.
 */
export function findRenames(created: readonly Match[], look: () => RenameEvidence): Diagnostic[] {
  const renamable = created.filter(({ kind: { can, keyFields } }) => {
    return keyFields.length === 1 && (can.rename || can.pin);
  });
  if (renamable.length === 0) return [];
  const evidence = look();
  const formerDeclared = formerResources(renamable, evidence.lost);
  const formerLive = formerObjects(renamable, evidence);
  return renamable.flatMap((match): Diagnostic[] => {
    const former = formerDeclared(match) ?? formerLive(match);
    if (!former) return [];
    const { address } = match.resource;
    const message = evidence.deleted.has(former.address)
      ? `Renamed? ${former.address} is deleted and ${address} is created. Fields that are not in the manifest, and the object's id, will be lost.`
      : `Renamed? The plan creates ${address}, but ${former.address}, which no manifest declares, has the same fields.`;
    const hint = `If they are the same object, write \`${former.line}\` in the manifest.`;
    return [
      { code: 'renamed', severity: 'warning', message, hint, source: match.resource.source(), address },
    ];
  });
}

function formerResources(created: readonly Match[], lost: readonly Resource[]) {
  const byFormerName = new Map(
    lost.flatMap((each): [string, Resource][] => {
      const { renamedFrom } = each.lifecycle;
      return renamedFrom ? [[identityOf(each.kind, renamedFrom), each]] : [];
    }),
  );
  const createdIn = new Map(groupBy(created, ({ resource }) => fileOf(resource)));
  const lostIn = new Map(groupBy(lost, fileOf));
  return ({ kind, resource }: Match): Former | undefined => {
    if (!kind.can.rename) return;
    const file = fileOf(resource);
    const [here, ...others] = lostIn.get(file) ?? [];
    const isAlone = others.length === 0 && createdIn.get(file)?.length === 1;
    const former = byFormerName.get(identityOf(kind, resource.key)) ?? (isAlone ? here : undefined);
    return former && { address: former.address, line: renameLine(former) };
  };
}

const fileOf = (resource: Resource): string => `${resource.kind.name} ${resource.source().file}`;

/** More pairs are no renames, but another tenant: to compare them all would take long. */
const mostPairs = 10_000;

function formerObjects(created: readonly Match[], { left, unseen }: RenameEvidence) {
  const leftOf = new Map(groupBy(left, ({ kind }) => kind));
  const pairs = created.reduce((sum, { kind }) => sum + (leftOf.get(kind)?.length ?? 0), 0);
  const alike = (pairs > mostPairs ? [] : created).flatMap((match) => {
    const same = (leftOf.get(match.kind) ?? []).filter((live) => isAlike({ ...match, live }, live, unseen));
    return same.map((live) => ({ match, live }));
  });
  const [byMatch, byLive] = [
    new Map(groupBy(alike, ({ match }) => match)),
    new Map(groupBy(alike, ({ live }) => live)),
  ];
  return (match: Match): Former | undefined => {
    const [found, ...others] = byMatch.get(match) ?? [];
    // Where several are alike, nobody can tell which one it was.
    if (!found || others.length > 0 || byLive.get(found.live)?.length !== 1) return;
    const { kind, address, id } = found.live;
    return { address, line: kind.can.rename ? renameLine(found.live) : `id: ${JSON.stringify(id)}` };
  };
}

/** Whether the object has all that is declared but the name, and that is more than nothing. */
function isAlike(match: Match, live: LiveObject, unseen: UnseenPolicy): boolean {
  if (isKnownById(live)) return false;
  const { declared, differences, notComparable } = compare(match, live, unseen);
  const isField = (at: Pointer) => at !== pointer(match.kind.keyFields[0]?.name ?? '');
  if (differences.some(({ path }) => isField(path))) return false;
  const unknown = new Set(notComparable.map((at) => segmentsOf(at)[0]));
  return Object.entries(match.kind.fields).some(
    ([name, field]) => comparable(field, get(declared, name)) !== null && !unknown.has(name),
  );
}

const renameLine = ({ key }: Pick<Resource, 'key'>) =>
  `lifecycle: { renamedFrom: ${JSON.stringify(key.join('/'))} }`;
