/** What an export leaves out of one object, or why it leaves the object out. */
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Draft, draftObject, whyUndeclarable } from '../../src/exporter/draft.ts';
import { contentDigest } from '../../src/kinds/live-objects.ts';
import { largestFile } from '../../src/loader/source.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import type { Pointer } from '../../src/model/pointer.ts';
import { type Answer, answers, liveFrom } from '../support/plan.ts';
import { mergeFile } from './merging.ts';
import { manifestOf, ownKind, ownObject, statusRule } from './support.ts';

const draftOf = (answer: Answer, secrets: readonly Pointer[] = []) =>
  draftObject(
    liveFrom(answer),
    { records: new Map() },
    new Map(secrets.map((at) => [at, `NAME_OF_${at.length}`])),
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
    const { fields } = drafted(desk, ['/sources/0']);
    expect(fields.map(([name]) => name)).not.toContain('sources');
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
    const rule = statusRule(Number.POSITIVE_INFINITY);
    const { fields, omissions } = drafted(answers.search(1, 'S', [rule]));
    expect(fields).toEqual([]);
    expect(omissions.map(({ at }) => at)).toEqual(['/rules']);
  });
});

describe('null inside a value that is compared exactly', () => {
  const thing = ownKind('Thing', ['name'], { value: { is: 'value' } });

  it.each<[string, Json]>([
    ['a member', { a: null, b: { c: null, d: 1 } }],
    ['the only member', { a: null }],
    ['an item of a list', [null, { a: [null] }]],
  ])('is exported as %s', (_, value) => {
    const manifest = manifestOf(ownObject(thing, { name: 'T', value }));
    expect(parse(manifest)).toEqual({ kind: 'Thing', name: 'T', value });
  });
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
    const counted = { owner: { id: 1 }, members: [{ id: 2 }], sources: [3] };
    const manifest = contentOf(counted);
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
