import { describe, expect, it } from 'vitest';
import { verificationOf } from '../../src/engine/status.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { undocumentedState, type VerifiedKind } from '../../src/model/status.ts';

const settings = { dkimSuffix: 'dkim.amazonses.com' };
const of = (kind: VerifiedKind, name: string, answer: JsonObject) =>
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
      expect(of(kind, 'a.example', { [fieldOf[kind]]: reported })).toMatchObject({ verification, reported });
    }
  });

  it('is read from the field of its own kind only', () => {
    expect(of('MailFrom', 'a', { verificationStatus: 'SUCCESS' }).verification).toBe('unknown');
  });
});

describe('what to do', () => {
  it.each<[VerifiedKind, string, RegExp]>([
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

  it('is nothing once it is verified', () => {
    for (const kind of ['VerifiedDomain', 'MailFrom', 'SenderAddress'] as const) {
      expect(of(kind, 'a.example', { [fieldOf[kind]]: 'SUCCESS' }).remarks).toEqual([]);
    }
  });
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
