import fc from 'fast-check';
import { type Json, type JsonObject, mapMembers, pick } from '../../src/model/json.ts';
import { namesCredential } from '../../src/model/sensitive.ts';
import { trickyText } from './arbitraries.ts';

/** A descriptor as a document, with objects of its collection as the tenant has them, and manifests' fields for some. */
export interface DescribedCase {
  readonly document: JsonObject;
  readonly objects: readonly JsonObject[];
  readonly declared: readonly JsonObject[];
}

/** No name of a credential, whose value an export leaves out. */
const word = fc.stringMatching(/^[a-z][a-zA-Z]{0,7}$/).filter((name) => !namesCredential(name));
const scalar = fc.oneof(trickyText, fc.integer(), fc.boolean());
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 4 });
/** Without null in it: a merge patch cannot set one. */
const object: fc.Arbitrary<JsonObject> = fc.dictionary(
  word,
  fc.oneof(
    { weight: 3, arbitrary: scalar },
    { weight: 1, arbitrary: fc.array(scalar, { maxLength: 3 }) },
    { weight: 1, arbitrary: fc.dictionary(word, scalar, { maxKeys: 3 }) },
  ),
  { maxKeys: 4 },
);
/** An empty object of which only members are declared would say nothing: a tenant may have it, or no value at all. */
const members = object.filter((value) => Object.keys(value).length > 0);
/** Items whose order counts. */
const list = fc.array(object, { maxLength: 3 });
const id = fc.stringMatching(/^[a-z0-9]{1,6}$/);
const mail = fc.stringMatching(/^[a-zA-Z]{1,5}@[a-z]{1,5}\.example$/);
/** Few ids, so that a manifest often has another name beside the id that the tenant has. */
const reference = (type: string | null) =>
  fc.record({
    type: fc.constant(type ?? 'THING'),
    id: fc.constantFrom('t1', 't2', 't3'),
    name: fc.string({ maxLength: 5 }),
  });

/** A type of field with its values. */
interface FieldCase {
  readonly said: Json;
  readonly values: fc.Arbitrary<Json>;
}

const fieldCases: readonly FieldCase[] = [
  { said: 'value', values: fc.oneof(scalar, object, fc.array(scalar, { maxLength: 3 })) },
  { said: { is: 'value', to: 'Thing' }, values: id },
  { said: 'text', values: trickyText },
  { said: 'email', values: mail },
  { said: 'set', values: fc.uniqueArray(trickyText, { maxLength: 4 }) },
  { said: { is: 'json', declares: 'whole' }, values: fc.oneof(object, list) },
  { said: { is: 'json', declares: 'members' }, values: fc.oneof(members, list) },
  { said: { is: 'json', declares: 'members', text: true }, values: members },
  { said: { is: 'json', text: true }, values: object },
  { said: { is: 'reference', to: 'Thing', type: 'THING' }, values: reference('THING') },
  { said: { is: 'reference', to: 'Thing' }, values: reference(null) },
  {
    said: { is: 'references', to: 'Thing' },
    values: fc.uniqueArray(reference(null), { maxLength: 3, selector: (each) => each.id }),
  },
];

const isKeptInText = (field: FieldCase) =>
  typeof field.said === 'object' && field.said !== null && 'text' in field.said;

/** Without leading or trailing spaces, and never an id. */
const name = fc.stringMatching(/^[A-Z][A-Za-z0-9 /%._-]{0,8}[a-z0-9]$/);

/** A value of every field, unset or not there now and then. */
const fieldsOf = (fields: readonly FieldCase[], inTenant: boolean): fc.Arbitrary<JsonObject> =>
  fc
    .tuple(
      ...fields.map((field) => {
        const values = optional(field.values);
        const shown: fc.Arbitrary<Json> =
          inTenant && isKeptInText(field) ? values.map((value) => value && JSON.stringify(value)) : values;
        return fc.option(shown, { nil: undefined });
      }),
    )
    .map((values) =>
      Object.fromEntries(
        values.flatMap((value, at): [string, Json][] => (value === undefined ? [] : [[`f${at}`, value]])),
      ),
    );

/** The kind that objects may be below, and its objects. */
export const placeKind: JsonObject = { kind: 'Place', path: '/v2025/places', key: 'name' };
export const placesById: JsonObject = { p1: 'North/1', p2: 'South' };

/** As `declare` writes it. */
export const withReference = (fields: JsonObject): JsonObject =>
  mapMembers(fields, (value, name) =>
    name === 'place' ? `!ref Place/${String(placesById[String(value)]).replace('/', '%2F')}` : value,
  );

const caseOf = (isPlain: boolean): fc.Arbitrary<DescribedCase> =>
  fc
    .record({
      fields: fc.array(fc.constantFrom(...fieldCases), { minLength: 1, maxLength: 5 }),
      update: fc.constantFrom('json-patch', 'merge-patch', 'patch', 'put'),
      parts: isPlain ? fc.constantFrom(1, 2) : fc.constantFrom(0, 1, 1, 2),
      isBelow: isPlain ? fc.constant(false) : fc.boolean(),
      write: isPlain
        ? fc.constant<JsonObject>({})
        : fc.constantFrom<JsonObject>(
            {},
            { sendId: true },
            { patchOps: 'replace', contentType: 'application/json' },
            { immutable: ['f0'], replace: true },
            { alone: [['f0', 'f1', 'f2']] },
            { first: ['f0'] },
          ),
      list: fc.constantFrom<JsonObject>(
        { pageSize: 2 },
        { pageSize: 3, counts: true },
        { pageSize: 50, filter: true },
        { pageSize: null },
        { pageSize: 2, member: 'items' },
      ),
    })
    .map((given) => {
      // One object in all has no list, and is made by PUT. An object that is only below another one has no other name.
      const isSingle = given.parts === 0;
      const count = given.fields.length;
      // A PUT sends the other fields too, and a field that is equal but written otherwise counts as changed.
      const isPossible = !given.write.alone || (count > 2 && given.update !== 'put');
      const write = isSingle || !isPossible ? {} : given.write;
      return { ...given, write, isSingle, update: isSingle ? 'put' : given.update };
    })
    .chain(({ fields, update, parts, list, isBelow, isSingle, write }) => {
      const keys = ['name', 'locale'].slice(0, parts);
      const names = [...(isBelow ? ['place'] : []), ...keys];
      const key = fc.record({
        place: fc.constantFrom('p1', 'p2'),
        name,
        locale: fc.constantFrom('en', 'de'),
      });
      const keyed = fc
        .array(key, { maxLength: 5 })
        .map((all) => all.map((each) => pick(each, names)))
        .map((all) => [...new Map(all.map((each) => [JSON.stringify(each), each])).values()]);
      const told = fields.map(({ said }, at): [string, Json] => [`f${at}`, said]);
      const document: JsonObject = {
        kind: 'Told',
        path: `/v2025/${isBelow ? 'places/{place}/' : ''}told-things`,
        ...(isBelow && { parent: { place: 'Place' } }),
        ...(isSingle ? { single: true } : { key: keys.length === 1 ? 'name' : keys }),
        write,
        list,
        update,
        create: true,
        delete: true,
        fields: Object.fromEntries(told),
        serverOwned: ['id', 'modified'],
      };
      return fc.tuple(keyed, keyed).chain(([live, wanted]) =>
        fc.record({
          document: fc.constant(document),
          objects: fc.tuple(...live.map(() => fieldsOf(fields, true))).map((all) =>
            all.map(
              (each, at): JsonObject => ({
                id: `o${at}`,
                ...live[at],
                ...each,
                untold: { at },
                modified: 'now',
              }),
            ),
          ),
          // Some manifests are of objects that are there.
          declared: fc
            .tuple(
              ...[...live.slice(0, 2), ...wanted].map((given) =>
                fieldsOf(fields, false).map((each) => ({ ...given, ...each })),
              ),
            )
            .map((all) => {
              const texts = all.map((each) => JSON.stringify(names.map((part) => each[part])));
              return all.filter((_, at) => texts.indexOf(texts[at] ?? '') === at).map(withReference);
            }),
        }),
      );
    });

/** Of kinds that are written as the usual ones are, and whose objects are not below others. */
export const plainCase = caseOf(true);
export const describedCase = caseOf(false);
