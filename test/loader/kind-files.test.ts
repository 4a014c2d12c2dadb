/** The files in `kinds/`, and what is said of those that describe no kind. */
import { describe, expect, it } from 'vitest';
import { schemaOf } from '../../src/loader/schema.ts';
import { brief, failureOf, load } from './fixture.ts';

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

it('without a file that describes it, there is no such kind', () => {
  expect(brief(failureOf({ 'config/a.yaml': declared })[0] ?? expect.fail())).toBe(
    'unknown-kind config/a.yaml:1:7',
  );
});

describe('a file is refused', () => {
  it('that describes a built-in kind, for which no other name of the file helps', () => {
    const text = role().replace('kind: Role', 'kind: MailFrom');
    for (const path of ['kinds/MailFrom.kind.yaml', 'kinds/Mail.kind.yaml']) {
      expect(problemsWith(text, path)).toEqual([
        {
          at: `built-in-kind ${path}:1:7`,
          said: expect.stringMatching(/`MailFrom` is a built-in kind.*tenantctl schema MailFrom/),
        },
      ]);
    }
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

  it('that does not fit the schema of kinds, whose manifests are not judged then', () => {
    expect(problemsWith(role('colour: red\n'))).toEqual([
      { at: 'unknown-field kinds/Role.kind.yaml:8:1', said: expect.stringContaining('`colour`') },
    ]);
  });

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

  it('with the name that was meant', () => {
    expect(warningsWith('SimIntegratoin')).toEqual([
      [
        'unknown-kind kinds/Role.kind.yaml:8:31',
        'warning',
        'There is no kind `SimIntegratoin`.',
        'Did you mean `SimIntegration`?',
      ],
    ]);
  });

  it('with what to do where none is near', () => {
    const [[, , , hint] = []] = warningsWith('Wombat');
    expect(hint).toBe('Describe it in kinds/Wombat.kind.yaml, or leave `to` out.');
  });

  it('and none where the kind is there, be it built in or the same', () => {
    expect([...warningsWith('SimIntegration'), ...warningsWith('Role')]).toEqual([]);
  });
});
