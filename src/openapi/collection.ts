import { failure } from '../model/failure.ts';
import { isArray, own, textOf } from '../model/json.ts';
import { didYouMean } from '../model/words.ts';
import type { OpenApi, Part } from './document.ts';
import { type Shape, shapeOf } from './schema.ts';

/** The calls of a collection, as its document describes them. */
export interface Collection {
  /** From the base URL on. */
  readonly path: string;
  readonly list: Part | null;
  readonly create: Part | null;
  readonly read: Part | null;
  readonly patch: Part | null;
  readonly put: Part | null;
  readonly delete: Part | null;
  /** The query parameters of the list by their names. */
  readonly query: ReadonlyMap<string, Part>;
}

/**
 * Finds the calls of the collection at a path, which may begin with the path of the document's servers or not. Throws a
 * Failure where the document has no such path.
 */
export function findCollection(api: OpenApi, wanted: string): Collection {
  const all = api.at(api.root, 'paths');
  const paths = Object.keys(all?.value ?? {}).sort();
  const prefix = serverPath(api);
  const given = wanted.replace(/(?<=.)\/+$/, '');
  const found = paths.find((path) => path === given || prefix + path === given);
  if (!all || found === undefined)
    throw unknownPath(
      api,
      given,
      paths.map((path) => prefix + path),
    );
  const itemPath = paths.find(
    (path) => path.startsWith(`${found}/{`) && /^\/\{[^/]*\}$/.test(path.slice(found.length)),
  );
  const own = api.at(all, found);
  const item = itemPath === undefined ? null : api.at(all, itemPath);
  const call = (part: Part | null, method: string) => (part ? api.at(part, method) : null);
  const list = call(own, 'get');
  const parameters = [own, list].flatMap((part) => (part ? api.list(part, 'parameters') : []));
  const inQuery = parameters.filter(({ value }) => textOf(value, 'in') === 'query');
  const path = found.startsWith(`${prefix}/`) ? found : prefix + found;
  if (!plainPath.test(path))
    throw failure('openapi-path', `The path ${path} cannot be that of a kind.`, {
      hint: 'A kind has a collection of its own, at a path of letters, digits, `.`, `_`, `~` and `-`.',
    });
  return {
    path,
    list,
    create: call(own, 'post'),
    read: call(item, 'get'),
    patch: call(item, 'patch'),
    put: call(item, 'put'),
    delete: call(item, 'delete'),
    query: new Map(inQuery.map((part) => [textOf(part.value, 'name') ?? '', part])),
  };
}

/** As schemas/kind.schema.json says. */
const plainPath = /^(?=.{2,256}$)(\/[\w~-][\w.~-]*)+$/;

function unknownPath(api: OpenApi, path: string, known: readonly string[]) {
  const collections = known.filter((each) => !each.includes('{'));
  const some = collections.slice(0, 5).join(', ');
  const all = some === '' ? 'It describes no collection.' : `It describes collections such as ${some}.`;
  const hint = didYouMean(path, collections) ?? all;
  return failure('openapi-path', `${api.root.file} has no path ${path}.`, { hint });
}

/** The path of the document's first server, with the defaults of its variables, without a slash at the end. */
function serverPath(api: OpenApi): string {
  const [server] = api.list(api.root, 'servers');
  if (!server) return '';
  const path = (textOf(server.value, 'url') ?? '').replace(/^[a-z]+:\/\/[^/]*|^\/\/[^/]*/i, '');
  const resolved = path.replace(/\{([^{}]*)\}/g, (_, name: string) => {
    const variable = api.at(server, 'variables', name);
    return (variable && textOf(variable.value, 'default')) ?? '';
  });
  return /^(\/[\w.~-]+)*$/.test(resolved.replace(/\/+$/, '')) ? resolved.replace(/\/+$/, '') : '';
}

/** The schema of a successful answer as JSON; `null` where the document has none. */
export function answerOf(api: OpenApi, call: Part | null): Part | null {
  const responses = call && api.at(call, 'responses');
  const status = Object.keys(responses?.value ?? {})
    .sort()
    .find((each) => /^2/.test(each));
  const answer = responses && status !== undefined ? api.at(responses, status) : null;
  return answer && jsonSchema(api, answer);
}

/** The schema of the body that a call takes; `null` where the document has none. */
export function bodyOf(api: OpenApi, call: Part | null): Part | null {
  const body = call && api.at(call, 'requestBody');
  return body && jsonSchema(api, body);
}

/** The media types of the body that a call takes. */
export function bodyTypes(api: OpenApi, call: Part | null): string[] {
  return Object.keys((call && api.at(call, 'requestBody', 'content'))?.value ?? {});
}

function jsonSchema(api: OpenApi, part: Part): Part | null {
  const content = api.at(part, 'content');
  const type = Object.keys(content?.value ?? {}).find((each) => /json|\*/.test(each));
  return content && type !== undefined ? api.at(content, type, 'schema') : null;
}

/** The objects of a list: their shape, and the member of the answer that has them. */
export interface Rows {
  readonly shape: Shape;
  readonly member: string | null;
}

/** Finds the objects in the answer of a list; `null` where the answer is not a list of objects. */
export function rowsOf(api: OpenApi, { list, path }: Collection): Rows | null {
  const answer = shapeOf(api, answerOf(api, list));
  if (answer.items) return { shape: shapeOf(api, answer.items), member: null };
  const last = path.split('/').at(-1)?.replaceAll('-', '').toLowerCase();
  const rank = (name: string) => (name.toLowerCase() === last ? 0 : 1 + usual.indexOf(name) || 9);
  const lists = [...answer.properties].flatMap(([name, part]) => {
    const { items } = shapeOf(api, part);
    return items ? [{ shape: shapeOf(api, items), member: name }] : [];
  });
  const [best] = lists.sort((a, b) => rank(a.member) - rank(b.member));
  return best ?? null;
}

/** The member in which a body or an answer has the object, as in `{service: {…}}`; `null` where it is the object itself. */
export function wrapperIn(api: OpenApi, { properties }: Shape, rows: Rows | null): string | null {
  const [[name, inner] = [null, null], ...others] = [...properties];
  if (name === null || others.length > 0 || !rows || rows.shape.properties.has(name)) return null;
  return shapeOf(api, inner).types.has('object') ? name : null;
}

/** What members that hold a list are called. */
const usual = ['items', 'data', 'results', 'resources', 'Resources', 'objects', 'content'];

/** The size of a page: the largest that the list takes, else its default; `null` where the list has no pages. */
export function pageSizeOf(api: OpenApi, { query }: Collection): number | null {
  const limit = query.get('limit');
  const schema = limit && api.at(limit, 'schema');
  if (!limit) return null;
  const stated = ['maximum', 'default'].map((name) => (schema ? own(schema.value, name) : undefined));
  const size = stated.find((each) => typeof each === 'number' && each > 0 && each <= largestPage);
  return typeof size === 'number' ? Math.floor(size) : smallPage;
}

const largestPage = 10_000;
/** For lists that have a limit and do not state it. */
const smallPage = 50;

/** The query parameters by which the list is paged in another way than by `limit` and `offset`. */
export function otherPaging({ query }: Collection): string[] {
  if (query.has('offset')) return [];
  return [...query.keys()].filter((name) => paging.test(name.replaceAll(/[$_[\]-]/g, '')));
}

const paging =
  /^(page(size|number|token|cursor|offset|limit|after|before)?|perpage|size|start(index|ingafter|at)?|after|before|cursor|first|max(results)?|top|skip(token)?|next(token)?|offset|sysparm(limit|offset))$/i;

/** Whether `count` asks for the length of the list. Elsewhere it is the number of rows to give. */
export function countsRows(api: OpenApi, { query }: Collection): boolean {
  const count = query.get('count');
  const schema = count && api.at(count, 'schema');
  return count !== undefined && !shapeOf(api, schema ?? null).types.has('integer');
}

/** Whether the description of the parameter `filters` names a field together with the operator `eq`. */
export function filtersBy({ query }: Collection, field: string): boolean {
  const text = textOf(query.get('filters')?.value ?? {}, 'description') ?? '';
  return text.split('\n').some((line) => {
    const words = line.split(/[^\w.]+/);
    return words.includes(field) && words.includes('eq');
  });
}

/** The fields that a list in the description of a PATCH names as those that can be changed; `null` without such a list. */
export function patchableIn(patch: Part | null): ReadonlySet<string> | null {
  const lines = (textOf(patch?.value ?? {}, 'description') ?? '').split('\n');
  const start = lines.findIndex((line) => /patchable|can be (modified|updated|patched|changed)/i.test(line));
  if (start < 0) return null;
  const names = lines.slice(start + 1).map((line) => /^\s*[*-]\s+[`*]*([\w-]+)[`*]*\s*$/.exec(line)?.[1]);
  const listed = names.filter((name) => name !== undefined);
  return listed.length === 0 ? null : new Set(listed);
}

/** Whether a body is a list, as that of a JSON Patch. */
export function isListBody(api: OpenApi, call: Part | null): boolean {
  const body = bodyOf(api, call);
  return body !== null && (isArray(own(body.value, 'items')) || shapeOf(api, body).types.has('array'));
}
