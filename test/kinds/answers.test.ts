/** What the answers of a tenant say about an object, in the manifest's shape. */
import { describe, expect, it } from 'vitest';
import { builtInKinds } from '../../src/kinds/index.ts';
import { type JsonObject, objectsIn } from '../../src/model/json.ts';

function parse(kind: string, raw: JsonObject, id: string | null = null) {
  return builtInKinds.get(kind).parse(raw, id);
}

it.each<[string, JsonObject]>([
  ['SimIntegration', { id: '1' }],
  ['NotificationTemplate', { key: 'k', medium: 'EMAIL' }],
  ['NotificationTemplate', { key: 'k', locale: 'en' }],
  ['NotificationTemplate', { medium: 'EMAIL', locale: 'en' }],
  ['SenderAddress', { id: '1', email: null }],
  ['VerifiedDomain', { id: '1' }],
  ['ProfileSearch', { id: 1, rules: [] }],
  ['MailFrom', { mailFromDomain: 'x' }],
  ['NotificationPreference', { mediums: [] }],
  ['AuthProfile', { type: 'MFA' }],
])('an answer without what names the object is no %s', (kind, raw) => {
  expect(parse(kind, raw)).toBeNull();
});

it('an answer without a name goes by the id that was asked for, where the documents leave the name out', () => {
  expect(parse('AuthProfile', { type: 'MFA' }, 'p1')).toMatchObject({ key: ['p1'], id: 'p1' });
  expect(parse('AuthProfile', { name: '', type: 'MFA' }, 'p1')).toMatchObject({ key: ['p1'] });
  expect(parse('AuthProfile', { name: 'P' }, 'p1')).toMatchObject({ key: ['P'], id: 'p1' });
  expect(parse('MailFrom', { mailFromDomain: 'b.a' }, 'a@a')).toEqual({
    key: ['a@a'],
    id: null,
    fields: { mailFromDomain: 'b.a' },
  });
  expect(parse('MailFrom', { identity: 'x@a' }, 'a@a')).toMatchObject({
    key: ['x@a'],
    fields: { mailFromDomain: null },
  });
  expect(parse('NotificationPreference', {}, 'k')).toMatchObject({ key: ['k'], fields: { mediums: null } });
  expect(
    parse('NotificationPreference', { key: 'x', mediums: ['email', 'Slack', 'pigeon', 5] }, 'k'),
  ).toEqual({
    key: ['x'],
    id: null,
    fields: { mediums: ['EMAIL', 'SLACK', 'pigeon', 5], ccList: null, bccList: null },
    hidden: ['/ccList', '/bccList'],
  });
});

describe('VerifiedDomain', () => {
  it('is named by its domain, or by its address in a list', () => {
    expect(parse('VerifiedDomain', { id: '1', domain: 'a.example', address: 'b' })).toEqual({
      key: ['a.example'],
      id: '1',
      fields: {},
      whyNotExported: null,
    });
    expect(parse('VerifiedDomain', { id: '1', address: 'a.example' })).toMatchObject({ key: ['a.example'] });
  });

  it('is none where the list shows an e-mail identity', () => {
    const { read } = builtInKinds.get('VerifiedDomain');
    const isForeign = read.how === 'list' ? read.list.isForeign : undefined;
    expect(parse('VerifiedDomain', { address: 'x@a.example' })).toBeNull();
    expect(isForeign?.({ address: 'x@a.example' })).toBe(true);
    expect(isForeign?.({ domain: 'x@a.example' })).toBe(true);
    expect(isForeign?.({ address: 'a.example' })).toBe(false);
    expect(isForeign?.({})).toBe(false);
  });
});

it('a domain that the provider has not looked at yet is left out of exports', () => {
  const whyNotExported = (state: string | null) =>
    parse('VerifiedDomain', { domain: 'a.example', dkimVerificationStatus: state })?.whyNotExported;
  expect(whyNotExported('NotStarted')).toMatch(/has not started/);
  expect(whyNotExported('TEMPORARY_FAILURE')).toMatch(/could not look/);
  for (const state of ['SUCCESS', 'PENDING', 'FAILED', null]) expect(whyNotExported(state)).toBeNull();
});

describe('ProfileSearch', () => {
  const rule = { type: 'ProfileStatusRule', comparison_operator: '==', value: 'Active' };
  const rulesOf = (raw: JsonObject) =>
    parse('ProfileSearch', { id: 1, label: 'L', condition_rules_attributes: [raw] })?.fields.rules;

  it('is read alike with and without its wrapping, and with numbers or texts for ids', () => {
    const search = { id: 7, label: 'L', condition_rules_attributes: [{ ...rule, id: 3 }] };
    expect(parse('ProfileSearch', search)).toMatchObject({ key: ['L'], id: '7', fields: { rules: [rule] } });
    expect(parse('ProfileSearch', { advanced_search: search })).toEqual(parse('ProfileSearch', search));
    expect(parse('ProfileSearch', { ...search, id: 'x' })?.id).toBe('x');
    expect(parse('ProfileSearch', { ...search, id: null })?.id).toBeNull();
    expect(parse('ProfileSearch', { label: 'L' })?.fields.rules).toEqual([]);
    expect(
      parse('ProfileSearch', { label: 'L', condition_rules_attributes: ['x', rule] })?.fields.rules,
    ).toEqual([rule]);
  });

  it('has values as texts, and no unset members', () => {
    expect(rulesOf({ ...rule, value: 7, condition_object_id: null })).toEqual([{ ...rule, value: '7' }]);
  });

  it('has what the documents do not know as the tenant shows it, and nothing that the server sets', () => {
    const more = { threshold: 70, enabled: false, tags: ['a'], note: 'x', unset: null };
    const server = { id: 3, uid: 'u', created_at: 'c', updated_at: 'm', _destroy: true };
    const { unset: _, ...shown } = more;
    expect(rulesOf({ ...rule, ...more, ...server })).toEqual([{ ...rule, ...shown }]);
    expect(rulesOf({ ...rule, value: { from: 1 } })).toEqual([{ ...rule, value: { from: 1 } }]);
    expect(rulesOf({ ...rule, value: true })).toEqual([{ ...rule, value: 'true' }]);
  });

  it('has a class that is not the documented one under the name that the host gives it', () => {
    for (const name of ['condition_object_type', 'object_type']) {
      expect(rulesOf({ ...rule, [name]: 'DateAttribute' })).toEqual([{ ...rule, [name]: 'DateAttribute' }]);
    }
  });

  it('has its members in the order of the documents, the others after them', () => {
    const turned = { note: 'x', value: 'Active', comparison_operator: '==', type: 'ProfileStatusRule' };
    expect(Object.keys(objectsIn(rulesOf(turned))[0] ?? {}).join()).toBe(
      'type,comparison_operator,value,note',
    );
  });

  it.each(['object_type', 'condition_object_type'])('knows the class of an attribute in %s', (name) => {
    expect(rulesOf({ ...rule, [name]: 'NeAttribute' })).toEqual([{ ...rule, object_type: 'NeAttribute' }]);
  });
});

describe('SimIntegration', () => {
  const of = (raw: JsonObject) => {
    const facts = parse('SimIntegration', { id: 'i', name: 'S', ...raw });
    if (!facts) throw new TypeError('This answer names its integration.');
    return facts;
  };

  it('has its cluster and its sources wherever the answer keeps them', () => {
    expect(of({ cluster: 'c', clusterRef: { id: 'd' } }).fields.cluster).toEqual(['c', 'd']);
    expect(of({ cluster: 'c', clusterRef: { id: 'c', name: 'C' } }).fields.cluster).toBe('c');
    expect(of({ clusterRef: { id: 'd', name: 'D' } }).fields.cluster).toBe('d');
    expect(of({ clusterRef: { name: 'D' } }).fields.cluster).toBeNull();
    expect(of({}).fields).toMatchObject({ cluster: null, sources: null, beforeProvisioningRule: null });
    expect(of({ managedSources: ['a', { id: 'b', name: 'B' }] }).fields.sources).toEqual(['a', 'b']);
    const config = { managedResourceRefs: [{ type: 'SOURCE', id: 'r' }, { name: 'without id' }] };
    expect(of({ provisioningConfig: config }).fields.sources).toEqual(['r', null]);
    expect(of({ managedSources: [], provisioningConfig: config }).fields.sources).toEqual(['r', null]);
    expect(of({ managedSources: null, sources: ['s'] }).fields.sources).toEqual(['s']);
    expect(of({ provisioningConfig: 'odd' }).fields.sources).toBeNull();
  });

  it('hides what is masked or encrypted at any depth, and the ticket fields it does not show', () => {
    const attributes = { a: '***', b: { c: '1:ACP:x', d: 'clear' }, 'e/f': '{AES}x', n: 7 };
    expect(of({ attributes, request: {}, statusMap: '{}', sources: [] }).hidden).toEqual([
      '/attributes/a',
      '/attributes/b/c',
      '/attributes/e~1f',
    ]);
    expect(of({ attributes: '{}' }).hidden).toEqual(['/request', '/statusMap', '/sources']);
    expect(of({ request: null, statusMap: '{"a":"b"}', managedSources: null }).hidden).toEqual(['/request']);
    expect(of({ attributes: '***', request: {}, statusMap: {}, sources: [] }).hidden).toEqual([
      '/attributes',
    ]);
  });
});

describe('NotificationTemplate', () => {
  it.each(['EMAIL', 'SLACK', 'TEAMS'])('has its medium as the documents write it: %s', (medium) => {
    const shown = { key: 'email', medium: medium.toLowerCase(), locale: 'teams' };
    const keyOf = (raw: JsonObject) => parse('NotificationTemplate', raw)?.key;
    expect(keyOf(shown)).toEqual(['email', medium, 'teams']);
    expect(keyOf({ ...shown, medium: 'pigeon' })).toEqual(['email', 'pigeon', 'teams']);
  });

  it('carries along what tenantctl does not know, and none of what the server keeps', () => {
    const named = { id: 't', key: 'k', medium: 'EMAIL', locale: 'en' };
    const raw = { ...named, created: 'x', modified: 'y', subject: 'S' };
    const facts = parse('NotificationTemplate', { ...raw, more: { $secret: 'S' }, category: 'c' });
    expect(facts?.extraMembers?.()).toEqual({ more: { $literal: { $secret: 'S' } }, category: 'c' });
    expect(facts).toMatchObject({ id: 't', key: ['k', 'EMAIL', 'en'], fields: { subject: 'S', body: null } });
    expect(parse('NotificationTemplate', raw)?.extraMembers?.()).toEqual({});
  });
});
