import { describe, expect, it } from 'vitest';
import { dkimRecords, dnsName, mailFromRecords } from '../../src/engine/status.ts';
import { domainOf } from '../../src/model/status.ts';

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
    expect(dnsName(text)).toBe(expected);
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
    'a\u0000.example',
    'a\u00a0.example',
    'a\u2028.example',
    'a;b.example',
    'a".example',
    `${'a'.repeat(64)}.example`,
  ])('%j is none', (text) => {
    expect(dnsName(text)).toBeNull();
  });

  it('has at most 253 signs', () => {
    const name = (length: number) => `${'a.'.repeat(120)}${'b'.repeat(length - 240)}`;
    expect(dnsName(name(253))).toHaveLength(253);
    expect(dnsName(name(254))).toBeNull();
  });
});

it('the domain of an identity is what follows the last @, in lower case', () => {
  expect(domainOf('Help@Acme.Example')).toBe('acme.example');
  expect(domainOf('"a@b"@acme.example')).toBe('acme.example');
  expect(domainOf('ACME.example')).toBe('acme.example');
});

describe('the records of a domain', () => {
  const of = (dkimTokens: unknown, domain = 'Acme.example', suffix = 'dkim.amazonses.com') =>
    dkimRecords(domain, JSON.parse(JSON.stringify({ dkimTokens })), suffix);

  it('are a CNAME for each token, once', () => {
    expect(of(['Abc', 'x-1', 'abc'])).toEqual({
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
      const { records, refused } = of(['good', token]);
      expect(records).toHaveLength(1);
      expect(refused).toEqual([`The DKIM token ${JSON.stringify(token)} cannot be part of a DNS name.`]);
    },
  );

  it.each([[[]], [null], ['abc'], [undefined]])('are none where the tokens are %j', (tokens) => {
    expect(of(tokens)).toEqual({ records: [], refused: ['The tenant shows no DKIM tokens.'] });
  });

  it('are refused where the domain or the suffix is no DNS name', () => {
    expect(of(['a'], 'no domain').refused).toEqual(['The domain "no domain" is not a DNS name.']);
    expect(of(['a'], 'a.example', 'x').refused).toEqual(['The setting dkimSuffix "x" is not a DNS name.']);
    expect(of(['a'], `${'x'.repeat(300)}`).refused[0]).toHaveLength(
      'The domain  is not a DNS name.'.length + 200,
    );
  });

  it('are refused where the name would become too long', () => {
    expect(of(['a'.repeat(60)], `${'a.'.repeat(100)}example`).refused).toHaveLength(1);
  });
});

describe('the records of a MAIL FROM domain', () => {
  const of = (mxRecord: string | null, txtRecord: string | null, mailFromDomain = 'Bounce.acme.example') =>
    mailFromRecords({ mailFromDomain, mxRecord, txtRecord });
  const [mx, txt] = ['10 feedback.example', 'v=spf1 include:x.example ~all'];
  const name = 'bounce.acme.example';

  it('are one MX and one TXT record', () => {
    expect(of(mx, txt)).toEqual({
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
    expect(of(text, txt).records[0]).toEqual({ type: 'MX', name, priority, value });
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
    const { records, refused } = of(text, txt);
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
    expect(of(mx, text).records[1]).toEqual({ type: 'TXT', name, value });
  });

  it.each(['', '   ', '""', 'a\nb', 'grüße', 'a\u202e', 'a\tb', 'x'.repeat(2001)])(
    'refuse the TXT record %j',
    (text) => {
      const { records, refused } = of(mx, text);
      expect(records.map(({ type }) => type)).toEqual(['MX']);
      expect(refused[0]).toMatch(/^The TXT record .* is not plain text\.$/);
    },
  );

  it('are refused where records are missing or the domain is none', () => {
    expect(of(null, null)).toMatchObject({
      records: [],
      refused: [/MX/, /TXT/].map((text) => expect.stringMatching(text)),
    });
    expect(of(mx, txt, 'no domain')).toEqual({
      records: [],
      refused: ['The MAIL FROM domain "no domain" is not a DNS name.'],
    });
    expect(mailFromRecords({}).refused).toEqual(['The MAIL FROM domain "" is not a DNS name.']);
  });
});
