/** Whether public DNS has the records that a tenant wants, by a name server of the test. */
import { expect, test } from 'vitest';
import { createDnsChecker } from '../../src/client/dns-checker.ts';
import type { DnsRecord } from '../../src/model/documents.ts';
import { nameServer, type Reply } from '../commands/name-server.ts';

const cname: DnsRecord = { type: 'CNAME', name: 'key.acme.example', value: 'dkim.host.example' };
const mx: DnsRecord = { type: 'MX', name: 'mail.acme.example', priority: 10, value: 'feedback.host.example' };
const txt: DnsRecord = { type: 'TXT', name: 'mail.acme.example', value: 'v=spf1  include:host.example ~all' };

const pointsTo = (data: string): Reply => [{ type: 'CNAME', name: cname.name, data }];
const mails = (...all: readonly (readonly [number, string])[]): Reply =>
  all.map(([preference, exchange]) => ({ type: 'MX', name: mx.name, data: { preference, exchange } }));
const texts = (...all: readonly (readonly string[])[]): Reply =>
  all.map((parts) => ({ type: 'TXT', name: txt.name, data: [...parts] }));

test.each<[string, DnsRecord, Reply, object]>([
  ['a host', cname, pointsTo('DKIM.Host.example'), { state: 'published', found: ['dkim.host.example'] }],
  [
    'another host',
    cname,
    pointsTo('old.host.example'),
    { state: 'wrong', found: ['old.host.example'], detail: 'it points to another host' },
  ],
  ['no record', cname, [], { state: 'missing', found: [], detail: null }],
  ['no such name', cname, 'no such name', { state: 'missing' }],
  ['a failure', cname, 'servfail', { state: 'unknown', detail: expect.stringContaining('SERVFAIL') }],
  ['a mail host', mx, mails([10, 'Feedback.host.example']), { state: 'published', detail: null }],
  [
    'a mail host of another priority',
    mx,
    mails([20, 'feedback.host.example']),
    { state: 'wrong', found: ['20 feedback.host.example'], detail: 'there are other MX records' },
  ],
  [
    'a second mail host',
    mx,
    mails([10, 'feedback.host.example'], [20, 'mx.acme.example']),
    { state: 'wrong', detail: 'there must be no other MX record' },
  ],
  ['a domain that takes no mail', mx, mails([0, '.']), { state: 'wrong', found: ['0 .'] }],
  [
    'a text, cut and spaced in another way, beside texts about something else',
    txt,
    texts(['google-site=1'], ['V=SPF1 include:', 'host.example   ~all ']),
    { state: 'published', found: ['V=SPF1 include:host.example   ~all '] },
  ],
  ['another text', txt, texts(['v=spf1 -all']), { state: 'wrong', detail: 'its text is different' }],
  [
    'two of its kind',
    txt,
    texts(['v=spf1 include:host.example ~all'], ['v=spf1 -all']),
    { state: 'wrong', detail: 'there must be only one v=spf1 record' },
  ],
  ['only texts about something else', txt, texts(['google-site=1']), { state: 'missing' }],
])('%s', async (_what, record, reply, expected) => {
  const { address, asked } = await nameServer({ [`${record.type} ${record.name}`]: reply });
  expect(await createDnsChecker({ server: address, timeout: 5_000 }).check(record)).toMatchObject(expected);
  expect(asked[0]).toBe(`${record.type} ${record.name}`);
});

test('a name server is found by its IPv6 address', async ({ skip }) => {
  const zone = { 'CNAME key.acme.example': pointsTo('dkim.host.example') };
  const server = await nameServer(zone, '::1').catch(() => null);
  if (!server) return skip('This machine has no IPv6.');
  const checker = createDnsChecker({ server: server.address, timeout: 5_000 });
  expect(await checker.check(cname)).toMatchObject({ state: 'published' });
});

test('a query that is cancelled says nothing about the record', async () => {
  const { address, asked } = await nameServer({ 'CNAME key.acme.example': 'silence' });
  const checker = createDnsChecker({ server: address, timeout: 60_000 });
  const checked = checker.check(cname);
  await expect.poll(() => asked).toHaveLength(1);
  checker.cancel();
  expect(await checked).toEqual({ state: 'unknown', found: [], detail: 'the query was cancelled' });
});

test.each(['', ':53', 'a:b:c', '127.0.0.1:0', '127.0.0.1:65536', '[::1'])('%j is no name server', (server) =>
  expect(() => createDnsChecker({ server, timeout: 100 })).toThrow(/is not a name server/),
);
