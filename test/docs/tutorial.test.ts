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
])('%s', (path) => {
  test('its commands print what it says', { timeout: 1_800_000 }, async () => {
    const text = textOf(path);
    const players = await playPrograms({ npx: ({ argv, ...call }) => runProgram(argv.slice(2), call) });
    onTestFinished(() => players.close());
    const played = { npx: players.programOf('npx'), startSandbox };
    expect(await documents[path](text, isThorough ? built : played)).toBe(text);
  });
});

describe.each([
  ['sailpoint-isc', 'identity'],
  ['sailpoint-nerm', 'profiles'],
] as const)('docs/first-tenant.md on a host of %s', (name, service) => {
  test('goes the same way', { timeout: 1_800_000 }, async () => {
    const { withHost } = await import(join(root, 'scripts/docs/console.mjs'));
    const url = 'https://acme.api.example.com';
    const text = textOf('docs/first-tenant.md').replaceAll(`--identity ${url}`, `$& --profiles ${url}`);
    const players = await playPrograms({ npx: ({ argv, ...call }) => runProgram(argv.slice(2), call) });
    onTestFinished(() => players.close());
    const played = { npx: players.programOf('npx'), startSandbox };
    const walked: string = await withHost(text, played, {
      presets: [name],
      variations: { simSecrets: 'masked' },
    });
    expect(walked).toMatch(new RegExp(`^Detected: ${service}\\.preset: ${name}, since .*$`, 'm'));
    expect(walked).toMatch(new RegExp(`# Detected by .*\n +preset: ${name}\n`));
    expect(walked.match(/^No changes\. The tenant matches the manifests\.$/gm)).toHaveLength(2);
    expect(walked).toContain('Plan: 0 to create, 1 to update, 0 to delete');
    expect(walked).toContain('Applied: 1 done, 0 failed');
    expect(walked).toContain('The tenant accepted the test notification password_expiring EMAIL');
    expect(walked).not.toContain('exit code');
  });
});

/** What a command printed, as the document says it. */
function outputOf(path: string, command: string): string[] {
  return blocksOf(path, 'console')
    .flatMap(({ content }) => content.split(/^\$ /m))
    .filter((part) => part.startsWith(command))
    .map((part) => part.slice(part.indexOf('\n') + 1));
}

// The outputs are filled in by a script; what the words around them promise has to be in them all the same.
describe('what the README promises is in its outputs', () => {
  test('plan again is empty, then shows drift', () => {
    const [empty, drift] = outputOf('README.md', 'npx --no-install tenantctl plan --detailed-exitcode');
    expect(empty).toContain('No changes.');
    expect(empty).toContain('exit code 0');
    expect(drift).toContain('1 to update');
    expect(drift).toContain('exit code 2');
  });

  test('apply makes both changes, and a typo is found', () => {
    expect(outputOf('README.md', 'npx --no-install tenantctl apply')[0]).toContain(
      'Applied: 2 done, 0 failed',
    );
    expect(outputOf('README.md', 'npx --no-install tenantctl validate')[0]).toContain(
      'Did you mean `email`?',
    );
  });
});

describe('what the tutorial promises is in its outputs', () => {
  const plans = outputOf('docs/tutorial.md', 'npx --no-install tenantctl plan');
  const applies = outputOf('docs/tutorial.md', 'npx --no-install tenantctl apply');

  test('a stale plan is refused with nothing written', () => {
    const stale = applies.find((output) => output.includes('[plan-stale]'));
    expect(stale).toContain('Refused, nothing written');
    expect(stale).toContain('exit code 4');
  });

  test('a missing manifest deletes nothing, an absent one does', () => {
    const limited = plans.filter((output) => output.includes('limited by --only NotificationTemplate/**'));
    expect(limited[0]).toContain('No changes.');
    expect(limited[1]).toContain('1 to delete');
  });

  test('a secret that is not set stops the plan, and its value is never shown', () => {
    expect(plans.some((output) => output.includes('[secret-unset]') && output.includes('exit code 1'))).toBe(
      true,
    );
    expect(plans.join('\n')).not.toContain('only-for-this-tutorial');
  });

  test('a rollback takes back what the apply did', () => {
    const [undone] = outputOf('docs/tutorial.md', 'npx --no-install tenantctl rollback');
    expect(undone).toContain('+ NotificationTemplate/password_expiring/EMAIL/de');
    expect(undone).toContain('- SenderAddress/interns@acme.example');
  });

  test('a merge changes one text, and adds the digests of defaults', () => {
    const [diff = ''] = outputOf('docs/tutorial.md', 'git diff');
    const lines = diff.match(/^(?:-(?!--)|\+(?!\+\+)).*/gm) ?? [];
    const others = lines.filter((line) => !/^\+(lifecycle:| {2}basedOn: sha256:[0-9a-f]{64})$/.test(line));
    expect(others.map((line) => line.slice(0, 9))).toEqual(['-subject:', '+subject:']);
    expect(lines.length).toBeGreaterThan(others.length);
  });

  test('an export plans empty', () => {
    expect(plans.at(-1)).toContain('No changes.');
  });
});

describe('what the tutorial about three tenants promises is in its outputs', () => {
  const page = 'docs/fleet-tutorial.md';
  const [first, ...plans] = outputOf(page, "npx --no-install tenantctl plan -e '*'");
  const applies = outputOf(page, 'npx --no-install tenantctl apply');

  test('each change is shown once, then what is particular to one', () => {
    expect(first).toMatch(
      /In 2 of 3: eu-1, test\n[\s\S]*\(in eu-1\)\n[\s\S]*\(in test\)\n[\s\S]*In 2 of 3: test, us-1\n[\s\S]*Only in us-1\n/,
    );
  });

  test('what was tested is promoted, and nothing else', () => {
    expect(applies.some((output) => output.includes('2 environments: 2 applied.'))).toBe(true);
    const refused = applies.find((output) => output.includes('[unproven]'));
    expect(refused).toContain('exit code 4');
  });

  test('all tenants equal the manifests, then one has drifted', () => {
    expect(plans[0]).toMatch(/No changes\. All tenants match the manifests\.[\s\S]*exit code 0/);
    expect(plans[1]).toMatch(/Only in us-1\n[\s\S]*1 to update[\s\S]*exit code 2/);
  });

  test('two tenants are compared, and one with its manifests', () => {
    const [tenants = '', drift = ''] = outputOf(page, 'npx --no-install tenantctl diff');
    expect(tenants).toContain('- SenderAddress/audit@acme.example');
    expect(tenants).toContain('Diff: 1 differs, 1 only in eu-1, 0 only in us-1, 1 equal.');
    expect(drift).toMatch(
      /us-1 → manifests of us-1[\s\S]*→ "ACME US: your password expires[\s\S]*exit code 2/,
    );
  });

  test('one tenant is rolled back', () => {
    expect(outputOf(page, 'npx --no-install tenantctl rollback')[0]).toContain('Plan for us-1');
    expect(plans.at(-1)).toContain('1 to update, 0 to delete, 0 by hand, 5 unchanged');
  });

  test('no credential is shown', () => {
    expect(
      blocksOf(page, 'console')
        .map(({ content }) => content)
        .join(''),
    ).not.toMatch(/the-secret-of|\*\*\*/);
  });
});

describe('what the page about the first tenant promises is in its outputs', () => {
  const page = 'docs/first-tenant.md';
  const plans = outputOf(page, 'npx --no-install tenantctl plan');

  test('init signs in, detects a setting and writes it', () => {
    expect(outputOf(page, 'npx --no-install tenantctl init')[0]).toMatch(
      /Signed in to .* Found: \d+ .*\nDetected: identity\.jsonText/,
    );
    expect(outputOf(page, 'cat tenantctl.yaml')[0]).toMatch(/# Detected by .*\n +jsonText: object\n/);
  });

  test('the first plan is empty, then it has the change, and is empty again', () => {
    expect(plans[0]).toContain('No changes.');
    expect(plans[1]).toContain('1 to update, 0 to delete');
    expect(outputOf(page, 'npx --no-install tenantctl apply')[0]).toContain('Applied: 1 done, 0 failed');
    expect(plans[2]).toContain('No changes.');
  });

  test('a test notification is sent', () => {
    expect(outputOf(page, 'npx --no-install tenantctl send-test')[0]).toContain(
      'The tenant accepted the test notification',
    );
  });

  test('no credential is shown', () => {
    expect(
      blocksOf(page, 'console')
        .map(({ content }) => content)
        .join(''),
    ).not.toMatch(/the-secret-of|\*\*\*/);
  });
});

describe('what the page about promotion promises is in its outputs', () => {
  const toProduction = outputOf('docs/promotion.md', 'npx --no-install tenantctl apply -e production');

  test('what was tested is applied, what was not is refused and named', () => {
    expect(toProduction[0]).toContain('Applied: 2 done, 0 failed');
    expect(toProduction[1]).toContain('alerts%40acme.example is not proven');
    expect(toProduction[1]).not.toContain('help%40acme.example is not proven');
    expect(toProduction[1]).toContain('exit code 4');
    expect(toProduction[2]).toContain('Applied: 1 done, 0 failed');
  });

  test('what the environment decides is listed, and applied', () => {
    expect(toProduction[3]).toContain('SimIntegration/Tickets differs here');
    expect(toProduction[3]).toContain('Applied: 1 done, 0 failed');
  });
});
