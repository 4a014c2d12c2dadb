import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Draft, draftObject, whyUndeclarable } from '../../src/exporter/draft.ts';
import type { LiveObject } from '../../src/kinds/kind.ts';
import { contentDigest } from '../../src/kinds/live-objects.ts';
import { largestFile } from '../../src/loader/source.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import type { Pointer } from '../../src/model/pointer.ts';
import { type Answer, answers, liveFrom } from '../support/plan.ts';
import { mergeFile } from './merging.ts';
import {
  declaringSecrets,
  exportOf,
  integration,
  load,
  manifestOf,
  ownKind,
  ownObject,
  planFor,
  search,
  statusRule,
  template,
  typeRule,
} from './support.ts';

/** What an export leaves out of one object, or why it leaves the object out. */

const draftOf = (answer: Answer, secrets: readonly Pointer[] = []) =>
  draftObject(
    liveFrom(answer),
    { records: new Map() },
    declaringSecrets(Object.fromEntries(secrets.map((at) => [at, `NAME_OF_${at.length}`]))),
  );

function drafted(answer: Answer, secrets: readonly Pointer[] = []): Draft {
  const draft = draftOf(answer, secrets);
  if ('refused' in draft) throw new Error(draft.refused);
  return draft;
}

describe('a value that a manifest has as a secret', () => {
  const desk = answers.integration('i1', 'Desk', {
    description: 'canary',
    managedSources: [{ id: 's1' }, { id: 'canary' }],
    attributes: { url: 'u', pin: 'canary' },
  });

  it('is a secret again, as a field and as a setting', () => {
    const { fields, secrets, omissions } = drafted(desk, ['/description', '/attributes/pin', '/sources/1']);
    expect(JSON.stringify(fields)).not.toContain('canary');
    expect(JSON.stringify(fields)).toContain('"url","u"');
    expect(secrets.map(({ at }) => at)).toEqual(['/description', '/attributes/pin']);
    expect(omissions).toContainEqual({ at: '/sources', reason: 'credential' });
  });

  it('in a list takes the whole list along, since its items have no names', () => {
    expect(drafted(desk, ['/sources/0']).fields.map(([name]) => name)).not.toContain('sources');
    expect(drafted(desk, ['/attributes/pin']).fields.map(([name]) => name)).toContain('sources');
    const moved = answers.integration('i1', 'Desk', { attributes: { list: ['other', 'canary'] } });
    const { fields: settings, secrets } = drafted(moved, ['/attributes/list/0']);
    expect(JSON.stringify(settings)).not.toContain('canary');
    expect(secrets.map(({ at }) => at)).toEqual(['/attributes/list/0', '/attributes/list/1']);
    const rules = ['a', 'canary'].map((value) => statusRule(value));
    const search = drafted(answers.search(1, 'S', rules), ['/rules/0/value']);
    expect(search.fields).toEqual([]);
    expect(search.omissions).toContainEqual({ at: '/rules', reason: 'credential' });
  });
});

describe('why no manifest could declare an object', () => {
  const why = (answer: Answer) => whyUndeclarable(liveFrom(answer));

  it('is a key or a value that its schema does not accept', () => {
    const pigeon = answers.template('a', { medium: 'PIGEON', subject: 'x' });
    expect(why(pigeon)).toBe('medium cannot be "PIGEON"');
    const rule = { type: 'NewRule', comparison_operator: '==', value: 'x' };
    expect(why(answers.search(1, 'S', [rule]))).toBe('the schema of its kind does not accept /rules');
  });

  it('is nothing where only a part of it is left out, or where its kind holds it back', () => {
    expect(why(answers.template('a'))).toBeNull();
    expect(why(answers.integration('i1', 'I', { attributes: { url: 'u', password: 4711 } }))).toBeNull();
    const unknown = {
      kind: 'VerifiedDomain',
      raw: { address: 'a.example', dkimVerificationStatus: 'TEMPORARY_FAILURE' },
    };
    expect(draftOf(unknown)).toMatchObject({ by: 'kind' });
    expect(why(unknown)).toBeNull();
  });

  it('shows a short text of the tenant, and nothing else', () => {
    const long = (length: number) => answers.template('a', { medium: 'P'.repeat(length) });
    expect(why(long(80))).toBe(`medium cannot be "${'P'.repeat(80)}"`);
    expect(why(long(81))).toBe('medium is not valid');
  });
});

describe('an exported object', () => {
  it('does not clear settings of which nothing can be written', () => {
    const desk = answers.integration('i1', 'I', { attributes: { password: 4711 } });
    expect(drafted(desk).fields.map(([name]) => name)).not.toContain('attributes');
    expect(manifestOf(liveFrom(desk))).toContain('# attributes.password is left out');
  });

  it('keeps each empty field that its kind requires: another tenant creates no object without', () => {
    const fields = { owners: { is: 'set' }, note: { is: 'value' }, tags: { is: 'set' } } as const;
    const kind = ownKind('Role', ['name'], fields);
    const described = { schema: () => ({}), ...kind.described, required: ['note', 'owners'] };
    const empty = { name: 'R', owners: [], note: '', tags: [] };
    expect(manifestOf(ownObject({ ...kind, described }, empty))).toBe(
      'kind: Role\nname: R\nowners: []\nnote: ""\n',
    );
  });

  it('names the default that it was made from, where that is known', () => {
    const object = liveFrom(answers.template('a', { subject: 'S', body: null }));
    const standard = liveFrom(answers.template('a', { subject: 'Default', body: null }));
    const digest = contentDigest(standard.kind, standard);
    const based = `subject: S\nlifecycle:\n  basedOn: ${digest}\n`;
    expect(manifestOf(object, { standardOf: () => standard })).toContain(based);
    expect(manifestOf(object, { standardOf: () => null })).not.toContain('lifecycle');
  });

  it('clears what its default has and the tenant has not: another tenant begins with the default', () => {
    const object = liveFrom(answers.template('a', { subject: 'S', body: null, header: null }));
    const standard = liveFrom(answers.template('a', { subject: 'S', body: 'Default', header: null }));
    const manifest = parse(manifestOf(object, { standardOf: () => standard }));
    expect(manifest).toHaveProperty('body', null);
    expect(manifest).not.toHaveProperty('header');
  });

  it('has a text in its manifest that is larger than any file may be', () => {
    const page = '<p>';
    const pathsOf = (length: number) =>
      drafted(answers.template('a', { body: page + 'x'.repeat(length - page.length) })).sideTexts.length;
    expect(pathsOf(largestFile)).toBe(1);
    expect(pathsOf(largestFile + 1)).toBe(0);
  });

  it('has a text that begins with a byte order mark in the manifest: reading a side file drops it', () => {
    const { fields, sideTexts } = drafted(answers.template('a', { body: '\uFEFF<p>' }));
    expect(sideTexts).toEqual([]);
    expect(fields).toContainEqual(['body', '\uFEFF<p>']);
  });

  it('has no number in a rule that a manifest cannot hold', () => {
    const { fields, omissions } = drafted(answers.search(1, 'S', [statusRule(Number.POSITIVE_INFINITY)]));
    expect(fields).toEqual([]);
    expect(omissions.map(({ at }) => at)).toEqual(['/rules']);
  });
});

const thing = ownKind('Thing', ['name'], { value: { is: 'value' } });

it.each<[string, Json]>([
  ['a member', { a: null, b: { c: null, d: 1 } }],
  ['the only member', { a: null }],
  ['an item of a list', [null, { a: [null] }]],
])('null inside a value that is compared exactly is exported as %s', (_, value) => {
  const manifest = manifestOf(ownObject(thing, { name: 'T', value }));
  expect(parse(manifest)).toEqual({ kind: 'Thing', name: 'T', value });
});

describe('references to other objects', () => {
  const role = ownKind('Role', ['name'], {
    owner: { is: 'reference', to: 'Identity', type: 'IDENTITY' },
    members: { is: 'references', to: 'Identity', type: 'IDENTITY' },
    sources: { is: 'set', to: 'Source' },
  });
  const names: Readonly<Record<string, string>> = { i1: 'Identity/Ann', s1: 'Source/HR', 1: 'Identity/Bob' };
  const contentOf = (raw: JsonObject) =>
    manifestOf(ownObject(role, { name: 'R', ...raw }), { nameOf: (_, id) => names[id] ?? null });

  it('are written as names where the tenant counts ids, or as its numbers', () => {
    const manifest = contentOf({ owner: { id: 1 }, members: [{ id: 2 }], sources: [3] });
    expect(manifest).toContain('owner: !ref Identity/Bob');
    expect(parse(manifest.replace('!ref ', ''))).toMatchObject({ members: [{ id: 2 }], sources: [3] });
  });

  it('are written without what else the tenant shows of them', () => {
    const i9 = { type: 'IDENTITY', id: 'i9', name: 'Ben', email: 'canary' };
    const content = contentOf({ owner: i9, members: [i9] });
    expect(content).toContain('owner:\n  type: IDENTITY\n  name: Ben\n  id: i9\n');
    expect(content).toContain('members:\n  - type: IDENTITY\n    name: Ben\n    id: i9\n');
    expect(content).not.toContain('canary');
  });

  it('are names where their objects are known', () => {
    const i1 = { type: 'IDENTITY', id: 'i1' };
    const content = contentOf({ owner: i1, members: [i1, { id: 'i9' }], sources: ['s1', 's9'] });
    expect(content).toContain('owner: !ref Identity/Ann\n');
    expect(content).toContain('members:\n  - !ref Identity/Ann\n  - id: i9\n');
    expect(content).toContain('sources: [!ref Source/HR, s9]\n');
  });
});

it('a tag that gives a list becomes an empty list where the tenant has none', () => {
  const manifest = 'kind: SimIntegration\nname: I\nsources: !var ids\n';
  const live = liveFrom(answers.integration('i1', 'I', { managedSources: [] }));
  expect(mergeFile(manifest, live)).toBe('kind: SimIntegration\nname: I\nsources: []\n');
});

/** How an export writes JSON: as a mapping where it can, and never what the loader would read as something else. */

const contentOf = (object: LiveObject, secrets: Readonly<Record<string, string>> = {}) =>
  manifestOf(object, { declared: () => declaringSecrets(secrets) });
const slack = (value: Json) => template('a', { slackTemplate: value });
const desk = (attributes: Json) => integration('I', { attributes, request: {}, statusMap: {} });

describe('a key that the loader would refuse, or read as something else', () => {
  it.each([...['$secret', '$lookup', '$ref', '$live', '$tag', '$jsonText', '$literal', '__proto__']])(
    'is not written, and what holds it is left out: %j',
    (key) => {
      const value: Json = JSON.parse(`{"${key}":"canary"}`);
      for (const each of [slack({ text: 'H', deep: value }), slack(value), desk({ url: 'u', deep: value })]) {
        const content = contentOf(each);
        expect(content).not.toContain('canary');
        expect(content).toContain('holds a value that a manifest cannot express.\n');
        expect(planFor(load([{ path: 'a.yaml', content }]), [each]).changes).toEqual([]);
      }
    },
  );

  it('only where it is that whole key', () =>
    expect(contentOf(slack({ $secrets: 'x', proto: 'z' }))).toContain('$secrets: x\n  proto: z\n'));
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
  ])('stays the text that it was: %j', (value, line) => expect(contentOf(slack(value))).toContain(line));

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

it('members without a value are not declared where each is declared by itself', () =>
  expect(contentOf(desk({ url: 'u', none: null, deep: { none: null, ok: true } }))).toContain(
    'attributes:\n  url: u\n  deep:\n    ok: true\n',
  ));

/** Numbers and texts of many digits: none of them may change on its way through a manifest. */

const attributes = (digits: Json) => integration('I', { attributes: { digits }, request: {}, statusMap: {} });

function exported(live: ReturnType<typeof integration>): string {
  const { files } = exportOf([live]);
  expect(planFor(load(files), [live]).changes).toEqual([]);
  return files[0]?.content ?? '';
}

it.each<[Json, string]>([
  ['1234567890123456789', 'digits: "1234567890123456789"'],
  ['9007199254740993', 'digits: "9007199254740993"'],
  ['0012', 'digits: "0012"'],
  ['1e21', 'digits: "1e21"'],
  ['1_000', 'digits: "1_000"'],
  ['0x1F', 'digits: "0x1F"'],
  ['12:30:45', 'digits: "12:30:45"'],
  [9007199254740991, 'digits: 9007199254740991'],
  [12345678901234567000, 'digits: 12345678901234567000'],
  [-0.5, 'digits: -0.5'],
])('%j is exported as %s', (value, line) => expect(exported(attributes(value))).toContain(line));

it('an id of 19 digits stays a text in lists and rules', () => {
  const id = '1234567890123456789';
  expect(exported(integration('I', { managedSources: [{ id }], request: {}, statusMap: {} }))).toContain(
    `["${id}"]`,
  );
  expect(exported(search('S', [typeRule(id)]))).toContain(`value: "${id}"`);
});

it('a number that differs in its last digit only is another one', () => {
  const id = (last: string) => `123456789012345678${last}`;
  const manifest = `kind: SimIntegration\nname: I\nattributes:\n  digits: "${id('9')}"\n`;
  expect(mergeFile(manifest, attributes(id('9')))).toBe(manifest);
  expect(mergeFile(manifest, attributes(id('8')))).toBe(manifest.replace('789"', '788"'));
});
