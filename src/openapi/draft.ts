import { formatComment, type Member, printInline } from '../loader/print.ts';
import type { FileSource } from '../loader/source.ts';
import { failure } from '../model/failure.ts';
import { isFieldName, isMemberName } from '../model/json.ts';
import { type Collection, type Rows, readCollection } from './collection.ts';
import { OpenApi, type Part, type Shape } from './document.ts';
import { type DraftField, fieldOf, isServerOwned, pascalCase, singular, toComment } from './fields.ts';

export interface DraftInput {
  readonly source: FileSource;
  readonly file: string;
  readonly path: string;
  /** The name of the kind; `null`: from the path. */
  readonly kind: string | null;
}

export interface Draft {
  readonly text: string;
  /** Sentences about gaps in the document. */
  readonly missed: readonly string[];
}

interface Findings {
  readonly api: OpenApi;
  readonly collection: Collection;
  /** The properties of an object, in the answers and the requests. */
  readonly properties: ReadonlyMap<string, Part>;
  /** The member in which requests have the object; `null` where they are the object. */
  readonly wrapper: string | null;
  miss(message: string): void;
}

/**
 * Drafts the descriptor of a kind from the OpenAPI description of its collection. Throws a Failure for a document that
 * cannot be read, or that has no such path.
 */
export function draftKind({ source, file, path, kind: named }: DraftInput): Draft {
  const api = new OpenApi(source, file);
  const collection = readCollection(api, path);
  const missed: string[] = [];
  const miss = (message: string) => missed.push(message);
  const wrapperIn = wrapperFinder(api, collection.list?.rows ?? null);
  const findings: Findings = {
    api,
    collection,
    properties: propertiesOf(collection, wrapperIn),
    wrapper: wrapperOf(collection, wrapperIn),
    miss,
  };
  const kind = named ?? kindName(collection.path);
  const lines = linesOf(kind, findings);
  const intro = `# Drafted from ${toComment(file)}. Decide where a comment says "check"; then run \`tenantctl kind check ${kind}\`.`;
  for (const [reference, reason] of api.unread)
    miss(`The reference ${toComment(reference)} was not followed: ${toComment(reason)}.`);
  return { text: `${[intro, ...lines].join('\n')}\n`, missed };
}

/** `/v2025/access-profiles` is a list of `AccessProfile`. */
function kindName(path: string): string {
  const words = path.split('/').filter((word) => word !== '' && !/^v\d/.test(word));
  const name = pascalCase(singular(words.at(-1) ?? ''));
  if (name !== '') return name;
  const hint = 'Name the kind by the file to write: --out kinds/NAME.kind.yaml.';
  throw failure('kind-name', `The path ${path} gives no name for a kind.`, { hint });
}

type WrapperFinder = (shape: Shape) => string | null;

/** Finds the member in which a body or an answer has the object, as in `{service: {…}}`; `null` where it is the object itself. */
function wrapperFinder(api: OpenApi, rows: Rows | null): WrapperFinder {
  return ({ properties }) => {
    const [[name, inner] = [null, null], ...others] = [...properties];
    if (name === null || others.length > 0 || !rows || rows.shape.properties.has(name)) return null;
    return api.shape(inner).types.has('object') ? name : null;
  };
}

/** The member that wraps the object in all requests that are described: a PATCH alone may take one member of it. */
function wrapperOf({ create, put, patch }: Collection, wrapperIn: WrapperFinder): string | null {
  const bodies = [create, put, patch?.body].filter((body) => body && body.properties.size > 0);
  const [name = null, ...others] = new Set(bodies.map((body) => (body ? wrapperIn(body) : null)));
  return others.length === 0 ? name : null;
}

/** The properties of the objects in lists, single reads and requests: those that are shown first. */
function propertiesOf({ list, read, create, put }: Collection, wrapperIn: WrapperFinder) {
  const others = [read, create, put].flatMap((shape) => (shape && wrapperIn(shape) === null ? [shape] : []));
  const shapes = [...(list?.rows ? [list.rows.shape] : []), ...others];
  const found = new Map<string, Part>();
  for (const [name, property] of shapes.flatMap(({ properties }) => [...properties]))
    if (!found.has(name)) found.set(name, property);
  return found;
}

function linesOf(kind: string, findings: Findings): string[] {
  const { collection, wrapper } = findings;
  const { path } = collection;
  const update = updateOf(findings);
  const canCreate = wrapper === null && collection.create !== null;
  const canDelete = wrapper === null && collection.canDelete;
  const isReadOnly = update.word === 'none' && !canCreate && !canDelete;
  const key = keyOf(findings);
  const list = listOf(findings, key.name);
  const { fields, serverOwned, notes } = fieldsOf(findings, { key: key.name, isReadOnly });
  const beside = (all: readonly string[]) => (all.length === 0 ? '' : formatComment(all.join('; ')));
  return [
    `kind: ${kind}`,
    `summary: ${printInline(summaryOf(collection))}`,
    `service: ${path.startsWith('/api/') ? 'profiles' : 'identity'}`,
    `path: ${printInline(path)}`,
    `key: ${key.name}${beside(key.notes)}`,
    `list: ${list}`,
    `update: ${update.word}${beside(update.notes)}`,
    `create: ${canCreate}`,
    `delete: ${canDelete}`,
    ...(fields.length === 0 ? ['fields: {}'] : ['fields:']),
    ...fields.map(
      ([name, field]) => `  ${printInline(name)}: ${printField(field.field)}${beside(field.notes)}`,
    ),
    `serverOwned: ${printInline(serverOwned)}${beside(notes)}`,
  ];
}

function printField(field: DraftField['field']): string {
  return typeof field === 'string' ? field : printInline({ members: Object.entries(field) });
}

function summaryOf({ path, list, read }: Collection): string {
  const described = list?.rows?.shape.description || read?.description || '';
  const sentence = /^\S+ \S+ [^.]{5,120}(?=\.|$)/.exec(toComment(described))?.[0];
  return sentence === undefined ? `The objects of ${path}.` : `${sentence}.`;
}

/** Fields that name an object, best first. */
const names = ['name', 'displayName', 'label', 'key', 'alias', 'email', 'domain', 'title', 'externalName'];

function keyOf({ api, properties, miss }: Findings): {
  readonly name: string;
  readonly notes: readonly string[];
} {
  const found = names.find((name) => {
    const property = properties.get(name);
    return property && api.shape(property).types.has('string');
  });
  if (found === 'name') return { name: found, notes: [] };
  if (found !== undefined) return { name: found, notes: ['check: is it unique?'] };
  miss('No field names an object, so the key is a guess.');
  return { name: 'name', notes: ['check: which field names an object?'] };
}

function listOf({ collection: { list, path }, miss }: Findings, key: string): string {
  const { rows = null, pageSize = null, hasOffset = false, otherPaging = [], counts } = list ?? {};
  if (!list) miss(`There is no GET ${path}: a kind has to have a list.`);
  else if (!rows) miss(`The answer to GET ${path} is not described as a list of objects.`);
  if (otherPaging.length > 0 || (pageSize !== null && !hasOffset)) {
    const by = otherPaging.length > 0 ? `, and pages by ${otherPaging.map(toComment).join(', ')}` : '';
    miss(
      `GET ${path} has no \`offset\`${by}: the whole list can only be read where its answers link the next page.`,
    );
  }
  const filter = list?.filtersBy(key) ?? false;
  if (!filter) miss(`GET ${path} is not described as filtering by \`${key} eq\`, so whole lists are read.`);
  const members: Member[] = [['pageSize', pageSize]];
  if (rows?.member && isMemberName(rows.member)) members.push(['member', rows.member]);
  if (counts) members.push(['counts', true]);
  members.push(['filter', filter]);
  return printInline({ members });
}

interface Update {
  readonly word: 'json-patch' | 'merge-patch' | 'patch' | 'put' | 'none';
  readonly notes: readonly string[];
}

function updateOf({ collection, wrapper, miss }: Findings): Update {
  const { patch, put, path, create, read, canDelete } = collection;
  if (wrapper !== null) {
    miss(
      `Requests for ${path} have the object in ${toComment(wrapper)}, which a descriptor cannot say: so the kind is only read, to be referred to.`,
    );
    return { word: 'none', notes: [] };
  }
  const calls = { POST: create, 'GET of one object': read, 'PATCH or PUT': patch ?? put, DELETE: canDelete };
  const absent = Object.entries(calls).flatMap(([name, call]) => (call ? [] : [name]));
  if (absent.length > 0) miss(`For ${path} there is no ${absent.join(', no ')}.`);
  if (!patch) return { word: put ? 'put' : 'none', notes: [] };
  const { mediaTypes, isList } = patch;
  if (mediaTypes.some((type) => type.includes('json-patch'))) return { word: 'json-patch', notes: [] };
  if (mediaTypes.some((type) => type.includes('merge-patch'))) return { word: 'merge-patch', notes: [] };
  const taken = mediaTypes.map(toComment).join(', ') || 'a body that is not described';
  return isList
    ? { word: 'json-patch', notes: [`check: PATCH takes ${taken}`] }
    : { word: 'patch', notes: [`check: PATCH takes ${taken}; does it replace each field as a whole?`] };
}

/** A descriptor names no more fields, and no more members of the server, as its schema says. */
const mostNames = 200;

function fieldsOf(
  findings: Findings,
  { key, isReadOnly }: { readonly key: string; readonly isReadOnly: boolean },
) {
  const { api, collection, properties, miss } = findings;
  const patchable = collection.patch?.patchable ?? null;
  const isWritten = writableFilter(collection);
  const fields: [string, DraftField][] = [];
  const serverOwned = new Set(['id']);
  const guessed: string[] = [];
  for (const [name, property] of properties) {
    if (name === key || name === 'id') continue;
    if (!isFieldName(name))
      miss(`The field ${toComment(name)} is left out: a manifest cannot have a field of that name.`);
    else if (isServerOwned(api, name, property)) serverOwned.add(name);
    else if (isReadOnly) continue;
    else if (isWritten(name)) {
      const { field, notes } = fieldOf(api, name, property);
      const isFixed = patchable !== null && !patchable.has(name);
      const fixed = isFixed ? ['check: PATCH is not described as changing it'] : [];
      fields.push([name, { field, notes: [...fixed, ...notes] }]);
    } else {
      serverOwned.add(name);
      guessed.push(name);
    }
  }
  const shown = guessed.length > 3 ? [...guessed.slice(0, 3), '…'] : guessed;
  const notes = guessed.length === 0 ? [] : [`check: no request is described with ${shown.join(', ')}`];
  const most = <T>(all: readonly T[], what: string) => {
    if (all.length > mostNames)
      miss(`Of ${all.length} ${what}, ${mostNames} are listed: more are not allowed.`);
    return all.slice(0, mostNames);
  };
  return {
    fields: most(fields, 'fields'),
    serverOwned: most([...serverOwned], 'members that only the server sets'),
    notes,
  };
}

/** True for fields that a described request sets. Where none is described at all, every field counts as set. */
function writableFilter({ create, put, patch }: Collection): (name: string) => boolean {
  const bodies = [create, put, patch?.body].flatMap((body) => (body ? [body.properties] : []));
  const isDescribed = bodies.some(({ size }) => size > 0);
  return (name) =>
    !isDescribed || patch?.patchable?.has(name) === true || bodies.some((body) => body.has(name));
}
