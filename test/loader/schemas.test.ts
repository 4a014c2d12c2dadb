import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { longestKeyPart } from '../../src/kinds/described-kind.ts';
import { builtInKinds } from '../../src/kinds/index.ts';
import { isOnlyReferredTo } from '../../src/kinds/kind.ts';
import { refusalOf, resource } from './fixture.ts';

interface Schema {
  title?: string;
  description?: string;
  additionalProperties?: unknown;
  properties?: Record<string, Schema>;
  $defs?: Record<string, Schema>;
  enum?: unknown[];
}

const read = (name: string): Schema => JSON.parse(readFileSync(`schemas/${name}.schema.json`, 'utf8'));
const names = (schema: Schema | undefined) => Object.keys(schema?.properties ?? {}).sort();

/** What the tenant refuses to clear. */
const neverNull: Readonly<Record<string, readonly string[]>> = {
  AuthProfile: ['type', 'offNetwork', 'untrustedGeography'],
  MailFrom: ['mailFromDomain'],
};

/** The others have schemas that are made from their descriptions. */
const kinds = builtInKinds.all.filter(({ described }) => !described);

describe.each(kinds.map((kind) => [kind.name, kind] as const))('the schema of %s', (name, kind) => {
  const schema = read(name);

  test('has the key, the fields and the reserved names of its kind, and nothing else', () => {
    const keys = kind.keyFields.map((field) => field.name);
    const reserved = ['kind', 'ensure', 'lifecycle', ...(kind.can.pin ? ['id'] : [])];
    expect(names(schema)).toEqual([...keys, ...Object.keys(kind.fields), ...reserved].sort());
    expect(schema.additionalProperties).toBe(false);
  });

  test('accepts a rename, and the default it is based on, where the kind has them', () => {
    const more = kind.can.rename ? '#/$defs/renamable' : kind.read.defaults ? '#/$defs/customised' : '';
    expect(schema.properties?.lifecycle).toEqual({ $ref: `lifecycle.schema.json${more}` });
  });

  test('describes everything for editors', () => {
    expect(schema.title).toBe(name);
    for (const field of Object.values(schema.properties ?? {})) {
      if (!('$ref' in field)) expect(field.description).toMatch(/\S/);
    }
  });

  test('knows no field that the server owns', () => {
    expect(
      names(schema).filter((field) => kind.serverOwned.includes(field) && !(kind.can.pin && field === 'id')),
    ).toEqual([]);
  });

  test('lets every field be cleared that the API can clear', () => {
    const keyOf: Record<string, string> = {
      email: 'a@b.example',
      domain: 'b.example',
      medium: 'EMAIL',
      locale: 'en',
    };
    const lines = kind.keyFields.map((field) => `${field.name}: ${keyOf[field.name] ?? 'a'}`);
    const clearable = Object.keys(kind.fields).filter((field) => !neverNull[name]?.includes(field));
    const cleared = clearable.map((field) => `${field}: null`);
    const { fields } = resource([`kind: ${name}`, ...lines, ...cleared].join('\n'));
    expect(Object.values(fields)).toEqual(cleared.map(() => null));
  });
});

test('the lifecycle of a kind that can be renamed only adds the former name', () => {
  const lifecycle = read('lifecycle');
  expect(names(lifecycle.$defs?.renamable)).toEqual([...names(lifecycle), 'renamedFrom'].sort());
  expect([lifecycle, lifecycle.$defs?.renamable].map((each) => each?.additionalProperties)).toEqual([
    false,
    false,
  ]);
});

test('the schema for editors knows every kind', () => {
  const declared = builtInKinds.all.filter((kind) => !isOnlyReferredTo(kind));
  expect(read('manifest').properties?.kind?.enum?.toSorted()).toEqual(
    declared.map(({ name }) => name).sort(),
  );
  const files = readdirSync('schemas');
  for (const { name } of declared) expect(files).toContain(`${name}.schema.json`);
});

test('every scalar is found again at its line and column', () => {
  const word = fc.stringMatching(/^[a-z]{1,8}$/);
  const tree = fc.dictionary(word, fc.oneof(word, fc.array(word, { minLength: 1, maxLength: 3 })), {
    minKeys: 1,
    maxKeys: 4,
  });
  fc.assert(
    fc.property(fc.array(tree, { minLength: 1, maxLength: 3 }), (trees) => {
      const places: [pointer: string, line: number, column: number][] = [];
      const lines = ['kind: SimIntegration', 'name: a', 'attributes:'];
      for (const [index, members] of trees.entries()) {
        lines.push(`  m${index}:`);
        for (const [key, value] of Object.entries(members)) {
          if (typeof value === 'string') {
            lines.push(`    ${key}: x${value}`);
            places.push([`/attributes/m${index}/${key}`, lines.length, key.length + 7]);
          } else {
            lines.push(`    ${key}:`);
            for (const [at, item] of value.entries()) {
              lines.push(`      - x${item}`);
              places.push([`/attributes/m${index}/${key}/${at}`, lines.length, 9]);
            }
          }
        }
      }
      const { locate } = resource(lines.join('\n'));
      for (const [at, line, column] of places)
        expect(locate(at)).toEqual({ file: 'config/a.yaml', line, column });
    }),
    { numRuns: 50 },
  );
});

// A manifest whose key cannot be read is passed over, so that --prune would delete its object: a schema has to refuse it.
test.each(
  kinds.flatMap((kind) => kind.keyFields.map(({ name }) => [kind.name, name, kind.keyFields] as const)),
)('the schema of %s refuses a %s that is too long for an address', (kind, name, keyFields) => {
  const long = 'a'.repeat(longestKeyPart + 1);
  const key = keyFields.map((field) => `${field.name}: ${field.name === name ? long : 'a'}\n`).join('');
  const found = refusalOf({ 'config/a.yaml': `kind: ${kind}\n${key}` });
  expect(found.map(({ source }) => source?.line)).toContain(
    2 + keyFields.findIndex((each) => each.name === name),
  );
});
