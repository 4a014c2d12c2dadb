import { expect, it } from 'vitest';
import type { Answer } from '../../src/client/answer.ts';
import { Redactor } from '../../src/client/redactor.ts';

const redactorOf = (...secrets: string[]) => {
  const redactor = new Redactor();
  for (const secret of secrets) redactor.learn(secret);
  return redactor;
};

/** A tenant's message without the secret. */
function messageWithout(secret: string, message: string): string {
  const answer = { outcome: 'answered', status: 400, headers: {}, body: null, text: message } as const;
  const clean: Answer = redactorOf(secret).answer(answer);
  return (clean.outcome === 'answered' && clean.text) || '';
}

it('takes out a secret with half a surrogate pair in it, as it is and as it was sent', () => {
  const redactor = redactorOf('hunter\ud83d2');
  const forms = ['hunter\ud83d2', 'hunter\ufffd2', 'hunter%EF%BF%BD2', 'hunter\\ud83d2'];
  for (const form of forms) expect(redactor.text(`no ${form} here`)).toBe('no [secret] here');
});

const secret = `p/w"d=<&>%2b\\'é\t😀 $x+y*(!)`;
const inUrl = (text: string) =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
const inHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
const unit = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

const spellings: Record<string, string> = {
  'as it is': secret,
  'in a URL': encodeURIComponent(secret),
  'in a URL, in lower case': encodeURIComponent(secret).replaceAll(/%../g, (code) => code.toLowerCase()),
  'in a URL as Python and PHP write it': inUrl(secret),
  'in a URL as .NET once wrote it': inUrl(secret).replaceAll(/%../g, (code) => code.toLowerCase()),
  'in a form as Go writes it': inUrl(secret).replaceAll('%20', '+'),
  'in a form': new URLSearchParams([['', secret]]).toString().slice(1),
  'in JSON': inJson(secret),
  'in JSON with \\/': inJson(secret).replaceAll('/', '\\/'),
  'in JSON of ASCII alone': inJson(secret).replaceAll(/[^ -~]/g, unit),
  'in JSON that a page can hold': inJson(secret).replaceAll(/[<>&']/g, unit),
  'in JSON as Go writes it': inJson(secret).replaceAll(/[<>&]/g, unit),
  'in JSON as PHP writes it': inJson(secret)
    .replaceAll('/', '\\/')
    .replaceAll(/[^ -~]/g, unit),
  'in JSON as .NET writes it': inJson(secret)
    .replaceAll('\\"', '"')
    .replaceAll(/["<>&'+`]|[^ -~]/g, (char) => unit(char).toUpperCase().replace('U', 'u')),
  'in the text of an element': inHtml(secret).replaceAll('&quot;', '"'),
  'in XML': inHtml(secret).replaceAll("'", '&apos;'),
  'in HTML as Handlebars writes it': inHtml(secret).replaceAll("'", '&#x27;').replaceAll('=', '&#x3D;'),
  'in HTML as Mustache writes it': inHtml(secret)
    .replaceAll("'", '&#39;')
    .replaceAll('/', '&#x2F;')
    .replaceAll('=', '&#x3D;'),
  'in HTML': inHtml(secret),
  'in HTML with the apostrophe by its number': inHtml(secret).replaceAll("'", '&#39;'),
  'in HTML as PHP writes it': inHtml(secret).replaceAll("'", '&#039;'),
  'in HTML as Flask and Go write it': inHtml(secret).replaceAll("'", '&#39;').replaceAll('&quot;', '&#34;'),
  'in JSON in HTML': inHtml(inJson(secret)),
  'in JSON in a URL': encodeURIComponent(inJson(secret)),
  'in base64': Buffer.from(secret).toString('base64'),
  'in base64 for URLs': Buffer.from(secret).toString('base64url'),
};

it.each(Object.entries(spellings))('takes out a secret %s', (_, spelling) =>
  expect(redactorOf(secret).text(`before ${spelling} after`)).toBe('before [secret] after'),
);

it.each(['', '…', '..."', '"}', "...' for pw", '… … is not … it'])(
  'takes out the beginning of a secret where the tenant cut its message: %j',
  (end) => {
    const cut = (length: number) => `Bad: ${'correct-horse-battery'.slice(0, length)}${end}`;
    const shown = (length: number) => messageWithout('correct-horse-battery', cut(length));
    const [message, clean] = [cut(12), `Bad: [secret]${end}`];
    const given = { headers: { 'x-error': message }, body: { [message]: message }, text: message };
    const answer = { outcome: 'answered', status: 400, ...given } as const;
    const told = { headers: { 'x-error': clean }, body: { [clean]: clean }, text: clean };
    expect(redactorOf('correct-horse-battery').answer(answer)).toEqual({ ...answer, ...told });
    // Shorter beginnings are words like others.
    expect(shown(7)).toBe(cut(7));
    // What is printed is not cut: there, it is a name like another.
    expect(redactorOf('correct-horse-battery').text(cut(12))).toBe(cut(12));
  },
);

it.each(['correct-horse..."}', 'correct horse…'])(
  'takes out all of a secret that ends like a cut message: %s',
  (whole) => expect(messageWithout(whole, `Bad: ${whole}`)).toBe('Bad: [secret]'),
);

it('takes out a secret in JSON that quotes JSON', () => {
  const message = JSON.stringify({ error: `before ${inJson(secret)} after` });
  expect(redactorOf(secret).text(message)).toBe('{"error":"before [secret] after"}');
});

const foreign = 'Ünïçødé-пароль-密码';
const inBase64 = (text: string) => Buffer.from(text).toString('base64');

it.each([
  ['in base64', inBase64(foreign)],
  ['in Basic authentication', inBase64(`user:${foreign}`)],
  ['in JSON in base64', inBase64(JSON.stringify({ password: foreign }))],
])('takes out a secret of other letters than A to Z %s', (_, spelling) =>
  expect(redactorOf(foreign).text(`before ${spelling} after`)).toBe('before [secret] after'),
);

it('takes out what Basic authentication makes of a user and a secret, whatever the user is', () => {
  for (const user of ['a', 'ab', 'abc', 'client']) {
    for (const spell of [(text: string) => text, encodeURIComponent]) {
      const value = Buffer.from(`${user}:${spell(secret)}`).toString('base64');
      const shown = redactorOf(secret).text(`Authorization: Basic ${value}`);
      expect(shown).toBe('Authorization: Basic [secret]');
    }
  }
});

it('takes out base64 that is joined to other characters', () => {
  for (const before of ['', 'a', 'ab', 'abc', 'id-']) {
    for (const encoding of ['base64', 'base64url'] as const) {
      const spelling = Buffer.from(`{"a":"${secret}"}`).toString(encoding);
      expect(redactorOf(secret).text(`<${before}${spelling}>`)).toMatch(/^<[\w-]{0,3}\[secret\]>$/);
    }
  }
});

it('takes out base64 beside a run of any length', () => {
  const long = 'aB'.repeat(4_500_000);
  const text = `${long} ${inBase64(secret)}`;
  expect(redactorOf(secret).text(text) === `${long} [secret]`).toBe(true);
});

it('takes out each line of a key, but not those that every key has', () => {
  const lines = ['MIIEvQIBADANBgkqhkiG9w0BAQEFAASC', 'q8x/+0aZl9RkqhkiG9w0BAQEFAASCBKcw', 'Zm9vYmFyYmF6'];
  const key = `-----BEGIN PRIVATE KEY-----\n${lines.join('\r\n')}\n-----END PRIVATE KEY-----\n`;
  const redactor = redactorOf(key);
  for (const line of lines) expect(redactor.text(`bad line: ${line}.`)).toBe('bad line: [secret].');
  expect(redactor.text('expected -----BEGIN PRIVATE KEY-----')).toBe('expected -----BEGIN PRIVATE KEY-----');
  expect(redactor.text(JSON.stringify(key))).not.toMatch(/MIIE|q8x|Zm9v/);
});

it('takes out the longer one of two secrets where one is part of the other', () =>
  expect(redactorOf('hunter-two', 'hunter-two-three').text('<hunter-two-three|hunter-two>')).toBe(
    '<[secret]|[secret]>',
  ));

it('leaves ordinary words alone', () => {
  const redactor = redactorOf('', 'key', '1234', 'admin', 'hunter2');
  const text = 'The key of administrators is in 12345 places; hunter22 and xhunter2 too. Base64: aHVudA==';
  expect(redactor.text(text)).toBe(text);
  expect(redactor.text('user=admin&pin=1234 \\nhunter2%20')).toBe(
    'user=[secret]&pin=[secret] \\n[secret]%20',
  );
});

it('takes out the padding of base64, and no more', () => {
  for (const secret of ['hunter-two', 'hunter-twos', 'hunter-three']) {
    const text = Buffer.from(secret).toString('base64').replaceAll('=', '');
    expect(redactorOf(secret).text(`a=${text}===b`)).toBe('a=[secret]=b');
  }
});

it('changes nothing around a secret', () => {
  const redactor = redactorOf('top-secret');
  const text = 'a%20b &amp; c\\n top-secret &#x26; 100% \\u00e9 😀 &nosuchname; &';
  expect(redactor.text(text)).toBe(text.replace('top-secret', '[secret]'));
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
