import { describe, expect, it } from 'vitest';
import {
  changeOutcomes,
  countOutcomes,
  exitCodeOf,
  hasChanges,
  isRefused,
  recordText,
} from '../../src/model/documents.ts';
import {
  ExitCode,
  Failure,
  fail,
  interruption,
  noteOverlay,
  systemCode,
  systemFailure,
  unreadableFile,
  unwritableFile,
} from '../../src/model/failure.ts';
import { lintRules } from '../../src/model/lint.ts';
import { endpointOf, isAllowed, parseAllowedHost } from '../../src/model/tenant.ts';
import { change } from '../report/fixtures.ts';

describe('the exit code', () => {
  it.each([
    ['done', 0],
    ['partial', 3],
    ['interrupted', 130],
    ['refused', 4],
  ] as const)('of a run that is %s is %i', (outcome, code) => expect(exitCodeOf({ outcome })).toBe(code));

  it('of a failure is 1 unless it says otherwise', () => {
    expect(fail('code', 'Why.').exitCode).toBe(1);
    expect(fail('code', 'Why.', {}, ExitCode.refused).exitCode).toBe(4);
    expect(interruption().exitCode).toBe(130);
    expect(new Failure(interruption().diagnostics).exitCode).toBe(130);
    expect(interruption().diagnostics).toMatchObject([{ code: 'interrupted', message: 'Interrupted.' }]);
  });
});

it('a failure carries its diagnostics, and their messages as its own', () => {
  const one = fail('a', 'First.', { hint: 'Do this.' });
  expect(one.diagnostics).toEqual([{ code: 'a', severity: 'error', message: 'First.', hint: 'Do this.' }]);
  const both = new Failure([...one.diagnostics, ...fail('b', 'Second.').diagnostics]);
  expect(both).toMatchObject({ message: 'First.\nSecond.', name: 'Failure' });
});

it('a plan with an error is refused, one with a warning is not', () => {
  const warning = { code: 'w', severity: 'warning', message: '' } as const;
  expect(isRefused({ diagnostics: [warning] })).toBe(false);
  expect(isRefused({ diagnostics: [warning, { ...warning, severity: 'error' }] })).toBe(true);
  expect(hasChanges({ changes: [] })).toBe(false);
  expect(hasChanges({ changes: [change({ address: 'SenderAddress/x', action: 'manual' })] })).toBe(true);
});

it('each outcome is counted by itself', () => {
  const counts = { done: 1, failed: 2, skipped: 3, notAttempted: 4, unknown: 5 } as const;
  const changes = changeOutcomes.flatMap((outcome) =>
    Array.from({ length: counts[outcome] }, () => ({ outcome })),
  );
  expect(countOutcomes(changes.toReversed())).toEqual(counts);
  expect(countOutcomes([])).toEqual({ done: 0, failed: 0, skipped: 0, notAttempted: 0, unknown: 0 });
});

it('a message about a value of an overlay says so before its full stop', () => {
  expect(noteOverlay('`a.b` is no name.', true)).toBe('`a.b` is no name (set by this overlay).');
  expect(noteOverlay('`a.b` is no name.', false)).toBe('`a.b` is no name.');
});

it('a DNS record is written as zone files write it', () => {
  const name = 'x.example';
  expect(recordText({ type: 'MX', name, priority: 10, value: 'mail.example' })).toBe('10 mail.example');
  expect(recordText({ type: 'TXT', name, value: 'v=spf1' })).toBe('v=spf1');
  expect(recordText({ type: 'CNAME', name, value: 'y.example' })).toBe('y.example');
});

it('a finding of the lint is an error exactly where the tenant would refuse the object', () => {
  const errors = Object.entries(lintRules).flatMap(([code, { level }]) => (level === 'error' ? [code] : []));
  expect(errors).toEqual([
    'rule-operator',
    'rule-value',
    'unknown-attribute',
    'unknown-profile-type',
    'mail-from-domain',
  ]);
  expect(lintRules['plain-credential']).toMatchObject({ level: 'warning', embedded: 'off' });
  expect(lintRules['missing-locale'].level).toBe('info');
  for (const { means } of Object.values(lintRules)) expect(means).toMatch(/^[A-Z`#].*\.$/);
});

describe('an error of the operating system', () => {
  const systemError = (code: string, more = {}) => Object.assign(new Error(code), { code, ...more });

  it('has a code, other errors have none', () => {
    expect(systemCode(systemError('EACCES'))).toBe('EACCES');
    expect(systemCode(new Error('x'))).toBeNull();
    expect(systemCode({ code: 'ENOENT' })).toBeNull();
    expect(systemCode(Object.assign(new Error('x'), { code: 7 }))).toBeNull();
    expect(systemCode(null)).toBeNull();
  });

  it.each([
    ['ENOENT', 'file-not-found', 'There is no file a.yaml.'],
    ['ENOTDIR', 'file-not-found', 'There is no file a.yaml.'],
    ['EACCES', 'file-unreadable', 'a.yaml cannot be read (EACCES).'],
  ])('%s while reading is %s', (code, expected, message) =>
    expect(unreadableFile('a.yaml', systemError(code)).diagnostics).toMatchObject([
      { code: expected, message },
    ]),
  );

  it('says what the caller knows to do only where the file is missing', () => {
    const missing = unreadableFile('a.yaml', systemError('ENOENT'), 'Run `tenantctl init`.');
    expect(missing.diagnostics).toMatchObject([{ hint: 'Run `tenantctl init`.' }]);
    expect(unreadableFile('a.yaml', systemError('ENOENT')).diagnostics[0]).not.toHaveProperty('hint');
    const unreadable = unreadableFile('a.yaml', systemError('EIO'), 'Run `tenantctl init`.');
    expect(unreadable.diagnostics[0]).not.toHaveProperty('hint');
  });

  it('without a code is quoted', () => {
    expect(unreadableFile('a', new Error('odd')).message).toBe('a cannot be read (Error: odd).');
    expect(unwritableFile('a', new Error('odd')).message).toBe('The file a cannot be written (Error: odd).');
  });

  it.each([
    ['EEXIST', 'mkdir', 'A file is in the way'],
    ['ENOTDIR', 'mkdir', 'A file is in the way'],
    ['EACCES', 'mkdir', 'change who may use this one'],
    ['EISDIR', 'open', 'It is a folder'],
    ['ENOSPC', 'write', 'The disk is full'],
  ])('%s of %s while writing is told with what to do: %s', (code, syscall, hint) => {
    const [found] = unwritableFile('a/b', systemError(code, { syscall })).diagnostics;
    expect(found).toMatchObject({
      code: 'unwritable-file',
      message: `The file a/b cannot be written (${code}).`,
    });
    expect(found?.hint).toContain(hint);
  });

  it('says what to do about a file that may not be read', () => {
    const [found] = unreadableFile('a', systemError('EACCES')).diagnostics;
    expect(found?.hint).toContain('change who may use this one');
  });

  it.each([
    ['EADDRINUSE', 'listen', 'Choose another port'],
    ['EACCES', 'listen', 'Choose another port'],
  ])('%s of %s is told with what to do: %s', (code, syscall, hint) => {
    const [found] = systemFailure(systemError(code, { syscall }))?.diagnostics ?? [];
    expect(found).toMatchObject({ code: 'system', hint: expect.stringContaining(hint) });
  });

  it('is only what the operating system says', () => {
    expect(systemFailure(new Error('odd'))).toBeNull();
    expect(systemFailure('odd')).toBeNull();
  });
});

it.each<[string, string, boolean]>([
  ['acme.example', 'https://acme.example/v2025', true],
  ['ACME.Example', 'https://acme.example', true],
  ['acme.example.', 'https://acme.example', true],
  ['acme.example', 'https://ACME.example.', true],
  ['acme.example', 'https://acme.example:443', true],
  ['acme.example:443', 'https://acme.example', true],
  ['acme.example:0443', 'https://acme.example', true],
  ['acme.example', 'https://acme.example:8443', false],
  ['acme.example:8443', 'https://acme.example:8443', true],
  ['acme.example:8443', 'https://acme.example', false],
  ['acme.example:443', 'http://acme.example', false],
  ['acme.example:80', 'http://acme.example', true],
  ['acme.example', 'https://eu.acme.example', false],
  ['acme.example', 'https://acme.example.evil.example', false],
  ['acme.example', 'https://evil-acme.example', false],
  ['[::1]', 'http://[::1]', true],
  ['[::1]:8080', 'http://[0:0:0:0:0:0:0:1]:8080', true],
  ['[::1]', 'http://[::1]:8080', false],
  ['127.0.0.1', 'http://127.0.0.1', true],
  ['bücher.example', 'https://xn--bcher-kva.example', true],
])('%s in the list and the address %s: %s', (entry, url, allowed) => {
  const host = parseAllowedHost(entry);
  expect(host).not.toBeNull();
  expect(isAllowed(host ? [host] : [], url)).toBe(allowed);
});

it.each([
  ...['', 'a b', ' acme.example', 'acme.example '],
  ...'https://acme.example *.acme.example acme.* acme.example/v2025 me@acme.example acme.example?x'.split(
    ' ',
  ),
  ...'acme.example#x acme: acme:123456 acme:80x x:80:90 ::1 [::1 ::1] [] [acme.example] [::1]x %'.split(' '),
])('%j is no host', (entry) => expect(parseAllowedHost(entry)).toBeNull());

it('one of several hosts is enough, and an empty list allows none', () => {
  const hosts = ['a.example', 'b.example:99999'].flatMap((text) => parseAllowedHost(text) ?? []);
  expect(hosts).toEqual([
    { name: 'a.example', port: null },
    { name: 'b.example', port: '99999' },
  ]);
  expect(isAllowed(hosts, 'https://a.example')).toBe(true);
  expect(isAllowed(hosts, 'https://c.example')).toBe(false);
  expect(isAllowed([], 'https://a.example')).toBe(false);
});

it.each<[string, string, boolean]>([
  ['https://acme.example', 'https://ACME.example.:443/', true],
  ['https://acme.example/a', 'https://acme.example/b', false],
  ['https://acme.example', 'https://acme.example:8443', false],
  ...['0.0.0.0', 'a.localhost', '127.1.2.3', '[::1]', '[::]', '[::ffff:127.0.0.1]'].map(
    (host): [string, string, boolean] => ['http://localhost', `http://${host}:80`, true],
  ),
])('%s and %s lead to one tenant: %s', (one, other, isSame) =>
  expect(endpointOf(one) === endpointOf(other)).toBe(isSame),
);
