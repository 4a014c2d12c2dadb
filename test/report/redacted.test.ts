import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { afterEach, expect, it } from 'vitest';
import { Redactor } from '../../src/client/redactor.ts';
import { type Change, fleetOf } from '../../src/model/documents.ts';
import { get, isArray, isObject, type Json, type JsonObject } from '../../src/model/json.ts';
import { type Document, type Format, formatsOf, redactDocument } from '../../src/report/report.ts';
import { createWorld, type World } from '../support/world.ts';
import { change, difference, lockout, outcome, plan, render, sampleResult, update } from './fixtures.ts';
import { documentsOf } from './hostile.ts';

let world: World | null = null;
afterEach(async () => {
  await world?.close();
  world = null;
});

/** Fails unless the policy of a page allows its own script and style: it works. */
function expectWhole(page: string): void {
  const policy = /Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1];
  for (const name of ['script', 'style']) {
    const [, text = ''] = new RegExp(`<${name}>(.*?)</${name}>`, 's').exec(page) ?? [];
    const hash = createHash('sha256').update(text).digest('base64');
    expect(text.length).toBeGreaterThan(1000);
    expect(policy).toContain(`${name}-src &#39;sha256-${hash}&#39;`);
  }
}

function redactorOf(...secrets: string[]): (text: string) => string {
  const redactor = new Redactor();
  for (const secret of secrets) redactor.learn(secret);
  return (text) => redactor.text(text);
}

it('keeps a page as it is where a secret is one of its own words', () => {
  const words = [
    'SimIntegration',
    'sandbox',
    'summary',
    'details',
    'entry',
    'update',
    'data-address',
    'function',
    'color',
  ];
  const changes = [
    update('SimIntegration/A%20sandbox', difference('/description', 'in the sandbox', 'a summary')),
  ];
  const page = render(plan(changes), 'html', { redact: redactorOf(...words) });
  expectWhole(page);
  const main = /<main>(.*)<\/main>/s.exec(page)?.[1] ?? '';
  expect(main.split('<details class="entry"')).toHaveLength(2);
  expect(main).toContain('data-address="SimIntegration/A%20[secret]"');
  expect(main).not.toContain('sandbox');
  expect(main).not.toContain('a summary');
  expect(main).toContain('data-filter="update"');
});

it('removes a secret from every part of a document, in every spelling, and from the addresses beside it', () => {
  const secret = 's3cr3t/"<x>';
  const encoded = encodeURIComponent(secret);
  const text = [secret, encoded, JSON.stringify(secret), Buffer.from(secret).toString('base64')].join(' ');
  const address = `SimIntegration/${encoded}` as const;
  const documents = documentsOf({
    ...{ text, address, short: [secret, encoded], word: 'word', kind: 'SimIntegration' },
    path: '/attributes/s3cr3t~1"<x>',
  });
  const side = {
    document: `<p>${text}`,
    head: { subject: text, from: text, replyTo: text, preheader: text },
  };
  const further = [{ title: text, before: side, after: side, captions: [text, text] as const }];
  const options = {
    rendered: { [address]: { before: side, after: side, further, remark: text } },
    sourceUrl: `https://host/${secret}/{file}`,
    reportUrl: `https://host.example/${encoded}/plan.html`,
    redact: redactorOf(secret, '74185296'),
  };
  for (const document of documents)
    for (const format of formatsOf(document.is).filter((each) => each !== 'json'))
      for (const verbose of [false, true]) {
        const report = render(document, format, { ...options, verbose });
        expect(report, `${document.is} ${format}`).not.toMatch(/s3cr3t|74185296|czNjcjN0|733363723374/i);
        if (format !== 'gitlab') expect(report, `${document.is} ${format}`).toContain('secret');
      }
  expect(render(plan([lockout]), 'markdown', options)).toContain('https://host.example/');
  // What is known by an address is found by the address without the secret.
  expect(render(documents[0] ?? [], 'html', options)).toContain('As recipients see it');
});

/** What people read in a report, without its markup, escapes, colours and signs for what is invisible. */
const read = (report: string): string =>
  report
    .replace(/<script>.*?<\/script>|<style>.*?<\/style>/gs, '')
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code))
    .replace(/<U\+([0-9A-F]+)>/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/[^A-Za-z0-9]/g, '');

it.each([
  'pass@word99',
  'pass#1234word',
  'https://k3y.example/p4th',
  'pass::word99',
  'pass##[word99',
  'pass\tword99',
  'pass\u202eword99',
])('removes %j from every report, whatever is done to it there', (secret) => {
  const message = `it says ${secret} here`;
  const remark = {
    code: 'lint',
    severity: 'error',
    message,
    hint: message,
    excerpt: `1 | ${secret}`,
  } as const;
  const one = change({
    address: 'SimIntegration/a',
    action: 'update',
    warnings: [message],
    diff: [difference('/name', secret, 'x'), difference('/body', `a\n${secret}\nb`, `a\n${secret}\nc`)],
    impact: { before: 1, after: 2, enter: { count: 1, first: [secret] }, leave: { count: 0, first: [] } },
  });
  const value = plan([one], { diagnostics: [remark] });
  const failed = outcome({ address: 'A/b', outcome: 'failed', error: message, warnings: [message] });
  const result = { ...sampleResult, changes: [failed], diagnostics: [remark] };
  const documents: Document[] = [
    { is: 'plan', plan: value },
    { is: 'result', result },
    { is: 'fleet', fleet: fleetOf([{ name: 'a', plan: value, error: null }]) },
    { is: 'fleet', fleet: fleetOf([{ name: 'a', plan: value, result, error: null }]) },
    { is: 'diagnostics', diagnostics: [remark] },
  ];
  for (const document of documents) {
    for (const format of formatsOf(document.is)) {
      if (format === 'json' && document.is !== 'diagnostics') continue;
      const report = render(document, format, { redact: redactorOf(secret) });
      expect(read(report), `${document.is} ${format}`).not.toContain(read(secret));
    }
  }
});

it('removes secrets from what a long report compresses', () => {
  const request = { method: 'POST', path: '/x', query: {}, headers: {}, body: 'x'.repeat(19_990) } as const;
  const changes = Array.from({ length: 80 }, (_, index) =>
    change({
      address: `NotificationTemplate/k${index}/EMAIL/en`,
      action: 'update',
      diff: [difference('/body', `s3cr3t ${index}`, `${index}`)],
      requests: [request],
    }),
  );
  const redact = (text: string) => text.replaceAll('s3cr3t', '[secret]');
  const page = render(plan(changes), 'html', { redact });
  const packs = [...page.matchAll(/<template class="(?:texts|markup)"[^>]*>([^<]*)</g)].map(
    ([, letters = '']) => gunzipSync(Buffer.from(letters, 'base64')).toString(),
  );
  expect(packs).toHaveLength(4);
  expect(packs.join('').match(/\[secret\]/g)?.length).toBe(160);
  expect([page, ...packs].join('')).not.toContain('s3cr3t');
});

it('writes and prints a page that works where a secret of the project is a word of its script', async () => {
  world = await createWorld({ env: { PASSWORD: 'sandbox', GITHUB_STEP_SUMMARY: '' } });
  world.write(
    'config/all.yaml',
    'kind: SimIntegration\nname: Desk\ntype: sandbox desk\nattributes: { password: !secret PASSWORD }\n',
  );
  const { code, stdout } = await world.run('plan', '--format', 'html', '--report', 'plan.html');
  expect(code).toBe(0);
  for (const page of [stdout, world.read('plan.html')]) {
    expectWhole(page);
    expect(page).toContain('[secret] desk');
    expect(page).not.toContain('sandbox desk');
  }
});

const secret = 's3cr3t';
/** Parts that hold words of this program, or names of kinds: a new one has to be named here to be left alone. */
const ours = new Set(['code', 'kind', 'kinds', 'tool']);

const schemaOf = (name: string): JsonObject =>
  JSON.parse(readFileSync(new URL(`../../schemas/${name}`, import.meta.url), 'utf8'));

interface Place {
  readonly schema: JsonObject;
  readonly root: JsonObject;
}

function resolve({ schema, root }: Place): Place {
  const ref = get(schema, '$ref');
  if (typeof ref !== 'string') return { schema, root };
  const [file = '', path = ''] = ref.split('#');
  const from = file === '' ? root : schemaOf(file.split('/').at(-1) ?? '');
  const target = path
    .split('/')
    .filter(Boolean)
    .reduce<Json>((at, name) => (isObject(at) ? (get(at, name) ?? null) : null), from);
  return resolve({ schema: objectOf(target), root: from });
}

const objectOf = (value: Json | undefined): JsonObject =>
  value !== undefined && isObject(value) ? value : {};

/**
 * A value with the secret wherever the schema lets it stand: in every text, and as a name where names are free.
 *
 * @param at which of several alternatives is taken
 */
function filled(place: Place, at: number): Json {
  const { schema, root } = resolve(place);
  const of = (child: Json | undefined) => filled({ schema: objectOf(child), root }, at);
  const alternatives = get(schema, 'oneOf') ?? get(schema, 'anyOf');
  if (isArray(alternatives)) return of(alternatives[at % alternatives.length]);
  const constant = get(schema, 'const');
  if (constant !== undefined) return constant;
  const words = get(schema, 'enum');
  if (isArray(words)) return words[0] ?? null;
  const types = [get(schema, 'type') ?? 'any'].flat();
  if (types.includes('object')) {
    const members = Object.entries(objectOf(get(schema, 'properties'))).filter(([name]) => !ours.has(name));
    const free = get(schema, 'additionalProperties');
    const more = free === false ? [] : [[secret, free === true || free === undefined ? secret : of(free)]];
    return Object.fromEntries([...members.map(([name, child]) => [name, of(child)]), ...more]);
  }
  if (types.includes('array')) return [of(get(schema, 'items'))];
  if (types.includes('string')) return textFor(get(schema, 'pattern'));
  return types.includes('any') ? { [secret]: [secret] } : 1;
}

/** A text with the secret that the pattern takes; without one where it takes none, as a digest. */
function textFor(pattern: Json | undefined): string {
  const texts = [secret, `Kind/${secret}`, `/${secret}`];
  if (typeof pattern !== 'string') return secret;
  return texts.find((text) => new RegExp(pattern, 'u').test(text)) ?? '';
}

it.each([
  ['plan', 0],
  ['plan', 1],
  ['result', 0],
  ['fleet', 1],
  ['diff', 0],
  ['diff', 1],
])('leaves no part of the schema of a %s as it is: alternative %i', (name, at) => {
  const root = schemaOf(`${name}.schema.json`);
  const document = filled({ schema: root, root }, at);
  expect(JSON.stringify(document).split(secret).length).toBeGreaterThan(10);
  const clean = redactDocument(document, (text) => text.replaceAll(secret, '-'));
  expect(JSON.stringify(clean, null, 1)).not.toContain(secret);
});

/** A sensitive value is not shown, so reports say which secret is sent. */

const formats: Format[] = ['text', 'markdown', 'html', 'junit'];

/** What a report says of secrets, without markup. */
function secretsSaid(report: string): string[] {
  const text = report.replace(/<details class="requests">.*?<\/details>/gs, '').replace(/<[^>]*>|`/g, '');
  return [...text.matchAll(/sends secrets:? ?([\w, ]*)/gi)].map(([, names = '']) => names);
}

function sending(name: string, ...secrets: string[]): Change {
  const body = Object.fromEntries(secrets.map((secret, at) => [`field${at}`, { $secret: secret }]));
  const requests = [
    {
      method: 'PATCH',
      path: `/v2024/sim-integrations/${name}`,
      query: {},
      headers: {},
      body: { $jsonText: body },
    },
  ] as const;
  return change({
    address: `SimIntegration/${name}`,
    action: 'update',
    diff: [difference('/description', 'a', 'b')],
    requests,
  });
}

it.each(formats)('names the secrets of each change once (%s)', (format) => {
  const value = plan([sending('A', 'SNOW_PASSWORD', 'OTHER', 'OTHER'), senderless]);
  expect(secretsSaid(render(value, format))).toEqual(['OTHER, SNOW_PASSWORD']);
});

const senderless = update('NotificationTemplate/a/EMAIL/en', difference('/subject', 'a', 'c'));

it.each(formats)('shows changes that send other secrets apart (%s)', (format) => {
  const value = plan([sending('A', 'SNOW_PASSWORD'), sending('B', 'TENANT_CLIENT_SECRET'), sending('C')]);
  expect(secretsSaid(render(value, format))).toEqual(['SNOW_PASSWORD', 'TENANT_CLIENT_SECRET']);
});

it.each(['text', 'markdown', 'html'] satisfies Format[])(
  'names those of all environments that share a change (%s)',
  (format) => {
    const fleet = fleetOf(
      ['PRODUCTION', 'TEST'].map((name) => ({
        name,
        plan: plan([sending('A', `${name}_PASSWORD`, 'SHARED')], { environment: name }),
        error: null,
      })),
    );
    expect(secretsSaid(render(fleet, format))).toEqual([
      'PRODUCTION_PASSWORD in PRODUCTION, SHARED, TEST_PASSWORD in TEST',
    ]);
  },
);

it.each(formats)('shows nothing of what a change declares beside its difference (%s)', (format) => {
  const declared = { description: 'canary', attributes: { password: { $secret: 'NOWHERE' } } };
  const report = render(plan([Object.assign(sending('A'), { declared })]), format, { verbose: true });
  expect(report).not.toMatch(/canary|NOWHERE/);
});
