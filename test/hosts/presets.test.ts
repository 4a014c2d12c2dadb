/** The first try of an administrator, as docs/first-tenant.md tells it, on the host of each product. */
import { readFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { type SandboxOptions, startSandbox } from '../support/sandbox.ts';
import { seedFile } from '../support/seed.ts';
import { commandsIn, createTestFolder, filesBelow, succeed } from '../support/world.ts';

type Presets = NonNullable<SandboxOptions['presets']>;

/** A folder, and a tenant that has no integration, as most have. */
async function firstTry(products: Presets) {
  const { dir, read, write } = createTestFolder();
  const sandbox = await startSandbox({ seed: seedFile, rateLimit: null, presets: products });
  onTestFinished(() => sandbox.close());
  const { simIntegrations, templates, templateDefaults, preferences } = sandbox.state;
  simIntegrations.length = 0;
  for (const list of [templates, templateDefaults, preferences]) keepFew(list);
  const env = { TENANT_CLIENT_ID: sandbox.clientId, TENANT_CLIENT_SECRET: sandbox.clientSecret };
  const commands = commandsIn(dir, env);
  const run = (...argv: string[]) => succeed(commands, ...argv);
  return { sandbox, read, write, run, plan: commands.plan };
}

/** A list of templates or preferences is read and exported in the same way, however long it is. */
function keepFew(list: { readonly key: string }[]): void {
  const few = ['cloud_manual_work_item_summary', 'password_expiring', 'access_expiring'];
  list.splice(0, list.length, ...list.filter(({ key }) => few.includes(key)));
}

const search = `kind: ProfileSearch
label: Long names
rules:
  - { type: ProfileStatusRule, comparison_operator: "==", value: Leave of absence }
  - type: ProfileAttributeRule
    object_type: NeAttribute
    condition_object_id: !lookup { from: ne_attributes, where: { label: Job title }, take: id }
    comparison_operator: start_with?
    value: Engineer
`;

const slack = 'config/notification-templates/cloud_manual_work_item_summary/slack.en.yaml';

const preferences = 'config/notification-preferences.yaml';

/** An answer that says that there is no MAIL FROM is none that refuses. */
const isRefused = ({ status, path }: Sandbox['log'][number]) =>
  status === null || (status >= 400 && !path.includes('/mail-from-attributes/'));

const [isc, nerm] = ['sailpoint-isc', 'sailpoint-nerm'] as const;
describe.each<[name: string, products: Presets, written: object]>([
  ['the contract', [], {}],
  [isc, [isc], { identity: isc }],
  [nerm, [nerm], { profiles: nerm }],
  ['both products', [isc, nerm], { identity: isc, profiles: nerm }],
])('the first try on a host of %s', (_, products, written) => {
  test('needs `init` alone: no later request is refused', async () => {
    const { sandbox, run, plan, read, write } = await firstTry(products);
    const { url } = sandbox;
    const { stderr } = await run(`init --identity ${url} --profiles ${url} --pipelines none`);
    const { environments } = parse(read('tenantctl.yaml'), { logLevel: 'silent' });
    const { identity, profiles } = environments.production;
    expect({ identity: identity.preset, profiles: profiles.preset }).toEqual(written);
    const names = [...Object.keys(identity), ...Object.keys(profiles)];
    expect(names.filter((name) => name !== 'preset')).toEqual(['baseUrl', 'auth', 'baseUrl']);
    expect(stderr.match(/^Detected: .*$/gm) ?? []).toHaveLength(products.length);
    const begin = sandbox.log.length;

    expect((await run('export --merge')).stdout).toContain('Files: 0 changed, 0 new, 0 removed.');
    expect((await plan()).changes).toEqual([]);
    write(slack, read(slack).replace('to complete, ${user.name}', 'to do, ${user.name}'));
    write('config/long-names.yaml', search);
    write(preferences, read(preferences).replace('mediums: [EMAIL]', 'mediums: [EMAIL, SLACK]'));
    const { changes } = await plan();
    // Hosts of the contract only show preferences.
    const isWritten = products.includes('sailpoint-isc');
    expect(changes.map(({ action, address }) => [action, address])).toEqual([
      ['update', 'NotificationTemplate/cloud_manual_work_item_summary/SLACK/en'],
      [isWritten ? 'update' : 'manual', 'NotificationPreference/access_expiring'],
      ['create', 'ProfileSearch/Long%20names'],
    ]);
    await run('apply --yes');
    expect((await plan()).changes.map(({ action }) => action)).toEqual(isWritten ? [] : ['manual']);
    const to = isWritten ? ['--to', 'ada@acme.example'] : [];
    await run('send-test', 'NotificationTemplate/password_expiring/EMAIL/en', '--yes', ...to);
    expect(sandbox.state.sentNotifications).toHaveLength(1);

    const refused = sandbox.log.slice(begin).filter(isRefused);
    expect(refused.map(({ method, path, query, status }) => [method, path, query, status])).toEqual([]);
  });
});

test('an embedded tenant of a project plays products too', async () => {
  const { dir } = createTestFolder({
    'tenantctl.yaml':
      'version: 1\nenvironments: { s: { sandbox: { seed: seed.json, presets: [sailpoint-isc, sailpoint-nerm] } } }\n',
    'seed.json': readFileSync(seedFile, 'utf8'),
  });
  await succeed(commandsIn(dir, {}), 'export --out config');
  const integrations = [...filesBelow(`${dir}/config/sim-integrations`).values()];
  expect(integrations.length).toBeGreaterThan(0);
  // The host does not show them.
  for (const text of integrations)
    expect(text).toContain('statusMap is left out: the tenant does not show it');
});
