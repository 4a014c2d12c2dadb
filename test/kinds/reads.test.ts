import { describe, expect, it } from 'vitest';
import { kindFrom } from '../../src/kinds/described-kind.ts';
import { builtInKinds } from '../../src/kinds/index.ts';
import type { Kind, List } from '../../src/kinds/kind.ts';
import { candidateKeys } from '../../src/kinds/live-objects.ts';
import type { Key } from '../../src/model/address.ts';
import { get, type JsonObject, objectsIn } from '../../src/model/json.ts';
import { contractSettings } from '../../src/model/tenant.ts';
import { descriptorFrom } from '../support/descriptor.ts';
import { liveFrom } from '../support/plan.ts';

/** How the objects of each kind are read, written by hand from the API documents. */

const settings = { ...contractSettings, profileSearchPath: '/api/searches' };
const experimental = { accept: 'application/json', 'x-service-experimental': 'true' };

/** What a kind says about its objects, apart from its functions. */
function facts({ name, keyFields, serverOwned, can, fields }: Kind): string {
  const key = keyFields.map((field) => (field.foldCase ? `${field.name} in any case` : field.name));
  const does = Object.entries(can).flatMap(([what, how]) =>
    how === false ? [] : how === true ? [what] : [`${what} (${how})`],
  );
  const types = Object.entries(fields).map(([field, { is }]) => `${field} ${is}`);
  return `${name} by ${key.join()}: ${does.join()}; ${types.join()}; not ${serverOwned.join()}`;
}

it('the kinds are what the documents say, in the order of an apply', () =>
  expect(builtInKinds.all.map(facts)).toEqual([
    'Identity by alias: pin; ; not created,modified',
    'Source by name: pin; ; not created,modified',
    'Cluster by name: pin; ; not created,modified',
    'VerifiedDomain by domain in any case: create (duplicates); ; ' +
      'not id,dkimEnabled,dkimTokens,dkimVerificationStatus,region,address',
    'MailFrom by identity in any case: create (replaces),update; mailFromDomain email; ' +
      'not id,mxRecord,txtRecord,mailFromDomainStatus',
    'SenderAddress by email in any case: create (duplicates),delete; ; ' +
      'not id,verificationStatus,isVerifiedByDomain,region',
    'NotificationTemplate by key,medium,locale: create (replaces),update,delete; name text,description text,' +
      'subject text,header text,body text,footer text,from email,replyTo email,' +
      'slackTemplate json,teamsTemplate json; not id,created,modified',
    'NotificationPreference by key: ; mediums set,ccList set,bccList set; not modified',
    'SimIntegration by name: create (refused),update,delete,rename,pin; description text,type value,cluster value,' +
      'sources set,attributes json,request json,statusMap json,beforeProvisioningRule reference; ' +
      'not created,modified,ownerRef,clusterRef,managedSources,provisioningConfig',
    'ServiceDeskIntegration by name: create (duplicates),update,delete,rename,pin; description text,type value,' +
      'ownerRef reference,clusterRef reference,beforeProvisioningRule reference,provisioningConfig json,' +
      'attributes json; not created,modified,cluster,managedSources',
    'ProfileSearch by label: create (duplicates),update,delete,rename; rules records; ' +
      'not id,uid,condition_rules_attributes',
    'AuthProfile by name: update,pin; type value,offNetwork value,untrustedGeography value,applicationId value,' +
      'applicationName value; not strongAuthLogin,tenant',
  ]));

it('a kind is found by its own name only', () => {
  expect(builtInKinds.find('MailFrom')?.name).toBe('MailFrom');
  expect(builtInKinds.find('constructor')).toBeUndefined();
  expect(() => builtInKinds.get('Nothing')).toThrow('"Nothing" is not in the list of kinds');
  expect(get(builtInKinds.get('MailFrom').fields, 'mailFromDomain')).toEqual({ is: 'email' });
  expect(get(builtInKinds.get('MailFrom').fields, 'toString')).toBeUndefined();
});

describe('a list', () => {
  const listOf = (name: string): List => {
    const { read } = builtInKinds.get(name);
    if (!('list' in read)) throw new TypeError(`There is no list of ${name}.`);
    return read.list;
  };

  it.each([
    ['VerifiedDomain', '/v2025/verified-domains', 100],
    ['SenderAddress', '/v2025/verified-from-addresses', 250],
    ['NotificationTemplate', '/v2025/notification-templates', 250],
    ['SimIntegration', '/v2024/sim-integrations', null],
    ['AuthProfile', '/v2024/auth-profiles', null],
    ['ProfileSearch', '/api/searches', null],
  ])('of %s is at %s, %s a page', (name, path, pageSize) => {
    expect(listOf(name).resource.path(settings)).toBe(path);
    expect(listOf(name).pageSize).toBe(pageSize);
  });

  it('of searches is inside a member, that of senders is counted, that of domains has no parameters', () => {
    expect(listOf('ProfileSearch').member).toBe('advanced_search');
    expect(listOf('SenderAddress').counts).toBe(true);
    expect(listOf('VerifiedDomain').undeclaredPaging).toBe(true);
    expect(listOf('SimIntegration')).not.toHaveProperty('member');
  });

  it('is filtered where the documents allow it', () => {
    const filter = (name: string, keys: Key[]) => listOf(name).filter?.(keys);
    expect(filter('SenderAddress', [['a@a.example'], ['"x']])).toBe(
      'email eq "a@a.example" or email eq "\\"x"',
    );
    const templates = ['a EMAIL en', 'a SLACK en', 'b EMAIL de'].map((key) => key.split(' '));
    expect(filter('NotificationTemplate', templates)).toBe('key in ("a","b")');
    expect(filter('SimIntegration', [['a']])).toBeUndefined();
  });

  it("of the vendor's defaults exists for templates only", () => {
    const defaults = builtInKinds.all.flatMap((kind) => (kind.read.defaults ? [kind.read.defaults] : []));
    const shown = defaults.map((list) => [list.resource.path(settings), list.pageSize]);
    expect(shown).toEqual([['/v2025/notification-template-defaults', 250]]);
    expect(defaults[0]?.filter?.([['k', 'EMAIL', 'en']])).toBe('key in ("k")');
  });
});

describe('a single object', () => {
  it.each([
    ['NotificationTemplate', '/v2025/notification-templates/a%2Fb'],
    ['SimIntegration', '/v2024/sim-integrations/a%2Fb'],
  ])('of %s has its own call where its id is known', (name, path) => {
    const { read } = builtInKinds.get(name);
    expect(read.how === 'list' && read.one?.('a/b', settings)).toMatchObject({ method: 'GET', path });
  });

  it.each([
    [true, 'is not there yet'],
    [false, 'must be there: the path is wrong'],
  ])('that the API creates (%s) and answers with a 404 %s', (create) => {
    const described = { kind: 'Config', path: '/v2025/config', single: true, update: 'put', create };
    const { read } = kindFrom(descriptorFrom(described));
    const isAbsent = (status: number) => read.how === 'single' && read.isAbsent({ status });
    expect([404, 403].map(isAbsent)).toEqual([create, false]);
  });

  it('of AuthProfile is read by its id, since the list has ids only', () => {
    const { read } = builtInKinds.get('AuthProfile');
    expect(read.how === 'list-then-each' && read.each('p1', settings)).toEqual({
      ...{ method: 'GET', path: '/v2024/auth-profiles/p1', query: {}, headers: experimental, body: null },
      lane: { service: 'identity', group: 'v2024' },
    });
  });
});

describe('what has no list', () => {
  const each = (name: string) => {
    const { read } = builtInKinds.get(name);
    if (read.how !== 'each-declared') throw new TypeError(`${name} has a list.`);
    return read;
  };

  it('is read by its key', () => {
    expect(each('MailFrom').each(['help@a.example'], settings)).toEqual({
      ...{ method: 'GET', path: '/v2025/mail-from-attributes/help%40a.example' },
      ...{ query: { id: 'help@a.example' }, headers: experimental, body: null },
      lane: { service: 'identity', group: 'v2025' },
    });
    const request = { method: 'GET', path: '/v2025/notification-preferences/k' };
    expect(each('NotificationPreference').each(['k'], settings)).toMatchObject(request);
  });

  it.each([
    ['MailFrom', 400, {}, true],
    ['MailFrom', 404, 'text', true],
    ['MailFrom', 200, { identity: 'a', mailFromDomain: '' }, true],
    ['MailFrom', 200, { identity: 'a', mailFromDomain: null }, true],
    ['MailFrom', 200, { identity: 'a', mailFromDomain: 'b.a' }, false],
    ['MailFrom', 200, [], false],
    ['MailFrom', 403, {}, false],
    ['MailFrom', 500, {}, false],
    ['NotificationPreference', 404, {}, true],
    ['NotificationPreference', 200, {}, false],
    ['NotificationPreference', 403, {}, false],
  ])('%s with status %i and %j: is it absent? %s', (name, status, body, isAbsent) =>
    expect(each(name).isAbsent({ status, body })).toBe(isAbsent),
  );

  it('is looked for under the keys of other objects where all are wanted', () => {
    const live = (kind: string, raw: object) => liveFrom({ kind, raw: { ...raw } });
    const from = (name: string) => each(name).candidatesFrom.map((kind) => kind.name);
    expect(from('MailFrom')).toEqual(['SenderAddress', 'VerifiedDomain']);
    const sender = live('SenderAddress', { id: '1', email: 'a@a.example' });
    const domain = live('VerifiedDomain', { id: '2', domain: 'a.example' });
    expect(candidateKeys([sender, domain])).toEqual([['a@a.example'], ['a.example']]);
    const template = (key: string, locale: string) =>
      live('NotificationTemplate', { id: `${key}${locale}`, key, medium: 'EMAIL', locale });
    expect(from('NotificationPreference')).toEqual(['NotificationTemplate']);
    const templates = [template('a', 'en'), template('a', 'de'), template('b', 'en')];
    expect(candidateKeys(templates)).toEqual([['a'], ['b']]);
  });
});

/** What the answers of a tenant say about an object, in the manifest's shape. */

const parse = (kind: string, raw: JsonObject, id: string | null = null) =>
  builtInKinds.get(kind).parse(raw, id);

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
])('an answer without what names the object is no %s', (kind, raw) => expect(parse(kind, raw)).toBeNull());

it('an answer without a name goes by the id that was asked for, where the documents leave the name out', () => {
  expect(parse('AuthProfile', { type: 'MFA' }, 'p1')).toMatchObject({ key: ['p1'], id: 'p1' });
  expect(parse('AuthProfile', { name: '', type: 'MFA' }, 'p1')).toMatchObject({ key: ['p1'] });
  expect(parse('AuthProfile', { name: 'P' }, 'p1')).toMatchObject({ key: ['P'], id: 'p1' });
  const mailFrom = (raw: JsonObject) => parse('MailFrom', raw, 'a@a');
  const shown = { mailFromDomain: 'b.a' };
  expect(mailFrom(shown)).toEqual({ key: ['a@a'], id: null, fields: shown });
  expect(mailFrom({ identity: 'x@a' })).toMatchObject({ key: ['x@a'], fields: { mailFromDomain: null } });
  expect(parse('NotificationPreference', {}, 'k')).toMatchObject({ key: ['k'], fields: { mediums: null } });
  const preference = { key: 'x', mediums: ['email', 'Slack', 'pigeon', 5] };
  expect(parse('NotificationPreference', preference, 'k')).toEqual({
    ...{ key: ['x'], id: null, hidden: ['/ccList', '/bccList'] },
    fields: { mediums: ['EMAIL', 'SLACK', 'pigeon', 5], ccList: null, bccList: null },
  });
});

describe('VerifiedDomain', () => {
  it('is named by its domain, or by its address in a list', () => {
    const facts = { key: ['a.example'], id: '1', fields: {}, whyNotExported: null };
    expect(parse('VerifiedDomain', { id: '1', domain: 'a.example', address: 'b' })).toEqual(facts);
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
    const odd = { label: 'L', condition_rules_attributes: ['x', rule] };
    expect(parse('ProfileSearch', odd)?.fields.rules).toEqual([rule]);
  });

  it('has values as texts, and no unset members', () =>
    expect(rulesOf({ ...rule, value: 7, condition_object_id: null })).toEqual([{ ...rule, value: '7' }]));

  it('has what the documents do not know as the tenant shows it, and nothing that the server sets', () => {
    const more = { threshold: 70, enabled: false, tags: ['a'], note: 'x', unset: null };
    const server = { id: 3, uid: 'u', created_at: 'c', updated_at: 'm', _destroy: true };
    const { unset: _, ...shown } = more;
    expect(rulesOf({ ...rule, ...more, ...server })).toEqual([{ ...rule, ...shown }]);
    expect(rulesOf({ ...rule, value: { from: 1 } })).toEqual([{ ...rule, value: { from: 1 } }]);
    expect(rulesOf({ ...rule, value: true })).toEqual([{ ...rule, value: 'true' }]);
  });

  it('has a class that is not the documented one under the name that the host gives it', () => {
    for (const name of ['condition_object_type', 'object_type'])
      expect(rulesOf({ ...rule, [name]: 'DateAttribute' })).toEqual([{ ...rule, [name]: 'DateAttribute' }]);
  });

  it('has its members in the order of the documents, the others after them', () => {
    const turned = { note: 'x', value: 'Active', comparison_operator: '==', type: 'ProfileStatusRule' };
    const names = Object.keys(objectsIn(rulesOf(turned))[0] ?? {});
    expect(names.join()).toBe('type,comparison_operator,value,note');
  });

  it.each(['object_type', 'condition_object_type'])('knows the class of an attribute in %s', (name) =>
    expect(rulesOf({ ...rule, [name]: 'NeAttribute' })).toEqual([{ ...rule, object_type: 'NeAttribute' }]),
  );
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
    const hidden = ['a', 'b/c', 'e~1f'].map((at) => `/attributes/${at}`);
    expect(of({ attributes, request: {}, statusMap: '{}', sources: [] }).hidden).toEqual(hidden);
    expect(of({ attributes: '{}' }).hidden).toEqual(['/request', '/statusMap', '/sources']);
    expect(of({ request: null, statusMap: '{"a":"b"}', managedSources: null }).hidden).toEqual(['/request']);
    const masked = { attributes: '***', request: {}, statusMap: {}, sources: [] };
    expect(of(masked).hidden).toEqual(['/attributes']);
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
    expect(facts?.extraMembers).toEqual({ more: { $literal: { $secret: 'S' } }, category: 'c' });
    expect(facts).toMatchObject({ id: 't', key: ['k', 'EMAIL', 'en'], fields: { subject: 'S', body: null } });
    expect(parse('NotificationTemplate', raw)?.extraMembers).toEqual({});
  });
});
