import { groupBy } from '../model/basics.ts';
import { fail } from '../model/failure.ts';
import { get, getText, getTexts } from '../model/json.ts';
import { didYouMean } from '../model/words.ts';
import type { OpenApi, Part, Shape } from './document.ts';

/** The calls of a collection, as its document describes them; `null` for a call that it does not have. */
export type Collection = ReturnType<typeof readCollection>;

export type Write = ReturnType<typeof readWrite>;

/** As schemas/kind.schema.json says, with at most one parent. */
const kindPath = /^(?=.{2,256}$)(?!.*\{.*\{)(\/[\w~-][\w.~-]*)+(\/\{[\w-]+\}(\/[\w~-][\w.~-]*)+)?$/;

/**
 * `/sources/{sourceId}/schemas` as a descriptor has it: `/sources/{source}/schemas`, below each `Source`.
 *
 * @param shapes of its objects, which have no member of the name of the parent
 */
function withParent(path: string, shapes: readonly Shape[] = []) {
  const [above, below] = path.split(/\/\{[^/]*\}/);
  const kind = below === undefined ? '' : kindNameOf(above ?? '');
  if (kind === '') return { path, parent: null };
  const usual = kind.charAt(0).toLowerCase() + kind.slice(1);
  const name = shapes.some(({ properties }) => properties.has(usual)) ? `parent${kind}` : usual;
  return { path: `${above}/{${name}}${below}`, parent: { name, kind } };
}

type Place = ReturnType<typeof placesOf>[number];

function placesOf(api: OpenApi) {
  const paths = Object.keys(api.at(api.root, 'paths')?.value ?? {}).sort();
  // The path of the first server, with the defaults of its variables, without a slash at the end.
  const [server] = api.list(api.root, 'servers');
  const url = getText(server?.value ?? {}, 'url') ?? '';
  const resolved = url
    .replace(/^[a-z]+:\/\/[^/]*|^\/\/[^/]*/i, '')
    .replace(/\{([^{}]*)\}/g, (_, name: string) => {
      const variable = server && api.at(server, 'variables', name);
      return (variable && getText(variable.value, 'default')) ?? '';
    })
    .replace(/\/+$/, '');
  const prefix = /^(\/[\w.~-]+)*$/.test(resolved) ? resolved : '';
  const single = paths.filter((path) => /\/\{[^/]*\}$/.test(path));
  // Of several, the first counts.
  const items = new Map(single.reverse().map((path) => [path.slice(0, path.lastIndexOf('/')), path]));
  return paths.map((found) => ({
    found,
    // From the base URL on.
    path: found.startsWith(`${prefix}/`) ? found : prefix + found,
    // As a person may write it, too.
    whole: prefix + found,
    // The path of its single objects.
    itemPath: items.get(found),
  }));
}

/** Finds a path, written with or without the servers' prefix. Throws a Failure if it is unknown, or if no kind can have it. */
export function findPlace(api: OpenApi, wanted: string): Place {
  const places = placesOf(api);
  const given = wanted.replace(/(?<=.)\/+$/, '');
  const place = places.find(({ found, whole }) => found === given || whole === given);
  if (!place) {
    const collections = places.map(({ whole }) => whole).filter((each) => !each.includes('{'));
    const some = collections.slice(0, 5).join(', ');
    const all = some === '' ? 'It describes no collection.' : `It describes collections such as ${some}.`;
    const hint = didYouMean(given, collections) ?? all;
    throw fail('openapi-path', `${api.root.file} has no path ${given}.`, { hint });
  }
  if (kindPath.test(place.path)) return place;
  throw fail('openapi-path', `The path ${place.path} cannot be the path of a kind.`, {
    hint: 'A kind has a collection at a path of letters, digits, `.`, `_`, `~` and `-`, below at most one other object.',
  });
}

export function readCollection(api: OpenApi, { found, path, itemPath }: Place) {
  const whole = api.at(api.root, 'paths', found);
  const single = itemPath === undefined && isSingle(api, path, whole);
  const item = single ? whole : itemPath === undefined ? null : api.at(api.root, 'paths', itemPath);
  const call = (part: Part | null, method: string) => part && api.at(part, method);
  const [list, read, patch] = [call(whole, 'get'), call(item, 'get'), call(item, 'patch')];
  const [create, put] = ([call(whole, 'post'), call(item, 'put')] as const).map(
    (each) => each && readWrite(api, each),
  );
  const calls = {
    list: single || !list ? null : readList(api, path, [...(whole ? [whole] : []), list]),
    read: read && api.shape(answerOf(api, read)),
    // A single object is made by a PUT.
    create: single ? null : (create ?? null),
    put: put ?? null,
  };
  const shapes = [calls.list?.rows?.shape, calls.read, calls.create?.body, calls.put?.body];
  return {
    ...withParent(
      path,
      shapes.flatMap((shape) => shape ?? []),
    ),
    ...calls,
    // There is one object at the path, and no list.
    single,
    // The parameter of the paths of single objects.
    idParameter: /\{([^/]*)\}$/.exec(itemPath ?? '')?.[1] ?? null,
    patch: patch && readWrite(api, patch),
    canDelete: call(item, 'delete') !== null,
    // The parameters that calls have to have and that a descriptor cannot give them, each with its call.
    demands: [
      ...(single ? [] : demandsOf(api, whole, ['get', 'post'])),
      ...demandsOf(api, item, ['get', 'patch', 'put', 'delete']),
    ],
  };
}

/** Path parameters are known, and the header of experimental calls is always sent. */
function demandsOf(api: OpenApi, path: Part | null, methods: readonly string[]): string[] {
  return methods.flatMap((method) => {
    const call = path && api.at(path, method);
    if (!path || !call) return [];
    const parameters = [path, call].flatMap((part) => api.list(part, 'parameters'));
    return parameters.flatMap(({ value }) => {
      const [where, name] = [getText(value, 'in'), getText(value, 'name') ?? ''];
      const isKnown = where === 'path' || /experimental/i.test(name) || get(value, 'required') !== true;
      return isKnown ? [] : [`${method.toUpperCase()} needs ${name}`];
    });
  });
}

/** True if the path of an object that is read is also that by which it is changed. */
function isSingle(api: OpenApi, path: string, whole: Part | null): boolean {
  const { items, properties } = api.shape(whole && answerOf(api, api.at(whole, 'get')));
  return hasAny(api, whole, 'put', 'patch') && !items && properties.size > 0 && !isList(api, path, whole);
}

/** True if a POST adds to the objects that a GET lists. */
function isList(api: OpenApi, path: string, whole: Part | null): boolean {
  return whole !== null && hasAny(api, whole, 'post') && rowsOf(api, path, api.at(whole, 'get')) !== null;
}

const hasAny = (api: OpenApi, path: Part | null, ...methods: readonly string[]): boolean =>
  path !== null && methods.some((method) => api.at(path, method) !== null);

/** The lists and single objects of a document; and other writable paths, with the reason why they are not kinds. */
export function collectionsIn(api: OpenApi) {
  const found: { readonly place: Place; readonly tag: string | null; readonly kind: string }[] = [];
  const leftOut: string[] = [];
  const places = placesOf(api);
  const isItem = new Set(places.map(({ itemPath }) => itemPath));
  for (const place of places) {
    const { path, itemPath } = place;
    const whole = api.at(api.root, 'paths', place.found);
    const item = itemPath === undefined ? null : api.at(api.root, 'paths', itemPath);
    const reading = whole && api.at(whole, 'get');
    const ways = ['put', 'patch', 'delete'];
    // A POST alone is an action, not an object.
    const isWritten =
      hasAny(api, item, ...ways) || hasAny(api, whole, ...ways) || (reading && hasAny(api, whole, 'post'));
    const why = whyNoKind(api, path, whole, itemPath !== undefined);
    const tag = getTexts(reading?.value ?? {}, 'tags')[0] ?? null;
    if (why === null) found.push({ place, tag, kind: kindName(withParent(path)) });
    else if (isWritten && (itemPath !== undefined || !isItem.has(place.found)))
      leftOut.push(`${path}: ${why}`);
  }
  // If several would have the same name, each gets all words of its path.
  const collections = groupBy(found, ({ kind }) => kind).flatMap(([, all]) => {
    if (all.length === 1) return all;
    return all.map((each) => {
      return { ...each, kind: pascalCase(pathWords(each.place.path).map(singular).join('-')) };
    });
  });
  return { collections, leftOut };
}

/** Why the objects at a path are no kind; `null` if they are one. */
function whyNoKind(api: OpenApi, path: string, whole: Part | null, hasItems: boolean): string | null {
  const reading = whole && api.at(whole, 'get');
  if (path.endsWith('}')) return 'it ends with a parameter, and no list gives its values';
  if (!reading) return 'it has no GET';
  if (get(reading.value, 'deprecated') === true) return 'its GET is deprecated';
  if (/\{.*\{/.test(path)) return 'its objects are below more than one other object';
  if (!kindPath.test(path)) return 'no kind can have a path of this form';
  const isKind = hasItems
    ? rowsOf(api, path, reading) !== null
    : isList(api, path, whole) || isSingle(api, path, whole);
  return isKind ? null : 'its GET gives neither one object nor a list whose objects have paths';
}

function answerOf(api: OpenApi, call: Part | null): Part | null {
  const responses = call && api.at(call, 'responses');
  const status = Object.keys(responses?.value ?? {})
    .sort()
    .find((each) => /^2/.test(each));
  const answer = responses && status !== undefined ? api.at(responses, status) : null;
  return answer && jsonSchema(api, answer);
}

function jsonSchema(api: OpenApi, part: Part): Part | null {
  const content = api.at(part, 'content');
  const type = Object.keys(content?.value ?? {}).find((each) => /json|\*/.test(each));
  return content && type !== undefined ? api.at(content, type, 'schema') : null;
}

const largestPage = 10_000;

/** For lists that do not state a limit: few tenants return fewer, and those that return more document it. */
const smallPage = 50;

const paging =
  /^(page(size|number|token|cursor|offset|limit|after|before)?|perpage|size|start(index|ingafter|at)?|after|before|cursor|first|max(results)?|top|skip(token)?|next(token)?|offset|sysparm(limit|offset))$/i;

/** @param parts the path and the call, which both may have parameters */
function readList(api: OpenApi, path: string, parts: readonly Part[]) {
  const parameters = parts.flatMap((part) => api.list(part, 'parameters'));
  const inQuery = parameters.filter(({ value }) => getText(value, 'in') === 'query');
  const query = new Map(inQuery.map((part) => [getText(part.value, 'name') ?? '', part]));
  const schemaOf = (name: string) => {
    const parameter = query.get(name);
    return parameter ? api.at(parameter, 'schema') : null;
  };
  const size = ['maximum', 'default']
    .map((name) => get(schemaOf('limit')?.value ?? {}, name))
    .find((each): each is number => typeof each === 'number' && each > 0 && each <= largestPage);
  const hasOffset = query.has('offset');
  const others = [...query.keys()].filter((name) => paging.test(name.replaceAll(/[$_[\]-]/g, '')));
  const filters = getText(query.get('filters')?.value ?? {}, 'description') ?? '';
  return {
    rows: rowsOf(api, path, parts.at(-1)),
    hasLimit: query.has('limit'),
    // The largest page that it gives, else the default.
    pageSize: query.has('limit') ? Math.floor(size ?? smallPage) : smallPage,
    hasOffset,
    // The parameters by which it is paged in another way than by `limit` and `offset`.
    otherPaging: hasOffset ? [] : others,
    // Elsewhere it is the number of rows to give.
    counts: query.has('count') && !api.shape(schemaOf('count')).types.has('integer'),
    /** The words of each line about filters: fields, and the operators that they support. */
    filters: filters.split('\n').map((line) => line.split(/[^\w.]+/)),
  };
}

/** Names of members that hold a list. */
const usual = ['items', 'data', 'results', 'resources', 'Resources', 'objects', 'content'];

/** The objects of a list, and the member of the answer that has them; `null` if it is not described as a list of objects. */
function rowsOf(api: OpenApi, path: string, list: Part | null | undefined) {
  const answer = api.shape(list && answerOf(api, list));
  if (answer.items) return { shape: api.shape(answer.items), member: null };
  const last = path.split('/').at(-1)?.replaceAll('-', '').toLowerCase();
  const rank = (name: string) => (name.toLowerCase() === last ? 0 : 1 + usual.indexOf(name) || 9);
  const lists = [...answer.properties].flatMap(([name, part]) => {
    const { items } = api.shape(part);
    return items ? [{ shape: api.shape(items), member: name }] : [];
  });
  return lists.sort((a, b) => rank(a.member) - rank(b.member))[0] ?? null;
}

function readWrite(api: OpenApi, call: Part) {
  const sent = api.at(call, 'requestBody');
  const body = api.shape(sent && jsonSchema(api, sent));
  return {
    body,
    items: body.items && api.shape(body.items),
    mediaTypes: Object.keys(api.at(call, 'requestBody', 'content')?.value ?? {}),
    prose: readProse(getText(call.value, 'description') ?? ''),
  };
}

const ability = '(?:patch|chang|updat|modif|edit|mut)\\w*';
const cannot = new RegExp(
  `immutable|read-only|\\b(?:cannot|can't|not)\\s+(?:be\\s+)?${ability}|${ability}[^.]*\\bother than\\b`,
  'i',
);
const can = new RegExp(`patchable|\\bmutable|\\bcan be ${ability}`, 'i');

/**
 * Reads lists of fields, below a sentence or in it: "These fields are patchable:", "You cannot update `id`". Other sentences
 * cannot be distinguished from examples.
 */
function readProse(description: string) {
  const lines = description.split('\n');
  const found = { can: new Set<string>(), cannot: new Set<string>() };
  for (const [at, line] of lines.entries()) {
    const sentences = line.split(/(?<=[.!])\s+/);
    for (const [index, sentence] of sentences.entries()) {
      const says = cannot.test(sentence) ? 'cannot' : can.test(sentence) ? 'can' : null;
      if (says === null || itemIn(line) !== null) continue;
      const inQuotes = sentence.matchAll(/["`]([A-Za-z_][\w-]*)["`]/g);
      const inside = [...inQuotes].flatMap(([, name]) => name ?? []);
      const items = lines
        .slice(at + 1)
        .filter((each) => each.trim() !== '')
        .map(itemIn);
      const end = items.indexOf(null);
      const below = index === sentences.length - 1 ? items.slice(0, end < 0 ? items.length : end) : [];
      for (const name of inside.length > 0 ? inside : below) if (name !== null) found[says].add(name);
    }
  }
  return {
    patchable: found.can.size === 0 ? null : found.can,
    fixed: found.cannot,
    // It only accepts some of the objects.
    isForSome: /\bcan only (patch|update|change)\b|\bdo not use this\b/i.test(description),
  };
}

/** The name in an item of a list, `* name`, or in a line of its own, `**name** (as long as …)`; `null` for other lines. */
function itemIn(line: string): string | null {
  const [, plain, marked] =
    /^\s*(?:[*-]\s+([\w-]+)|(?:[*-]\s+)?(?:\*\*|[`"])([\w-]+)(?:\*\*|[`"]))\s*(?:\(.*\))?\s*$/.exec(line) ??
    [];
  return plain ?? marked ?? null;
}

/** `access-profiles`, `access_profile` and `accessProfile` in the spelling of kinds; `''` for what cannot be a name. */
export function pascalCase(name: string): string {
  const words = name.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  const joined = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return /^[A-Z]/.test(joined) ? joined.slice(0, 64) : '';
}

/** The English singular of a word, as far as a rule can find it. */
export function singular(word: string): string {
  if (/(ss|us|is)$/i.test(word)) return word;
  if (/ies$/i.test(word)) return word.replace(/ies$/i, 'y');
  return /(ss|sh|ch|x|z)es$/i.test(word) ? word.slice(0, -2) : word.replace(/s$/i, '');
}

/** The kind whose objects a path has: `/v2025/access-profiles` is a list of `AccessProfile`. `''` if it gives no name. */
function kindNameOf(path: string): string {
  const [owner = '', last = ''] = ['', ...pathWords(path)].slice(-2);
  // `config` alone says nothing.
  const isSaid = !/^(config|configuration|settings)$/i.test(last);
  return pascalCase(isSaid ? singular(last) : `${singular(owner)}-${last}`);
}

/** `/v2025/sources/{source}/schemas` are lists of `SourceSchema`. Throws a Failure for a path that gives no name. */
export function kindName({ path, parent }: Pick<Collection, 'path' | 'parent'>): string {
  const name = kindNameOf(path);
  if (name !== '') return pascalCase(`${parent?.kind ?? ''}${name}`);
  const hint = 'Name the kind by the file to write: --out kinds/NAME.kind.yaml.';
  throw fail('kind-name', `The path ${path} gives no name for a kind.`, { hint });
}

/** The words of a path, without its version and parameters. */
const pathWords = (path: string): string[] =>
  path.split('/').filter((word) => word !== '' && !/^(v\d.*|\{.*\})$/.test(word));
