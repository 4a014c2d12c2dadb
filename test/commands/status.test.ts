import fc from 'fast-check';
import { expect, test } from 'vitest';
import { zoneLine } from '../../src/commands/status.ts';
import { get, isArray, isObject, type Json, type JsonObject } from '../../src/model/json.ts';
import type { Variations } from '../support/sandbox.ts';
import { addObjects } from '../support/tenant-objects.ts';
import { createTestWorld, expectEnd, runProgram, succeed, type World } from '../support/world.ts';
import { nameServer } from './name-server.ts';

const seed = `
identities:
  - { address: acme.example, dkimVerificationStatus: SUCCESS, dkimTokens: [aaa, bbb, ccc] }
  - { address: new.example, dkimVerificationStatus: PENDING, dkimTokens: [ddd] }
  - { address: old.example, dkimVerificationStatus: FAILED, dkimTokens: [eee] }
  - { address: help@acme.example, dkimVerificationStatus: SUCCESS, dkimTokens: [fff] }
mailFrom:
  - { identity: acme.example, mailFromDomain: bounce.acme.example, mailFromDomainStatus: PENDING }
senders:
  - { email: help@acme.example, verificationStatus: SUCCESS, isVerifiedByDomain: true }
  - { email: lost@acme.example, verificationStatus: FAILED }
  - { email: vendor@tenant.example, verificationStatus: NA, id: null }
`;

const manifests = {
  'config/mail.yaml':
    'kind: VerifiedDomain\ndomain: acme.example\n---\nkind: MailFrom\nidentity: acme.example\nmailFromDomain: bounce.acme.example\n---\nkind: SenderAddress\nemail: missing@acme.example\n',
};

interface Row {
  address: string;
  declared: Json;
  verification: Json;
  records: string[];
  publications: Json[];
  refused: Json;
}

/** The identities of `status --format json`. */
function rows(document: Json): Map<string, Row> {
  const identities = isObject(document) ? get(document, 'identities') : null;
  if (!isArray(identities)) throw new Error('no identities');
  return new Map(
    identities.filter(isObject).map((identity) => {
      const records = isArray(identity.records ?? null) ? members(identity.records ?? []) : [];
      const row: Row = {
        address: String(identity.address),
        declared: identity.declared ?? null,
        verification: identity.verification ?? null,
        refused: identity.refused ?? null,
        records: records.map((entry) => {
          const record = isObject(entry.record) ? entry.record : {};
          const priority = record.priority === undefined ? '' : `${record.priority} `;
          return `${record.name} ${record.type} ${priority}${record.value}`;
        }),
        publications: records.map((entry) => entry.publication ?? null),
      };
      return [row.address, row];
    }),
  );
}

function members(value: Json): JsonObject[] {
  return isArray(value) ? value.filter(isObject) : [];
}

test('senders, domains and MAIL FROM domains are told with their state and exact records', async () => {
  const { run } = await createTestWorld({ seed, files: manifests });
  const { json, stderr } = await succeed({ run }, 'status --format json');
  expect(stderr).toBe('');
  const found = rows(json);
  expect(
    [...found].map(([address, { verification, declared }]) => [address, verification, declared]),
  ).toEqual([
    ['VerifiedDomain/acme.example', 'verified', true],
    ['VerifiedDomain/new.example', 'pending', false],
    ['VerifiedDomain/old.example', 'failed', false],
    ['MailFrom/acme.example', 'pending', true],
    ['SenderAddress/help%40acme.example', 'verified', false],
    ['SenderAddress/lost%40acme.example', 'failed', false],
    ['SenderAddress/missing%40acme.example', 'absent', true],
    ['SenderAddress/vendor%40tenant.example', 'not-needed', false],
  ]);
  expect(found.get('VerifiedDomain/acme.example')?.records).toEqual([
    'aaa._domainkey.acme.example CNAME aaa.dkim.amazonses.com',
    'bbb._domainkey.acme.example CNAME bbb.dkim.amazonses.com',
    'ccc._domainkey.acme.example CNAME ccc.dkim.amazonses.com',
  ]);
  expect(found.get('MailFrom/acme.example')?.records).toEqual([
    'bounce.acme.example MX 10 feedback-smtp.us-east-1.amazonses.com',
    'bounce.acme.example TXT v=spf1 include:amazonses.com ~all',
  ]);
});

test('people are told what failed, what to do, and only what they ask for', async () => {
  const { run } = await createTestWorld({ seed, files: manifests });
  const all = await run('status');
  expect(all.stdout).toMatch(/old\.example +FAILED/);
  expect(all.stdout).toContain('did not find the CNAME records in time');
  expect(all.stdout).toContain('Delete the address and create it');
  const some = await run('status --only SenderAddress/* --except SenderAddress/vendor*');
  expect(some.stdout).toContain('lost@acme.example');
  expect(some.stdout).not.toMatch(/vendor|old\.example|bounce/);
  // The tenant has senders: only none that was asked for.
  const none = await run('status --only SimIntegration/*');
  expect(none.stdout).toBe('No sender, domain or MAIL FROM domain to show.\n');
});

test('a state that nobody knows is quoted, and none is invented where the tenant shows none', async () => {
  const { run, sandbox } = await createTestWorld({ seed, files: manifests });
  const states = ['Odd', null];
  for (const [at, row] of sandbox.state.senders.entries())
    Object.assign(row, { verificationStatus: states[at] ?? null, isVerifiedByDomain: false });
  const { stdout } = await run('status --only SenderAddress/*');
  expect(stdout).toContain('unknown state "Odd"');
  expect(stdout).toMatch(/unknown state(?! ")/);
  expect(stdout).not.toContain('""');
});

test('what failed comes first, and what is verified has its records only when asked', async () => {
  const { run } = await createTestWorld({ seed, files: manifests });
  const { stdout } = await run('status');
  const [, domains = ''] = /^Domains\n([\s\S]*?)\n\n/.exec(stdout) ?? [];
  const order = ['old.example', 'new.example', 'acme.example'].map((name) => domains.indexOf(`  ${name} `));
  expect(order).toEqual(order.toSorted((a, b) => a - b));
  expect(stdout).toContain('ddd._domainkey.new.example');
  expect(stdout).toMatch(/acme\.example +verified {2}3 records with --verbose\n/);
  expect(stdout).not.toContain('aaa._domainkey');
  expect((await run('status --verbose')).stdout).toContain('aaa._domainkey.acme.example');
});

test('the zone format holds whole records with absolute names, a shared record once', async () => {
  const { run, sandbox } = await createTestWorld({ seed, files: manifests });
  const shared = { identity: 'help@acme.example', mailFromDomain: 'bounce.acme.example' };
  addObjects(sandbox.state, { mailFrom: [shared] });
  const { stdout } = await run('status --format zone --only */acme.example MailFrom/*');
  const lines = stdout.split('\n').filter((line) => line !== '' && !line.startsWith(';'));
  expect(lines).toEqual([
    'aaa._domainkey.acme.example. 3600 IN CNAME aaa.dkim.amazonses.com.',
    'bbb._domainkey.acme.example. 3600 IN CNAME bbb.dkim.amazonses.com.',
    'ccc._domainkey.acme.example. 3600 IN CNAME ccc.dkim.amazonses.com.',
    'bounce.acme.example. 3600 IN MX 10 feedback-smtp.us-east-1.amazonses.com.',
    'bounce.acme.example. 3600 IN TXT "v=spf1 include:amazonses.com ~all"',
  ]);
});

test('nothing that a tenant answers breaks out of its line in a zone file', async () => {
  const { run, sandbox } = await createTestWorld({ seed });
  const [first, second] = sandbox.state.identities;
  if (!first || !second) throw new Error('no identities');
  first.dkimTokens = ['ok', 'x\n@ 1 IN A 6.6.6.6', 'y ; z', 'w.evil', '', `${'l'.repeat(64)}`, '$INCLUDE'];
  second.address = 'b.example\r\n$INCLUDE /etc/passwd\u2028.example';
  const { stdout, stderr } = await run('status --format zone');
  const lines = stdout.split(/[\r\n\u2028]/).filter((line) => line !== '' && !line.startsWith('; '));
  for (const line of lines) expect(line).toMatch(/^[a-z0-9._-]+\. 3600 IN (CNAME|MX|TXT) /);
  expect(stdout).not.toMatch(/^@|^\$INCLUDE|^[^;\n]*6\.6\.6\.6/m);
  expect(lines).toContain('ok._domainkey.acme.example. 3600 IN CNAME ok.dkim.amazonses.com.');
  expect(stdout.match(/^; WARNING, left out:/gm)).toHaveLength(7);
  expect(stderr).toBe('');
});

test('a text of any length is split into strings that give it back', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary-ascii', maxLength: 900 }), (value) => {
      const line = zoneLine({ type: 'TXT', name: 'a.example', value });
      const strings = [...line.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) =>
        text.replace(/\\(\d{3}|.)/g, (_all, code: string) =>
          code.length === 3 ? String.fromCharCode(Number(code)) : code,
        ),
      );
      expect(line).toMatch(/^[\x20-\x7e]*$/);
      expect(line).toMatch(/^a\.example\. 3600 IN TXT (?:"(?:[^"\\]|\\.)*" ?)+$/);
      expect(strings.join('')).toBe(value);
      expect(Math.max(...strings.map((text) => text.length))).toBeLessThanOrEqual(255);
    }),
  );
});

test('--dns tells published, missing, wrong, and no answer apart', async () => {
  const { run } = await createTestWorld({ seed, files: manifests });
  const cname = (name: string, data: string) => [{ type: 'CNAME' as const, name, data }];
  const key = (token: string, domain = 'acme.example') => `${token}._domainkey.${domain}`;
  const bounce = 'bounce.acme.example';
  const { address } = await nameServer({
    [`CNAME ${key('aaa')}`]: cname(key('aaa'), 'AAA.dkim.amazonses.com'),
    [`CNAME ${key('bbb')}`]: cname(key('bbb'), 'bbb.dkim.evil.example'),
    [`CNAME ${key('ccc')}`]: 'no such name',
    [`CNAME ${key('ddd', 'new.example')}`]: 'silence',
    [`CNAME ${key('eee', 'old.example')}`]: 'servfail',
    [`MX ${bounce}`]: [
      {
        type: 'MX',
        name: bounce,
        data: { preference: 10, exchange: 'feedback-smtp.us-east-1.amazonses.com' },
      },
    ],
    [`TXT ${bounce}`]: [
      { type: 'TXT', name: bounce, data: ['site-verification=1'] },
      { type: 'TXT', name: bounce, data: ['v=spf1 include:', 'amazonses.com ~all'] },
    ],
  });
  const dns = ['--dns', '--resolver', address, '--dns-timeout', '1s'];
  const { json } = await expectEnd(run('status --format json', ...dns), 0);
  const found = rows(json);
  const told = (name: string) => found.get(name)?.publications;
  expect(told('VerifiedDomain/acme.example')).toEqual([
    { state: 'published', found: ['aaa.dkim.amazonses.com'], detail: null },
    { state: 'wrong', found: ['bbb.dkim.evil.example'], detail: expect.any(String) },
    { state: 'missing', found: [], detail: null },
  ]);
  const unknown = (why: string) => [{ state: 'unknown', found: [], detail: expect.stringContaining(why) }];
  expect(told('VerifiedDomain/new.example')).toEqual(unknown('in time'));
  expect(told('VerifiedDomain/old.example')).toEqual(unknown('SERVFAIL'));
  expect(told('MailFrom/acme.example')).toMatchObject([{ state: 'published' }, { state: 'published' }]);

  const text = await run('status --only VerifiedDomain/acme.example', ...dns);
  expect(text.stdout).toMatch(/wrong: it points to another host, found bbb\.dkim\.evil\.example/);
  expect(text.stdout).toContain('verified  1 record with --verbose\n');
  const zone = await run('status --format zone --only VerifiedDomain/acme.example', ...dns);
  expect(zone.stdout).toContain('ccc.dkim.amazonses.com. ; missing');
});

test('a resolver that is none is refused before the tenant is asked', async () => {
  const { run, sandbox } = await createTestWorld({ seed });
  await expectEnd(run('status --resolver a:b:c'), 1, '[resolver-syntax]');
  expect(sandbox.log).toHaveLength(0);
});

async function waiting(
  limit: string,
  interval = '1ms',
  variations: Partial<Variations> = {},
): Promise<{ world: World; argv: string[] }> {
  const world = await createTestWorld({ seed, files: manifests, sandbox: { variations } });
  addObjects(world.sandbox.state, { senders: [{ email: 'missing@acme.example' }] });
  return { world, argv: ['status', '--wait', limit, '--interval', interval, '--format', 'json'] };
}

test('--wait ends when all that is declared is verified, and says what moved', async () => {
  const { world, argv } = await waiting('10m', '1ms', { verifyAfter: 3 });
  const [mailFrom] = world.sandbox.state.mailFrom;
  if (mailFrom) world.sandbox.state.mailFrom.push({ ...mailFrom, identity: 'old.example' });
  const { json, stderr } = await succeed(world, ...argv);
  expect(rows(json).get('SenderAddress/missing%40acme.example')?.verification).toBe('verified');
  expect(rows(json).get('VerifiedDomain/old.example')?.verification).toBe('failed');
  // Nobody declares it, but it was there at first.
  expect(rows(json).has('MailFrom/old.example')).toBe(true);
  expect(stderr).toMatch(
    /^Waiting up to 10m in test for MailFrom\/acme\.example \(pending\), .*missing%40acme\.example \(pending\)\.$/m,
  );
  // Told again only when it changes: both are pending at first, then one.
  expect(stderr.match(/Waiting up to/g)).toHaveLength(2);
  const asked = world.sandbox.log.filter(({ path }) => path.includes('/mail-from-attributes/help%40'));
  expect(asked).toHaveLength(1);
});

test('--wait ends with 3 at its limit, and names what is not verified', async () => {
  const { world, argv } = await waiting('30ms');
  const { json, stderr } = await expectEnd(world.run(...argv), 3);
  expect(rows(json).get('MailFrom/acme.example')?.verification).toBe('pending');
  expect(stderr).toContain('Not verified in test: MailFrom/acme.example (pending)');
  // Where manifests declare none, all that the tenant has are waited for.
  const { run } = await createTestWorld({ seed });
  await expectEnd(run('status --wait 1ms --quiet'), 3, 'SenderAddress/lost%40acme.example (FAILED)');
});

test('what is declared absent is neither missing nor waited for', async () => {
  const gone = 'kind: SenderAddress\nemail: gone@acme.example\nensure: absent\n';
  const stays = 'kind: SenderAddress\nemail: help@acme.example\n';
  const { run } = await createTestWorld({ seed, files: { 'config/mail.yaml': `${gone}---\n${stays}` } });
  const { json } = await expectEnd(run('status --wait 1s --format json'), 0);
  const found = rows(json);
  expect(found.has('SenderAddress/gone%40acme.example')).toBe(false);
  expect(found.get('SenderAddress/help%40acme.example')?.declared).toBe(true);
});

test('--wait ends when it is interrupted', async () => {
  const { world, argv } = await waiting('10m', '10m');
  const interrupt = new AbortController();
  const run = runProgram(argv, { cwd: world.dir, env: world.env, signal: interrupt.signal });
  const { log } = world.sandbox;
  // The MAIL FROM domain is the last that is read.
  const isRead = () => log.some(({ path, status }) => path.endsWith('/acme.example') && status === 200);
  await expect.poll(isRead).toBe(true);
  interrupt.abort();
  const { json } = await expectEnd(run, 130);
  expect(json).toMatchObject({ diagnostics: [{ code: 'interrupted' }] });
});

test('--wait waits without a time, and refuses what is none: a variable may not be set', async () => {
  const files = { 'config/a.yaml': 'kind: SenderAddress\nemail: help@acme.example\n' };
  const { run, sandbox } = await createTestWorld({ seed, files });
  const empty = 'The value of --wait is empty';
  await expectEnd(run('status --wait='), 1, empty);
  await expectEnd(run('status', '--wait', ''), 1, empty);
  for (const time of ['soon', '0s', '-1m'])
    await expectEnd(run('status', `--wait=${time}`), 1, 'duration-syntax');
  expect(sandbox.log).toHaveLength(0);
  for (const options of ['--wait', '--wait --format json'])
    expect((await succeed({ run }, `status ${options}`)).stderr).not.toContain('error');
});

test('a read that fails is told as JSON, and no identity is taken for absent', async () => {
  const { run, sandbox } = await createTestWorld({ seed, files: manifests });
  sandbox.faults.add({ kind: 'status', status: 403, path: '/v2025/verified-from-addresses', times: 9 });
  const { json } = await expectEnd(run('status --format json'), 1);
  expect(json).toMatchObject({ diagnostics: [{ code: 'tenant-forbidden' }] });
});

test('a glob of objects that need no verification is no mistake, and shows nothing', async () => {
  const files = { 'config/a.yaml': 'kind: SimIntegration\nname: Desk\ntype: Jira\n' };
  const { run } = await createTestWorld({ seed, files });
  const { code, stdout, stderr } = await run('status --only SimIntegration/*');
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'No sender, domain or MAIL FROM domain to show.\n' });
  expect(stderr).not.toContain('unmatched-glob');
  expect((await run('status --only SimIntegration/Other*')).stderr).toContain('unmatched-glob');
});
