import { fileURLToPath } from 'node:url';
import { type Fault, operations } from '../../src/sandbox/index.ts';
import {
  createWorld,
  filesBelow,
  seedFile,
  untilItSpeaks,
  type World,
  type WorldOptions,
} from '../support/world.ts';

/** Something that people do with one command, at work against a tenant. */
export interface Use {
  readonly command: string;
  readonly shows: string;
  readonly world?: WorldOptions;
  /** What is there before; its requests do not count. */
  prepare?(world: World): unknown;
  /** Runs the command; throws where it does not do what `shows` says. */
  run(world: World): Promise<unknown>;
}

/** The names of the operations that a use asks of the tenant, besides the token. */
export async function operationsOf(use: Use): Promise<Set<string>> {
  const world = await createWorld({ ...use.world, sandbox: { seed: seedFile, ...use.world?.sandbox } });
  try {
    await use.prepare?.(world);
    const before = world.sandbox.log.length;
    await use.run(world);
    return new Set(world.sandbox.log.slice(before).map(({ operation }) => operation ?? 'unknown'));
  } finally {
    await world.close();
  }
}

const openApiFile = fileURLToPath(new URL('../../examples/kinds/openapi.yaml', import.meta.url));
const template = { kind: 'NotificationTemplate', medium: 'EMAIL', locale: 'en' };
const customised = { ...template, key: 'cloud_manual_work_item_summary' };
const search = (label: string, value: string) => ({
  kind: 'ProfileSearch',
  label,
  rules: [{ type: 'ProfileStatusRule', comparison_operator: '==', value }],
});
const saved = 'Senior engineers not terminated';
const ticketing = { kind: 'SimIntegration', name: 'ServiceNow' };
const rule = { type: 'RULE', name: 'Another', id: '2c9180835d2e5168015d32f890ca1581' };

export const uses: readonly Use[] = [
  { command: 'init', shows: 'creates a new project', run: (world) => succeed(world, 'init fresh') },
  {
    command: 'validate',
    shows: 'checks manifests offline',
    prepare: (world) => world.declare([search('New', 'Active')]),
    run: (world) => succeed(world, 'validate'),
  },
  { command: 'explain', shows: 'explains a code', run: (world) => succeed(world, 'explain plan-stale') },
  { command: 'schema', shows: 'prints schemas', run: (world) => succeed(world, 'schema ProfileSearch') },
  {
    command: 'show',
    shows: 'shows a saved plan',
    async prepare(world) {
      world.declare([search('New', 'Active')]);
      await succeed(world, 'plan --out plan.json');
    },
    run: (world) => succeed(world, 'show plan.json'),
  },
  {
    command: 'export',
    shows: 'exports every kind and turns ids in rules into lookups',
    prepare: askForManager,
    async run(world) {
      await succeed(world, 'export');
      await succeed(world, 'export --kinds NotificationPreference');
      expectText([...filesBelow(`${world.dir}/config`).values()].join(), /!lookup \{ from: users/);
    },
  },
  {
    command: 'plan',
    shows: 'is empty after an export, including lookups',
    async prepare(world) {
      askForManager(world);
      for (const integration of world.sandbox.state.simIntegrations) integration.attributes = {};
      await succeed(world, 'export');
      await succeed(world, 'export --kinds NotificationPreference');
    },
    run: (world) => expectChanges(world, 0),
  },
  {
    command: 'diff',
    shows: 'compares a tenant with its export',
    prepare: (world) => succeed(world, 'export --out kept'),
    run: async (world) => expectText(await succeed(world, 'diff test ./kept'), /No differences: \d+ objects/),
  },
  {
    command: 'completion',
    shows: 'completes arguments without the tenant',
    run: async (world) => expectText(await succeed(world, 'completion bash -- pl'), /^plan/m),
  },
  {
    command: 'plan',
    shows: 'shows with `--impact` which profiles enter and leave a search',
    prepare: (world) => world.declare([search(saved, 'Active')]),
    run: async (world) => expectText(await succeed(world, 'plan --impact'), /enters?: /),
  },
  ...(['plan', 'apply'] as const).map((command) => ({
    command,
    shows: 'lints changes against the data of the tenant and resolves lookups',
    prepare: declareQuestions,
    run: async (world: World) => {
      if (command === 'plan') await expectChanges(world, 2);
      else await applied(world);
    },
  })),
  {
    command: 'apply',
    shows: 'creates declared objects',
    prepare: (world) =>
      world.declare([
        { kind: 'VerifiedDomain', domain: 'new.example' },
        { kind: 'MailFrom', identity: 'new.example', mailFromDomain: 'bounce.new.example' },
        { kind: 'SenderAddress', email: 'new@acme.example' },
        { ...template, key: 'campaign_activated', subject: 'Off we go' },
        {
          kind: 'SimIntegration',
          name: 'Jira',
          type: 'Jira',
          description: 'New',
          attributes: { url: 'https://j.example' },
        },
        search('New', 'Active'),
      ]),
    run: applied,
  },
  {
    command: 'apply',
    shows: 'updates objects that differ',
    prepare: (world) =>
      world.declare([
        { kind: 'AuthProfile', name: 'Employees', untrustedGeography: false },
        { ...ticketing, description: 'Changed', beforeProvisioningRule: rule },
        { ...customised, subject: 'Changed' },
        search(saved, 'Active'),
      ]),
    run: applied,
  },
  {
    command: 'apply',
    shows: 'replaces an integration with `simUpdate: put`',
    world: { identity: { simUpdate: 'put' } },
    prepare: (world) => world.declare([{ ...ticketing, description: 'Changed' }]),
    run: applied,
  },
  {
    command: 'apply',
    shows: 'reads an object again if the response to a write does not contain it',
    prepare(world) {
      world.declare([{ ...customised, subject: 'Changed' }]);
      world.sandbox.faults.add(silentWrite('create-notification-template'));
    },
    run: applied,
  },
  {
    command: 'apply',
    shows: 'deletes objects declared absent',
    world: {
      sandbox: { variations: { profileSearchDelete: true } },
      profiles: { profileSearchDelete: true },
    },
    prepare: (world) =>
      world.declare(
        [
          { kind: 'SenderAddress', email: 'audit@acme.example' },
          { ...customised },
          { ...ticketing },
          { kind: 'ProfileSearch', label: saved },
        ].map((document) => ({ ...document, ensure: 'absent' })),
      ),
    run: applied,
  },
  {
    command: 'rollback',
    shows: 'plans the reversal of an apply',
    async prepare(world) {
      world.declare([{ ...customised, subject: 'Changed' }]);
      await succeed(world, 'apply --yes --result result.json');
    },
    run: async (world) => expectText(await succeed(world, 'rollback result.json'), /1 to update/),
  },
  {
    command: 'check',
    shows: 'says what may be read',
    run: async (world) =>
      expectText(await succeed(world, 'check'), /Nothing that was read would stop a plan/),
  },
  {
    command: 'get',
    shows: 'prints a live object as its manifest',
    run: async (world) => expectText(await succeed(world, 'get SimIntegration/ServiceNow'), /!secret /),
  },
  {
    command: 'history',
    shows: 'lists what was applied',
    prepare: async (world) => {
      world.declare([{ ...customised, subject: 'Changed' }]);
      await succeed(world, 'apply --yes');
    },
    run: async (world) => expectText(await succeed(world, 'history'), /1 done/),
  },
  {
    command: 'status',
    shows: 'lists senders, domains and MAIL FROM domains with their DNS records',
    run: async (world) => expectText(await succeed(world, 'status'), /audit@acme\.example/),
  },
  {
    command: 'search',
    shows: 'runs a saved search',
    run: async (world) => expectText(await succeed(world, 'search', saved), /profiles?/),
  },
  {
    command: 'search',
    shows: 'runs a declared search without saving it',
    prepare: (world) => world.declare([search('New', 'Active')]),
    run: async (world) => expectText(await succeed(world, 'search New'), /profiles?/),
  },
  {
    command: 'preview',
    shows: 'serves templates before and after the change, with the context of the tenant',
    prepare: (world) => world.declare([{ ...customised, subject: 'Changed' }]),
    run: (world) => untilItSpeaks(world, 'preview'),
  },
  {
    command: 'send-test',
    shows: 'sends a test notification with a generated context',
    run: (world) =>
      succeed(world, 'send-test NotificationTemplate/cloud_manual_work_item_summary/EMAIL/en --yes'),
  },
  { command: 'env', shows: 'lists the environments', run: (world) => succeed(world, 'env') },
  {
    command: 'kind',
    shows: 'drafts a kind from a description of an API',
    run: (world) => succeed(world, 'kind draft', openApiFile, '/v2025/transforms'),
  },
  { command: 'sandbox', shows: 'serves an embedded tenant', run: (world) => untilItSpeaks(world, 'sandbox') },
];

/** Every operation that the documents name; the token is every command's. */
export const documented = operations.filter(({ name }) => name !== 'issue-token');

/** Manifests that take an answer of the tenant each: to compare them, to fill them in, or to judge them. */
function declareQuestions(world: World): void {
  world.write(
    'config/all.yaml',
    `kind: NotificationTemplate
key: campaign_activated
medium: EMAIL
locale: en
subject: Off we go, $__global.productName
from: somebody@acme.example
---
kind: NotificationPreference
key: campaign_activated
---
kind: ProfileSearch
label: New
rules:
  - type: ProfileTypeRule
    comparison_operator: '=='
    value: !lookup { from: profile_types, where: { uid: contractor }, take: id }
  - type: ProfileAttributeRule
    object_type: NeAttribute
    condition_object_id: !lookup { from: ne_attributes, where: { uid: department }, take: id }
    comparison_operator: '=='
    value: !lookup { from: profiles, where: { uid: dept-engineering }, take: id }
`,
  );
}

async function succeed(world: World, ...argv: string[]): Promise<string> {
  const { code, stdout, stderr } = await world.run(...argv);
  if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${code}: ${stderr}${stdout}`);
  return stdout;
}

async function expectChanges(world: World, count: number): Promise<void> {
  const { changes } = await world.plan();
  if (changes.length !== count) throw new Error(`planned ${JSON.stringify(changes)}`);
}

function expectText(text: string, pattern: RegExp): void {
  if (!pattern.test(text)) throw new Error(`${pattern} is not in ${text}`);
}

/** Applies the manifests, all of them and with nothing to mind. */
async function applied(world: World): Promise<void> {
  const { stdout } = await world.run('apply --yes --format json');
  const { outcome, changes } = JSON.parse(stdout);
  if (outcome !== 'done' || changes.length === 0) throw new Error(stdout);
}

/** A profile search that names a user by id. */
function askForManager({ sandbox: { state } }: World): void {
  const [user] = state.users;
  const attribute = state.neAttributes.find(({ uid }) => uid === 'manager');
  state.profileSearches[0]?.rules.push({
    id: 'manager',
    type: 'ProfileAttributeRule',
    comparison_operator: '==',
    value: user?.id ?? '',
    condition_object_id: attribute?.id ?? '',
  });
}

/** The tenant does what it is asked, and answers without the object. */
function silentWrite(operation: string): Fault {
  return { kind: 'status', status: 200, operation, done: 'after', body: 'text' };
}
