import fc from 'fast-check';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { trickyText } from './arbitraries.ts';

/** A descriptor as a document, with objects of its collection as the tenant has them, and manifests' fields for some. */
export interface DescribedCase {
  readonly document: JsonObject;
  readonly objects: readonly JsonObject[];
  readonly declared: readonly JsonObject[];
}

const word = fc.stringMatching(/^[a-z][a-zA-Z]{0,7}$/);
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
  { said: { is: 'json', declares: 'members' }, values: fc.oneof(object, list) },
  { said: { is: 'json', declares: 'members', text: true }, values: object },
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
        const isText = inTenant && isKeptInText(field);
        const shown: fc.Arbitrary<Json> = isText
          ? values.map((value) => value && JSON.stringify(value))
          : values;
        return fc.option(shown, { nil: undefined });
      }),
    )
    .map((values) =>
      Object.fromEntries(
        values.flatMap((value, at): [string, Json][] => (value === undefined ? [] : [[`f${at}`, value]])),
      ),
    );

export const describedCase: fc.Arbitrary<DescribedCase> = fc
  .record({
    fields: fc.array(fc.constantFrom(...fieldCases), { minLength: 1, maxLength: 5 }),
    update: fc.constantFrom('json-patch', 'merge-patch', 'patch', 'put'),
    parts: fc.constantFrom(1, 2),
    list: fc.constantFrom<JsonObject>(
      { pageSize: 2 },
      { pageSize: 3, counts: true },
      { pageSize: 50, filter: true },
      { pageSize: null },
      { pageSize: 2, member: 'items' },
    ),
  })
  .chain(({ fields, update, parts, list }) => {
    const keys = ['name', 'locale'].slice(0, parts);
    const key = fc.record({ name, locale: fc.constantFrom('en', 'de') });
    const keyed = fc
      .uniqueArray(key, {
        maxLength: 5,
        selector: (each) => (parts === 1 ? each.name : JSON.stringify(each)),
      })
      .map((all) => all.map((each) => Object.fromEntries(Object.entries(each).slice(0, parts))));
    const told = fields.map(({ said }, at): [string, Json] => [`f${at}`, said]);
    const document: JsonObject = {
      kind: 'Told',
      path: '/v2025/told-things',
      key: keys.length === 1 ? 'name' : keys,
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
            const texts = all.map((each) => JSON.stringify(keys.map((part) => each[part])));
            return all.filter((_, at) => texts.indexOf(texts[at] ?? '') === at);
          }),
      }),
    );
  });
