import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { playPrograms } from '../commands/played-programs.ts';
import { isThorough } from '../support/effort.ts';
import { startSandbox } from '../support/sandbox.ts';
import { runProgram } from '../support/world.ts';
import { blocksOf, root, textOf } from './documents.ts';

const { built } = await import(join(root, 'scripts/docs/built.mjs'));
const { documents } = await import(join(root, 'scripts/docs/documents.mjs'));

describe.each([
  'README.md',
  'docs/tutorial.md',
  'docs/first-tenant.md',
  'docs/fleet-tutorial.md',
  'docs/promotion.md',
  'docs/kinds.md',
])('%s', (path) =>
  test('its commands print what it says', { timeout: 1_800_000 }, async () => {
    const text = textOf(path);
    const players = await playPrograms({ npx: ({ argv, ...call }) => runProgram(argv.slice(2), call) });
    onTestFinished(() => players.close());
    const played = { npx: players.programOf('npx'), startSandbox };
    expect(await documents[path](text, isThorough ? built : played)).toBe(text);
  }),
);

describe.each([
  ['sailpoint-isc', 'identity'],
  ['sailpoint-nerm', 'profiles'],
] as const)('docs/first-tenant.md on a host of %s', (name, service) =>
  test('goes the same way', { timeout: 1_800_000 }, async () => {
    const { withHost } = await import(join(root, 'scripts/docs/console.mjs'));
    const url = 'https://acme.api.example.com';
    const text = textOf('docs/first-tenant.md').replaceAll(`--identity ${url}`, `$& --profiles ${url}`);
    const players = await playPrograms({ npx: ({ argv, ...call }) => runProgram(argv.slice(2), call) });
    onTestFinished(() => players.close());
    const walked: string = await withHost(
      text,
      { npx: players.programOf('npx'), startSandbox },
      { presets: [name], variations: { simSecrets: 'masked' } },
    );
    expect(walked).toMatch(new RegExp(`^Detected: ${service}\\.preset: ${name}, since .*$`, 'm'));
    expect(walked).toMatch(new RegExp(`# Detected by .*\n +preset: ${name}\n`));
    expect(walked.match(/^No changes\. The tenant matches the manifests\.$/gm)).toHaveLength(2);
    expect(walked).toContain('Plan: 0 to create, 1 to update, 0 to delete');
    expect(walked).toContain('Applied: 1 done, 0 failed');
    expect(walked).toContain('The tenant accepted the test notification password_expiring EMAIL');
    expect(walked).not.toContain('exit code');
  }),
);

/** What a command printed, as the document says it. */
const outputOf = (path: string, command: string): string[] =>
  blocksOf(path, 'console')
    .flatMap(({ content }) => content.split(/^\$ /m))
    .filter((part) => part.startsWith(command))
    .map((part) => part.slice(part.indexOf('\n') + 1));

const tutorial = 'docs/tutorial.md';
const fleet = 'docs/fleet-tutorial.md';
const first = 'docs/first-tenant.md';
const promotion = 'docs/promotion.md';
const toProduction = 'apply -e production';

// The outputs are filled in by a script; what the words around them promise has to be in them all the same. Of the outputs of a
// command, the one at a place (from the end if negative), or the one with a text, has the words.
test.each<[page: string, command: string, which: number | string, ...words: (string | RegExp)[]]>([
  ['README.md', 'plan --detailed-exitcode', 0, 'No changes.', 'exit code 0'],
  ['README.md', 'plan --detailed-exitcode', 1, '1 to update', 'exit code 2'],
  ['README.md', 'apply', 0, 'Applied: 2 done, 0 failed'],
  ['README.md', 'validate', 0, 'Did you mean `email`?'],
  [tutorial, 'apply', '[plan-stale]', 'Refused, nothing written', 'exit code 4'],
  [tutorial, 'plan', 'limited by --only NotificationTemplate/**', 'No changes.'],
  [tutorial, 'plan', '[secret-unset]', 'exit code 1'],
  [tutorial, 'rollback', 0, '+ NotificationTemplate/password_expiring/EMAIL/de'],
  [tutorial, 'rollback', 0, '- SenderAddress/interns@acme.example'],
  [tutorial, 'plan', -1, 'No changes.'],
  [
    fleet,
    "plan -e '*'",
    0,
    /In 2 of 3: eu-1, test\n[\s\S]*\(in eu-1\)\n[\s\S]*\(in test\)\n[\s\S]*In 2 of 3: test, us-1\n[\s\S]*Only in us-1\n/,
  ],
  [fleet, 'apply', '2 environments: 2 applied.'],
  [fleet, 'apply', '[unproven]', 'exit code 4'],
  [fleet, "plan -e '*'", 1, /No changes\. All tenants match the manifests\.[\s\S]*exit code 0/],
  [fleet, "plan -e '*'", 2, /Only in us-1\n[\s\S]*1 to update[\s\S]*exit code 2/],
  [fleet, 'diff', 0, '- SenderAddress/audit@acme.example'],
  [fleet, 'diff', 0, 'Diff: 1 differs, 1 only in eu-1, 0 only in us-1, 1 equal.'],
  [fleet, 'diff', 1, /us-1 → manifests of us-1[\s\S]*→ "ACME US: your password expires[\s\S]*exit code 2/],
  [fleet, 'rollback', 0, 'Plan for us-1'],
  [fleet, "plan -e '*'", -1, '1 to update, 0 to delete, 0 by hand, 5 unchanged'],
  [first, 'init', 0, /Signed in to .* Found: \d+ .*\nDetected: identity\.jsonText/],
  [first, 'plan', 0, 'No changes.'],
  [first, 'plan', 1, '1 to update, 0 to delete'],
  [first, 'apply', 0, 'Applied: 1 done, 0 failed'],
  [first, 'plan', 2, 'No changes.'],
  [first, 'send-test', 0, 'The tenant accepted the test notification'],
  [promotion, toProduction, 0, 'Applied: 2 done, 0 failed'],
  [promotion, toProduction, 1, 'alerts%40acme.example is not proven', 'exit code 4'],
  [promotion, toProduction, 2, 'Applied: 1 done, 0 failed'],
  [promotion, toProduction, 3, 'SimIntegration/Tickets differs here', 'Applied: 1 done, 0 failed'],
])('what %s promises is in the output of `%s` (%s)', (page, command, which, ...words) => {
  const outputs = outputOf(page, `npx --no-install tenantctl ${command}`);
  const output = typeof which === 'number' ? outputs.at(which) : outputs.find((each) => each.includes(which));
  expect(output).toBeDefined();
  for (const each of words) expect(output).toMatch(each);
});

describe('what the tutorial promises is in its outputs', () => {
  test('a missing manifest deletes nothing, an absent one does', () => {
    const plans = outputOf(tutorial, 'npx --no-install tenantctl plan');
    const limited = plans.filter((output) => output.includes('limited by --only NotificationTemplate/**'));
    expect(limited[1]).toContain('1 to delete');
  });

  test('a merge changes one text, and adds the digests of defaults', () => {
    const [diff = ''] = outputOf(tutorial, 'git diff');
    const lines = diff.match(/^(?:-(?!--)|\+(?!\+\+)).*/gm) ?? [];
    const others = lines.filter((line) => !/^\+(lifecycle:| {2}basedOn: sha256:[0-9a-f]{64})$/.test(line));
    expect(others.map((line) => line.slice(0, 9))).toEqual(['-subject:', '+subject:']);
    expect(lines.length).toBeGreaterThan(others.length);
  });
});

test('a detected setting is in the project file that the page shows', () =>
  expect(outputOf(first, 'cat tenantctl.yaml')[0]).toMatch(/# Detected by .*\n +jsonText: object\n/));

test('what was tested is promoted', () => {
  const refused = outputOf(promotion, `npx --no-install tenantctl ${toProduction}`)[1];
  expect(refused).not.toContain('help%40acme.example is not proven');
});

test.each([
  [tutorial, 'only-for-this-tutorial'],
  [fleet, 'the-secret-of'],
  [first, 'the-secret-of'],
])('no output of %s shows a credential', (page, secret) => {
  const outputs = outputOf(page, page === tutorial ? 'npx --no-install tenantctl' : '').join('');
  expect(outputs).not.toContain(secret);
  expect(outputs).not.toContain('***');
});
