import { isDeepStrictEqual } from 'node:util';
import { defaultKind } from '../generated/schemas/kind.ts';
import { type Member, printInline } from '../loader/print.ts';
import { getText, isFieldName, type JsonObject } from '../model/json.ts';
import { type Collection, pascalCase, singular, type Write } from './collection.ts';
import { type OpenApi, type Part, type Shape, toComment } from './document.ts';

/** The facts about a collection before its descriptor is written. */
export interface Findings {
  readonly api: OpenApi;
  readonly collection: Collection;
  /** The properties of an object, in the answers and the requests. */
  readonly properties: ReadonlyMap<string, Part>;
  /** The member in which requests have the object; `null` if they are the object. */
  readonly wrapper: string | null;
  /** The kinds that a reference may name, possibly under another name; `null` if other kinds are unknown. */
  readonly known: ReadonlyMap<string, string> | null;
  miss(message: string): void;
}

/** A field of a descriptor, or the policy of a place in it, with what a person should know or decide about it. */
interface Drafted {
  /** A word, or members, some of which may have members. */
  readonly form: string | Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly notes: readonly string[];
}

/** How objects are changed, and what prose says of their fields. */
export interface Update {
  readonly word: 'json-patch' | 'merge-patch' | 'patch' | 'put' | 'none';
  readonly notes: readonly string[];
  readonly prose: Write['prose'];
}

/**
 * The lines of a descriptor from `fields` on, with the names of its fields, and of those that cannot be changed.
 *
 * @param key `null` in a single object
 */
export function fieldLines(findings: Findings, key: string | null, isReadOnly: boolean, update: Update) {
  const { api, known } = findings;
  const { declared, serverOwned, notes } = sortProperties(findings, key, isReadOnly, update);
  const fields: string[] = [];
  const places: string[] = [];
  for (const { name, property, fixed } of declared) {
    const { form, notes } = fieldOf(api, name, property);
    fields.push(lineOf(name, { form, notes: [...(fixed === null ? [] : [fixed]), ...notes] }, known));
    if (typeof form === 'string' || form.is !== 'json') continue;
    for (const [path, policy] of placesIn(api, name, property)) places.push(lineOf(path, policy, known));
  }
  const lines = [
    ...(fields.length === 0 ? ['fields: {}'] : ['fields:', ...fields]),
    ...(places.length === 0 ? [] : ['places:', ...places]),
    `serverOwned: ${printInline(serverOwned)}${beside(notes)}`,
  ];
  const immutable = declared.flatMap(({ name, fixed }) => (fixed === null ? [] : name));
  return { lines, names: declared.map(({ name }) => name), immutable };
}

/** The properties that manifests declare, with the reason why one cannot be changed; and those that the server sets. */
function sortProperties(
  { api, collection: { create, put, patch }, properties, miss }: Findings,
  key: string | null,
  isReadOnly: boolean,
  { word, prose }: Update,
) {
  const declared: { readonly name: string; readonly property: Part; readonly fixed: string | null }[] = [];
  // Tenants show these although documents do not mention them, and a PUT would send them back.
  const owned = new Set(word === 'put' ? defaultKind.serverOwned : ['id']);
  // The fields that described requests set. If none is described, every field counts as set.
  const written = new Set(
    [create, put, patch].flatMap((write) => [...(write?.body.properties.keys() ?? [])]),
  );
  const unwritten: string[] = [];
  const moving: string[] = [];
  for (const [name, property] of properties) {
    if (name === key || name === 'id') continue;
    const fixed = whyFixed(prose, name, property);
    const isWritten = written.size === 0 || written.has(name) || patch?.prose.patchable?.has(name);
    if (!isFieldName(name))
      miss(`The field ${toComment(name)} is left out: a manifest cannot have a field of that name.`);
    else if (isServerOwned(api, name, property)) owned.add(name);
    else if (isReadOnly) continue;
    else if (!isWritten) unwritten.push(name);
    else if (counted.test(name) && (fixed !== null || prose.patchable === null)) moving.push(name);
    else declared.push({ name, property, fixed });
  }
  const notes = [
    ...(unwritten.length > 0 ? [`check: no request is described with ${unwritten.join(', ')}`] : []),
    ...(moving.length > 0 ? [`check: judging by their names, the tenant sets ${moving.join(', ')}`] : []),
  ];
  return { declared, serverOwned: [...owned, ...unwritten, ...moving], notes };
}

/** A field or a policy. The kinds in `to` get their known names, and unknown ones a note. */
function lineOf(name: string, { form, notes }: Drafted, known: Findings['known']): string {
  if (typeof form === 'string') return `  ${printInline(name)}: ${form}${beside(notes)}`;
  const told = [...notes];
  const kindOf = (kind: string) => {
    if (known?.has(kind) === false) told.push(`check: no kind ${kind} is described`);
    return known?.get(kind) ?? kind;
  };
  const members = Object.entries(form).map(([member, value]): Member => {
    if (typeof value === 'string') return [member, member === 'to' ? kindOf(value) : value];
    return [member, { members: Object.entries(value).map(([type, kind]) => [type, kindOf(kind)]) }];
  });
  return `  ${printInline(name)}: ${printInline({ members })}${beside(told)}`;
}

/** Notes as the comment of a line. */
export const beside = (notes: readonly string[]) => (notes.length === 0 ? '' : `  # ${notes.join('; ')}`);

/** Why a field of an existing object cannot be changed; `null` if nothing says so. */
function whyFixed({ patchable, fixed }: Write['prose'], name: string, property: Part): string | null {
  if (fixed.has(name)) return 'described as one that cannot be changed';
  const description = getText(property.value, 'description') ?? '';
  if (/\b(is immutable|(cannot|can't) be (changed|updated|modified))\b/i.test(description))
    return 'check: it cannot be changed, its description says';
  return patchable?.has(name) === false ? 'check: not among those that are described as changeable' : null;
}

/** Names of values that a tenant counts or detects: `identityCount`, `healthy`, `status`. */
const counted = /^(healthy|status|since|has[A-Z]\w*|\w+Count|\w+RefreshRequired)$/;

/** Texts that may be longer than this are for people. */
const shortText = 255;

function fieldOf(api: OpenApi, name: string, property: Part): Drafted {
  const shape = api.shape(property);
  const { form, notes } = bareFieldOf(api, name, shape);
  const isSecret = shape.writeOnly || (shape.types.has('string') && isSecretText(name, shape));
  const more = isSecret ? ['check: a secret? The tenant may not show it, so that it cannot be compared'] : [];
  return { form, notes: [...notes, ...more] };
}

const isSecretText = (name: string, { format }: Shape) => format === 'password' || secretName.test(name);
const secretName = /passw|secret|credential|private_?key|api_?key/i;

function bareFieldOf(api: OpenApi, name: string, shape: Shape): Drafted {
  const { types } = shape;
  if (types.size > 1) {
    // A manifest cannot declare a text or number in a field with JSON.
    const form = types.has('object') || types.has('array') ? whole : 'value';
    return { form, notes: [`check: it may be ${[...types].sort().join(' or ')}`] };
  }
  if (types.has('array')) return listField(api, name, shape);
  if (types.has('object')) {
    const target = targetOf(api, name, shape);
    if (target && !('to' in target.form)) return { form: whole, notes: target.notes };
    if (target) return { form: { is: 'reference', ...target.form }, notes: target.notes };
    return /attributes$|^config/i.test(name) ? settings : { form: whole, notes: [] };
  }
  const kind = types.has('integer') || types.has('string') ? kindOfIds(name) : null;
  if (kind) return { form: { is: 'value', to: kind }, notes: [checkKind] };
  if (types.has('string')) {
    if (shape.format === 'email') return { form: 'email', notes: [] };
    const isLong = shape.maxLength > shortText || /description|body|comment|notes?$/i.test(name);
    return { form: isLong && shape.choices.length === 0 ? 'text' : 'value', notes: [] };
  }
  if (types.size === 1) return { form: 'value', notes: [] };
  const form = shape.choices.some((choice) => typeof choice !== 'object') ? 'value' : whole;
  return { form, notes: ['check: the document does not say its type'] };
}

const whole = { is: 'json', declares: 'whole' };
const settings: Drafted = {
  form: { is: 'json', declares: 'members' },
  notes: ['check: are members that a manifest omits left alone?'],
};

function listField(api: OpenApi, name: string, { items, description }: Shape): Drafted {
  const shape = api.shape(items);
  const target = targetOf(api, singular(name), shape);
  // A list of references is to objects of one kind.
  if (target && !('to' in target.form)) return { form: whole, notes: target.notes };
  if (target) return { form: { is: 'references', ...target.form }, notes: target.notes };
  const isPlain = shape.types.size > 0 && !shape.types.has('object') && !shape.types.has('array');
  if (!isPlain) return { form: whole, notes: ['compared as a whole, in this order'] };
  const kind = kindOfIds(name) ?? (/\bids?\b/i.test(description) ? pascalCase(singular(name)) : null);
  return kind ? { form: { is: 'set', to: kind }, notes: [checkKind] } : { form: 'set', notes: [] };
}

const checkKind = 'check: the kind of its ids';

/** The kind that `{type, id, name}` refers to, and its type; `null` for other objects. */
function targetOf(api: OpenApi, name: string, { properties }: Shape) {
  const id = properties.get('id');
  const isReference =
    id !== undefined &&
    [...api.shape(id).types].every((each) => each === 'string' || each === 'integer') &&
    (properties.has('type') || properties.has('name')) &&
    [...properties.keys()].every((member) => referenceMembers.includes(member));
  if (!isReference) return null;
  const types = api.shape(properties.get('type')).choices.filter((type) => typeof type === 'string');
  const [type] = types;
  if (types.length > 1) return { form: {}, notes: [`check: to one of ${types.map(toComment).join(', ')}`] };
  if (type === undefined) return { form: { to: wellKnown(name) ?? pascalCase(name) }, notes: [checkKind] };
  const byType = pascalCase(type.toLowerCase());
  const to = (/^(user|person|.*\W.*|.{101,})$/is.test(type) ? wellKnown(name) : null) ?? byType;
  if (to === '') return { form: {}, notes: [checkKind] };
  return {
    form: { to, ...(/^\w{1,100}$/.test(type) ? { type } : {}) },
    notes: byType === to ? [] : [checkKind],
  };
}

const referenceMembers = [
  'type',
  'id',
  'name',
  'displayName',
  'email',
  'emailAddress',
  'attachmentType',
  'attachmentUrl',
];

/** People appear by their role for an object. */
const identities = /^(owner|manager|reviewer|approver|requester|creator|assignee|recipient|identity)$/i;

function wellKnown(name: string): string | null {
  return identities.test(name) || /Owner$/.test(name) ? 'Identity' : null;
}

/** Types of objects, and neither of values nor of roles of people. */
const objectTypes =
  /^(IDENTITY|GOVERNANCE_GROUP|SOURCE|CLUSTER|ROLE|ACCESS_PROFILE|ENTITLEMENT|WORKFLOW|TRANSFORM|SEGMENT|IDENTITY_PROFILE|CONNECTOR_RULE|SOD_POLICY|PASSWORD_POLICY|FORM_DEFINITION|CAMPAIGN|TAG)$/;

/** The kind in `sourceId`, `accessProfileIds`; `null` for other names. */
function kindOfIds(name: string): string | null {
  const of = /^(\w+?)_?(?:[Ii]ds?|IDs?)$/.exec(name)?.[1];
  if (of === undefined || !/[a-z](Ids?|IDs?|_ids?)$/.test(name) || /^external$/i.test(of)) return null;
  return wellKnown(of) ?? (pascalCase(of) || null);
}

/** True if only the server sets a property, as its schema, its description or its name says. */
function isServerOwned(api: OpenApi, name: string, property: Part): boolean {
  const { readOnly, description } = api.shape(property);
  return name === 'id' || timestamp.test(name) || readOnly || ofServer.test(description);
}

const timestamp =
  /^((created|modified|updated|lastModified|lastUpdated)(At|By|On|Date|Time)?|date(Created|Modified|Updated))$/;
const ofServer =
  /\bread[- ]only\b|\b(system|server)[- ]generated\b|\b(set|generated|populated) by the (system|server)\b/i;

/** The policy of a place inside a JSON field. For ids, `to` is the kind, or the kind of each type in the member `by`. */
interface FoundPlace extends Drafted {
  readonly steps: readonly string[];
  /** The schema of what each step but the last leads to. */
  readonly schemas: readonly JsonObject[];
}

/** Schemas that go deeper, or have more members, are not looked at any further: nobody would write their places. */
const deepest = 12;
const mostMembers = 2000;

/** Policies of places inside a JSON field: ids of other objects, secrets, and server-owned values. */
function placesIn(api: OpenApi, field: string, property: Part): ReadonlyMap<string, Drafted> {
  const found: FoundPlace[] = [];
  const repeated = new Set<JsonObject>();
  let left = mostMembers;
  walk(property, [field], []);
  const all = found.map(({ steps, schemas, ...place }) => {
    // Objects inside objects of their own schema have its places too: `criteria/**` + `/sourceId`.
    const at = schemas.findIndex((schema) => repeated.has(schema)) + 1;
    return { ...place, steps: at === 0 ? steps : [...steps.slice(0, at), '**', ...steps.slice(at)] };
  });
  return joined(all);

  function walk(part: Part, steps: readonly string[], above: readonly JsonObject[]): void {
    left -= 1;
    if (above.includes(part.value)) repeated.add(part.value);
    if (left < 0 || steps.length > deepest || above.includes(part.value)) return;
    const shape = api.shape(part);
    const inside = [...above, part.value];
    if (shape.items) walk(shape.items, [...steps, '*'], inside);
    for (const [name, member] of shape.properties) {
      const at = [...steps, name];
      const known = knownPlace(api, name, member, shape);
      if (known) found.push({ steps: at, schemas: inside, ...known });
      else walk(member, at, inside);
    }
  }
}

function knownPlace(api: OpenApi, name: string, property: Part, { properties }: Shape) {
  const shape = api.shape(property);
  const { types, writeOnly } = shape.items ? api.shape(shape.items) : shape;
  if (name === 'id') return byType('type', properties, api);
  const isText = types.has('string');
  if (writeOnly || (isText && isSecretText(name, shape))) return { form: 'secret', notes: [] };
  if (isServerOwned(api, name, property)) return { form: 'serverOwned', notes: [] };
  const kind = isText ? kindOfIds(name) : null;
  if (kind === null) return null;
  const sibling = name.replace(/Ids?$/, 'Type');
  return byType(sibling, properties, api) ?? { form: { is: 'reference', to: kind }, notes: [checkKind] };
}

/** The policy of an id whose type a member beside it names; `null` if that is no type of objects. */
function byType(by: string, properties: Shape['properties'], api: OpenApi): Drafted | null {
  if (by === 'type' && ![...properties.keys()].every((name) => referenceMembers.includes(name))) return null;
  const types = api.shape(properties.get(by)).choices.filter((type) => typeof type === 'string');
  const kinds = types.filter((type) => objectTypes.test(type));
  const [only] = kinds;
  if (only === undefined) return null;
  const kindOf = (type: string) => pascalCase(type.toLowerCase());
  if (types.length === 1) return { form: { is: 'reference', to: kindOf(only) }, notes: [] };
  const others = types.filter((type) => !kinds.includes(type)).map(toComment);
  const notes = others.length === 0 ? [] : [`check: ids of ${others.join(', ')} stay as they are`];
  const to = Object.fromEntries(kinds.map((type) => [type, kindOf(type)]));
  return { form: { is: 'reference', by, to }, notes };
}

/** One rule for places of one name and policy in a field: `membership/**` + `/sourceId`. */
function joined(found: readonly Omit<FoundPlace, 'schemas'>[]): ReadonlyMap<string, Drafted> {
  const paths = found.map(({ steps, ...place }): [string, Drafted] => {
    const [field = '', last = ''] = [steps[0], steps.at(-1)];
    const alike = found.filter((each) => each.steps.at(-1) === last);
    const isOne = alike.length > 1 && alike.every((each) => isDeepStrictEqual(each.form, place.form));
    return [(isOne ? [field, '**', last] : steps).join('/'), place];
  });
  return new Map(paths);
}
