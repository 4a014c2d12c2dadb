import {
  get,
  getText,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  mapMembers,
  objectFrom,
  sameJson,
  withoutNulls,
} from '../../model/json.ts';
import { checkForms, type DescribedKind, type DescribedObject, keyOf, timesOf } from '../described-kind.ts';
import { newId } from '../objects.ts';
import {
  applyPatch,
  badRequest,
  type Call,
  findByPath,
  jsonObject,
  notFound,
  type Operation,
  ok,
  operation,
  param,
  type Reply,
  type Tenant,
  writeJsonText,
  writeSentJson,
} from '../operations.ts';
import { answerList } from '../query.ts';
import type { TenantState } from '../state.ts';
import type { Variations } from '../ways.ts';

/** The content type of patches, unless the descriptor has another. */
const patchTypes: Readonly<Record<string, string>> = {
  'json-patch': 'application/json-patch+json',
  'merge-patch': 'application/merge-patch+json',
  patch: 'application/json',
};

/**
 * The operations of a collection, as its descriptor says: those that it does not allow are not there, and get a 405. Their
 * names are `list-`, `create-`, `get-`, `patch-`, `put-` or `delete-` and the kind: `create-access-profile`.
 */
export function serveKind(kind: DescribedKind): readonly Operation[] {
  const { path, service, single, list: listed } = kind;
  const noun = kind.name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '-').toLowerCase();
  const one = single ? path : `${path}/{id}`;
  const query = [
    ...(listed.pageSize === null ? [] : ['limit', 'offset']),
    ...(listed.counts ? ['count'] : []),
    ...(listed.filter.length > 0 ? ['filters'] : []),
  ];
  const isPut = kind.update === 'put';
  const contentType = get(patchTypes, kind.update);
  const possible = [
    !single && operation(`list-${noun}`, `GET ${path}?${query.join('&')}`, (...call) => list(kind, ...call)),
    operation(`get-${noun}`, `GET ${one}`, (call, tenant) =>
      ok(show(kind, find(kind, call, tenant), tenant)),
    ),
    kind.create &&
      !(single && isPut) &&
      operation(`create-${noun}`, `${single ? 'PUT' : 'POST'} ${path}`, (...call) => create(kind, ...call)),
    contentType !== undefined &&
      operation(`patch-${noun}`, `PATCH ${one}`, (...call) => update(kind, ...call), {
        contentType: kind.write.contentType ?? contentType,
      }),
    isPut && operation(`put-${noun}`, `PUT ${one}`, (...call) => update(kind, ...call)),
    kind.delete && operation(`delete-${noun}`, `DELETE ${one}`, (...call) => removeOne(kind, ...call)),
  ];
  return possible.flatMap((each) => (each ? { ...each, isExperimental: service === 'identity' } : []));
}

function list(kind: DescribedKind, call: Call, tenant: Tenant): Reply {
  const { pageSize, member, filter } = kind.list;
  const found = objectsHere(kind, call, tenant);
  const filters = new Map(filter.map((name) => [name, ['eq', 'in'] as const]));
  const targets = targetsIn(tenant);
  const support = { filters, pageLimit: pageSize ?? found.length };
  const reply = answerList(found, call, support, (object) => show(kind, object, tenant, targets));
  return member === null ? reply : { ...reply, body: { [member]: reply.body ?? null } };
}

/** An object as the tenant answers it: names beside ids are those of the objects with these ids. */
function show(kind: DescribedKind, object: DescribedObject, tenant: Tenant, targets = targetsIn(tenant)) {
  const unset = objectFrom([...kind.key, ...kind.fields.keys()].map((name) => [name, null]));
  const shown = mapMembers(object, (value, name) => {
    const form = kind.fields.get(name);
    if (name === kind.parent?.name || (name === 'id' && !hasId(kind))) return undefined;
    if (form?.text) return writeJsonText(value, tenant.variations);
    return form?.is.startsWith('reference') ? withNames(form, value, targets) : value;
  });
  return {
    ...(hasId(kind) && { id: object.id }),
    ...(tenant.variations.unsetMembers === 'null' && unset),
    ...shown,
  };
}

/** Objects that are known by another member, or are alone, have no id. */
const hasId = ({ id, single }: DescribedKind): boolean => id === 'id' && !single;

type Member = NonNullable<ReturnType<DescribedKind['fields']['get']>>;

function withNames(form: Member, value: Json, targets: Targets): Json {
  if (isArray(value)) return value.map((item) => withNames(form, item, targets));
  if (!isObject(value)) return value;
  const { to } = form;
  const name = to === null ? null : targets(to)?.get(getText(value, 'id') ?? '')?.name;
  return { ...value, name: typeof name === 'string' ? name : (get(value, 'name') ?? null) };
}

function find(kind: DescribedKind, call: Call, tenant: Tenant): DescribedObject {
  const here = objectsHere(kind, call, tenant);
  if (!kind.single) return findByPath(here, call, kind.name, { by: kind.id });
  const [found] = here;
  if (!found) throw notFound(`There is no ${kind.name} here`);
  return found;
}

/** The objects of the collection at the path of a call. Throws a 404 if the parent does not exist. */
function objectsHere({ name, parent }: DescribedKind, call: Call, tenant: Tenant) {
  const all = objectsOf(tenant, name);
  if (!parent) return all;
  const above = param(call, parent.name);
  if (!targetsIn(tenant)(parent.kind)?.has(above)) throw notFound(`There is no ${parent.kind} ${above}`);
  return all.filter((object) => get(object, parent.name) === above);
}

function create(kind: DescribedKind, call: Call, tenant: Tenant): Reply {
  objectsHere(kind, call, tenant);
  const objects = objectsOf(tenant, kind.name);
  const accepted = accept(kind, call.body, null, tenant.variations);
  const { required, first, immutable } = kind.write;
  for (const member of required)
    if ((get(accepted, member) ?? null) === null) throw badRequest(`${member} is required`);
  const extra = Object.keys(accepted).find(
    (name) => first && ![...kind.key, ...first, ...immutable].includes(name),
  );
  if (extra !== undefined) throw badRequest(`${extra} cannot be set when a ${kind.name} is created`);
  const above = kind.parent ? { [kind.parent.name]: param(call, kind.parent.name) } : {};
  const given = { ...accepted, ...above };
  const id = newId(tenant.state, kind.name, keyOf(kind, given), objects);
  const object = { id, ...withoutNulls(given), ...timesOf(kind, tenant.timestamp()) };
  checkPlace(kind, object, tenant);
  objects.push(object);
  const shown = show(kind, object, tenant);
  const { id: _id, ...others } = shown;
  const bodies = { object: { body: shown }, withoutId: { body: others }, nothing: {} };
  return { status: 201, ...bodies[tenant.variations.createAnswer] };
}

function update(kind: DescribedKind, call: Call, tenant: Tenant): Reply {
  const isMissing = kind.single && objectsHere(kind, call, tenant).length === 0;
  if (isMissing && kind.create) return create(kind, call, tenant);
  const live = find(kind, call, tenant);
  const changed = changedBy(call.body, kind, live, tenant);
  const given = accept(kind, changed, live, tenant.variations);
  const differs = (name: string) => !sameJson(get(live, name) ?? null, get(given, name) ?? null);
  const fixed = kind.write.immutable.find(differs);
  if (fixed !== undefined) throw badRequest(`${fixed} cannot be changed`);
  for (const names of kind.write.alone)
    if (names.filter(differs).length > 1) throw badRequest(`${names.join(' and ')} cannot change together`);
  const kept = mapMembers(live, (value, name) =>
    kind.serverOwned.includes(name) || name === kind.parent?.name ? value : undefined,
  );
  const { modified } = timesOf(kind, tenant.timestamp());
  const next = { ...kept, ...withoutNulls(given), ...(modified && { modified }), id: live.id };
  checkPlace(kind, next, tenant);
  const objects = objectsOf(tenant, kind.name);
  objects.splice(objects.indexOf(live), 1, next);
  return ok(show(kind, next, tenant));
}

/** The members that a client sets, as a body changes them. */
function changedBy(body: Json, kind: DescribedKind, live: DescribedObject, { variations }: Tenant): Json {
  const { id, write } = kind;
  // What a client sends and may change.
  const document = mapMembers(live, (value, name) => {
    if (kind.serverOwned.includes(name) || name === kind.parent?.name) return undefined;
    if (name === 'id' && !hasId(kind)) return undefined;
    return kind.fields.get(name)?.text ? writeSentJson(value, variations) : value;
  });
  switch (kind.update) {
    case 'json-patch':
      return applyPatch(document, body, write.patchOps);
    case 'merge-patch':
      return mergePatch(document, checkNames(kind, body, live));
    case 'patch':
      // Each member is replaced as a whole.
      return { ...document, ...checkNames(kind, body, live) };
    case 'put':
    case 'none':
      // Omitted members are removed.
      if (!write.sendId || !isObject(body)) return body;
      if (get(body, id) !== get(live, id)) throw badRequest(`${id} must be that of the object`);
      return mapMembers(body, (value, name) => (name === id ? undefined : value));
  }
}

function removeOne(kind: DescribedKind, call: Call, tenant: Tenant): Reply {
  const live = find(kind, call, tenant);
  for (const [name, value] of Object.entries(kind.write.beforeDelete))
    if (!sameJson(get(live, name) ?? null, value))
      throw badRequest(`${name} must be ${value} before a delete`);
  refuseWhileReferredTo(kind.name, live, tenant);
  const later = () => {
    const objects = objectsOf(tenant, kind.name);
    const at = objects.findIndex(({ id }) => id === live.id);
    if (at < 0) return;
    objects.splice(at, 1);
    // Objects below it are deleted with it.
    for (const { name, parent } of tenant.kinds.values()) {
      if (parent?.kind !== kind.name) continue;
      const below = objectsOf(tenant, name);
      tenant.state.objects[name] = below.filter((object) => get(object, parent.name) !== live.id);
    }
    tenant.state.generation += 1;
  };
  const isSlow = /^\/v\d{4}\/(sources|identity-profiles)$/.test(kind.path);
  if (isSlow && tenant.variations.slowDeletes === 'accepted')
    return { status: 202, body: { type: 'TASK_RESULT', id: `task-${live.id}` }, later };
  later();
  return { status: 204 };
}

/** The members of an object as a client sends it, checked. Throws a 400. */
function accept(kind: DescribedKind, sent: Json, live: DescribedObject | null, variations: Variations) {
  const given = mapMembers(checkNames(kind, sent, live), (value, name) =>
    kind.fields.get(name)?.text ? jsonObject(variations)(value, `body.${name}`) : value,
  );
  checkForms(kind, given, 'body');
  return given;
}

/**
 * Throws a 400 for members that only the server sets, and for unknown ones: those that neither the descriptor names nor
 * the object has already. A descriptor need not name all that a tenant keeps.
 */
function checkNames(kind: DescribedKind, sent: Json, live: DescribedObject | null): JsonObject {
  if (!isObject(sent)) throw badRequest('The body must be an object');
  const known = [...kind.key, ...kind.fields.keys(), ...Object.keys(live ?? {})];
  for (const [name, value] of Object.entries(sent)) {
    if (kind.serverOwned.includes(name)) throw badRequest(`${name} is set by the server`);
    if (!known.includes(name) || name === kind.parent?.name)
      throw badRequest(`${kind.name} has no field ${name}`);
    if (name === 'id' && value !== live?.id) throw badRequest('id is not that of this object');
  }
  return sent;
}

/** Throws a 400 for an id that leads nowhere, and on some tenants for a key that another object has. */
function checkPlace(kind: DescribedKind, object: DescribedObject, tenant: Tenant): void {
  const targets = targetsIn(tenant);
  for (const { to, id, at } of idsHeld(kind, object)) {
    if (targets(to)?.has(id) === false) throw badRequest(`${at}: there is no ${to} ${id}`);
  }
  if (tenant.variations.sameKey === 'taken') return;
  const others = objectsOf(tenant, kind.name).filter(({ id }) => id !== object.id);
  if (others.some((other) => keyOf(kind, other) === keyOf(kind, object)))
    throw badRequest(`Another ${kind.name} has that name`);
}

function idsHeld(kind: DescribedKind, object: JsonObject) {
  return [...kind.fields].flatMap(([at, { to }]) => {
    const value = get(object, at) ?? null;
    if (to === null || value === null) return [];
    return (isArray(value) ? value : [value]).flatMap((item) => {
      const id = isObject(item) ? getText(item, 'id') : item;
      return typeof id === 'string' ? [{ to, id, at }] : [];
    });
  });
}

/** The target as a merge patch makes it (RFC 7396). */
function mergePatch(target: Json, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const before = isObject(target) ? target : {};
  const kept = mapMembers(before, (value, name) => (Object.hasOwn(patch, name) ? undefined : value));
  const changed = mapMembers(patch, (change, name) =>
    change === null ? undefined : mergePatch(get(before, name) ?? null, change),
  );
  return { ...kept, ...changed };
}

interface ReferenceTarget {
  readonly id: string | null;
  readonly name?: unknown;
}

/** The objects that have endpoints of their own in the API documents. */
const builtIn = new Map<string, (state: TenantState) => readonly ReferenceTarget[]>([
  ['AuthProfile', (state) => state.authProfiles],
  ['SimIntegration', (state) => state.simIntegrations],
  ['NotificationTemplate', (state) => state.templates],
  ['SenderAddress', (state) => state.senders],
  ['VerifiedDomain', (state) => state.identities],
  ['ProfileSearch', (state) => state.profileSearches],
]);

function objectsOf({ state }: Pick<Tenant, 'state'>, kind: string): DescribedObject[] {
  state.objects[kind] ??= [];
  return state.objects[kind];
}

/** The objects of a kind that ids lead to, as they are during one request; null for a kind that the tenant does not serve. */
type Targets = (kind: string) => ReadonlyMap<string | null, ReferenceTarget> | null;

function targetsIn({ state, kinds }: Tenant): Targets {
  const found = new Map<string, ReturnType<Targets>>();
  return (kind) => {
    if (!found.has(kind)) {
      const targets = kinds.has(kind) ? objectsOf({ state }, kind) : builtIn.get(kind)?.(state);
      found.set(kind, targets ? new Map(targets.map((target) => [target.id, target])) : null);
    }
    return found.get(kind) ?? null;
  };
}

/** Throws a 400 that names an object with the id of `object`, if there is one. */
function refuseWhileReferredTo(kind: string, { id }: DescribedObject, tenant: Tenant): void {
  for (const other of tenant.kinds.values()) {
    for (const holder of objectsOf(tenant, other.name)) {
      const isItself = other.name === kind && holder.id === id;
      const held = idsHeld(other, holder).some((place) => place.to === kind && place.id === id);
      if (held && !isItself)
        throw badRequest(`${kind} ${id} is in use: ${other.name} ${holder.id} refers to it`);
    }
  }
  const user = tenant.state.simIntegrations.find(
    ({ sources, cluster }) =>
      (kind === 'Source' && sources.includes(id)) || (kind === 'Cluster' && cluster === id),
  );
  if (user) throw badRequest(`${kind} ${id} is in use: the integration "${user.name}" refers to it`);
}
