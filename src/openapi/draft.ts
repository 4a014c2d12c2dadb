import { type Member, printInline } from '../loader/print.ts';
import { isFieldName, isMemberName } from '../model/json.ts';
import {
  type Collection,
  collectionsIn,
  type findPlace,
  kindName,
  pascalCase,
  readCollection,
  singular,
  type Write,
} from './collection.ts';
import { type OpenApi, type Part, type Shape, toComment } from './document.ts';
import { beside, type Findings, fieldLines, type Update } from './fields.ts';

/**
 * Drafts the descriptor of a kind from its collection, as far as the document defines it.
 *
 * @param named its name; `null`: from the path
 * @param known the kinds that it may refer to; `null`: they are unknown
 */
export function draftKind(
  api: OpenApi,
  place: ReturnType<typeof findPlace>,
  named: string | null,
  known: Findings['known'] = null,
) {
  const collection = readCollection(api, place);
  const missed: string[] = [];
  const miss = (message: string) => missed.push(message);
  const findings: Findings = { api, collection, ...objectOf(api, collection), known, miss };
  const kind = named ?? kindName(collection);
  const lines = linesOf(kind, findings);
  const file = api.root.file.split('/').at(-1) ?? '';
  for (const [reference, reason] of api.takeUnread())
    miss(`The reference ${toComment(reference)} was not followed: ${toComment(reason)}.`);
  const intro = `# Drafted from ${toComment(file)}. Decide where a comment says "check"; then run \`tenantctl kind check ${kind}\`.`;
  const checks = missed.map((sentence) => `# check: ${sentence}`);
  return { kind, path: collection.path, text: `${[intro, ...checks, ...lines].join('\n')}\n` };
}

/** Drafts all collections of a document, with references between the drafted kinds. Reports those left out. */
export function draftAll(api: OpenApi, builtIn: Iterable<string>) {
  const known = new Map([...builtIn].map((name) => [name, name]));
  const { collections, leftOut } = collectionsIn(api);
  const drafted = new Map<string, ReturnType<typeof findPlace>>();
  for (const { place, kind } of collections) {
    const other = drafted.get(kind);
    if (other) leftOut.push(`${place.found}: ${kind} is drafted from ${other.found}`);
    else drafted.set(kind, place);
    known.set(kind, kind);
  }
  for (const { tag, kind } of collections) {
    const name = pascalCase(singular(tag ?? ''));
    if (name !== '' && !known.has(name)) known.set(name, kind);
  }
  const drafts = [...drafted].map(([kind, place]) => draftKind(api, place, kind, known));
  return { drafts, leftOut };
}

/**
 * The properties of the objects in lists, single reads and requests: those that are shown first. And the member that wraps the
 * object in requests: a PATCH beside them may take one member of it.
 */
function objectOf(api: OpenApi, { list, read, create, put, patch }: Collection) {
  const row = list?.rows?.shape;
  /** As in `{service: {…}}`, or `{services: […]}` of several; `null` if a body or an answer is the object itself. */
  const wrapperIn = (shape: Shape): string | null => {
    const [[name, inner] = [null, null], ...others] = [...shape.properties];
    if (name === null || others.length > 0 || !row || row.properties.has(name)) return null;
    const { types, items } = api.shape(inner);
    return types.has('object') || (items && api.shape(items).types.has('object')) ? name : null;
  };
  const shapes = [read, create?.body, put?.body].filter((shape) => shape && wrapperIn(shape) === null);
  const properties = new Map<string, Part>();
  for (const shape of [row, ...shapes])
    for (const [name, property] of shape?.properties ?? [])
      if (!properties.has(name)) properties.set(name, property);
  const whole = [create, put].filter((write) => write && write.body.properties.size > 0);
  const [wrapper = null] = (whole.length > 0 ? whole : [patch]).flatMap(
    (write) => (write && wrapperIn(write.body)) ?? [],
  );
  return { properties, wrapper };
}

function linesOf(kind: string, findings: Findings): string[] {
  const { collection, wrapper } = findings;
  const { path, parent, single, list, read } = collection;
  const described = list?.rows?.shape.description || read?.description || '';
  const sentence = /^\S+ \S+ [^.]{5,120}(?=\.|$)/.exec(toComment(described))?.[0];
  const update = updateOf(findings);
  const canCreate = wrapper === null && createsOne(findings);
  const canDelete = wrapper === null && collection.canDelete;
  const isReadOnly = update.word === 'none' && !canCreate && !canDelete;
  const key = single ? null : keyOf(findings);
  const { names, immutable, lines } = fieldLines(findings, key?.name ?? null, isReadOnly, update);
  const write = writeOf(collection, update, canCreate ? names : [], immutable);
  const rows = key && listOf(findings, key.name);
  return [
    `kind: ${kind}`,
    `summary: ${printInline(`${sentence ?? `The objects of ${path}`}.`)}`,
    `service: ${path.startsWith('/api/') ? 'profiles' : 'identity'}`,
    `path: ${printInline(path)}`,
    ...(parent ? [`parent: ${printInline({ members: [[parent.name, parent.kind]] })}`] : []),
    key ? `key: ${key.name}${beside(key.notes)}` : 'single: true',
    ...(key ? idLines(findings, key.name) : []),
    ...(rows ? [`list: ${printInline({ members: rows.members })}${beside(rows.notes)}`] : []),
    `update: ${update.word}${beside(update.notes)}`,
    `create: ${canCreate}${single && update.word === 'put' ? beside([whetherItMakes]) : ''}`,
    `delete: ${canDelete}`,
    ...(write.length === 0 ? [] : [`write: ${printInline({ members: write })}`]),
    ...lines,
  ];
}

const whetherItMakes = 'check: `true` if the tenant answers 404 until a PUT makes the object';

/** If single objects have no `id`, paths use another member: with the parameter's name, or the end of it. */
function idLines({ collection: { idParameter }, properties, miss }: Findings, key: string): string[] {
  if (idParameter === null || properties.has('id') || properties.size === 0) return [];
  const fields = [...properties.keys()].filter(isFieldName);
  if (fields.includes(idParameter)) return [`id: ${printInline(idParameter)}`];
  const named = idParameter.replaceAll('-', '').toLowerCase();
  if (named.endsWith('id')) {
    miss('Objects are described without an `id`: which member is in their paths?');
    return [];
  }
  const ending = fields.find((name) => named.endsWith(name.toLowerCase())) ?? key;
  const note = `check: objects have no \`id\`, and paths name them by ${toComment(idParameter)}`;
  return [`id: ${printInline(ending)}${beside([note])}`];
}

/** Fields that name an object, best first. */
const names = ['name', 'displayName', 'label', 'key', 'alias', 'email', 'domain', 'title', 'externalName'];

function keyOf({ api, collection: { idParameter }, properties, miss }: Findings) {
  // The member that paths use is unique.
  if (
    idParameter !== null &&
    !properties.has('id') &&
    isFieldName(idParameter) &&
    properties.has(idParameter)
  )
    return { name: idParameter, notes: [] };
  const found = names.find((name) => {
    const property = properties.get(name);
    return property && api.shape(property).types.has('string');
  });
  if (found === 'name') return { name: found, notes: [] };
  if (found !== undefined) return { name: found, notes: ['check: is it unique?'] };
  miss('No field names an object, so the key is a guess.');
  return { name: 'name', notes: ['check: which field names an object?'] };
}

function listOf({ collection: { list, path }, miss }: Findings, key: string) {
  const { rows, pageSize = null, hasLimit, hasOffset, otherPaging = [], counts } = list ?? {};
  if (!list) miss(`There is no GET ${path}: a kind must have a list.`);
  else if (!rows) miss(`The response to GET ${path} is not described as a list of objects.`);
  if (otherPaging.length > 0 || (hasLimit && !hasOffset)) {
    const by = otherPaging.length > 0 ? `, and pages by ${otherPaging.map(toComment).join(', ')}` : '';
    miss(
      `GET ${path} has no \`offset\`${by}: the whole list can be read only if its responses link to the next page.`,
    );
  }
  const filter = list?.filters.some((words) => words.includes(key) && words.includes('eq')) ?? false;
  if (!filter) miss(`GET ${path} is not described as filtering by \`${key} eq\`, so whole lists are read.`);
  const members: Member[] = [['pageSize', pageSize]];
  if (rows?.member && isMemberName(rows.member)) members.push(['member', rows.member]);
  if (counts) members.push(['counts', true]);
  members.push(['filter', filter]);
  const guess =
    'check: the page size, since no limit is described; `pageSize: null` if the tenant lists everything at once';
  return { members, notes: hasLimit ? [] : [guess] };
}

const silent: Write['prose'] = { patchable: null, fixed: new Set(), isForSome: false };
const none: Update = { word: 'none', notes: [], prose: silent };

function updateOf({ api, collection, wrapper, miss }: Findings): Update {
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
  const putWay = put && takesJson(put) ? ({ word: 'put', notes: [], prose: put.prose } as const) : null;
  const ways = [...(patch ? [patchWay(api, patch)] : []), ...(put ? [putWay] : [])];
  const usable = ways.filter((way) => way !== null);
  if (usable.length < ways.length)
    miss(`Not all ways to change an object at ${path} take JSON that a descriptor can express.`);
  const [first = none, second] = usable;
  return patch?.prose.isForSome && second
    ? { ...second, notes: [...second.notes, 'check: PATCH is described as changing only some objects'] }
    : first;
}

/** Special requirements of writes; for fields, only those that a create can have. */
function writeOf(
  { create, put, patch }: Collection,
  update: Update,
  fields: readonly string[],
  immutable: readonly string[],
): Member[] {
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

/** How a PATCH changes an object; `null` if a descriptor cannot express it. */
function patchWay(api: OpenApi, patch: Write): Update | null {
  const { mediaTypes, body, items, prose } = patch;
  const [[, inner] = [], ...others] = body.properties;
  const wrapped = inner && others.length === 0 ? api.shape(inner).items : null;
  if (!takesJson(patch) || (wrapped && isJsonPatch(api.shape(wrapped)))) return null;
  const formats = ['json-patch', 'merge-patch'] as const;
  const word = formats.find((format) => mediaTypes.some((type) => type.includes(format)));
  if (word) return { word, notes: [], prose };
  const taken = `PATCH takes ${mediaTypes.map(toComment).join(', ') || 'a body that is not described'}`;
  if (items) return { word: 'json-patch', notes: [isJsonPatch(items) ? taken : `check: ${taken}`], prose };
  return { word: 'patch', notes: [`check: ${taken}; does it replace each field as a whole?`], prose };
}

const isJsonPatch = ({ properties, description }: Shape) =>
  (properties.has('op') && properties.has('path')) || /json.?patch/i.test(description);

/** True if POST takes one object as JSON. */
function createsOne({ collection: { create, path }, miss }: Findings): boolean {
  if (!create) return false;
  if (!takesJson(create))
    miss(`POST ${path} takes ${create.mediaTypes.map(toComment).join(', ')}, and no JSON.`);
  else if (create.items) miss(`POST ${path} takes a list of objects, which a descriptor cannot express.`);
  else return true;
  return false;
}
