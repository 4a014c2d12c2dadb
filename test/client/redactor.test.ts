import { expect, it } from 'vitest';
import { Redactor } from '../../src/client/redactor.ts';

const redactorOf = (...secrets: string[]) => {
  const redactor = new Redactor();
  for (const secret of secrets) redactor.learn(secret);
  return redactor;
};

it('takes out a secret with half a surrogate pair in it, as it is and as it was sent', () => {
  const redactor = redactorOf('hunter\ud83d2');
  const forms = ['hunter\ud83d2', 'hunter\ufffd2', 'hunter%EF%BF%BD2', 'hunter\\ud83d2'];
  for (const form of forms) expect(redactor.text(`no ${form} here`)).toBe('no [secret] here');
});

it('takes out a secret that the layout of a report breaks', () => {
  const redactor = redactorOf('correct horse "battery"', 'x'.repeat(30));
  const colour = (text: string) => `\u001b[31m${text}\u001b[39m`;
  const texts = [
    ['correct horse\n    "battery"', '[secret]'],
    ['correct\n  horse\n  "battery"', '[secret]'],
    ['cor<b>rect</b>\n  horse "battery"', '[secret]'],
    [`${colour('correct')}\n  ${colour('horse "battery"')}`, colour('[secret]')],
    ['correct <mark>horse</mark> &quot;battery&quot;', '[secret]'],
    [`${'x'.repeat(20)}\n      ${'x'.repeat(10)}`, '[secret]'],
    [`${'x'.repeat(10)}\n${'x'.repeat(10)}\n  ${'x'.repeat(10)}`, '[secret]'],
  ];
  for (const [text, shown] of texts) {
    expect(redactor.text(`no ${text} here`)).toBe(`no ${shown} here`);
    expect(redactor.text(`${text}`)).toBe(shown);
  }
  expect(redactor.text(`correct${'\n'.repeat(1_000_000)}horse "battery"`)).toBe('[secret]');
  const harmless = 'no correct\n  <b>horse</b>\n"batteries"';
  expect(redactor.text(harmless)).toBe(harmless);
});

const secret = `p/w"d<&>%2b\\'é\t😀 $x+y`;
const each = (text: string, spell: (char: string) => string) => [...text].map(spell).join('');
const hexOf = (text: string) => Buffer.from(text).toString('hex');
const units = (text: string) => text.split('');
const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
const percent = (text: string) => hexOf(text).replaceAll(/../g, '%$&');

const spellings: Record<string, string> = {
  'as it is': secret,
  'in a URL': encodeURIComponent(secret),
  'in a URL, in lower case': encodeURIComponent(secret).replaceAll(/%../g, (code) => code.toLowerCase()),
  'in a form': new URLSearchParams([['', secret]]).toString().slice(1),
  'percent-encoded throughout': percent(secret),
  'as Latin-1 in a URL': secret.replaceAll('é', '%E9'),
  'in JSON': inJson(secret),
  'in JSON with \\/': inJson(secret).replaceAll('/', '\\/'),
  'in JSON in JSON in JSON': inJson(inJson(inJson(secret))),
  'in escapes of units': units(secret)
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join(''),
  'in HTML': secret
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;'),
  'in HTML by other names': each(
    secret,
    (char) =>
      ({ '/': '&sol;', '&': '&amp;', '%': '&percnt;', é: '&eacute;', $: '&dollar;', '\t': '&Tab;' })[char] ??
      char,
  ),
  'in decimal entities': each(secret, (char) => `&#${char.codePointAt(0)};`),
  'in hex entities': each(secret, (char) => `&#x${char.codePointAt(0)?.toString(16).toUpperCase()};`),
  'in hex entities with zeros': each(secret, (char) => `&#x000${char.codePointAt(0)?.toString(16)};`),
  'in decimal entities with zeros': each(secret, (char) => `&#0000000${char.codePointAt(0)};`),
  'in escapes of characters': each(secret, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`),
  'as old scripts escape URLs': escape(secret),
  'as shells and patterns escape it': secret.replaceAll(/[ -/:-@[-`{-~]/g, '\\$&'),
  'in JSON in a URL': encodeURIComponent(inJson(secret)),
  'in a URL in HTML': encodeURIComponent(secret).replaceAll('%', '&#37;'),
  'in base64': Buffer.from(secret).toString('base64'),
  'in base64 for URLs': Buffer.from(secret).toString('base64url'),
  'in hex': hexOf(secret),
  'in upper-case hex': hexOf(secret).toUpperCase(),
};

it.each(Object.entries(spellings))('takes out a secret %s', (_, spelling) => {
  const redactor = redactorOf(secret);
  expect(redactor.text(`before ${spelling} after`)).toBe('before [secret] after');
  expect(redactor.text(JSON.stringify({ error: `before ${spelling} after` }))).toMatch(
    /^\{"error":"before \[secret\] after"\}$/,
  );
});

const foreign = 'Ünïçødé-пароль-密码';
const inBase64 = (text: string, encoding: BufferEncoding = 'utf8') =>
  Buffer.from(text, encoding).toString('base64');
const inLatin1 = 'pässwörd-ünï-42';

it.each([
  ['in base64', foreign, inBase64(foreign)],
  ['in Basic authentication', foreign, inBase64(`user:${foreign}`)],
  ['in JSON in base64', foreign, inBase64(JSON.stringify({ password: foreign }))],
  ['in base64 of Latin-1', inLatin1, inBase64(inLatin1, 'latin1')],
  ['in hex', foreign, hexOf(foreign)],
  ['in escapes of bytes', foreign, hexOf(foreign).replaceAll(/../g, '\\x$&')],
  ['in UTF-8 that was read as Latin-1', foreign, Buffer.from(foreign).toString('latin1')],
  ['with accents of their own', inLatin1, inLatin1.normalize('NFD')],
  ['without accents of their own', inLatin1.normalize('NFD'), inLatin1],
])('takes out a secret of other letters than A to Z %s', (_, learned, spelling) => {
  expect(redactorOf(learned).text(`before ${spelling} after`)).toBe('before [secret] after');
});

it('takes out what Basic authentication makes of a user and a secret, whatever the user is', () => {
  for (const user of ['a', 'ab', 'abc', 'client']) {
    for (const spell of [(text: string) => text, encodeURIComponent]) {
      const value = Buffer.from(`${user}:${spell(secret)}`).toString('base64');
      const shown = redactorOf(secret).text(`Authorization: Basic ${value}`);
      expect(shown).toBe('Authorization: Basic [secret]');
    }
  }
});

it('takes out base64 and hex that are joined to other characters', () => {
  for (const before of ['', 'a', 'ab', 'abc', 'id-']) {
    for (const encoding of ['base64', 'base64url', 'hex'] as const) {
      const spelling = Buffer.from(`{"a":"${secret}"}`).toString(encoding);
      expect(redactorOf(secret).text(`<${before}${spelling}>`)).toMatch(/^<[\w-]{0,3}\[secret\]>$/);
    }
  }
});

it('takes out secrets in base64 and hex beside a run of any length', () => {
  const long = 'aB'.repeat(4_500_000);
  const hidden = Buffer.from(secret);
  const text = `${long} ${hidden.toString('base64')} ${hidden.toString('hex')}`;
  expect(redactorOf(secret).text(text) === `${long} [secret] [secret]`).toBe(true);
});

it('takes out each line of a key, but not those that every key has', () => {
  const lines = ['MIIEvQIBADANBgkqhkiG9w0BAQEFAASC', 'q8x/+0aZl9RkqhkiG9w0BAQEFAASCBKcw', 'Zm9vYmFyYmF6'];
  const key = `-----BEGIN PRIVATE KEY-----\n${lines.join('\r\n')}\n-----END PRIVATE KEY-----\n`;
  const redactor = redactorOf(key);
  for (const line of lines) expect(redactor.text(`bad line: ${line}.`)).toBe('bad line: [secret].');
  expect(redactor.text('expected -----BEGIN PRIVATE KEY-----')).toBe('expected -----BEGIN PRIVATE KEY-----');
  expect(redactor.text(JSON.stringify(key))).not.toMatch(/MIIE|q8x|Zm9v/);
});

it('takes out the longer one of two secrets where one is part of the other', () => {
  expect(redactorOf('hunter-two', 'hunter-two-three').text('<hunter-two-three|hunter-two>')).toBe(
    '<[secret]|[secret]>',
  );
});

it('leaves ordinary words alone', () => {
  const redactor = redactorOf('', 'key', '1234', 'admin', 'hunter2');
  const text = 'The key of administrators is in 12345 places; hunter22 and xhunter2 too. Base64: aHVudA==';
  expect(redactor.text(text)).toBe(text);
  expect(redactor.text('user=admin&pin=1234 \\nhunter2%20')).toBe(
    'user=[secret]&pin=[secret] \\n[secret]%20',
  );
});

it('takes out all of an escape that a secret ends within', () => {
  const redactor = redactorOf('hunter-\ud83d');
  for (const end of ['&#128512;', '&#x1f600;', '%F0%9F%98%80']) {
    expect(redactor.text(`no hunter-${end} here`)).toBe('no [secret] here');
    expect(redactor.text(`no hunter-${end}`)).toBe('no [secret]');
  }
});

it('takes out the padding of base64, and no more', () => {
  for (const secret of ['hunter-two', 'hunter-twos', 'hunter-three']) {
    const text = Buffer.from(secret).toString('base64').replaceAll('=', '');
    expect(redactorOf(secret).text(`a=${text}===b`)).toBe('a=[secret]=b');
  }
});

it('changes nothing around a secret', () => {
  const redactor = redactorOf('top-secret');
  const text = 'a%20b &amp; c\\n top%2Dsecret &#x26; 100% \\u00e9 😀 &nosuchname; &';
  expect(redactor.text(text)).toBe(text.replace('top%2Dsecret', '[secret]'));
});

it('takes out base64 and hex with some control characters in them', () => {
  const redactor = redactorOf('hunter-two');
  for (const encoding of ['base64', 'hex'] as const) {
    const text = Buffer.from('\n\thunter-two\r\n\u0000').toString(encoding);
    expect(redactor.text(`x ${text} y`)).toBe('x [secret] y');
  }
});

it('no part of an error of the tenant holds a secret: headers and names of members neither', () => {
  const answer = redactorOf('hunter2-hunter2').answer({
    outcome: 'answered',
    status: 400,
    headers: { 'x-request-id': 'for hunter2-hunter2' },
    body: { 'hunter2-hunter2': { is: 'wrong' } },
    text: null,
  });
  expect(answer).toMatchObject({
    headers: { 'x-request-id': 'for [secret]' },
    body: { '[secret]': { is: 'wrong' } },
  });
});

it('why no answer came holds no secret', () => {
  const lost = { outcome: 'lost', reason: 'reset', detail: 'sent hunter2-hunter2' } as const;
  expect(redactorOf('hunter2-hunter2').answer(lost)).toEqual({ ...lost, detail: 'sent [secret]' });
});

it('a secret is found with other line ends, and without the blanks around it', () => {
  expect(redactorOf('short\r\nlines').text('a short\nlines b')).toBe('a [secret] b');
  expect(redactorOf('  padded-secret ').text('a padded-secret.')).toBe('a [secret].');
});
