/** Members of an integration's `attributes` that go by the name of a ticket field: settings, or the field itself. */
import { describe, expect, it } from 'vitest';
import { simIntegration } from '../../src/kinds/sim-integration.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { ApiSettings } from '../../src/model/tenant.ts';
import { liveFrom, planOf, resource } from '../support/plan.ts';
import { createTestWorld, createWorld, type World } from '../support/world.ts';

const top = { id: 's1', name: 'Desk', managedSources: [], request: '{"a":"b"}', statusMap: '{"x":"Done"}' };
const { request: _request, statusMap: _statusMap, ...bare } = top;

function bodyOf(raw: JsonObject, fields: JsonObject, settings: Partial<ApiSettings> = {}) {
  const declared = [resource('SimIntegration', ['Desk'], fields)];
  const [change] = planOf({ declared, live: [{ kind: 'SimIntegration', raw }], settings }).changes;
  return change?.requests[0]?.body;
}
const replaced = (value: JsonObject) => ({
  operations: [{ op: 'replace', path: '/attributes', value: { $jsonText: value } }],
});
/** A setting that the manifest does not declare: filled in just before sending. */
const live = (at: string) => ({ $live: `/attributes/${at}` });

describe('settings named like a ticket field', () => {
  const raw = { ...top, attributes: '{"url":"x","request":"keep","statusMap":{"k":"v"}}' };
  const after = { url: 'y', request: live('request'), statusMap: { k: live('statusMap/k') } };

  it('stay when the attributes are written', () => {
    expect(bodyOf(raw, { attributes: { url: 'y' } })).toEqual(replaced(after));
    expect(bodyOf(raw, { attributes: { url: 'y' } }, { simUpdate: 'put' })).toMatchObject({
      attributes: { $jsonText: after },
      request: { $jsonText: { a: 'b' } },
    });
  });

  it.each([
    ['beside the fields', raw],
    ['where the fields are unset', { ...raw, request: null, statusMap: null }],
    ['where the fields are not shown', { ...bare, attributes: '{"request":"keep"}' }],
  ])('are declared as members, %s', (_, shown) => {
    expect(bodyOf(shown, { attributes: { request: 'keep' } })).toBeUndefined();
    const { url, statusMap } = JSON.parse(shown.attributes);
    expect(bodyOf(shown, { attributes: { request: 'new' } })).toEqual(
      replaced({
        ...(url && { url: live('url') }),
        ...(statusMap && { statusMap: { k: live('statusMap/k') } }),
        request: 'new',
      }),
    );
  });
});

describe('ticket fields that the tenant keeps inside the attributes', () => {
  const raw = { ...bare, attributes: { url: 'x', request: { a: 'b' }, statusMap: '{"x":"Committed"}' } };
  const nested = { request: { a: 'b' }, statusMap: { $jsonText: { x: 'Committed' } } };

  it('are compared as fields', () =>
    expect(bodyOf(raw, { request: { a: 'b' }, statusMap: { x: 'Committed' } })).toBeUndefined());

  it('go along when the attributes are written, each as it shall be', () => {
    expect(bodyOf(raw, { attributes: { url: 'y' } })).toEqual(replaced({ ...nested, url: 'y' }));
    for (const attributes of [null, '']) expect(bodyOf(raw, { attributes })).toEqual(replaced(nested));
    expect(bodyOf(raw, { attributes: { url: 'y' }, request: { a: 'c' }, statusMap: null })).toMatchObject({
      operations: expect.arrayContaining([
        { op: 'replace', path: '/attributes', value: { $jsonText: { request: { a: 'c' }, url: 'y' } } },
      ]),
    });
    expect(bodyOf(raw, { description: 'd' }, { simUpdate: 'put' })).toMatchObject({
      attributes: { $jsonText: { ...nested, url: live('url') } },
    });
  });

  it('are no part of a change that goes member by member', () => {
    expect(bodyOf(raw, { attributes: { url: 'y' } }, { jsonText: 'object' })).toEqual({
      operations: [{ op: 'replace', path: '/attributes/url', value: 'y' }],
    });
    expect(bodyOf(raw, { attributes: null }, { jsonText: 'object' })).toEqual({
      operations: [{ op: 'remove', path: '/attributes/url' }],
    });
  });

  it('go along where the attributes themselves are not in the plan', () => {
    const attributes = { $literal: 1, password: 'p', request: { a: 'b' } };
    expect(bodyOf({ ...bare, attributes }, { description: 'd' }, { simUpdate: 'put' })).toMatchObject({
      attributes: { $jsonText: { password: { $live: '/attributes/password' }, request: { a: 'b' } } },
    });
  });
});

it.each(['top', 'attributes', 'hidden'] as const)(
  'a tenant that shows them as "%s" loses nothing to a change of the attributes, and the next plan is empty',
  async (simStatusMap) => {
    const world: World = await createWorld({ sandbox: { variations: { simStatusMap } } });
    const there = { description: null, type: 'T', cluster: null, sources: [], beforeProvisioningRule: null };
    const at = '2025-01-01T00:00:00Z';
    const kept = { id: 'i1', name: 'Desk', request: { a: 'b' }, statusMap: null };
    const attributes = { url: 'x', statusMap: 'three' };
    world.sandbox.state.simIntegrations.push({ ...there, ...kept, created: at, modified: at, attributes });
    world.declare([{ kind: 'SimIntegration', name: 'Desk', attributes: { url: 'y', statusMap: 'four' } }]);
    const applied = await world.run('apply', '--yes');
    expect(applied, applied.stderr).toMatchObject({ code: 0 });
    const after = { ...kept, attributes: { url: 'y', statusMap: 'four' } };
    expect(world.sandbox.state.simIntegrations[0]).toMatchObject(after);
    expect((await world.plan()).changes).toEqual([]);
    await world.close();
  },
);

describe('ticket fields that a manifest declares inside the attributes', () => {
  const desk = (attributes: JsonObject) => ({ kind: 'SimIntegration', name: 'Desk', type: 'T', attributes });
  const steps: readonly JsonObject[] = [
    { url: 'y', statusMap: { closed: 'Failed' }, request: 'keep' },
    { url: 'y', statusMap: { closed: 'Committed' }, request: '{"a":"b"}' },
    { url: 'z', statusMap: null },
  ];

  it.each(
    (['top', 'attributes'] as const).flatMap((simStatusMap) =>
      (['text', 'object'] as const).flatMap((jsonText) =>
        (['patch', 'put'] as const).map((simUpdate) => [simStatusMap, jsonText, simUpdate] as const),
      ),
    ),
  )(
    'are applied from a saved plan, and the next plan is empty: %s, %s, %s',
    async (simStatusMap, jsonText, simUpdate) => {
      const sandbox = { variations: { simStatusMap, jsonText } };
      const world = await createTestWorld({ sandbox, identity: { jsonText, simUpdate } });
      world.declare([desk({ url: 'x' })]);
      expect(await world.run('apply', '--yes')).toMatchObject({ code: 0 });
      for (const attributes of steps) {
        world.declare([desk(attributes)]);
        await world.plan('--out', 'plan.json');
        const applied = await world.run('apply', 'plan.json');
        expect(applied, applied.stdout).toMatchObject({ code: 0 });
        expect((await world.plan()).changes).toEqual([]);
      }
      const { attributes, statusMap } = world.sandbox.state.simIntegrations[0] ?? {};
      expect({ ...attributes, statusMap }).toMatchObject({ url: 'z', statusMap: null });
    },
  );

  const raw = { ...bare, attributes: { url: 'x', statusMap: { closed: 'Failed' } } };
  const planned = (fields: JsonObject, live: JsonObject = raw) => {
    const declared = [resource('SimIntegration', ['Desk'], fields)];
    return planOf({ declared, live: [{ kind: 'SimIntegration', raw: live }] }).changes[0]?.diff;
  };

  it('are shown as the fields that they are, of which one that is declared as such counts more', () => {
    const inside = { url: 'x', statusMap: { closed: 'Committed' } };
    const shown = [{ path: '/statusMap/closed', before: 'Failed', after: 'Committed' }];
    expect(planned({ attributes: inside })).toMatchObject(shown);
    expect(planned({ attributes: { statusMap: '{"closed":"Committed"}' } })).toMatchObject(shown);
    expect(planned({ attributes: { url: 'x', statusMap: { closed: 'Failed' } } })).toBeUndefined();
    expect(planned({ attributes: inside, statusMap: { closed: 'Failed' } })).toBeUndefined();
    expect(planned({ attributes: { ...inside, url: 'y' } })).toMatchObject([
      { path: '/attributes/url', after: 'y' },
      ...shown,
    ]);
    expect(planned({ attributes: { statusMap: null } })).toMatchObject([{ path: '/statusMap', after: null }]);
  });

  it('are ordinary settings where the tenant has the fields elsewhere', () => {
    const elsewhere = { ...top, attributes: { url: 'x', statusMap: { closed: 'Failed' } } };
    expect(planned({ attributes: { statusMap: { closed: 'Committed' } } }, elsewhere)).toMatchObject([
      { path: '/attributes/statusMap/closed', after: 'Committed' },
    ]);
    const secret = { attributes: { statusMap: { $secret: 'S' } } };
    expect(simIntegration.quirks?.arrange?.(secret, liveFrom({ kind: 'SimIntegration', raw }))).toEqual(
      secret,
    );
    expect(planned({ attributes: { statusMap: 'three' } })).toMatchObject([
      { path: '/attributes/statusMap', after: 'three' },
    ]);
  });
});
