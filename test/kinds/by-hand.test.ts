/** Changes that the API cannot make: each says what a person has to do, and where. */
import { describe, expect, it } from 'vitest';
import { builtInKinds } from '../../src/kinds/index.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { type Answer, answers, planOf, resource } from '../support/plan.ts';

const absent = { ensure: 'absent' } as const;
type Given = Parameters<typeof planOf>[0];
const declare = (kind: string, key: string, fields: JsonObject = {}, raw?: JsonObject): Given => ({
  declared: [resource(kind, [key], fields)],
  live: raw ? [{ kind, raw }] : [],
});
const remove = (kind: string, key: string, raw: JsonObject): Given => ({
  declared: [resource(kind, [key], {}, absent)],
  live: [{ kind, raw }],
});
const changeOf = (given: Given) => {
  const [change, ...others] = planOf(given).changes;
  expect(others).toEqual([]);
  return change;
};
const step = (given: Given) => {
  const change = changeOf(given);
  expect(change).toMatchObject({ action: 'manual', requests: [], risk: [] });
  return change?.warnings.join('\n');
};
const profile = (raw = {}, id = 'p1'): Answer => ({
  kind: 'AuthProfile',
  id,
  raw: { name: 'P', type: 'MFA', ...raw },
});

const twoRules = answers.search(1, 'S', [{ type: 'T', value: 'a' }, { type: 'U' }]);

describe('a step by hand', () => {
  const media = (medium: string) => ({ mediums: [medium] });
  const noId = (name: string, step: string) =>
    `The tenant shows no id for "${name}", so the API cannot ${step} it: do this in the admin interface`;

  it.each<[string, Given]>([
    [
      'The API cannot remove a verified domain; remove a.example in the admin interface',
      remove('VerifiedDomain', 'a.example', { id: '1', domain: 'a.example' }),
    ],
    [
      'The API cannot remove the MAIL FROM domain of a@a.example',
      remove('MailFrom', 'a@a.example', { identity: 'a@a.example', mailFromDomain: 'b.a.example' }),
    ],
    ['a.example has no MAIL FROM domain to set: declare `mailFromDomain`', declare('MailFrom', 'a.example')],
    ['Create the identity profile "New"', declare('AuthProfile', 'New', { type: 'MFA' })],
    [
      'The API cannot rename an authentication profile: rename the identity profile to "New"',
      { declared: [resource('AuthProfile', ['New'], { type: 'MFA' }, { id: 'p1' })], live: [profile()] },
    ],
    [
      'An authentication profile is deleted together with its identity profile: delete "P" in the admin interface.',
      { declared: [resource('AuthProfile', ['P'], {}, absent)], live: [profile()] },
    ],
    [noId('P', 'change'), declare('AuthProfile', 'P', { type: 'PTA' }, { name: 'P', type: 'MFA' })],
    ['The tenant has no notification preference "k"', declare('NotificationPreference', 'k', media('EMAIL'))],
    [
      'Set the media of "k" under Notification Preferences',
      declare('NotificationPreference', 'k', media('EMAIL'), { key: 'k', ...media('SLACK') }),
    ],
    [
      'The API cannot remove the notification preference "k"',
      remove('NotificationPreference', 'k', { key: 'k', ...media('SLACK') }),
    ],
    [noId('S', 'change'), declare('ProfileSearch', 'S', { rules: [{ type: 'T' }] }, { label: 'S' })],
    [
      'The tenant shows no id for a rule of the search "S" that changes',
      declare('ProfileSearch', 'S', { rules: [{ type: 'T', value: 'b' }] }, twoRules.raw),
    ],
    [
      'The API has no call to delete a saved search; delete "S" in the profile-management interface.',
      { ...remove('ProfileSearch', 'S', { label: 'S' }), settings: { profileSearchDelete: true } },
    ],
    [
      noId('a@a.example', 'delete'),
      remove('SenderAddress', 'a@a.example', { id: null, email: 'a@a.example' }),
    ],
    [noId('S', 'change'), declare('SimIntegration', 'S', { type: 'B' }, { name: 'S', type: 'A' })],
    [noId('S', 'delete'), remove('SimIntegration', 'S', { name: 'S' })],
  ])('%s', (message, given) => expect(step(given)?.slice(0, message.length)).toBe(message));

  it('stands beside the requests where only a part needs it', () => {
    const change = changeOf({
      declared: [resource('AuthProfile', ['New'], { type: 'PTA' }, { id: 'p1' })],
      live: [profile()],
    });
    expect(change).toMatchObject({ action: 'update', requests: [{ method: 'PATCH' }] });
    expect(change?.warnings).toEqual([expect.stringContaining('rename the identity profile to "New"')]);
  });

  it('is not shown where nothing needs it', () => {
    const declared = [resource('AuthProfile', ['P'], { type: 'PTA' })];
    expect(changeOf({ declared, live: [profile()] })).toMatchObject({ warnings: [], risk: [] });
  });
});

describe('what a reviewer is told', () => {
  it.each<[string, Given, RegExp[], string[]]>([
    ['a new domain', declare('VerifiedDomain', 'a.example'), [/publish the DKIM records of a\.example/], []],
    ['a new sender', declare('SenderAddress', 'a@a.example'), [], ['sends-mail']],
    [
      'a MAIL FROM domain',
      declare('MailFrom', 'a@a.example', { mailFromDomain: 'b.a.example' }),
      [/Publish the new MX and TXT records of a@a\.example/],
      [],
    ],
    ['a sender', remove('SenderAddress', 'a@a.example', { id: '1', email: 'a@a.example' }), [], ['delete']],
    [
      'a deleted search',
      {
        ...remove('ProfileSearch', 'S', answers.search(1, 'S').raw),
        settings: { profileSearchDelete: true },
      },
      [],
      ['delete'],
    ],
    ['an integration', remove('SimIntegration', 'S', answers.integration('1', 'S').raw), [], ['delete']],
  ])('about %s', (_, given, warnings, risk) => {
    const change = changeOf(given);
    expect(change?.warnings).toEqual(warnings.map((text) => expect.stringMatching(text)));
    expect(change?.risk).toEqual(risk);
  });

  it('about a customised template, and about headers and footers that newer tenants refuse', () => {
    const template = (fields: object) =>
      resource('NotificationTemplate', ['k', 'EMAIL', 'en'], { ...fields });
    const defaults = [answers.template('k', {}, null)];
    const told = (fields: object, live: Answer[] = []) =>
      changeOf({ declared: [template(fields)], defaults, live })?.warnings;
    const noLonger = "A customised template no longer follows the vendor's changes to the default.";
    const refuse = (what: string) =>
      `Newer tenants refuse a template with a ${what}; set null to leave it out.`;
    expect(told({ subject: 'New' })).toEqual([noLonger]);
    expect(told({ subject: 'New' }, [answers.template('k')])).toEqual([]);
    expect(told({ header: 'H', footer: null }, [answers.template('k')])).toEqual([refuse('header')]);
    expect(told({ header: 'H', footer: 'F' })).toEqual([noLonger, refuse('header and a footer')]);
  });

  it('about a refused bulk delete: it is a beta feature', () => {
    const { quirks } = builtInKinds.get('NotificationTemplate');
    expect(quirks?.sharedDelete?.ifRefused).toMatch(/beta feature/);
  });

  it('about integrations: they are deprecated', () =>
    expect(builtInKinds.get('SimIntegration').quirks?.notice).toMatchObject({ code: 'sim-deprecated' }));
});
