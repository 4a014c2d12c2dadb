import { describe, expect, it } from 'vitest';
import { kindFrom } from '../../src/kinds/described-kind.ts';
import { descriptorFrom } from '../../src/kinds/descriptor.ts';
import { builtInKinds } from '../../src/kinds/index.ts';
import { type Kind, parentKey, partFor } from '../../src/kinds/kind.ts';
import {
  addressesOf,
  candidateKeys,
  contentDigest,
  identityOf,
  keyBefore,
  LiveIndex,
  lastModified,
  liveObject,
  shownId,
} from '../../src/kinds/live-objects.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { change, difference } from '../report/fixtures.ts';
import { answers, liveFrom } from '../support/plan.ts';

it.each<[Json, string | null, Json]>([
  [7, '7', 7],
  ['7', '7', '7'],
  [null, '7', '7'],
  [8, '7', '7'],
  [7, null, null],
])('the id %j of an object known by %j is written as %j', (id, known, written) => {
  const [kind] = builtInKinds.all;
  expect(kind && shownId({ kind, id: known, raw: { id } })).toBe(written);
});

it('an object that is known by its id is also guarded under the name that the tenant shows', () => {
  const live = liveFrom({ kind: 'SimIntegration', raw: { id: 's1', name: 'Desk', type: 'Jira' } });
  expect(addressesOf(live)).toEqual(['SimIntegration/Desk']);
  const byId = { ...live, key: ['s1'], address: 'SimIntegration/s1' };
  expect(addressesOf(byId)).toEqual(['SimIntegration/s1', 'SimIntegration/Desk']);
});

it.each<[string, JsonObject]>([
  ['SenderAddress', { email: 'a@acme.example' }],
  ['VerifiedDomain', { domain: 'acme.example' }],
  ['NotificationTemplate', { key: 'welcome', medium: 'EMAIL', locale: 'en' }],
  ['SimIntegration', { name: 'Desk' }],
  ['ServiceDeskIntegration', { name: 'Desk' }],
  ['ProfileSearch', { label: 'Active' }],
])('a %s whose id is a number has that id', (kind, raw) =>
  expect(liveFrom({ kind, raw: { id: 7, ...raw } }).id).toBe('7'),
);

const print = (kind: string, raw: JsonObject, id?: string) =>
  liveFrom({ kind, raw, ...(id === undefined ? {} : { id }) }).fingerprint();

/** Members that each have their name as their value. */
const named = (names: string): JsonObject => Object.fromEntries(names.split(' ').map((name) => [name, name]));

/** An answer of each kind with every member that a plan depends on, and what the server keeps for itself. */
const whole: readonly { kind: string; raw: JsonObject; id?: string; server: JsonObject }[] = [
  {
    kind: 'SimIntegration',
    raw: {
      ...named('id name description type cluster'),
      managedSources: ['s1', 's2'],
      attributes: '{"url":"u"}',
      request: '{"a":"b"}',
      statusMap: '{"c":"d"}',
      beforeProvisioningRule: { type: 'RULE', id: 'r1', name: 'R' },
    },
    server: { modified: '2026-01-01', ownerRef: { id: 'o' } },
  },
  {
    kind: 'NotificationTemplate',
    raw: {
      ...named('id key medium locale name description subject header body footer from replyTo'),
      slackTemplate: '{"text":"x"}',
      teamsTemplate: '{"text":"y"}',
      unknownToTenantctl: { some: 'thing' },
    },
    server: { created: '2026-01-01', modified: '2026-01-01' },
  },
  {
    kind: 'ProfileSearch',
    raw: {
      id: 5,
      label: 'L',
      condition_rules_attributes: [{ type: 'ProfileStatusRule', comparison_operator: '==', value: 'Active' }],
    },
    server: { uid: 'u' },
  },
  {
    kind: 'AuthProfile',
    id: 'p1',
    raw: { ...named('name type applicationId applicationName'), offNetwork: true, untrustedGeography: true },
    server: { strongAuthLogin: true },
  },
  {
    kind: 'SenderAddress',
    raw: named('id email'),
    server: { verificationStatus: 'PENDING', isVerifiedByDomain: true, region: 'r' },
  },
  {
    kind: 'MailFrom',
    raw: named('identity mailFromDomain'),
    server: { mxRecord: '10 x', txtRecord: 'v', mailFromDomainStatus: 'PENDING' },
  },
  { kind: 'NotificationPreference', raw: { key: 'k', mediums: ['EMAIL'] }, server: { modified: 'x' } },
];

const other = (value: unknown) => (typeof value === 'boolean' ? !value : null);
const keyMembers = ['name', 'key', 'medium', 'locale', 'label', 'email', 'identity'];

describe('the fingerprint of an object', () => {
  const cases = whole.flatMap(({ kind, raw, id }) =>
    Object.keys(raw).map((member) => [kind, member, raw, id] as const),
  );

  it.each(cases)('of a %s is another one where %s is another', (kind, member, raw, id) => {
    const changed = keyMembers.includes(member) ? `x-${String(raw[member])}` : other(raw[member]);
    expect(print(kind, { ...raw, [member]: changed }, id)).not.toBe(print(kind, raw, id));
  });

  it.each(whole.map(({ kind, raw, id, server }) => [kind, raw, id, server] as const))(
    'of a %s does not depend on what the server keeps for itself',
    (kind, raw, id, server) => {
      expect(print(kind, { ...raw, ...server }, id)).toBe(print(kind, raw, id));
      const turned = Object.fromEntries(Object.entries(raw).toReversed());
      expect(print(kind, turned, id)).toBe(print(kind, raw, id));
    },
  );

  it('covers the members of a rule that the documents do not know', () => {
    const search = (rule: JsonObject) => ({
      id: 's1',
      label: 'L',
      condition_rules_attributes: [{ id: 'r1', type: 'RiskRule', value: '70', ...rule }],
    });
    const before = print('ProfileSearch', search({ risk_kind: 'overall' }));
    expect(print('ProfileSearch', search({ risk_kind: 'access' }))).not.toBe(before);
    expect(print('ProfileSearch', search({}))).not.toBe(before);
    expect(print('ProfileSearch', search({ risk_kind: 'overall', updated_at: 'now' }))).toBe(before);
  });

  it('is another one where the tenant hides a value', () => {
    const raw = { id: '1', name: 'S', attributes: { a: 'x' } };
    const masked = print('SimIntegration', { ...raw, attributes: { a: '***' } });
    expect(masked).not.toBe(print('SimIntegration', raw));
    expect(print('SimIntegration', { ...raw, request: {} })).not.toBe(print('SimIntegration', raw));
  });
});

describe('the identity of an object', () => {
  it('folds case exactly where the kind says so', () => {
    const sender = builtInKinds.get('SenderAddress');
    expect(identityOf(sender, ['Help@A.example'])).toBe('SenderAddress/help%40a.example');
    expect(identityOf(builtInKinds.get('ProfileSearch'), ['Help'])).toBe('ProfileSearch/Help');
    expect(identityOf(builtInKinds.get('NotificationTemplate'), ['K', 'EMAIL', 'en'])).toBe(
      'NotificationTemplate/K/EMAIL/en',
    );
  });

  it.each([
    ['SenderAddress', 'help@bücher.example', 'Help@XN--bcher-kva.example'],
    ['SenderAddress', 'help@BÜCHER.example', 'help@bu\u0308cher.example'],
    ['VerifiedDomain', 'bücher.example', 'xn--bcher-kva.example'],
    ['MailFrom', 'bücher.example', 'xn--bcher-kva.example'],
  ])('of a %s is the same for %s and %s', (name, one, other) => {
    const kind = builtInKinds.get(name);
    expect(identityOf(kind, [one])).toBe(identityOf(kind, [other]));
    expect(identityOf(kind, [one])).not.toBe(identityOf(kind, [one.replace('ü', 'u').replace('Ü', 'u')]));
  });
});

describe('finding live objects', () => {
  const [a, b] = [liveFrom(answers.integration('1', 'A')), liveFrom(answers.integration('2', 'B'))];
  const sender = liveFrom(answers.sender('1', 'a@a.example'));
  const index = new LiveIndex([a, b, sender]);
  const integrations = builtInKinds.get('SimIntegration');
  const lifecycle = { protect: false, ignore: [], renamedFrom: null, allowLockout: false, basedOn: null };

  it('by key and by id keeps the kinds apart', () => {
    expect(index.findByKey(integrations, ['A'])).toBe(a);
    expect(index.findByKey(integrations, ['C'])).toBeNull();
    expect(index.findById(integrations, '1')).toBe(a);
    expect(index.findById(builtInKinds.get('SenderAddress'), '1')).toBe(sender);
    expect(index.findByKey(builtInKinds.get('SenderAddress'), ['A@a.example'])).toBe(sender);
    expect(index.findById(builtInKinds.get('ProfileSearch'), '1')).toBeNull();
  });

  it('by its own id too, of what is below another object', () => {
    const kind = { ...integrations, parent: { part: 'source', kind: integrations } };
    const child = { ...liveFrom(answers.integration('1', 'A')), kind, id: 's1/1' };
    for (const id of ['1', 's1/1']) expect(new LiveIndex([child]).findById(kind, id)).toBe(child);
  });

  it('below another one, an object is the same whatever that is called, and however it hides what is ignored', () => {
    const kind: Kind = {
      ...integrations,
      parent: { part: 'source', kind: integrations },
      parse: ({ above, hidden }) => ({
        key: [String(above), 'A'],
        id: 's1/1',
        fields: { type: 'T' },
        hidden: hidden === undefined ? [] : ['/request'],
      }),
    };
    const prints = [{ above: 'B' }, { above: 'C' }, { above: 'B', hidden: true }].map((raw) =>
      liveObject(kind, raw, null)?.fingerprint(['/request']),
    );
    expect(new Set(prints).size).toBe(1);
  });

  it('below one whose key has several parts names them in one, and finds them again', () => {
    const kind = builtInKinds.get('NotificationTemplate');
    const key = ['a/b', 'EMAIL', '50%25'];
    expect(parentKey({ part: 'template', kind }, [partFor(key), 'own'])).toEqual(key);
  });

  it('by several names gives each object once', () => {
    expect(index.all(integrations, [['A'], ['C'], ['A']], '1')).toEqual([a]);
    expect(index.all(integrations, [['A']], '2')).toEqual([a, b]);
    expect(index.all(integrations, [['B']], null)).toEqual([b]);
    expect(index.all(integrations, [], '9')).toEqual([]);
  });

  it('of a manifest goes by its pin, then by its name, then by its former name', () => {
    const of = (key: string, id: string | null, renamedFrom: string | null) =>
      index.find({
        kind: integrations,
        key: [key],
        id,
        lifecycle: { ...lifecycle, renamedFrom: renamedFrom === null ? null : [renamedFrom] },
      });
    expect(of('A', '2', null)).toBe(b);
    expect(of('A', '9', null)).toBeNull();
    expect(of('A', null, 'B')).toBe(a);
    expect(of('C', null, 'B')).toBe(b);
    expect(of('C', null, null)).toBeNull();
  });

  it('an object without an id is not found by one', () => {
    const nameless = liveFrom({ kind: 'SenderAddress', raw: { id: null, email: 'x@a.example' } });
    expect(new LiveIndex([nameless]).findById(builtInKinds.get('SenderAddress'), 'null')).toBeNull();
  });
});

it('a key was another one before a rename of the object, not of what it is below', () => {
  const integrations = builtInKinds.get('SimIntegration');
  const kind = {
    ...integrations,
    keyFields: [{ name: 'source' }, { name: 'name' }],
    parent: { part: 'source', kind: integrations },
  };
  const before = (path: string, value: string) => {
    const diff = [difference(path, value, 'A')];
    return keyBefore(kind, change({ address: 'Role/HR/A', action: 'update', key: ['HR', 'A'], diff }));
  };
  expect(before('/name', 'B')).toEqual(['HR', 'B']);
  expect(before('/source', 's1')).toBeNull();
  expect(before('/type', 'B')).toBeNull();
});

it('a vendor default has one digest, in whatever form the tenant shows its content', () => {
  const kind = builtInKinds.get('NotificationTemplate');
  const fields = { subject: 'S', body: 'a\nb', slackTemplate: { text: 'x' } };
  const digest = contentDigest(kind, { fields });
  expect(digest).toMatch(/^sha256:/);
  const shown = { body: 'a\r\nb', slackTemplate: '{"text":"x"}', subject: 'S', header: '' };
  expect(contentDigest(kind, { fields: shown })).toBe(digest);
  expect(contentDigest(kind, { fields: { ...fields, unknown: 'x' } })).toBe(digest);
  expect(contentDigest(kind, { fields: { ...fields, subject: 'T' } })).not.toBe(digest);
});

it('no key is looked for that no request path can hold', () => {
  const names = ['a', 'b\uD800', '\u001bb', '../b', 'c'];
  const known = names.map((name) => liveFrom(answers.sender(name, `${name}@a.example`)));
  expect(candidateKeys(known)).toEqual([['a@a.example'], ['c@a.example']]);
});

it.each([
  [{ modified: '2026-01-02T03:04:05+02:00' }, '2026-01-02T01:04:05.000Z'],
  [{ modified: 'yesterday', updated_at: '2026-01-02T03:04:05Z' }, '2026-01-02T03:04:05.000Z'],
  [{ modified: '2026-13-02T03:04:05Z' }, null],
  [{}, null],
])('an object with %j was last modified at %s, in UTC', (shown, time) =>
  expect(lastModified(liveFrom(answers.integration('1', 'S', shown)))).toBe(time),
);

it('a time that manifests declare is not when an object was last modified', () => {
  const kind = kindFrom(descriptorFrom({ kind: 'Role', path: '/v2025/roles', fields: { updated: 'value' } }));
  const live = liveObject(kind, { id: 'r1', name: 'A', updated: '2026-01-02T03:04:05Z' }, null);
  expect(live && lastModified(live)).toBeNull();
});
