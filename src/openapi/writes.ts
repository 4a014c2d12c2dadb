import type { Member } from '../loader/print.ts';
import { getText } from '../model/json.ts';
import { type Collection, type Prose, saysFixed, type Write } from './collection.ts';
import type { OpenApi, Part, Shape } from './document.ts';
import { toComment } from './fields.ts';

/** What is known of a collection before its descriptor is written. */
export interface Findings {
  readonly api: OpenApi;
  readonly collection: Collection;
  /** The properties of an object, in the answers and the requests. */
  readonly properties: ReadonlyMap<string, Part>;
  /** The member in which requests have the object; `null` where they are the object. */
  readonly wrapper: string | null;
  miss(message: string): void;
}

export interface Update {
  readonly word: 'json-patch' | 'merge-patch' | 'patch' | 'put' | 'none';
  readonly notes: readonly string[];
  readonly prose: Prose;
}

const silent: Prose = { patchable: null, fixed: new Set(), isForSome: false };
const none: Update = { word: 'none', notes: [], prose: silent };

export function updateOf({ api, collection, wrapper, miss }: Findings): Update {
  const { patch, put, path, single, create, read, canDelete, demands } = collection;
  for (const demand of demands) miss(`${toComment(demand)}, which a descriptor cannot express.`);
  if (wrapper !== null) {
    miss(
      `Requests for ${path} have the object in ${toComment(wrapper)}, which a descriptor cannot express: so the kind is read only, for references.`,
    );
    return none;
  }
  const calls = single
    ? {}
    : { POST: create, 'GET of one object': read, 'PATCH or PUT': patch ?? put, DELETE: canDelete };
  const absent = Object.entries(calls).flatMap(([name, call]) => (call ? [] : [name]));
  if (absent.length > 0) miss(`For ${path} there is no ${absent.join(', no ')}.`);
  const ways = [...(patch ? [patchWay(api, patch)] : []), ...(put ? [putWay(put)] : [])];
  const usable = ways.filter((way) => way !== null);
  if (usable.length < ways.length)
    miss(`Not all ways to change an object at ${path} take JSON that a descriptor can express.`);
  const [first = none, second] = usable;
  return patch?.prose.isForSome && second
    ? { ...second, notes: [...second.notes, 'check: PATCH is described as changing only some objects'] }
    : first;
}

interface DescribedWrites {
  readonly update: Update;
  /** Those that a create can have. */
  readonly fields: readonly string[];
  readonly immutable: readonly string[];
}

/** What the API asks of those who write, besides what is usual. */
export function writeOf({ collection }: Findings, { update, fields, immutable }: DescribedWrites): Member[] {
  const { create, put, patch } = collection;
  const members: Member[] = [];
  const [type] = patch?.mediaTypes ?? [];
  if (update.word === 'json-patch' && type && !patch?.mediaTypes.some((each) => /json-patch/.test(each)))
    if (contentType.test(type)) members.push(['contentType', type]);
  if (update.word === 'put' && put?.body.required.has('id')) members.push(['sendId', true]);
  const required = fields.filter((name) => create?.body.required.has(name));
  if (required.length > 0) members.push(['required', required]);
  if (immutable.length > 0 && update.word !== 'none') members.push(['immutable', immutable]);
  return members;
}

/** As schemas/kind.schema.json says. */
const contentType = /^[a-z]+\/[a-z0-9.+-]+$/;

const takesJson = ({ mediaTypes }: Write) =>
  mediaTypes.length === 0 || mediaTypes.some((type) => /json|\*/.test(type));

const putWay = (put: Write): Update | null =>
  takesJson(put) ? { word: 'put', notes: [], prose: put.prose } : null;

/** How a PATCH changes an object; `null` for a way that a descriptor cannot say. */
function patchWay(api: OpenApi, patch: Write): Update | null {
  const { mediaTypes, body, items, prose } = patch;
  const takes = (format: string) => mediaTypes.some((type) => type.includes(format));
  const [[, inner] = [], ...others] = body.properties;
  const wrapped = inner && others.length === 0 ? api.shape(inner).items : null;
  if (!takesJson(patch) || (wrapped && isJsonPatch(api.shape(wrapped)))) return null;
  if (takes('json-patch')) return { word: 'json-patch', notes: [], prose };
  if (takes('merge-patch')) return { word: 'merge-patch', notes: [], prose };
  const taken = `PATCH takes ${mediaTypes.map(toComment).join(', ') || 'a body that is not described'}`;
  if (items) return { word: 'json-patch', notes: [isJsonPatch(items) ? taken : `check: ${taken}`], prose };
  return { word: 'patch', notes: [`check: ${taken}; does it replace each field as a whole?`], prose };
}

const isJsonPatch = ({ properties, description }: Shape) =>
  (properties.has('op') && properties.has('path')) || /json.?patch/i.test(description);

/** True where POST takes one object as JSON. */
export function createsOne({ collection: { create, path }, miss }: Findings): boolean {
  if (!create) return false;
  if (!takesJson(create))
    miss(`POST ${path} takes ${create.mediaTypes.map(toComment).join(', ')}, and no JSON.`);
  else if (create.items) miss(`POST ${path} takes a list of objects, which a descriptor cannot express.`);
  else return true;
  return false;
}

/** Says why a field cannot be changed in an object that exists; `null` where nothing says so. */
export function fixedFinder({ patchable, fixed }: Prose) {
  return (name: string, property: Part): string | null => {
    if (fixed.has(name)) return 'described as one that cannot be changed';
    if (saysFixed(getText(property.value, 'description') ?? ''))
      return 'check: it cannot be changed, its description says';
    return patchable?.has(name) === false ? 'check: not among those that are described as changeable' : null;
  };
}

/** True for fields that a described request sets. If no request is described, every field counts as set. */
export function writableFilter({ create, put, patch }: Collection): (name: string) => boolean {
  const bodies = [create, put, patch].flatMap((write) => (write ? [write.body.properties] : []));
  const isDescribed = bodies.some(({ size }) => size > 0);
  return (name) =>
    !isDescribed || patch?.prose.patchable?.has(name) === true || bodies.some((body) => body.has(name));
}
