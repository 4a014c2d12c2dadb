/** Where case counts for the lint, and where it does not. */
import { describe, expect, it } from 'vitest';
import type { Resource } from '../../src/kinds/resource.ts';
import { type LintKnowledge, lint, sendersIn } from '../../src/lint/index.ts';
import { liveFrom, resource } from '../support/plan.ts';

const template = (fields: Record<string, string>) =>
  resource('NotificationTemplate', ['welcome', 'EMAIL', 'en'], fields);
const codes = (resources: readonly Resource[], known: LintKnowledge | null = null) =>
  lint({ resources, known, levels: {} }).map(({ code }) => code);

describe('a sender', () => {
  const declared = (kind: string, name: string) => resource(kind, [name]);

  it.each([
    ['Help@Acme.example', 'hELP@aCME.EXAMPLE'],
    ['help@acme.example', 'HELP@ACME.EXAMPLE'],
    ['HELP@acme.example', 'Help desk <help@ACME.example>'],
    ['help@bücher.example', 'Help desk <help@xn--bcher-kva.example>'],
    ['help@xn--bcher-kva.example', 'help@Bücher.example'],
  ])('%s is known as %s', (sender, from) => {
    expect(codes([declared('SenderAddress', sender), template({ from })])).toEqual([]);
    expect(codes([template({ replyTo: from })], { senders: [sender], verifiedDomains: [] })).toEqual([]);
  });

  it('is known by its domain, declared or verified, and by a domain above', () => {
    const twin = { senders: [], verifiedDomains: ['xn--bcher-kva.example'] };
    expect(codes([template({ from: 'any@mail.bücher.example' })], twin)).toEqual([]);
    const known = { senders: [], verifiedDomains: ['ACME.example'] };
    for (const from of ['any@acme.EXAMPLE', 'any@Mail.Acme.Example']) {
      expect(codes([template({ from })], known)).toEqual([]);
      const asked = { senders: ['x@y.example'], verifiedDomains: [] };
      expect(codes([declared('VerifiedDomain', 'Acme.Example'), template({ from })], asked)).toEqual([]);
    }
  });

  it.each(['other@acme.example', 'help@evil-acme.example', 'help@example', 'acme.example', 'help'])(
    'does not make %s known',
    (from) => {
      const known = { senders: ['help@acme.example'], verifiedDomains: [] };
      expect(codes([template({ from })], known)).toEqual(['unknown-sender']);
    },
  );

  it('in a domain of a similar name is unknown', () => {
    const known = { senders: [], verifiedDomains: ['acme.example'] };
    expect(codes([template({ from: 'a@evilacme.example' })], known)).toEqual(['unknown-sender']);
    expect(codes([template({ from: 'a@acme.example.evil' })], known)).toEqual(['unknown-sender']);
  });

  it('of the tenant counts while its verification has not failed, a domain once it has succeeded', () => {
    const sender = (email: string, verificationStatus: string) =>
      liveFrom({ kind: 'SenderAddress', raw: { id: email, email, verificationStatus } });
    const domain = (name: string, dkimVerificationStatus: string) =>
      liveFrom({ kind: 'VerifiedDomain', raw: { id: name, address: name, dkimVerificationStatus } });
    expect(
      sendersIn(
        [
          sender('a@x.example', 'SUCCESS'),
          sender('b@x.example', 'PENDING'),
          sender('C@x.example', 'FAILED'),
          sender('D@x.example', 'SUCCESS'),
          domain('x.example', 'SUCCESS'),
          domain('y.example', 'PENDING'),
        ],
        new Set(['d@x.example']),
      ),
    ).toEqual({
      senders: ['a@x.example', 'b@x.example'],
      verifiedDomains: ['x.example'],
      unusable: new Map([
        ['c@x.example', 'a sender of the tenant whose verification has failed'],
        ['d@x.example', 'a sender that this plan deletes'],
      ]),
    });
  });
});

describe('a MAIL FROM domain', () => {
  const mailFrom = (identity: string, mailFromDomain: string) =>
    codes([resource('MailFrom', [identity], { mailFromDomain })]);

  it('is a subdomain in any case', () => {
    expect(mailFrom('Help@Acme.example', 'BOUNCE.acme.EXAMPLE')).toEqual([]);
    expect(mailFrom('ACME.example', 'bounce.acme.example')).toEqual([]);
  });

  it('is neither the domain itself nor one that only ends like it', () => {
    for (const domain of ['acme.example', 'evilacme.example', 'bounce.other.example']) {
      expect(mailFrom('help@acme.example', domain)).toEqual(['mail-from-domain']);
    }
  });
});

describe('a variable', () => {
  const known: LintKnowledge = {
    defaults: [
      liveFrom({
        kind: 'NotificationTemplate',
        raw: { key: 'welcome', medium: 'EMAIL', locale: 'en', subject: '$userName' },
      }),
    ],
    context: ['productName'],
  };

  it('is another one in another case: the tenant would print its name', () => {
    expect(codes([template({ subject: '$userName $productName' })], known)).toEqual([]);
    expect(codes([template({ subject: '$UserName' })], known)).toEqual(['unknown-variable']);
    expect(codes([template({ subject: '$ProductName' })], known)).toEqual(['unknown-variable']);
    expect(codes([template({ subject: '$__global.ProductName' })], known)).toEqual(['unknown-variable']);
    expect(codes([template({ subject: '#set($Mine = 1)$mine' })], known)).toEqual(['unknown-variable']);
  });
});
