import { isWhole } from '../client/answer.ts';
import type { Client } from '../client/client.ts';
import { readObjects } from '../client/read.ts';
import type { IdPlace } from '../generated/schemas/kind.ts';
import { credentialPlaces } from '../kinds/credentials.ts';
import { type Field, type Kind, type LiveObject, ownId } from '../kinds/kind.ts';
import { allOf, liveObject } from '../kinds/live-objects.ts';
import { decidingRule, fieldSays, type Places } from '../kinds/places.ts';
import { idsIn, targetKindOf } from '../kinds/references.ts';
import type { Address } from '../model/address.ts';
import { groupBy, lazy } from '../model/basics.ts';
import { type Diagnostic, onFailure } from '../model/failure.ts';
import { get, getText, isObject, type Json } from '../model/json.ts';
import { isFilledInLater, literalOf } from '../model/marker.ts';
import { isWithin, type Pointer, placesIn, pointer, segmentsOf, valueAt } from '../model/pointer.ts';
import { namesAndMore } from '../model/words.ts';
import { servedKinds, type Tenant } from './tenant.ts';

// Ids that no policy covers, and ids in manifests that could be names. They stay unchanged on the way to another tenant,
// which does not have them.

/** A holder of such ids: an object of a tenant, or a resource with resolved references and lookups. */
type Holder = Pick<LiveObject, 'kind' | 'fields' | 'address'>;

interface Stray {
  readonly from: Holder;
  readonly at: Pointer;
  readonly id: string;
  /** The text is the id, or has it among other words, or the id is the name of a member. */
  readonly is: 'value' | 'name' | 'words';
  /** The kinds that it belongs to, if a policy names the place; else `null`. */
  readonly policed: readonly string[] | null;
}

/** The policies that would settle the ids in objects of a kind, by their paths. */
export type ProposedPlaces = Readonly<Record<string, IdPlace>>;

/**
 * Finds the ids that no policy names, and to which kinds they belong in this tenant, of which `objects` were read already. With
 * `isForeignOnly`, only ids that the tenant does not have, even under a policy.
 */
export async function findStrayIds(
  { client, environment, called = 'the tenant' }: Pick<Tenant, 'client' | 'environment' | 'called'>,
  holders: readonly Holder[],
  objects: readonly LiveObject[],
  { isForeignOnly = false } = {},
): Promise<{ diagnostics: readonly Diagnostic[]; proposed: ReadonlyMap<string, ProposedPlaces> }> {
  const shown = lazy(() => new Set(objects.flatMap(idsHeld).map(({ id }) => id)));
  // An export or diff replaces ids under a policy by names. A manifest may still have the id, unless it repeats the tenant's.
  const strays = holders
    .flatMap(idsHeld)
    .filter(
      ({ policed, is, id }) => policed === null || (isForeignOnly && is !== 'words' && !shown().has(id)),
    );
  if (strays.length === 0) return { diagnostics: [], proposed: new Map() };
  const { served } = servedKinds(environment.kinds.all, [environment]);
  const known = await kindsOfIds(client, strays, served, objects);
  const groups = groupBy(strays, ({ from, at, is, policed }) =>
    JSON.stringify([from.kind.name, is, pathOf(at, is === 'name'), policed !== null]),
  );
  const fits = rememberPolicies();
  const found = groups.flatMap(([, group]) => settle(group, known, isForeignOnly, fits));
  const byKind = groupBy(found, ({ kind }) => kind.name);
  return {
    diagnostics: groupBy(found, ({ kind, sort }) => `${kind.name} ${sort}`).map(([, group]) =>
      tell(group, called, isForeignOnly),
    ),
    proposed: new Map(
      byKind.map(([name, all]) => [
        name,
        Object.fromEntries(all.flatMap(({ path, policy }) => (policy ? [[path, policy]] : []))),
      ]),
    ),
  };
}

/** Ids in the form of these tenants: 32 hex digits, or a UUID. */
const idForm = /(?<![\w-])(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?![\w-])/gi;

/** A value at the place of an id, or one that looks like an id. */
function idsHeld(from: Holder): Stray[] {
  const secrets = lazy(() => credentialPlaces(from.kind, from.fields));
  return Object.entries(from.fields).flatMap(([name, value]) => {
    const field = get(from.kind.fields, name);
    // The kind itself defines the ids in records.
    if (!field || field.is === 'records') return [];
    // Most fields are empty, or texts without ids.
    if (value === null || (typeof value === 'string' && idsInText(value).length === 0)) return [];
    const policies = lazy(
      () =>
        new Map(
          idsIn(field, value).map((use) => [`${use.isName ?? false} ${pointer(name)}${use.at}`, use.to]),
        ),
    );
    const find = (text: string, at: Pointer, isName: boolean): Stray[] =>
      idsInText(text).map((id) => {
        const is = id !== text ? 'words' : isName ? 'name' : 'value';
        return { from, at, id, is, policed: policies().get(`${isName} ${at}`) ?? null };
      });
    const isSettled = (at: Pointer) =>
      fieldSays(field, at, 'secret', 'plain', 'serverOwned', 'minted') ||
      secrets().some((each) => isWithin(at, each));
    const walk = (part: Json, at: Pointer): Stray[] => {
      if (typeof part === 'string') {
        const found = find(part, at, false);
        return found.length === 0 || isSettled(at) ? [] : found;
      }
      if (part === null || isSettled(at) || isFilledInLater(part) || literalOf(part) !== undefined) return [];
      return placesIn(part, at).flatMap(([place, item]) => {
        const named = isObject(part) ? find(segmentsOf(place).at(-1) ?? '', place, true) : [];
        return [...named.map((each) => ({ ...each, at })), ...walk(item, place)];
      });
    };
    return walk(value, pointer(name));
  });
}

const idsInText = (text: string): string[] =>
  mayHoldId(text) ? [...text.matchAll(idForm)].map(([id]) => id) : [];

/** Looks at few characters of a mail: a UUID has dashes five apart, and 32 digits cover every place that 32 divides. */
function mayHoldId(text: string): boolean {
  for (let at = text.indexOf('-', 8); at !== -1; at = text.indexOf('-', at + 1)) {
    if (text[at + 5] === '-') return true;
  }
  for (let at = 0; at < text.length; at += 32) {
    let [start, end] = [at, at];
    while (hexDigit.test(text.charAt(start - 1))) start -= 1;
    while (hexDigit.test(text.charAt(end))) end += 1;
    if (end - start >= 32) return true;
  }
  return false;
}

const hexDigit = /[\da-f]/i;

/** Whether the descriptor is the project's own, so that it can say more of the kind. */
const isOwn = ({ described }: Kind): boolean => described?.digest !== undefined;

/**
 * The kinds that ids belong to: of those that objects read already show, and of other kinds of the project. Such an id is read
 * alone, or if there are many, with the list; first of the kind with the name of the member. `answered`: the kinds whose objects
 * the tenant showed.
 */
async function kindsOfIds(
  client: Client,
  strays: readonly Stray[],
  kinds: readonly Kind[],
  objects: readonly LiveObject[],
): Promise<{ readonly kinds: ReadonlyMap<string, Kind>; readonly answered: ReadonlySet<string> }> {
  const known = new Map(
    objects.flatMap(({ id, kind }) => (id === null ? [] : [[ownId(kind, id), kind] as const])),
  );
  const answered = new Set<string>();
  const words = strays.map(({ at }) => at.toLowerCase()).join(' ');
  const isNamed = ({ name }: Kind) => words.includes(name.toLowerCase());
  const listed = kinds.filter(({ read }) => read.how !== 'each-declared');
  for (const kind of [...listed.filter(isNamed), ...listed.filter((each) => !isNamed(each))]) {
    const asked = strays.filter(({ from, policed }) => {
      if (policed) return policed.includes(kind.name);
      // In a built-in kind, only its own fields count: its settings are full of ids of other systems.
      return (
        isOwn(from.kind) || Object.values(from.kind.fields).some((field) => targetKindOf(field) === kind.name)
      );
    });
    const ids = new Set(asked.flatMap(({ id }) => (known.has(id) ? [] : [id])));
    if (ids.size === 0) continue;
    // A kind that cannot be read says nothing about ids.
    const found = await readSome(client, kind, [...ids]).catch(onFailure(() => null));
    if (!found) continue;
    answered.add(kind.name);
    for (const { id } of found) if (id !== null && ids.has(ownId(kind, id))) known.set(ownId(kind, id), kind);
  }
  return { kinds: known, answered };
}

/** More ids than this are not asked for one by one. */
const mostAsked = 8;

async function readSome(client: Client, kind: Kind, ids: readonly string[]): Promise<readonly LiveObject[]> {
  const { read } = kind;
  const call = read.how === 'list' ? read.one : read.how === 'list-then-each' ? read.each : undefined;
  if (!call || ids.length > mostAsked) return readObjects(client, [allOf(kind)]);
  const answers = await Promise.all(ids.map(async (id) => client.send(call(id, client.settings))));
  return answers.flatMap((sent) => {
    const object = isWhole(sent) && isObject(sent.body) ? liveObject(kind, sent.body, null) : null;
    return object ?? [];
  });
}

/** The remedy for ids: a policy, another word in the manifest or descriptor, or none. */
type Sort = 'policy' | 'reference' | 'words' | 'unknown';

interface IdsAtPlace {
  readonly kind: Kind;
  readonly sort: Sort;
  readonly path: string;
  readonly in: readonly [Address, ...Address[]];
  /** The kinds that they belong to. */
  readonly to: readonly string[];
  readonly policy: IdPlace | null;
}

function settle(
  group: readonly Stray[],
  { kinds: known, answered }: Awaited<ReturnType<typeof kindsOfIds>>,
  isForeignOnly: boolean,
  fits: ReturnType<typeof rememberPolicies>,
): IdsAtPlace[] {
  const unknown = group.filter(
    ({ id, policed }) => !known.has(id) && (policed ?? []).every((name) => answered.has(name)),
  );
  const [first, ...more] = isForeignOnly || unknown.length === group.length ? unknown : group;
  if (!first) return [];
  const strays = [first, ...more] as const;
  const { from, at, is, policed } = first;
  // For a built-in kind, such a place cannot be marked as holding no id.
  if (policed === null && unknown.length === group.length && !isOwn(from.kind)) return [];
  const path = pathOf(at, is === 'name');
  const [address = from.address, ...others] = new Set(strays.map((each) => each.from.address));
  const to = policed ?? [...new Set(strays.flatMap(({ id }) => known.get(id)?.name ?? []))].sort();
  const isUnknown = policed !== null || to.length === 0;
  const wanted = isUnknown || is === 'words' ? null : policyFor(path, strays, known);
  const policy = wanted && fits(from.kind, path, wanted) ? wanted : null;
  const sort = isUnknown ? 'unknown' : policy ? 'policy' : is === 'value' ? 'reference' : 'words';
  return [{ kind: from.kind, sort, path, in: [address, ...others], to, policy }];
}

/** The longest path that a descriptor may have. */
const longestPath = 500;

/** Returns a test of whether a policy fits into the descriptor of a kind, beside those that it has, and that passed before. */
function rememberPolicies() {
  const passed = new Map<Field | undefined, Places['rules']>();
  return ({ fields }: Kind, path: string, is: IdPlace): boolean => {
    const [name = '', ...inside] = path.split('/');
    const field = get(fields, name);
    const rules = passed.get(field) ?? [...(field?.places?.rules ?? [])];
    const rule = { path: inside.join('/'), is };
    // Its path has no policy yet, and no other rule decides wherever it holds.
    const hasEffect = rules.every((each) => each.path !== rule.path) && !decidingRule([...rules, rule], rule);
    const isFit = path.length <= longestPath && hasEffect;
    if (isFit) passed.set(field, [...rules, rule]);
    return isFit;
  };
}

/** More places than this are not named. */
const mostPlaces = 50;

/** One remark for all places of a kind with the same remedy. */
function tell(
  found: readonly [IdsAtPlace, ...IdsAtPlace[]],
  called: string,
  isForeignOnly: boolean,
): Diagnostic {
  const [first] = found;
  const { kind, sort } = first;
  const [address] = first.in;
  const lines = found.slice(0, mostPlaces).map(({ path, policy, to, in: [one, ...others] }) => {
    // As YAML in one line.
    const yaml = JSON.stringify(policy).replaceAll('"', '').replaceAll(/[:,{]/g, '$& ').replaceAll('}', ' }');
    const said = policy ? `: ${yaml}` : to.length > 0 ? ` (${to.join(', ')})` : '';
    return `- ${path.replaceAll(/[^\x20-\x7e]/g, '?')}${said} in ${namesAndMore([one], others.length)}`;
  });
  const more = found.length > lines.length ? [`- … and ${found.length - lines.length} more`] : [];
  const others = 'which have other ids in another tenant';
  const [what, hint] = {
    policy: [
      `ids of objects, ${others}`,
      `Add these lines to \`places\` in kinds/${kind.name}.kind.yaml, or run \`tenantctl kind check ${kind.name} --write\`.`,
    ],
    reference: [
      `ids of objects, ${others}`,
      isOwn(kind) ? 'Say `to: KIND` for the field in the descriptor.' : 'Write `!ref KIND/KEY` instead.',
    ],
    words: [
      `ids of objects inside texts and names of members, ${others}`,
      'These stay as they are. Write them with `!format` and a variable of each environment.',
    ],
    unknown: [
      `texts that look like ids, but ${called} has no such object of a kind that the project knows`,
      'They may belong to another tenant. Write `!ref KIND/KEY` instead (inside a text, `!format` and a variable of each environment), and describe the kind if the project does not. Give a place that holds no id the policy `plain`.',
    ],
  }[sort];
  const message = [`${kind.name} has ${what}:`, ...lines, ...more].join('\n');
  const severity = sort === 'unknown' && !isForeignOnly ? 'info' : 'warning';
  return { code: 'ids-kept', severity, message, ...(hint && { hint }), address };
}

/** The policy of the ids at a path; `null` if a descriptor cannot express it. */
function policyFor(
  path: string,
  strays: readonly [Stray, ...Stray[]],
  known: ReadonlyMap<string, Kind>,
): IdPlace | null {
  const [{ from, is }] = strays;
  const [field = ''] = path.split('/');
  if (!isOwn(from.kind) || get(from.kind.fields, field)?.is !== 'json') return null;
  const targets = strays.flatMap(({ id }) => known.get(id)?.name ?? []);
  const [to = ''] = targets;
  const isOneKind = targets.every((each) => each === to);
  if (is === 'name') {
    const names = strays.flatMap(({ from: { fields }, at }) => Object.keys(valueAt(fields, at) ?? {}));
    const areIds = names.every((name) => idsInText(name)[0] === name);
    return isOneKind && areIds ? { is: 'reference', names: true, to } : null;
  }
  // The member that gives the type of an id: `approverType` for `approverId`, `type` for `id`.
  const [, before, id] = /([^/]*?)(id|Id)$/.exec(path) ?? [];
  const ownType = before === '' ? 'type' : null;
  const by = id === 'Id' ? `${before}Type` : ownType;
  const types = strays.flatMap((stray): [string, string][] => {
    const holder = valueAt(stray.from.fields, pointer(...segmentsOf(stray.at).slice(0, -1)));
    const type = by !== null && isObject(holder) ? getText(holder, by) : null;
    const kind = known.get(stray.id);
    return type === null || !kind ? [] : [[type, kind.name]];
  });
  if (by !== null && types.length === targets.length)
    return { is: 'reference', by, to: Object.fromEntries(types) };
  return isOneKind ? { is: 'reference', to } : null;
}

/** The path of a place for all objects: `*` for indexes, ids, and names that no path can have; `**` for members that repeat. */
export function pathOf(at: Pointer, isName = false): string {
  const segments = segmentsOf(at);
  const [field = '', ...steps] = segments.map((step) =>
    /^(?:\d+|\**)$|\//.test(step) || idsInText(step).length > 0 ? '*' : step,
  );
  // The policy of a list of ids holds for its items; one of names only for the members of the place itself.
  const isItem = !isName && /^\d+$/.test(segments.at(-1) ?? '');
  const inner = isItem ? steps.slice(0, -1) : steps;
  const members = inner.filter((step) => step !== '*');
  const isNested = new Set(members).size < members.length;
  const end = inner.slice(inner.findLastIndex((step) => step !== '*'));
  return (isNested ? [field, '**', ...end] : [field, ...inner]).join('/');
}
