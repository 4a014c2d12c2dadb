import { describe, expect, it } from 'vitest';
import { openIdentities, verificationOf } from '../../src/engine/status.ts';
import { domainOf, undocumentedState } from '../../src/kinds/verified-domain.ts';
import type { IdentityStatus } from '../../src/model/documents.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';

const settings = { dkimSuffix: 'dkim.amazonses.com' };
const of = (kind: IdentityStatus['kind'], name: string, answer: JsonObject) =>
  verificationOf(kind, name, answer, settings);
const fieldOf = {
  VerifiedDomain: 'dkimVerificationStatus',
  MailFrom: 'mailFromDomainStatus',
  SenderAddress: 'verificationStatus',
};

describe('the state of a verification', () => {
  it.each([
    ['SUCCESS', 'verified'],
    ['success', 'verified'],
    ['NA', 'not-needed'],
    ['PENDING', 'pending'],
    ['NOT_STARTED', 'pending'],
    ['TEMPORARY_FAILURE', 'pending'],
    ['FAILED', 'failed'],
    ['SOMETHING_NEW', 'unknown'],
    ['constructor', 'unknown'],
    ['', 'unknown'],
    [null, 'unknown'],
  ])('%s is %s, for each kind', (reported, verification) => {
    for (const kind of ['VerifiedDomain', 'MailFrom', 'SenderAddress'] as const) {
      const facts = of(kind, 'a.example', { [fieldOf[kind]]: reported });
      expect(facts).toMatchObject({ verification, reported });
      if (verification === 'verified') expect(facts.remarks).toEqual([]);
    }
  });

  it('is read from the field of its own kind only', () => {
    expect(of('MailFrom', 'a', { verificationStatus: 'SUCCESS' }).verification).toBe('unknown');
  });
});

describe('what to do', () => {
  it.each<[IdentityStatus['kind'], string, RegExp]>([
    ['VerifiedDomain', 'PENDING', /^Publish the CNAME records/],
    ['VerifiedDomain', 'FAILED', /did not find the CNAME records in time/],
    ['MailFrom', 'PENDING', /^Publish the MX and TXT records/],
    ['MailFrom', 'FAILED', /did not find the MX record in time/],
    ['SenderAddress', 'PENDING', /^Follow the link in the verification e-mail/],
    ['SenderAddress', 'FAILED', /was not followed in time/],
  ])('about a %s that is %s', (kind, reported, advice) => {
    expect(of(kind, 'a.example', { [fieldOf[kind]]: reported }).remarks).toEqual([
      expect.stringMatching(advice),
    ]);
  });
});

it('nothing is left to wait for once an object is verified or needs no verification', () => {
  const states = ['verified', 'not-needed', 'pending', 'failed', 'absent', 'unknown'] as const;
  const identities = states.map((verification) => missing(verification));
  const left = openIdentities({ identities }).map(({ verification }) => verification);
  expect(left).toEqual(['pending', 'failed', 'absent', 'unknown']);
});

const missing = (verification: IdentityStatus['verification']): IdentityStatus => ({
  address: 'VerifiedDomain/a.example',
  kind: 'VerifiedDomain',
  name: 'a.example',
  declared: true,
  verification,
  reported: null,
  mailFromDomain: null,
  remarks: [],
  records: [],
  refused: [],
});

it('a sender in a verified domain is verified, whatever its own state', () => {
  const answer = { verificationStatus: 'PENDING', isVerifiedByDomain: true };
  expect(of('SenderAddress', 'a@a.example', answer)).toMatchObject({
    verification: 'verified',
    reported: 'PENDING',
    remarks: ['Verified by its domain.'],
  });
  expect(of('SenderAddress', 'a@a.example', { ...answer, isVerifiedByDomain: 'true' }).verification).toBe(
    'pending',
  );
  expect(of('MailFrom', 'a', { mailFromDomainStatus: 'FAILED', isVerifiedByDomain: true }).verification).toBe(
    'failed',
  );
});

it('a domain says where signing is switched off', () => {
  const answer = { dkimVerificationStatus: 'SUCCESS', dkimEnabled: false };
  expect(of('VerifiedDomain', 'a.example', answer).remarks).toEqual(['DKIM signing is switched off.']);
  expect(of('VerifiedDomain', 'a.example', { ...answer, dkimEnabled: true }).remarks).toEqual([]);
  expect(of('MailFrom', 'a', { mailFromDomainStatus: 'SUCCESS', dkimEnabled: false }).remarks).toEqual([]);
});

it('each kind shows the records to publish', () => {
  const domain = of('VerifiedDomain', 'a.example', { dkimTokens: ['x', 'no token'] });
  expect(domain.records).toMatchObject([{ name: 'x._domainkey.a.example' }]);
  expect(domain.refused).toHaveLength(1);
  expect(domain.mailFromDomain).toBeNull();
  const mail = of('MailFrom', 'a@a.example', {
    mailFromDomain: 'b.a.example',
    mxRecord: '10 m.example',
    txtRecord: 'v=spf1',
  });
  expect(mail).toMatchObject({ mailFromDomain: 'b.a.example', refused: [] });
  expect(mail.records.map(({ type }) => type)).toEqual(['MX', 'TXT']);
  const sender = of('SenderAddress', 'a@a.example', { mailFromDomain: 'x', dkimTokens: ['x'] });
  expect(sender).toMatchObject({ records: [], refused: [], mailFromDomain: null });
});

describe('a state that only the mail provider knows', () => {
  it.each([
    ['NotStarted', 'pending', 'The mail provider has not started to verify it.'],
    ['NOT_STARTED', 'pending', 'The mail provider has not started to verify it.'],
    ['not started', 'unknown', null],
    ['Not Started', 'pending', 'The mail provider has not started to verify it.'],
    ['TemporaryFailure', 'pending', 'The mail provider could not look up the records, and will try again.'],
    ['Temporary-Failure', 'pending', 'The mail provider could not look up the records, and will try again.'],
    ['Success', 'verified', null],
    ['Pending', 'pending', null],
  ])('%s is %s, and says so', (reported, verification, remark) => {
    const facts = of('VerifiedDomain', 'a.example', { dkimVerificationStatus: reported });
    expect(facts.verification).toBe(verification);
    expect(undocumentedState(reported)).toBe(remark);
    const isTold = facts.remarks.some((each) => each === remark);
    expect(isTold).toBe(remark !== null);
  });

  it('is none where the tenant says none', () => {
    expect(undocumentedState(null)).toBeNull();
    expect(undocumentedState('')).toBeNull();
  });
});

/** As a record has it; nothing for a text that is no name. */
const nameOf = (mailFromDomain: string) =>
  of('MailFrom', 'a', { mailFromDomain, txtRecord: 'v=spf1' }).records[0]?.name;

describe('a DNS name', () => {
  it.each([
    ['acme.example', 'acme.example'],
    ['ACME.Example.', 'acme.example'],
    // No number is read out of a name.
    ['0x7f.1', '0x7f.1'],
    ['_domainkey.acme.example', '_domainkey.acme.example'],
    ['bücher.example', 'xn--bcher-kva.example'],
    [`${'a'.repeat(63)}.example`, `${'a'.repeat(63)}.example`],
  ])('%s is %s', (text, expected) => {
    expect(nameOf(text)).toBe(expected);
  });

  it.each([
    '',
    '.',
    'example',
    'a..example',
    '.example',
    'acme.example..',
    '-a.example',
    'a-.example',
    'a b.example',
    'a.example\n',
    'acme\n.example',
    'münchen\u2028.example',
    'a\u0000.example',
    'a\u00a0.example',
    'a;b.example',
    'a".example',
    `${'a'.repeat(64)}.example`,
  ])('%j is none', (text) => {
    expect(nameOf(text)).toBeUndefined();
  });

  it('has at most 253 signs', () => {
    const name = (length: number) => `${'a.'.repeat(120)}${'b'.repeat(length - 240)}`;
    expect(nameOf(name(253))).toHaveLength(253);
    expect(nameOf(name(254))).toBeUndefined();
  });
});

it('the domain of an identity is what follows the last @, in lower case', () => {
  expect(domainOf('Help@Acme.Example')).toBe('acme.example');
  expect(domainOf('"a@b"@acme.example')).toBe('acme.example');
  expect(domainOf('ACME.example')).toBe('acme.example');
});

describe('the records of a domain', () => {
  const recordsOf = (dkimTokens: Json, domain = 'Acme.example', dkimSuffix = 'dkim.amazonses.com') => {
    const { records, refused } = verificationOf('VerifiedDomain', domain, { dkimTokens }, { dkimSuffix });
    return { records, refused };
  };

  it('are a CNAME for each token, once', () => {
    expect(recordsOf(['Abc', 'x-1', 'abc'])).toEqual({
      records: [
        { type: 'CNAME', name: 'abc._domainkey.acme.example', value: 'abc.dkim.amazonses.com' },
        { type: 'CNAME', name: 'x-1._domainkey.acme.example', value: 'x-1.dkim.amazonses.com' },
      ],
      refused: [],
    });
  });

  it.each([['a b'], ['a\nb'], ['a.b'], [''], [7], [null], ['-a']])(
    'lack the token %j, and say so',
    (token) => {
      const { records, refused } = recordsOf(['good', token]);
      expect(records).toHaveLength(1);
      expect(refused).toEqual([`The DKIM token ${JSON.stringify(token)} cannot be part of a DNS name.`]);
    },
  );

  it.each([[[]], [null], ['abc']])('are none where the tokens are %j', (tokens) => {
    expect(recordsOf(tokens)).toEqual({ records: [], refused: ['The tenant shows no DKIM tokens.'] });
  });

  it('are refused where the domain is no DNS name', () => {
    expect(recordsOf(['a'], 'no domain').refused).toEqual(['The domain "no domain" is not a DNS name.']);
    expect(recordsOf(['a'], `${'x'.repeat(300)}`).refused[0]).toHaveLength(
      'The domain "" is not a DNS name.'.length + 200,
    );
  });

  it('are refused where the name would become too long', () => {
    expect(recordsOf(['a'.repeat(60)], `${'a.'.repeat(100)}example`).refused).toHaveLength(1);
  });
});

describe('the records of a MAIL FROM domain', () => {
  const recordsOf = (
    mxRecord: string | null,
    txtRecord: string | null,
    mailFromDomain: string | null = 'Bounce.acme.example',
  ) => {
    const { records, refused } = of('MailFrom', 'a', { mailFromDomain, mxRecord, txtRecord });
    return { records, refused };
  };
  const [mx, txt] = ['10 feedback.example', 'v=spf1 include:x.example ~all'];
  const name = 'bounce.acme.example';

  it('are one MX and one TXT record', () => {
    expect(recordsOf(mx, txt)).toEqual({
      records: [
        { type: 'MX', name, priority: 10, value: 'feedback.example' },
        { type: 'TXT', name, value: txt },
      ],
      refused: [],
    });
  });

  it.each([
    [' 10  Feedback.example. ', 10, 'feedback.example'],
    ['0 a.example', 0, 'a.example'],
    ['65535 a.example', 65_535, 'a.example'],
  ])('take the MX record %j', (text, priority, value) => {
    expect(recordsOf(text, txt).records[0]).toEqual({ type: 'MX', name, priority, value });
  });

  it.each([
    '65536 a.example',
    'a.example',
    '10',
    '10 nohost',
    '10 a.example x',
    '10 a.example. ; x',
    'x10 a.example',
    '',
    '100000 a.example',
  ])('refuse the MX record %j', (text) => {
    const { records, refused } = recordsOf(text, txt);
    expect(records.map(({ type }) => type)).toEqual(['TXT']);
    expect(refused).toEqual([`The MX record ${JSON.stringify(text)} is not valid.`]);
  });

  it.each([
    ['"v=spf1 -all"', 'v=spf1 -all'],
    ['  v=spf1 -all  ', 'v=spf1 -all'],
    ['"a" "b"', '"a" "b"'],
    ['x'.repeat(2000), 'x'.repeat(2000)],
    ['~ to {', '~ to {'],
  ])('take the TXT record %j', (text, value) => {
    expect(recordsOf(mx, text).records[1]).toEqual({ type: 'TXT', name, value });
  });

  it.each(['', '   ', '""', 'a\nb', 'grüße', 'v=spf1 \u202e', 'a\tb', 'x'.repeat(2001)])(
    'refuse the TXT record %j',
    (text) => {
      const { records, refused } = recordsOf(mx, text);
      expect(records.map(({ type }) => type)).toEqual(['MX']);
      expect(refused[0]).toMatch(/^The TXT record .* is not plain text\.$/);
    },
  );

  it('are refused where records are missing or the domain is none', () => {
    expect(recordsOf(null, null)).toMatchObject({
      records: [],
      refused: [/MX/, /TXT/].map((text) => expect.stringMatching(text)),
    });
    expect(recordsOf(mx, txt, 'no domain')).toEqual({
      records: [],
      refused: ['The MAIL FROM domain "no domain" is not a DNS name.'],
    });
    expect(recordsOf(mx, txt, null).refused).toEqual(['The MAIL FROM domain "" is not a DNS name.']);
  });
});
