import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { longestKeyPart } from '../../src/kinds/described-kind.ts';
import { builtInKinds } from '../../src/kinds/index.ts';
import { isOnlyReferredTo } from '../../src/kinds/kind.ts';
import { schemaOf } from '../../src/loader/schema.ts';
import { brief, failureOf, load, refusalOf, resource } from './fixture.ts';

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

  test('knows no field that the server owns', () =>
    expect(
      names(schema).filter((field) => kind.serverOwned.includes(field) && !(kind.can.pin && field === 'id')),
    ).toEqual([]));

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
      const { point } = resource(lines.join('\n'));
      for (const [at, line, column] of places)
        expect(point(at).source).toEqual({ file: 'config/a.yaml', line, column });
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

/** The files in `kinds/`, and what is said of those that describe no kind. */

const role = (more = '') =>
  `kind: Role\nsummary: Who has what.\nservice: identity\npath: /v2025/roles\nkey: name\nfields:\n  description: text\n${more}`;
const declared = 'kind: Role\nname: a\ndescription: b\n';

/** The problems of one file in `kinds/`, each with its message and hint. */
function problemsWith(text: string, path = 'kinds/Role.kind.yaml') {
  const found = failureOf({ [path]: text, 'config/a.yaml': declared });
  return found.map((each) => ({ at: brief(each), said: `${each.message} ${each.hint}` }));
}

it('a kind that a file describes can be declared, beside the built-in ones', () => {
  const sender = 'kind: SenderAddress\nemail: a@b.example\n';
  const { resources, diagnostics } = load({
    'kinds/Role.kind.yaml': role(),
    'config/a.yaml': `${declared}---\n${sender}`,
  });
  expect(resources.map(({ address }) => address)).toEqual(['Role/a', 'SenderAddress/a%40b.example']);
  expect(resources[0]?.fields).toEqual({ description: 'b' });
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
});

it('the description of a kind may have aliases', () => {
  const text = role().replace('description: text', 'description: &t text\n  level: *t');
  const { resources } = load({ 'kinds/Role.kind.yaml': text, 'config/a.yaml': `${declared}level: c\n` });
  expect(resources[0]?.fields).toEqual({ description: 'b', level: 'c' });
});

it('a project that is opened again compiles no schema again', () => {
  const validatorOf = (more = '') => {
    const { resources } = load({ 'kinds/Role.kind.yaml': role(more), 'config/a.yaml': declared });
    return schemaOf(resources[0]?.kind ?? expect.fail());
  };
  expect(validatorOf()).toBe(validatorOf());
  expect(validatorOf('  level: text\n')).not.toBe(validatorOf());
});

it('without a file that describes it, there is no such kind', () =>
  expect(brief(failureOf({ 'config/a.yaml': declared })[0] ?? expect.fail())).toBe(
    'unknown-kind config/a.yaml:1:7',
  ));

describe('a file is refused', () => {
  it('that describes a built-in kind, for which no other name of the file helps', () => {
    const text = role().replace('kind: Role', 'kind: MailFrom');
    for (const path of ['kinds/MailFrom.kind.yaml', 'kinds/Mail.kind.yaml'])
      expect(problemsWith(text, path)).toEqual([
        {
          at: `built-in-kind ${path}:1:7`,
          said: expect.stringMatching(/`MailFrom` is a built-in kind.*tenantctl schema MailFrom/),
        },
      ]);
  });

  it.each(['kinds/Roles.kind.yaml', 'kinds/Role.kind.yml'])('that is called otherwise: %s', (path) => {
    expect(problemsWith(role(), path)).toEqual([
      {
        at: `kind-file-name ${path}:1:7`,
        said: expect.stringContaining('Rename the file to kinds/Role.kind.yaml'),
      },
    ]);
    expect(problemsWith(role(), path)[0]?.said).toMatch(new RegExp(`describes the kind \`Role\`.*${path}`));
  });

  it('that has tags: a kind is the same in all environments', () => {
    const [found, ...more] = problemsWith(role().replace('/v2025/roles', '!var path'));
    expect(more).toEqual([]);
    expect(found).toEqual({
      at: 'misplaced-tag kinds/Role.kind.yaml:4:7',
      said: expect.stringMatching(/must not have tags.*same in all environments/),
    });
  });

  it('that does not fit the schema of kinds, whose manifests are not judged then', () =>
    expect(problemsWith(role('colour: red\n'))).toEqual([
      { at: 'unknown-field kinds/Role.kind.yaml:8:1', said: expect.stringContaining('`colour`') },
    ]));

  it('that fits the schema, and says what cannot be', () => {
    const [found] = problemsWith(role().replace('key: name', 'key: [name, name]'));
    expect(found?.at).toMatch(/^invalid-value kinds\/Role\.kind\.yaml:5:/);
  });

  it('that is empty', () => {
    expect(problemsWith('# nothing\n')).toEqual([
      {
        at: 'empty-file kinds/Role.kind.yaml:1:1',
        said: expect.stringContaining('Describe a kind in it, or remove it.'),
      },
    ]);
    expect(problemsWith('"').map(({ at }) => at)).toEqual(['yaml-syntax kinds/Role.kind.yaml:1:1']);
  });
});

describe('a reference to a kind that is not there is a warning', () => {
  const warningsWith = (to: string) =>
    load({
      'kinds/Role.kind.yaml': role(`  owner: { is: reference, to: ${to} }\n`),
      'config/a.yaml': declared,
    })
      .diagnostics.filter(({ code }) => code === 'unknown-kind')
      .map((each) => [brief(each), each.severity, each.message, each.hint]);

  it('with the name that was meant', () =>
    expect(warningsWith('SimIntegratoin')).toEqual([
      [
        'unknown-kind kinds/Role.kind.yaml:8:31',
        'warning',
        'There is no kind `SimIntegratoin`.',
        'Did you mean `SimIntegration`?',
      ],
    ]));

  it('with what to do where none is near', () => {
    const [[, , , hint] = []] = warningsWith('Wombat');
    expect(hint).toBe('Describe it in kinds/Wombat.kind.yaml, or leave `to` out.');
  });

  it('and none where the kind is there, be it built in or the same', () =>
    expect([...warningsWith('SimIntegration'), ...warningsWith('Role')]).toEqual([]));
});
