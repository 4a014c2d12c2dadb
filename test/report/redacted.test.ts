import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { afterEach, expect, it } from 'vitest';
import { Redactor } from '../../src/client/redactor.ts';
import type { Diagnostic } from '../../src/model/diagnostic.ts';
import { type Diff, diffFormat } from '../../src/model/diff.ts';
import { type FleetMember, fleetOf } from '../../src/model/fleet.ts';
import { type Document, formatsOf, renderReport } from '../../src/report/index.ts';
import { createWorld, type World } from '../support/world.ts';
import {
  change,
  difference,
  lockout,
  outcome,
  plain,
  plan,
  render,
  sampleResult,
  update,
} from './fixtures.ts';

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
  const words = ['sandbox', 'summary', 'details', 'entry', 'update', 'data-address', 'function', 'color'];
  const changes = [
    update('SimIntegration/A%20sandbox', difference('/description', 'in the sandbox', 'a summary')),
  ];
  const page = render(plan(changes), 'html', { redact: redactorOf(...words) });
  expectWhole(page);
  const main = /<main>(.*)<\/main>/s.exec(page)?.[1] ?? '';
  expect(main.split('<details class="entry"')).toHaveLength(2);
  expect(main).not.toContain('sandbox');
  expect(main).not.toContain('a summary');
  expect(main).toContain('data-filter="update"');
});

it('removes a secret from every part of a plan and a result, in every spelling', () => {
  const secret = 's3cr3t/"<x>';
  const spellings = [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret),
    Buffer.from(secret).toString('base64'),
  ];
  const text = spellings.join(' ');
  const at = { file: secret, line: 1, column: 1 };
  const remark = {
    code: 'default-moved',
    message: text,
    excerpt: text,
    hint: text,
    source: at,
    address: `SimIntegration/${encodeURIComponent(secret)}`,
    versions: [{ name: text, ours: text, theirs: text, old: text }],
  } as const;
  const one = change({
    address: `SimIntegration/${encodeURIComponent(secret)}`,
    action: 'update',
    id: secret,
    source: at,
    diff: [
      { ...difference('/attributes/s3cr3t~1"<x>', text, 74_185_296), overlay: at },
      difference('/request', { [secret]: [secret] }, null),
      difference('/body', `${text}\none\ntwo`, `${text}\none\nthree`),
    ],
    requests: [
      {
        method: 'POST',
        path: `/x/${encodeURIComponent(secret)}`,
        query: { q: secret },
        headers: {},
        body: { [secret]: secret, pin: 74_185_296 },
      },
    ],
    warnings: [text],
    impact: { before: 1, after: 2, enter: { count: 1, first: [secret] }, leave: { count: 0, first: [] } },
  });
  const value = plan([one], {
    environment: secret,
    tenant: { identity: secret, profiles: secret },
    scope: { only: [secret], except: [secret], prune: false, since: secret },
    undeclared: [`SimIntegration/${encodeURIComponent(secret)}`],
    summary: { create: 0, update: 1, delete: 0, manual: 0, unchanged: 0, undeclared: 1 },
    diagnostics: [
      { ...remark, severity: 'warning' },
      { ...remark, severity: 'error' },
    ],
  });
  const side = {
    document: `<p>${text}`,
    head: { subject: text, from: text, replyTo: text, preheader: text },
  };
  const options = {
    ...plain,
    rendered: {
      [one.address]: {
        before: side,
        after: side,
        further: [{ title: text, before: side, after: side, captions: [text, text] as const }],
        remark: text,
      },
    },
    sourceUrl: `https://host/${secret}/{file}`,
    redact: redactorOf(secret, '74185296'),
  };
  const [result] = sampleResult.changes;
  const failed = {
    ...sampleResult,
    environment: secret,
    diagnostics: [{ ...remark, severity: 'error' as const }],
  };
  const changed = result && {
    ...result,
    address: one.address,
    error: text,
    warnings: [text],
    before: { [secret]: secret },
    requests: [{ method: 'POST' as const, path: secret, status: 1, trackingId: secret, attempts: 1, ms: 1 }],
  };
  const outcome = { ...failed, changes: changed ? [changed] : [] };
  const broken = { exitCode: 1, diagnostics: [{ ...remark, severity: 'error' }] } as const;
  const members: readonly FleetMember[] = [
    { name: `${secret}-1`, plan: value, error: null },
    { name: `${secret}-2`, plan: value, error: null },
    { name: `${secret}-3`, plan: null, error: broken },
  ];
  const applied = members.map((member) => ({ ...member, result: member.plan && outcome }));
  const documents: readonly Document[] = [
    { is: 'plan', plan: value },
    { is: 'result', result: outcome },
    { is: 'fleet', fleet: fleetOf(members) },
    { is: 'fleet', fleet: fleetOf(applied) },
  ];
  for (const document of documents) {
    expect(renderReport(document, 'html', options)).toContain('[secret]');
    for (const format of formatsOf(document.is).filter((each) => each !== 'json')) {
      const report = renderReport(document, format, options);
      expect(report, `${document.is} ${format}`).not.toMatch(/s3cr3t|74185296|czNjcjN0|733363723374/i);
    }
  }
});

it('removes a secret from every part of a diff, and from the address of the HTML report', () => {
  const secret = 's3cr3t-word';
  const at = { file: secret, line: 1, column: 1 };
  const side = { name: secret, is: 'tenant', tenant: { identity: secret, profiles: secret } } as const;
  const remark: Diagnostic = { code: 'lint', severity: 'warning', message: secret, source: at };
  const object = {
    address: `SimIntegration/${secret}`,
    kind: 'SimIntegration',
    key: [secret],
    in: 'both',
    source: at,
    diff: [{ ...difference(`/${secret}`, secret, 'id'), named: { id: `!lookup ${secret}` } }],
  } as const;
  const diff: Diff = {
    formatVersion: diffFormat,
    tool: { name: 'tenantctl', version: '1' },
    createdAt: '2025-03-01T10:00:00.000Z',
    sides: [side, side],
    scope: { only: [secret], except: [secret], kinds: [] },
    summary: { differing: 1, onlyFirst: 1, onlySecond: 0, equal: 0, notComparable: 1 },
    objects: [object, { ...object, in: 'first', diff: [] }],
    notComparable: [{ address: object.address, paths: [`/${secret}`] }],
    diagnostics: [remark],
  };
  const options = { ...plain, verbose: true, redact: redactorOf(secret) };
  for (const format of formatsOf('diff').filter((each) => each !== 'json')) {
    const report = renderReport({ is: 'diff', diff }, format, options);
    expect(report).toContain('secret');
    expect(report, format).not.toMatch(/s3cr3t/);
  }
  const comment = renderReport({ is: 'plan', plan: plan([lockout]) }, 'markdown', {
    ...options,
    reportUrl: `https://host.example/${secret}/plan.html`,
  });
  expect(comment).toContain('https://host.example/');
  expect(comment).not.toMatch(/s3cr3t/);
});

/** What people read in a report, without its markup, escapes, colours and signs for what is invisible. */
function read(report: string): string {
  return report
    .replace(/<script>.*?<\/script>|<style>.*?<\/style>/gs, '')
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code))
    .replace(/<U\+([0-9A-F]+)>/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/[^A-Za-z0-9]/g, '');
}

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
  expect(packs.join('').match(/\[secret\]/g)?.length).toBe(240);
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
