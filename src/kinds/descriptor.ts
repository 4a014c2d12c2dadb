import { sha256 } from '../model/digest.ts';
import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  objectOf,
  oneOf,
  own,
  textOf,
  textsOf,
} from '../model/json.ts';
import { type Pointer, pointer } from '../model/pointer.ts';
import type { Service } from './http.ts';
import type { Field, KeyField, Kind, List } from './kind.ts';
import { type PlaceRule, Places, placePolicies, rulesInside } from './places.ts';

/**
 * A kind of object as data: what a `NAME.kind.yaml` says, with its defaults. It describes a collection of the usual shape:
 * a list of whole objects with an `id`, under one path.
 */
export interface Descriptor {
  /** The name of the kind. */
  readonly kind: string;
  readonly summary: string;
  readonly service: Service;
  /** Of the collection, from the base URL on: `/v2025/roles`. An object is at `PATH/{id}`. */
  readonly path: string;
  readonly key: readonly KeyField[];
  readonly list: DescribedList;
  /** How an object is changed; with `put`, what a manifest omits goes back as it was. */
  readonly update: 'json-patch' | 'merge-patch' | 'patch' | 'put' | 'none';
  /** Whether a POST to the collection creates an object. */
  readonly create: boolean;
  readonly delete: boolean;
  readonly fields: Readonly<Record<string, Field>>;
  /** Members of an object that only the server sets. */
  readonly serverOwned: readonly string[];
}

/** What the list of a collection does. */
export interface DescribedList extends Pick<List, 'pageSize' | 'member' | 'counts'> {
  /** `filters=KEY eq "…"` is understood for the first part of the key, several joined by `or`. */
  readonly filter?: true;
}

/** The descriptor in a document that is valid by schemas/kind.schema.json, with the defaults of what it leaves out. */
export function descriptorFrom(document: JsonObject): Descriptor {
  const kind = textOf(document, 'kind') ?? '';
  const path = textOf(document, 'path') ?? '';
  const service = oneOf(document, 'service', ['identity', 'profiles'], 'identity');
  const rules = placeRules(objectOf(document, 'places'));
  return {
    kind,
    summary: textOf(document, 'summary') ?? `Objects of ${path}.`,
    service,
    path,
    key: toList(own(document, 'key')).map(keyField),
    list: describedList(objectOf(document, 'list'), service),
    update: oneOf(document, 'update', ['json-patch', 'merge-patch', 'patch', 'put', 'none'], 'none'),
    create: own(document, 'create') === true,
    delete: own(document, 'delete') === true,
    fields: Object.fromEntries(
      Object.entries(objectOf(document, 'fields')).map(([name, field]) => {
        return [name, withPlaces(describedField(field), rulesInside(rules, name))] as const;
      }),
    ),
    serverOwned: Object.hasOwn(document, 'serverOwned') ? textsOf(document, 'serverOwned') : usualServerOwned,
  };
}

/** What the server sets in most collections. */
const usualServerOwned = ['id', 'created', 'modified'];
const toList = (value: Json | undefined): readonly Json[] => (isArray(value) ? value : [value ?? null]);

function keyField(part: Json): KeyField {
  const { name, foldCase } = isObject(part) ? part : { name: part };
  return { name: String(name), ...(foldCase === true ? { foldCase } : {}) };
}

function describedList(list: JsonObject, service: Service): DescribedList {
  const { pageSize = defaultPageSize[service] } = list;
  const member = textOf(list, 'member');
  return {
    pageSize: typeof pageSize === 'number' ? pageSize : null,
    ...(member === null ? {} : { member }),
    ...(own(list, 'counts') === true ? { counts: true } : {}),
    ...(own(list, 'filter') === true ? { filter: true } : {}),
  };
}

/** Of the lists of each service (api-notes, "page size"). */
const defaultPageSize: Readonly<Record<Service, number>> = { identity: 250, profiles: 100 };

/** A field as it is written: `text`, or a mapping that says more. */
function describedField(value: Json): Field {
  const given = isObject(value) ? value : { is: value };
  const to = textOf(given, 'to');
  const type = textOf(given, 'type');
  const pointing = { ...(to === null ? {} : { to }), ...(type === null ? {} : { type }) };
  const is = textOf(given, 'is') ?? '';
  switch (is) {
    case 'value':
    case 'set':
      return { is, ...(to === null ? {} : { to }) };
    case 'text':
    case 'email':
      return { is };
    case 'reference':
      return { is, ...pointing };
    case 'references':
      return { is, ...pointing, to: to ?? '' };
    case 'json': {
      const declares = own(given, 'declares') === 'members' ? 'members' : 'whole';
      const json = { is, declares, settings: true } as const;
      return own(given, 'text') === true ? json : { ...json, plain: true };
    }
    default:
      throw new TypeError(`"${is}" is not a field type.`);
  }
}

function placeRules(places: JsonObject): PlaceRule[] {
  return Object.entries(places).flatMap(([path, policy]) => {
    const is = placePolicies.find((each) => each === policy);
    return is === undefined ? [] : [{ path, is }];
  });
}

/** Only what is free-form JSON has places of its own: other fields are one value. */
function withPlaces(field: Field, rules: readonly PlaceRule[]): Field {
  const hasPlaces = rules.length > 0 && (field.is === 'json' || field.is === 'value');
  return hasPlaces ? { ...field, places: new Places(rules) } : field;
}

/** A mistake that no schema can find. */
export interface DescriptorMistake {
  readonly at: Pointer;
  readonly message: string;
}

/** The names that a descriptor gives to two things at once. */
export function mistakesIn({ key, fields, serverOwned }: Descriptor): DescriptorMistake[] {
  const names = key.map(({ name }) => name);
  const isPart = (name: string) => names.includes(name);
  const twice = names.flatMap((name, at) =>
    names.indexOf(name) < at ? [{ at: pointer('key', at), message: `\`${name}\` is in the key twice` }] : [],
  );
  const inKey = Object.keys(fields)
    .filter(isPart)
    .map((name) => ({
      at: pointer('fields', name),
      message: `\`${name}\` is a part of the key, so it cannot be a field too`,
    }));
  const ofServer = serverOwned.flatMap((name, at) => {
    if (!isPart(name) && !Object.hasOwn(fields, name)) return [];
    const what = isPart(name) ? 'part of the key' : 'field';
    const message = `\`${name}\` is a ${what}, so it cannot be the server's`;
    return [{ at: pointer('serverOwned', at), message }];
  });
  return [...twice, ...inKey, ...ofServer];
}

/** The member of a descriptor that says for which descriptor `kind check` has succeeded. */
export const proofMember = 'proven';

/** The digest of a descriptor as it is written, without its words for people. */
export function descriptorDigest({
  [proofMember]: _proof,
  summary: _summary,
  ...content
}: JsonObject): string {
  return sha256(content);
}

/**
 * The digest of a kind's descriptor, and a notice where that has changed since `kind check` succeeded, or was never checked.
 */
export function proofOf(kind: string, document: JsonObject): Pick<Kind, 'notice' | 'descriptorDigest'> {
  const digest = descriptorDigest(document);
  const proof = textOf(document, proofMember);
  if (proof === digest) return { descriptorDigest: digest };
  const why = proof === null ? '' : ': its descriptor has changed since it was checked';
  const message = `${kind} is unproven${why}`;
  const hint = `Run \`tenantctl kind check ${kind} --write\`, which only reads the tenant.`;
  const notice: Kind['notice'] = { code: 'kind-unproven', severity: 'warning', message, hint };
  return { descriptorDigest: digest, notice };
}
