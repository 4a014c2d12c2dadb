import { isWhole } from '../client/answer.ts';
import type { Client } from '../client/client.ts';
import { readObjects } from '../client/read.ts';
import type { IdPlace } from '../generated/schemas/kind.ts';
import { credentialPlaces } from '../kinds/credentials.ts';
import { fieldNamed, type Kind, type LiveObject } from '../kinds/kind.ts';
import { liveObject } from '../kinds/live-objects.ts';
import { fieldPolicy } from '../kinds/places.ts';
import { allOf } from '../kinds/read-request.ts';
import { idsIn } from '../kinds/references.ts';
import type { Address } from '../model/address.ts';
import { groupBy, once } from '../model/basics.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { ifFailure } from '../model/failure.ts';
import { isArray, isObject, type Json, textOf } from '../model/json.ts';
import { isFilledInLater, literalOf } from '../model/marker.ts';
import { isWithin, type Pointer, pointer, segmentsOf, valueAt } from '../model/pointer.ts';
import { namesAndMore } from '../model/words.ts';
import { servedKinds } from './reading.ts';
import type { Tenant } from './tenant.ts';

// Ids that no policy names. They stay as they are on the way to another tenant, where nobody has them.

/** What may hold such ids: an object of a tenant, or a resource with its references and lookups filled in. */
export type Holder = Pick<LiveObject, 'kind' | 'fields' | 'address'>;

interface Stray {
  readonly from: Holder;
  readonly at: Pointer;
  readonly id: string;
  /** The text is the id, or has it among other words, or the id is the name of a member. */
  readonly is: 'value' | 'name' | 'words';
}

/** The policies that would settle the ids in objects of a kind, by their paths. */
export type ProposedPlaces = Readonly<Record<string, IdPlace>>;

export interface StrayIds {
  readonly diagnostics: readonly Diagnostic[];
  /** By the name of the kind. */
  readonly proposed: ReadonlyMap<string, ProposedPlaces>;
}

interface Asked {
  /** Objects that were read already. */
  readonly objects: readonly LiveObject[];
  /** What remarks call the tenant. */
  readonly called?: string;
  /** Only tells ids that the tenant does not have: its own ones are not foreign to it. */
  readonly isForeignOnly?: boolean;
}

/** Finds the ids that no policy names, and to which kinds they belong in this tenant. */
export async function findStrayIds(
  { client, environment }: Pick<Tenant, 'client' | 'environment'>,
  holders: readonly Holder[],
  asked: Asked,
): Promise<StrayIds> {
  const strays = holders.flatMap(straysIn);
  if (strays.length === 0) return { diagnostics: [], proposed: new Map() };
  const { served } = servedKinds(environment.kinds.all, [environment]);
  const known = await kindsOfIds(client, strays, { kinds: served, ...asked });
  const groups = groupBy(strays, ({ from, at, is }) => JSON.stringify([from.kind.name, is, pathOf(at)]));
  const found = groups.flatMap(([, group]) => settle(group, known, asked));
  const byKind = groupBy(found, ({ kind }) => kind.name);
  return {
    diagnostics: groupBy(found, ({ kind, sort }) => `${kind.name} ${sort}`).map(([, group]) =>
      tell(group, asked),
    ),
    proposed: new Map(
      byKind.map(([name, all]) => [
        name,
        Object.fromEntries(all.flatMap(({ path, policy }) => (policy ? [[path, policy]] : []))),
      ]),
    ),
  };
}

/** Ids as tenants of this family make them: 32 hex digits, or those of a UUID. */
const idForm = /(?<![\w-])(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?![\w-])/gi;

function straysIn(from: Holder): Stray[] {
  const secrets = once(() => credentialPlaces(from.kind, from.fields));
  return Object.entries(from.fields).flatMap(([name, value]) => {
    const field = fieldNamed(from.kind, name);
    // Of the ids in records the kind says itself what they are.
    if (!field || field.is === 'records') return [];
    const uses = idsIn(field, value);
    const placesOf = (areNames: boolean) =>
      new Set(uses.flatMap(({ at, isName = false }) => (isName === areNames ? pointer(name) + at : [])));
    const [policed, named] = [placesOf(false), placesOf(true)];
    const walk = (part: Json, at: Pointer): Stray[] => {
      const isSettled =
        policed.has(at) || fieldPolicy(field, at) || secrets().some((each) => isWithin(at, each));
      if (isSettled || part === null || isFilledInLater(part) || literalOf(part) !== undefined) return [];
      if (typeof part === 'string') return idsInText(part).map(([id, is]) => ({ from, at, id, is }));
      if (isArray(part)) return part.flatMap((item, index) => walk(item, at + pointer(index)));
      if (!isObject(part)) return [];
      return Object.entries(part).flatMap(([member, item]) => {
        const place = at + pointer(member);
        const found = named.has(place) ? [] : idsInText(member);
        const strays = found.map(([id, is]): Stray => ({ from, at, id, is: is === 'value' ? 'name' : is }));
        return [...strays, ...walk(item, place)];
      });
    };
    return walk(value, pointer(name));
  });
}

const idsInText = (text: string): [id: string, is: Stray['is']][] =>
  [...text.matchAll(idForm)].map(([id]) => [id, id === text ? 'value' : 'words']);

/**
 * The kinds that ids belong to: of those that objects read already show, and of other kinds of the project. Such an id is
 * asked for by itself, and where there are many, with the list; first of the kind whose name the member has.
 */
async function kindsOfIds(
  client: Client,
  strays: readonly Stray[],
  { kinds, objects }: { readonly kinds: readonly Kind[]; readonly objects: readonly LiveObject[] },
) {
  const known = new Map(objects.flatMap(({ id, kind }) => (id === null ? [] : [[id, kind]])));
  // Of built-in kinds, what was read has to do.
  const asked = strays.filter(({ from, id }) => from.kind.described && !known.has(id));
  const wanted = new Set(asked.map(({ id }) => id));
  const words = strays.map(({ at }) => at.toLowerCase()).join(' ');
  const isNamed = ({ name }: Kind) => words.includes(name.toLowerCase());
  const listed = kinds.filter(({ read }) => read.how !== 'each-declared');
  for (const kind of [...listed.filter(isNamed), ...listed.filter((each) => !isNamed(each))]) {
    if (wanted.size === 0) break;
    for (const { id } of await readSome(client, kind, [...wanted])) {
      if (id !== null && wanted.delete(id)) known.set(id, kind);
    }
  }
  return known;
}

/** More ids than this are not asked for one by one. */
const mostAsked = 8;

async function readSome(client: Client, kind: Kind, ids: readonly string[]): Promise<readonly LiveObject[]> {
  const { read } = kind;
  const call = read.how === 'list' ? read.one : read.how === 'list-then-each' ? read.each : undefined;
  // What cannot be read says nothing of ids.
  if (!call || ids.length > mostAsked) return readObjects(client, [allOf(kind)]).catch(ifFailure(() => []));
  const ask = async (id: string) => {
    const sent = await client.send(call(id, client.settings));
    return isWhole(sent) && isObject(sent.body) ? liveObject(kind, sent.body, null) : null;
  };
  const found = await Promise.all(ids.map(ask)).catch(ifFailure(() => []));
  return found.flatMap((object) => object ?? []);
}

/** What can be done about ids: a policy, another word in the manifest or the descriptor, or nothing that is known. */
type Sort = 'policy' | 'reference' | 'words' | 'unknown';

/** The ids at one place of the objects of a kind. */
interface Found {
  readonly kind: Kind;
  readonly sort: Sort;
  readonly path: string;
  /** The objects that hold them. */
  readonly in: readonly [Address, ...Address[]];
  /** The kinds that they belong to. */
  readonly to: readonly string[];
  readonly policy: IdPlace | null;
}

function settle(
  group: readonly Stray[],
  known: ReadonlyMap<string, Kind>,
  { isForeignOnly = false }: Asked,
): Found[] {
  const unknown = group.filter(({ id }) => !known.has(id));
  const strays = isForeignOnly || unknown.length === group.length ? unknown : group;
  const [first] = strays;
  // Nobody can say of a built-in kind that such a place holds no id.
  if (!first || (unknown.length === group.length && !first.from.kind.described)) return [];
  const { from, at, is } = first;
  const path = pathOf(at);
  const [address = from.address, ...others] = new Set(strays.map((each) => each.from.address));
  const to = [...new Set(strays.flatMap(({ id }) => known.get(id)?.name ?? []))].sort();
  const policy = to.length > 0 && is !== 'words' ? policyFor(path, strays, known) : null;
  const sort = to.length === 0 ? 'unknown' : policy ? 'policy' : is === 'value' ? 'reference' : 'words';
  return [{ kind: from.kind, sort, path, in: [address, ...others], to, policy }];
}

/** More places than this are not named. */
const mostPlaces = 50;

/** One remark for all places of a kind with which the same can be done. */
function tell(
  found: readonly [Found, ...Found[]],
  { called = 'the tenant', isForeignOnly }: Asked,
): Diagnostic {
  const [
    {
      kind,
      sort,
      in: [address],
    },
  ] = found;
  const lines = found.slice(0, mostPlaces).map(({ path, policy, to, in: [one, ...others] }) => {
    const said = policy ? `: ${policyText(policy)}` : to.length > 0 ? ` (${to.join(', ')})` : '';
    return `- ${path.replaceAll(/[^\x20-\x7e]/g, '?')}${said} in ${namesAndMore([one], others.length)}`;
  });
  const more = found.length > lines.length ? [`- … and ${found.length - lines.length} more`] : [];
  const say = (what: string, hint: string, severity: Diagnostic['severity'] = 'warning'): Diagnostic => {
    const message = [`${kind.name} has ${what}:`, ...lines, ...more].join('\n');
    return { code: 'ids-kept', severity, message, hint, address };
  };
  const others = 'which have other ids in another tenant';
  switch (sort) {
    case 'policy':
      return say(
        `ids of objects, ${others}`,
        `Add these lines to \`places\` in kinds/${kind.name}.kind.yaml, or run \`tenantctl kind check ${kind.name} --write\`.`,
      );
    case 'reference':
      return say(
        `ids of objects, ${others}`,
        kind.described
          ? 'Say `to: KIND` for the field in the descriptor.'
          : 'Write `!ref KIND/KEY` in their place.',
      );
    case 'words':
      return say(
        `ids of objects inside texts and names of members, ${others}`,
        'These stay as they are. Write them with `!format` and a variable of each environment.',
      );
    case 'unknown':
      return say(
        `what looks like ids, and ${called} has no object with them of a kind that the project knows`,
        'Write `!ref KIND/KEY` in their place, and describe the kind where there is none. A place that holds no id gets the policy `plain`.',
        isForeignOnly ? 'warning' : 'info',
      );
  }
}

/** The policy of the ids at a path; `null` where a descriptor cannot say it. */
function policyFor(path: string, strays: readonly Stray[], known: ReadonlyMap<string, Kind>): IdPlace | null {
  const [first] = strays;
  if (!first?.from.kind.described || fieldNamed(first.from.kind, path.split('/')[0] ?? '')?.is !== 'json')
    return null;
  const targets = strays.flatMap(({ id }) => known.get(id)?.name ?? []);
  const [to = ''] = targets;
  const isOneKind = targets.every((each) => each === to);
  if (first.is === 'name')
    return isOneKind && strays.every(isAmongIds) ? { is: 'reference', names: true, to } : null;
  const by = typeMemberOf(path);
  const types = strays.flatMap((stray): [string, string][] => {
    const type = by === null ? null : typeBeside(stray, by);
    const kind = known.get(stray.id);
    return type === null || !kind ? [] : [[type, kind.name]];
  });
  if (by !== null && types.length === targets.length)
    return { is: 'reference', by, to: Object.fromEntries(types) };
  return isOneKind ? { is: 'reference', to } : null;
}

/** Whether all names are ids in the object whose member has the id for a name. */
function isAmongIds({ from, at }: Stray): boolean {
  const names = Object.keys(valueAt(from.fields, at) ?? {});
  return names.every((name) => idsInText(name).some(([, is]) => is === 'value'));
}

/** The member that says of which type an id is: `approverType` for `approverId`, `type` for `id`. */
function typeMemberOf(path: string): string | null {
  const [, before, id] = /([^/]*?)(id|Id)$/.exec(path) ?? [];
  if (before === undefined) return null;
  return id === 'Id' ? `${before}Type` : before === '' ? 'type' : null;
}

function typeBeside({ from, at }: Stray, by: string): string | null {
  const holder = valueAt(from.fields, pointer(...segmentsOf(at).slice(0, -1)));
  return isObject(holder) ? textOf(holder, by) : null;
}

/**
 * The path of a place for all objects of a kind: `*` for indexes and for names that are ids, and `**` where members lie in
 * members of the same name.
 */
export function pathOf(at: Pointer): string {
  const isOneOfMany = (step: string) => /^\d+$|\//.test(step) || idsInText(step).length > 0;
  const [field = '', ...steps] = segmentsOf(at).map((step) => (isOneOfMany(step) ? '*' : step));
  const inner = steps.at(-1) === '*' ? steps.slice(0, -1) : steps;
  const members = inner.filter((step) => step !== '*');
  const isNested = new Set(members).size < members.length;
  const last = inner.at(-1) ?? '';
  return (isNested ? [field, '**', last] : [field, ...inner]).join('/');
}

function policyText({ is, names, by, to }: IdPlace): string {
  const target =
    typeof to === 'string'
      ? to
      : `{ ${Object.entries(to)
          .map((each) => each.join(': '))
          .join(', ')} }`;
  const more = [...(names ? ['names: true'] : []), ...(by === undefined ? [] : [`by: ${by}`])];
  return `{ ${[`is: ${is}`, ...more, `to: ${target}`].join(', ')} }`;
}
