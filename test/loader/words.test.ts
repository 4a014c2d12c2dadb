/** What is said of a mistake: where it is, what is wrong, and what to write instead. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { brief, config, type Files, type Loading, refusalOf } from './fixture.ts';

type Said = [at: string, message: string, hint?: string];

function saidOf(files: Files, file: string, loading: Loading = { env: {} }): Said[] {
  return refusalOf(files, loading).map((each) => {
    const at = brief(each).replace(`${file}:`, '');
    return each.hint === undefined ? [at, each.message] : [at, each.message, each.hint];
  });
}

/** How the files of the page begin, by the word before them: a project file, or a manifest. */
const beginnings = {
  project: '',
  test: config(),
  remote: 'version: 1\nenvironments:\n  prod:\n    identity:\n      ',
  file: '',
  mail: 'kind: NotificationTemplate\nkey: k\nmedium: EMAIL\nlocale: en\n',
  desk: 'kind: SimIntegration\nname: a\n',
  login: 'kind: AuthProfile\nname: a\n',
  search: 'kind: ProfileSearch\nlabel: a\n',
  role: 'kind: Role\nname: a\n',
};

/** Kinds that manifests of the page refer to. */
const kinds = {
  'kinds/Identity.kind.yaml': 'kind: Identity\npath: /v2025/identity\nkey: name\n',
  'kinds/Text.kind.yaml': 'kind: Text\npath: /v2025/text\nkey: [name, locale]\n',
  'kinds/Role.kind.yaml':
    'kind: Role\npath: /v2025/role\nkey: name\nfields: { description: text, owner: { is: reference, to: Identity }, texts: { is: references, to: Text }, other: { is: value, to: Wombat } }\n',
};
const readEscapes = (text: string): string => JSON.parse(`"${text.replaceAll('"', '\\"')}"`);

/**
 * The mistakes of the page: a line for the file, with `\n` for its further lines; `+` for another file; `$` for variables of
 * the environment, and `@` for the environment of the project. Then for each problem one that begins with `!` for its code,
 * its place and its message, and one that begins with `>` for its hint. `#` names a mistake.
 */
const page = readFileSync(new URL('words.txt', import.meta.url), 'utf8');
const sections = page
  .split(/^## /m)
  .slice(1)
  .map((section) => section.trim().split('\n\n'));

it('the page has its mistakes', () => {
  expect(sections.flatMap(([, ...mistakes]) => mistakes).length).toBeGreaterThan(270);
});

describe.each(sections)('%s', (_about, ...mistakes) => {
  it.each(mistakes)('%s', (mistake) => {
    const [, beginning = '', rest = ''] = /^(\w+): (.*)$/m.exec(mistake) ?? [];
    const text = `${Object.entries(beginnings).find(([name]) => name === beginning)?.[1]}${readEscapes(rest)}\n`;
    const file = ['project', 'test', 'remote'].includes(beginning) ? 'tenantctl.yaml' : 'config/a.yaml';
    const others = [...mistake.matchAll(/^\+ (\S+): (.*)$/gm)].map(([, path, content = '']) => [
      path,
      readEscapes(content),
    ]);
    const variables = /^\$ (.*)$/m.exec(mistake)?.[1]?.split(' ') ?? [];
    const env = Object.fromEntries(variables.map((each) => each.split('=')));
    const [, environment] = /^@ (.*)$/m.exec(mistake) ?? [];
    const files = { ...(beginning === 'role' && kinds), ...Object.fromEntries(others), [file]: text };
    const said = [...mistake.matchAll(/^! (\S+(?: \S*\d+:\d+)?) (.*)\n?(?:^> (.*))?/gm)].map(
      ([, at, message = '', hint]) =>
        hint === undefined ? [at, readEscapes(message)] : [at, readEscapes(message), readEscapes(hint)],
    );
    expect(saidOf(files, file, { env, ...(environment && { environment }) })).toEqual(said);
  });
});

it('the kinds are named where none is near', () => {
  for (const kind of ['Wombat', '[a]', '', '""']) {
    const [[, , hint] = []] = saidOf({ 'config/a.yaml': `kind: ${kind}\n` }, 'config/a.yaml');
    expect(hint).toMatch(/^The kinds are .*MailFrom, .*SimIntegration, .*\.$/);
  }
});

it.each([
  ['{ a: 1 }', 'a mapping'],
  [`F${'A'.repeat(39)}`, `F${'A'.repeat(39)}`],
  [`F${'A'.repeat(40)}`, `F${'A'.repeat(39)}…`],
])('a value that is not accepted is shown in brief: %s', (medium, shown) => {
  const text = `kind: NotificationTemplate\nkey: k\nmedium: ${medium}\nlocale: en\n`;
  const [[, message = ''] = []] = saidOf({ 'config/a.yaml': text }, 'config/a.yaml');
  expect(message).toContain(shown);
  expect(message).not.toContain('A'.repeat(40));
  expect(message.includes('A…')).toBe(shown.endsWith('…'));
});

it('no message repeats all of a name that has no end', () => {
  const [[, message = ''] = []] = saidOf({ 'config/a.yaml': `kind: ${'W'.repeat(200)}\n` }, 'config/a.yaml');
  expect(message).toContain('W'.repeat(80));
  expect(message).not.toContain('W'.repeat(81));
});

it('limits of a description of a kind are told in words', () => {
  const file = 'kinds/Role.kind.yaml';
  const text = `kind: Role
path: /v2025/roles
key: [a, b, c, d, e, f]
parent: { a: Source, b: Source }
fields: { g: { is: text, to: Role }, h: { is: json, zzz: 1 } }
serverOwned: [id, made, id]
`;
  expect(saidOf({ [file]: text }, file)).toEqual([
    ['invalid-value 3:6', '`key` has more than 5 items.'],
    ['invalid-value 4:9', '`parent` has more than 1 member.'],
    ['unknown-field 5:26', 'There is no field `to` in `fields.g`.', 'The fields are: is.'],
    ['unknown-field 5:53', 'There is no field `zzz` in `fields.h`.', 'The fields are: is, declares, text.'],
    ['invalid-value 6:14', '`serverOwned` has an item twice, at 0 and 2.'],
  ]);
});
