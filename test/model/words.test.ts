import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { actions, changeOutcomes, exitCodeOf, formats, verifiedKinds } from '../../src/model/documents.ts';
import { valueAt } from '../../src/model/pointer.ts';
import { contractSettings } from '../../src/model/tenant.ts';
import { didYouMean } from '../../src/model/words.ts';

/** The words that plans and results may use are listed twice, in the types and in the schemas: the two agree. */

const inSchema = (file: string, at: string) =>
  valueAt(
    JSON.parse(readFileSync(new URL(`../../schemas/${file}.schema.json`, import.meta.url), 'utf8')),
    at,
  );

it('in plans', () => {
  expect(actions).toEqual(inSchema('plan', '/$defs/change/properties/action/enum'));
  expect(formats.plan).toBe(inSchema('plan', '/properties/formatVersion/const'));
});

it('in results', () => {
  expect(changeOutcomes).toEqual(inSchema('result', '/$defs/change/properties/outcome/enum'));
  expect(actions).toEqual(inSchema('result', '/$defs/change/properties/action/enum'));
  expect(formats.result).toBe(inSchema('result', '/properties/formatVersion/const'));
  const outcomes = ['done', 'partial', 'interrupted', 'refused'] as const;
  expect(inSchema('result', '/properties/outcome/enum')).toEqual(outcomes);
  for (const outcome of outcomes) expect(exitCodeOf({ outcome })).toBeTypeOf('number');
});

it('in a status, in the order of a mail set-up', () => {
  expect(verifiedKinds).toEqual(['VerifiedDomain', 'MailFrom', 'SenderAddress']);
});

it('in settings: an environment that says nothing has the documented API', () =>
  expect(contractSettings).toMatchObject({
    experimentalHeader: 'X-Service-Experimental',
    jsonText: 'text',
    simUpdate: 'patch',
    simPatchBody: 'operations',
    simPatchOps: 'all',
    profileSearchPath: '/api/advanced_search',
    profileSearchDelete: false,
    profileSearchObjectType: 'object_type',
    dkimSuffix: 'dkim.amazonses.com',
  }));

describe('did you mean', () => {
  const names = ['subject', 'replyTo', 'body', 'description'];
  it.each([
    ['subjct', 'subject'],
    ['Subject', 'subject'],
    ['reply_to', 'replyTo'],
    ['bodi', 'body'],
    ['descr1ptn', 'description'],
    ['BODY', 'body'],
  ])('%s -> %s', (word, expected) => expect(didYouMean(word, names)).toBe(`Did you mean \`${expected}\`?`));

  it.each([
    ['Cafe\u0301 Zu\u0308rich', 'Caf%C3%A9%20Z%C3%BCrich'],
    ['CAF\u00c9 Z\u00dcRICH', 'Cafe%CC%81%20Zu%CC%88rich'],
    ['100%', '100%25'],
  ])('%s -> the address %s, however its letters are written', (word, address) =>
    expect(didYouMean(word, ['a', address])).toContain(`\`${address}\``),
  );

  it.each([
    ['xyz', names],
    ['footer', names],
    ['subjects-of-all', names],
    ['bo', ['body']],
    ['body', []],
    ['cab', ['abc']],
    ['y', ['']],
  ])('%s is like none of %j', (word, candidates) => expect(didYouMean(word, candidates)).toBeNull());

  it('takes the most similar one, and of two alike the first by the alphabet', () => {
    expect(didYouMean('color', ['colour', 'color2x'])).toContain('`colour`');
    expect(didYouMean('headr', ['header', 'heads'])).toContain('`header`');
    expect(didYouMean('headr', ['heads', 'header'])).toContain('`header`');
    expect(didYouMean('headr', ['heads2', 'header'])).toContain('`header`');
  });

  it('takes, of two alike, the one that begins with the word: `=` is no typo for `!=`', () => {
    expect(didYouMean('=', ['!=', '=='])).toContain('`==`');
    expect(didYouMean('=', ['==', '!='])).toContain('`==`');
    expect(didYouMean('colr', ['clr', 'colrs'])).toContain('`colrs`');
  });

  it('allows one slip in a word of three letters, two in a longer one, a third of a long one', () => {
    expect(didYouMean('uri', ['url'])).not.toBeNull();
    expect(didYouMean('uri', ['ulx'])).toBeNull();
    expect(didYouMean('mail', ['maxx'])).not.toBeNull();
    expect(didYouMean('mail', ['mxxx'])).toBeNull();
    expect(didYouMean('abcdefghi', ['abcdefxxx'])).not.toBeNull();
    expect(didYouMean('abcdefghi', ['abcdexxxx'])).toBeNull();
  });

  it('compares no word of more than 128 characters', () => {
    expect(didYouMean('a'.repeat(128), ['a'.repeat(127)])).not.toBeNull();
    expect(didYouMean('a'.repeat(129), ['a'.repeat(128)])).toBeNull();
  });
});
