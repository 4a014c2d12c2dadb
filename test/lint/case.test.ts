/** Where case counts for the lint, and where it does not. */
import { describe, expect, it } from 'vitest';
import { lint } from '../../src/lint/index.ts';
import { resource } from '../support/plan.ts';
import { codes, liveDomain, liveSender, standard, template } from './support.ts';

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
    expect(codes([template({ replyTo: from })], { senders: [liveSender(sender)] })).toEqual([]);
  });

  it('is known by its domain, declared or verified, and by a domain above', () => {
    const twin = { senders: [liveDomain('xn--bcher-kva.example')] };
    expect(codes([template({ from: 'any@mail.bücher.example' })], twin)).toEqual([]);
    const known = { senders: [liveDomain('ACME.example')] };
    for (const from of ['any@acme.EXAMPLE', 'any@Mail.Acme.Example']) {
      expect(codes([template({ from })], known)).toEqual([]);
      const asked = { senders: [liveSender('x@y.example')] };
      expect(codes([declared('VerifiedDomain', 'Acme.Example'), template({ from })], asked)).toEqual([]);
    }
  });

  it.each(['other@acme.example', 'help@evil-acme.example', 'help@example', 'acme.example', 'help'])(
    'does not make %s known',
    (from) => {
      const known = { senders: [liveSender('help@acme.example')] };
      expect(codes([template({ from })], known)).toEqual(['unknown-sender']);
    },
  );

  it('in a domain of a similar name is unknown', () => {
    const known = { senders: [liveDomain('acme.example')] };
    expect(codes([template({ from: 'a@evilacme.example' })], known)).toEqual(['unknown-sender']);
    expect(codes([template({ from: 'a@acme.example.evil' })], known)).toEqual(['unknown-sender']);
  });

  it.each([
    ['counts', 'a@x.example', [liveSender('a@x.example')], null],
    ['counts while nobody has verified it', 'a@x.example', [liveSender('a@x.example', 'PENDING')], null],
    ['counts once its domain is verified', 'a@x.example', [liveDomain('x.example')], null],
    [
      'does not count before its domain is verified',
      'a@x.example',
      [liveDomain('x.example', 'PENDING')],
      'not a declared sender, nor a usable one of the tenant',
    ],
    [
      'does not count when its verification has failed',
      'a@x.example',
      [liveSender('A@x.example', 'FAILED')],
      'not a declared sender, nor a usable one of the tenant',
    ],
    [
      'does not count when the plan deletes it',
      'd@x.example',
      [liveSender('D@x.example')],
      'not a declared sender, nor a usable one of the tenant',
    ],
  ])('of the tenant %s', (_name, from, senders, why) => {
    const known = { senders, deleted: new Set(['d@x.example']) };
    expect(
      lint({ resources: [template({ from })], known, levels: {} }).map(({ message }) => message),
    ).toEqual(why === null ? [] : [`\`from\`: ${from} is ${why}, and its domain is not verified.`]);
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
  const known = { defaults: [standard({ subject: '$userName' })], context: ['productName'] };

  it('is another one in another case: the tenant would print its name', () => {
    expect(codes([template({ subject: '$userName $productName' })], known)).toEqual([]);
    expect(codes([template({ subject: '$UserName' })], known)).toEqual(['unknown-variable']);
    expect(codes([template({ subject: '$ProductName' })], known)).toEqual(['unknown-variable']);
    expect(codes([template({ subject: '$__global.ProductName' })], known)).toEqual(['unknown-variable']);
    expect(codes([template({ subject: '#set($Mine = 1)$mine' })], known)).toEqual(['unknown-variable']);
  });
});
