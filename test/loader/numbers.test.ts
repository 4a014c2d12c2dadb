/** Numbers whose text would change are refused: the tenant would get others than the manifest says. */
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { yamlOptions } from '../../src/loader/parse.ts';
import { errors, failureOf, resource } from './fixture.ts';

const manifest = (number: string) => `kind: SimIntegration\nname: a\nattributes: { n: ${number} }\n`;

describe('a number in a manifest', () => {
  it.each<[string, number]>([
    ['9007199254740991', 9007199254740991],
    ['-9007199254740991', -9007199254740991],
    ['9007199254740994', 9007199254740994],
    ['100000000000000000000', 1e20],
    ['1e21', 1e21],
    ['-1.5E+30', -1.5e30],
    ['0.1', 0.1],
    ['-0', -0],
  ])('is sent as it is: %s', (text, value) => {
    expect(resource(manifest(text)).fields).toMatchObject({ attributes: { n: value } });
  });

  it.each([
    ...['9007199254740993', '-9007199254740993', '12345678901234567890', '0.12345678901234567890', '1e400'],
    ...['0x20000000000001', '0x1E0000000000001', '0x1F', '0o17', '007', '1.10', '1.0', '1e3', '+5'],
    ...['.inf', '.nan'],
  ])('is refused where its text would change: %s', (text) => {
    expect(errors(failureOf({ 'config/a.yaml': manifest(text) }))).toEqual([
      expect.stringMatching(/^inexact-number config\/a\.yaml:3:18$/),
    ]);
  });

  it('says what to write', () => {
    const found = failureOf({ 'config/a.yaml': manifest('007') }).find(
      ({ severity }) => severity === 'error',
    );
    expect(found).toMatchObject({
      message: '`007` is read as the number 7.',
      hint: 'If it is text, put it in quotes: "007". If it is a number, write 7.',
    });
  });

  it('is one in JSON text too, whose numbers are sent as they are or as text', () => {
    const written = (json: string) => `kind: SimIntegration\nname: a\nattributes: '${json}'\n`;
    const kept = '{"a":1.10,"b":"12345678901234567890","c":"{\\"d\\":1e400}","e":[1e3]}';
    expect(resource(written(kept)).fields).toEqual({ attributes: kept });
    const found = failureOf({ 'config/a.yaml': written('{"a": {"b": [12345678901234567890, 1e400]}}') });
    expect(errors(found)).toEqual(Array(2).fill('inexact-number config/a.yaml:3:13'));
    expect(found.at(-1)).toMatchObject({
      message: '`1e400` in the JSON of `attributes` is more than a number can hold.',
      hint: 'If it is text, put it in quotes: "1e400".',
    });
    const text = 'attributes: "12345678901234567890"';
    expect(resource(`kind: SimIntegration\nname: a\n${text}\n`).fields).toBeDefined();
  });

  it('is one in a variable or an overlay too', () => {
    const environment = (text: string) => ({
      'tenantctl.yaml': `version: 1\nenvironments:\n  test:\n    sandbox: {}\n    ${text}\n`,
      'config/a.yaml': manifest('!var n'),
    });
    expect(errors(failureOf(environment('variables: { n: 1.10 }')))).toContain(
      'inexact-number tenantctl.yaml:5:21',
    );
    const overlay = 'overlays: [{ target: SimIntegration/a, merge: { attributes: { n: 0o17 } } }]';
    expect(errors(failureOf(environment(overlay)))).toContainEqual(
      expect.stringMatching(/^inexact-number tenantctl\.yaml:5:/),
    );
  });
});

it.each([
  ...'null Null NULL nULL nullify ~ true True TRUE tRUE trueish yes on false False FALSE falsely'.split(' '),
  ...'_1 e1 o7 x1f inf .inf -.INF .nan NaN 1e3 0o17 0x1F .5 5. +1 -1 1_000'.split(' '),
  ...['', 'a b', 'true b', 'null\n    b', '!!str true', '!!int "7"'],
])('a plain scalar is what YAML 1.2 says: %j', (scalar) => {
  const text = `a: ${scalar}\nb: [${scalar.replace('\n', ' ')}]\n`;
  expect(parse(text, yamlOptions)).toEqual(parse(text));
});
