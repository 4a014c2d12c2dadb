/** How an export writes JSON: as a mapping where it can, and never what the loader would read as something else. */
import { describe, expect, it } from 'vitest';
import type { LiveObject } from '../../src/kinds/kind.ts';
import type { Json } from '../../src/model/json.ts';
import { integration, load, manifestOf, ownKind, ownObject, planFor, template } from './support.ts';

const contentOf = (object: LiveObject, secrets: Readonly<Record<string, string>> = {}) =>
  manifestOf(object, { declaredSecrets: () => new Map(Object.entries(secrets)) });
const slack = (value: Json) => template('a', { slackTemplate: value });
const desk = (attributes: Json) => integration('I', { attributes, request: {}, statusMap: {} });

describe('a key that the loader would refuse, or read as something else', () => {
  it.each([...['$secret', '$lookup', '$ref', '$live', '$tag', '$jsonText', '$literal', '__proto__']])(
    'is not written, and what holds it is left out: %j',
    (key) => {
      const value: Json = JSON.parse(`{"${key}":"canary"}`);
      for (const object of [
        slack({ text: 'Hi', deep: value }),
        slack(value),
        desk({ url: 'u', deep: value }),
      ]) {
        const content = contentOf(object);
        expect(content).not.toContain('canary');
        expect(content).toContain('holds a value that a manifest cannot express.\n');
        expect(planFor(load([{ path: 'a.yaml', content }]), [object]).changes).toEqual([]);
      }
    },
  );

  it('only where it is that whole key', () => {
    expect(contentOf(slack({ $secrets: 'x', proto: 'z' }))).toContain('$secrets: x\n  proto: z\n');
  });
});

describe('a value that the loader would refuse', () => {
  const deep = (levels: number): Json => (levels === 0 ? 'bottom' : { in: deep(levels - 1) });
  const deepList = (levels: number): Json => (levels === 0 ? 'bottom' : [deepList(levels - 1)]);

  it.each<[string, Json]>([
    ['a number without end', Number.POSITIVE_INFINITY],
    ['a mapping too deep', deep(90)],
    ['a list too deep', deepList(90)],
  ])('is left out, and its neighbours are not: %s', (_, value) => {
    const object = desk({ url: 'u', other: value });
    const content = contentOf(object);
    expect(content).toContain('attributes:\n  url: u\n');
    expect(content).toMatch(
      /# attributes\.other.* is left out: it holds a value that a manifest cannot express\.\n/,
    );
    expect(planFor(load([{ path: 'a.yaml', content }]), [object]).changes).toEqual([]);
  });

  it('is none that is deep, but not too deep', () => {
    for (const value of [deep(70), deepList(70)]) {
      const object = desk({ other: value });
      const content = contentOf(object);
      expect(content).toContain('bottom');
      expect(content).not.toContain('# attributes');
      expect(planFor(load([{ path: 'a.yaml', content }]), [object]).changes).toEqual([]);
    }
  });
});

describe('what is no mapping', () => {
  it.each<[Json, string]>([
    ['Hello', 'slackTemplate: Hello\n'],
    ['[1, {"a": "b"}]', 'slackTemplate: "[1,{\\"a\\":\\"b\\"}]"\n'],
    ['{"text": "Hi"}', 'slackTemplate:\n  text: Hi\n'],
  ])('stays the text that it was: %j', (value, line) => {
    expect(contentOf(slack(value))).toContain(line);
  });

  it('is left out of the settings of another system, where it may hold a credential', () => {
    for (const attributes of [
      'password is canary',
      '[{"password":"canary"}]',
      ['user:canary@x', { token: 'canary' }],
    ]) {
      const content = contentOf(desk(attributes));
      expect(content).not.toContain('canary');
      expect(content).not.toContain('attributes:');
      expect(content).toMatch(/# attributes.* is left out: it may hold a credential/);
    }
  });

  it('is a list where its field holds any JSON', () => {
    const kind = ownKind('Thing', ['name'], { rest: { is: 'json', declares: 'whole', plain: true } });
    const written = (rest: Json) => manifestOf(ownObject(kind, { name: 'T', rest }));
    expect(written([1, { a: 'x', b: null }])).toBe(
      'kind: Thing\nname: T\nrest:\n  - 1\n  - a: x\n    b: null\n',
    );
    expect(written({ a: [true, null] })).toBe('kind: Thing\nname: T\nrest:\n  a: [true, null]\n');
  });
});

describe('JSON inside JSON', () => {
  const blocks = JSON.stringify([{ type: 'section', text: 'canary', none: null }]);

  it('is a mapping where a template has it, and a text anywhere else', () => {
    const content = contentOf(slack({ text: 'Hi', blocks, inner: { blocks: '[1]' } }));
    expect(content).toContain('  blocks:\n    - type: section\n      text: canary\n      none: null\n');
    expect(content).toContain('    blocks: "[1]"\n');
  });

  it('with a value that manifests declare as a secret is left out: it cannot be compared there', () => {
    const content = contentOf(slack({ text: 'Hi', blocks }), { '/slackTemplate/blocks/0/text': 'MINE' });
    expect(content).not.toMatch(/canary|MINE/);
    // A template is declared whole: without one of its parts it would be another one.
    expect(content).not.toContain('slackTemplate:');
    expect(content).toMatch(/# slackTemplate\.blocks.* is left out: it may hold a credential/);
    const named = contentOf(slack({ text: 'canary', more: 'x' }), { '/slackTemplate/text': 'MINE' });
    expect(named).toContain('text: !secret MINE\n');
    expect(named).not.toContain('canary');
  });
});

it('members without a value are not declared where each is declared by itself', () => {
  expect(contentOf(desk({ url: 'u', none: null, deep: { none: null, ok: true } }))).toContain(
    'attributes:\n  url: u\n  deep:\n    ok: true\n',
  );
});
