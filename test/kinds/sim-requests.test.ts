import { describe, expect, it, test } from 'vitest';
import { simIntegration } from '../../src/kinds/sim-integration.ts';
import type { Change } from '../../src/model/documents.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { type ApiSettings, contractSettings } from '../../src/model/tenant.ts';
import { answers, planOf, resource } from '../support/plan.ts';
import { createTestWorld, succeed, writesIn } from '../support/world.ts';

/** Requests for integrations in the corners of the API, written by hand from its documents. */

const shown = { description: 'D', type: 'T', cluster: 'c', request: '{"a":"b"}', statusMap: '{"c":"d"}' };

function change(fields: JsonObject, live: JsonObject = shown, settings: Partial<ApiSettings> = {}) {
  const declared = [resource('SimIntegration', ['S'], fields)];
  return planOf({ declared, live: [answers.integration('i1', 'S', live)], settings }).changes[0];
}
const bodies = (found: Change | undefined) => found?.requests.map(({ path, body }) => [path, body]);
const operations = (...list: JsonObject[]) => ({ operations: list });
const target = '/v2024/sim-integrations/i1';
/** The only request, which does this to one place. */
const step = (op: string, at: string, value: Json) => [[target, operations({ op, path: `/${at}`, value })]];
const put = { simUpdate: 'put' } as const;
const withoutMap =
  'The tenant does not show statusMap, so this PUT is sent without it: declare it, and not under ' +
  '`lifecycle.ignore`, if it is in use.';

describe('a patch', () => {
  const rule = { type: 'RULE', id: 'r1', name: 'R' };

  it('of the rule alone goes to the rule, with pointers into it', () => {
    const [path, live] = [`${target}/beforeProvisioningRule`, { beforeProvisioningRule: rule }];
    const other = change({ beforeProvisioningRule: { ...rule, id: 'r2' } }, live);
    expect(bodies(other)).toEqual([[path, operations({ op: 'replace', path: '/id', value: 'r2' })]]);
    const added = Object.entries(rule).map(([name, value]) => ({ op: 'add', path: `/${name}`, value }));
    const body = { operations: expect.arrayContaining(added) };
    expect(change({ beforeProvisioningRule: rule })?.requests).toMatchObject([{ path, body }]);
    const cleared = change({ beforeProvisioningRule: null }, { beforeProvisioningRule: rule });
    expect(cleared?.requests).toHaveLength(1);
    expect(cleared?.requests[0]?.body).toEqual({
      operations: expect.arrayContaining(['/type', '/id', '/name'].map((path) => ({ op: 'remove', path }))),
    });
  });

  it('of the rule by another name alone is left to a person, and by its own name is no change', () => {
    const live = { ...shown, beforeProvisioningRule: rule };
    const named = (name: string) => change({ beforeProvisioningRule: { type: 'RULE', name } }, live);
    expect(named('R')).toBeUndefined();
    const both = change({ beforeProvisioningRule: { name: 'R' }, description: 'N' }, live);
    expect(both?.requests).toHaveLength(1);
    expect(named('S')).toMatchObject({ action: 'manual', requests: [] });
    expect(named('S')?.warnings[0]).toContain('`id`');
    // A tenant that shows no id of the rule has only its name to change.
    const hidden = { ...shown, beforeProvisioningRule: { type: 'RULE', name: 'R' } };
    const changed = change({ beforeProvisioningRule: { type: 'RULE', name: 'S' } }, hidden);
    expect(changed).toMatchObject({ action: 'update' });
  });

  it('of other fields leaves the rule alone', () => {
    const live = { ...shown, beforeProvisioningRule: rule };
    const found = change({ description: 'New', beforeProvisioningRule: { ...rule, name: 'Other' } }, live);
    expect(bodies(found)).toEqual(step('replace', 'description', 'New'));
  });

  it('uses replace alone where the host knows no other operation', () => {
    const replace = { simPatchOps: 'replace' } as const;
    const cleared = change({ description: null }, shown, replace);
    expect(bodies(cleared)).toEqual(step('replace', 'description', null));
    const set = change({ description: 'N' }, { type: 'T' }, replace);
    expect(bodies(set)).toEqual(step('replace', 'description', 'N'));
  });
});

describe('a put', () => {
  it('sends everything back as the tenant showed it', () => {
    const found = change({ description: 'New' }, { ...shown, managedSources: ['s'] }, put);
    const inText = { request: { $jsonText: { a: 'b' } }, statusMap: { $jsonText: { c: 'd' } } };
    const unset = { attributes: null, beforeProvisioningRule: null };
    const body = { ...shown, id: 'i1', name: 'S', description: 'New', sources: ['s'], ...inText, ...unset };
    expect(bodies(found)).toEqual([[target, body]]);
    expect(found?.warnings).toEqual([]);
  });

  it('warns of a field that the tenant does not show and the manifest does not declare', () => {
    const { statusMap: _, ...live } = { ...shown, managedSources: [] };
    const found = change({ description: 'New' }, live, put);
    expect(found?.warnings).toEqual([withoutMap]);
    expect(found?.requests[0]?.body).not.toHaveProperty('statusMap');
    const declared = change({ description: 'New', statusMap: { x: 'y' } }, live, put);
    expect(declared?.warnings).toEqual([]);
    expect(declared?.requests[0]?.body).toHaveProperty('statusMap', { $jsonText: { x: 'y' } });
  });
});

it('tells what to take out of `lifecycle.ignore` where a put would lose what the tenant does not show', () => {
  const { statusMap: _, ...live } = shown;
  const planned = (ignore: string[], managed: JsonObject) => {
    const fields = { description: 'New', sources: ['s'], statusMap: { x: 'y' } };
    const declared = [resource('SimIntegration', ['S'], fields, { lifecycle: { ignore } })];
    const shown = answers.integration('i1', 'S', { ...live, ...managed });
    return planOf({ declared, live: [shown], settings: put });
  };
  expect(planned(['/statusMap'], { managedSources: ['s'] }).changes[0]?.warnings).toEqual([withoutMap]);
  expect(planned(['/sources'], {}).changes[0]).toMatchObject({
    action: 'manual',
    warnings: [expect.stringContaining('and not under `lifecycle.ignore`, or make')],
  });
});

describe('a mask that nobody declared', () => {
  const live = { ...shown, attributes: { url: 'u', password: '********', pin: '1:ACP:abc' } };
  const byHand = { action: 'manual', warnings: [expect.stringContaining('/attributes/password of "S"')] };

  const whole = { jsonText: 'object', simPatchOps: 'replace' } as const;
  const url = { attributes: { url: 'v' } };

  it('is never written over the credential', () => {
    expect(change(url, live)).toMatchObject(byHand);
    expect(change({ description: 'New' }, { ...live, managedSources: ['s1'] }, put)).toMatchObject(byHand);
    expect(change({ attributes: { region: 'eu' } }, live, whole)).toMatchObject(byHand);
  });

  it.each<[string, JsonObject, JsonObject, Partial<ApiSettings>]>([
    ['another member is replaced alone', url, live, whole],
    ['another field changes', { description: 'New' }, live, {}],
    ['another member changes', url, live, { jsonText: 'object' }],
    ['a secret takes its place', { attributes: { url: 'v', password: { $secret: 'S' } } }, live, {}],
    ['everything is cleared', { attributes: null }, live, {}],
    ['there is ciphertext only', url, { attributes: { url: 'u', pin: '1:ACP:abc' } }, {}],
  ])('is no obstacle where %s', (_what, fields, raw, settings) =>
    expect(change(fields, raw, settings)).toMatchObject({ action: 'update' }),
  );
});

describe('a put of an integration whose sources are not shown', () => {
  const declare =
    'The tenant does not show the sources of "S", and a PUT without them would clear them. Declare the `sources` that it ' +
    'has, and not under `lifecycle.ignore`, or make this change in the tenant; or set `identity.simUpdate: patch` if the ' +
    'tenant takes patches.';

  it.each<[string, JsonObject]>([
    ['leaves them out', { description: 'New' }],
    ['sets them to null', { description: 'New', sources: null }],
    ['declares none', { description: 'New', sources: [] }],
  ])('is left to a person where the manifest %s', (_what, fields) =>
    expect(change(fields, shown, put)).toMatchObject({ action: 'manual', requests: [], warnings: [declare] }),
  );

  it('is made with those that the manifest declares', () => {
    const found = change({ description: 'New', sources: ['s'] }, shown, put);
    expect(found).toMatchObject({ action: 'update', warnings: [] });
    expect(found?.requests[0]?.body).toMatchObject({ sources: ['s'] });
  });

  it('is left to a person where the settings of provisioning have null for them', () => {
    const live = { ...shown, provisioningConfig: { universalManager: false, managedResourceRefs: null } };
    const byHand = { action: 'manual', warnings: [declare] };
    expect(change({ description: 'New' }, live, put)).toMatchObject(byHand);
    expect(change({ sources: ['s'] }, live)).toBeUndefined();
    expect(change({ description: 'New' }, { ...live, managedSources: [] }, put)?.action).toBe('update');
  });

  it('is no danger where the tenant takes patches', () =>
    expect(bodies(change({ description: 'New' }))).toEqual(step('replace', 'description', 'New')));
});

const live = { ...shown, managedSources: ['s'] };
const body = (fields: JsonObject, raw: JsonObject) => change(fields, raw, put)?.requests[0]?.body;

it('the sources in a put are left out where there are none, and empty where a manifest clears them', () => {
  expect(body({ description: 'New' }, { ...shown, managedSources: [] })).not.toHaveProperty('sources');
  expect(body({ sources: [] }, live)).toHaveProperty('sources', []);
  expect(body({ sources: null }, live)).toHaveProperty('sources', null);
  expect(body({ description: 'New', sources: ['s'] }, live)).toHaveProperty('sources', ['s']);
});

describe('a field that the tenant shows as an empty object', () => {
  it.each(['{}', {}, ''])('may not be there, so %j is added to', (statusMap) => {
    const value = { closed: 'Committed' };
    const live = { ...shown, statusMap };
    const asText = bodies(change({ statusMap: value }, live));
    expect(asText).toEqual(step('add', 'statusMap', { $jsonText: value }));
    const asObject = bodies(change({ statusMap: value }, live, { jsonText: 'object' }));
    expect(asObject).toEqual(step('add', 'statusMap', value));
  });

  it('is there where it is a text: it is replaced', () => {
    const found = change({ description: 'N' }, { ...shown, description: '' });
    expect(bodies(found)).toEqual(step('replace', 'description', 'N'));
  });

  it('is one that is replaced where the manifest clears it', () =>
    expect(bodies(change({ statusMap: null }))).toEqual(step('replace', 'statusMap', null)));
});

describe('attributes that are no object', () => {
  const nested = { ...shown, request: undefined, attributes: { url: 'u', request: { a: 'b' } } };
  const { request: _, ...live } = nested;

  it('are written alone where they are text', () =>
    expect(bodies(change({ attributes: 'no JSON' }, live))).toEqual(
      step('replace', 'attributes', 'no JSON'),
    ));

  it('are replaced by the members that are declared', () => {
    const attributes = { url: 'u' };
    const found = change({ attributes }, { ...shown, attributes: 'no JSON' });
    expect(bodies(found)).toEqual(step('replace', 'attributes', { $jsonText: attributes }));
  });
});

const created = (fields: JsonObject, settings: Partial<ApiSettings> = {}) =>
  planOf({ declared: [resource('SimIntegration', ['S'], fields)], settings }).changes[0]?.requests;

it('a new integration has no unset members, and JSON as the host takes it', () => {
  const fields = { description: null, type: 'T', statusMap: { a: 'b' }, sources: [] };
  expect(created(fields)).toMatchObject([{ method: 'POST', path: '/v2024/sim-integrations' }]);
  const body = { name: 'S', type: 'T', statusMap: { $jsonText: { a: 'b' } }, sources: [] };
  expect(created(fields)?.[0]?.body).toEqual(body);
  expect(created(fields, { jsonText: 'object' })?.[0]?.body).toMatchObject({ statusMap: { a: 'b' } });
});

it('a patch of fields and rule takes the form that the host wants in both', () => {
  const rule = { type: 'RULE', id: 'r1', name: 'R' };
  const found = change(
    { description: 'New', beforeProvisioningRule: { ...rule, id: 'r2' } },
    { ...shown, beforeProvisioningRule: rule },
    { simPatchBody: 'array' },
  );
  expect(bodies(found)).toEqual([
    [target, [{ op: 'replace', path: '/description', value: 'New' }]],
    [`${target}/beforeProvisioningRule`, [{ op: 'replace', path: '/id', value: 'r2' }]],
  ]);
});

it('a rule has the type that the API wants, where a manifest has only its id', () => {
  const complete = simIntegration.quirks?.complete;
  const declared = (rule: JsonObject | null) => ({ description: 'D', beforeProvisioningRule: rule });
  expect(complete?.(declared({ id: 'r1' }), contractSettings)).toEqual(declared({ type: 'RULE', id: 'r1' }));
  for (const rule of [null, { type: 'OTHER', id: 'r1' }, { name: 'R' }])
    expect(complete?.(declared(rule), contractSettings)).toEqual(declared(rule));
});

/** Service-desk integrations, the successor of SimIntegration: a built-in kind that a descriptor describes. */

const desk = {
  kind: 'ServiceDeskIntegration',
  name: 'ServiceNow',
  description: 'Tickets',
  type: 'ServiceNow Service Desk',
  clusterRef: { type: 'CLUSTER', id: 'c1' },
  provisioningConfig: {
    managedResourceRefs: [
      { type: 'SOURCE', id: 's1', name: 'HR' },
      { type: 'SOURCE', id: 's2', name: 'AD' },
    ],
  },
  attributes: { url: 'https://snow.example.com', statusMap: { closed: 'Committed' } },
};
const seed = 'objects: { Cluster: [{ id: c1, name: va-prod }] }';
const path = '/v2025/service-desk-integrations';
const held = (world: Awaited<ReturnType<typeof createTestWorld>>) =>
  world.sandbox.state.objects.ServiceDeskIntegration ?? [];

test('it is created whole, and changed by `replace` alone, also where a member is new or goes', async () => {
  const world = await createTestWorld({ seed });
  world.declare([desk]);
  await succeed(world, 'apply --yes');
  expect(writesIn(world.sandbox.log)).toMatchObject([{ method: 'POST', path, body: { name: 'ServiceNow' } }]);
  expect((await world.plan()).changes).toEqual([]);
  const [first] = held(world);
  world.declare([
    {
      ...desk,
      description: 'Manual work',
      attributes: { url: 'https://new.example.com', retries: 3, statusMap: null },
      beforeProvisioningRule: { type: 'RULE', id: 'r1' },
    },
  ]);
  await succeed(world, 'apply --yes');
  const change = writesIn(world.sandbox.log).at(-1);
  expect(change).toMatchObject({ method: 'PATCH', path: `${path}/${first?.id}` });
  const steps: unknown = change?.body;
  expect(Array.isArray(steps) && steps.map(({ op }) => op).every((op) => op === 'replace')).toBe(true);
  expect(held(world)).toMatchObject([
    { description: 'Manual work', attributes: { url: 'https://new.example.com', retries: 3 } },
  ]);
  expect((await world.plan()).changes).toEqual([]);
});

test('its sources have no order, and what repeats them is left to the server', async () => {
  const world = await createTestWorld({ seed });
  world.declare([desk]);
  await succeed(world, 'apply --yes');
  const { managedResourceRefs } = desk.provisioningConfig;
  const provisioningConfig = { managedResourceRefs: managedResourceRefs.toReversed() };
  world.declare([{ ...desk, provisioningConfig }]);
  expect((await world.plan()).changes).toEqual([]);
  world.declare([{ ...desk, managedSources: ['s1'] }]);
  expect((await world.run('validate')).stdout).toContain('managedSources');
});

test('it is exported, after which a plan is empty, and deleted with its risk', async () => {
  const world = await createTestWorld({ seed });
  world.declare([desk]);
  await succeed(world, 'apply --yes');
  world.declare([]);
  await succeed(world, 'export --out config --only ServiceDeskIntegration/**');
  expect((await world.plan()).changes).toEqual([]);
  world.declare([{ kind: 'ServiceDeskIntegration', name: 'ServiceNow', ensure: 'absent' }]);
  const { changes } = await world.plan('--allow-delete-all', 'ServiceDeskIntegration');
  expect(changes).toMatchObject([{ action: 'delete', risk: ['delete'] }]);
  await succeed(world, 'apply --yes', '--allow-delete-all', 'ServiceDeskIntegration');
  expect(held(world)).toEqual([]);
});

test('a new one without what the host requires is told, and a step by hand', async () => {
  const world = await createTestWorld({ seed });
  world.declare([{ kind: 'ServiceDeskIntegration', name: 'Bare' }]);
  const { stdout, stderr } = await world.run('validate');
  expect(stdout + stderr).toContain('required-field');
  expect((await world.plan()).changes).toMatchObject([{ action: 'manual', requests: [] }]);
});
