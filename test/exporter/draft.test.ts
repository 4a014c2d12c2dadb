/** What an export leaves out of one object, or why it leaves the object out. */
import { describe, expect, it } from 'vitest';
import { type Draft, draftObject } from '../../src/exporter/draft.ts';
import { unresolved } from '../../src/loader/tree.ts';
import type { Pointer } from '../../src/model/pointer.ts';
import { contractSettings as settings } from '../../src/model/settings.ts';
import { type Answer, answers, liveFrom } from '../support/plan.ts';

const draftOf = (answer: Answer, secrets: readonly Pointer[] = []) =>
  draftObject(
    liveFrom(answer),
    { settings, records: new Map() },
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
  });
});

it('a value that no manifest can hold is left out, with the reason', () => {
  const { fields, omissions } = drafted(
    answers.integration('i1', 'Desk', { description: unresolved, type: 'T' }),
  );
  expect(omissions).toContainEqual({ at: '/description', reason: 'notWritable' });
  expect(fields.map(([name]) => name)).not.toContain('description');
});

describe('an object whose key holds half of a character', () => {
  it('is not exported', () => {
    expect(draftOf(answers.template('a\ud83d'))).toMatchObject({
      by: 'schema',
      refused: 'its key holds half of a character, which no address can hold',
    });
    expect(draftOf(answers.template(unresolved))).toMatchObject({
      refused: 'its key is a text that tenantctl reserves for itself',
    });
  });

  it('is pinned by its id where a manifest can do that', () => {
    const profile = { kind: 'AuthProfile', id: 'p1', raw: { name: 'a\ud83d', type: 'MFA' } };
    expect(drafted(profile).key).toEqual([['id', 'p1']]);
    expect(drafted({ ...profile, raw: { name: 'All', type: 'MFA' } }).key).toEqual([['name', 'All']]);
  });
});
