/** Members of an integration's `attributes` that go by the name of a ticket field: settings, or the field itself. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import type { ApiSettings } from '../../src/model/settings.ts';
import { planOf, resource } from '../support/plan.ts';
import { createWorld, type World } from '../support/world.ts';

const top = {
  id: 's1',
  name: 'Desk',
  managedSources: [],
  request: '{"a":"b"}',
  statusMap: '{"x":"Committed"}',
};
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

  it('are compared as fields', () => {
    expect(bodyOf(raw, { request: { a: 'b' }, statusMap: { x: 'Committed' } })).toBeUndefined();
  });

  it('go along when the attributes are written, each as it shall be', () => {
    expect(bodyOf(raw, { attributes: { url: 'y' } })).toEqual(replaced({ ...nested, url: 'y' }));
    expect(bodyOf(raw, { attributes: null })).toEqual(replaced(nested));
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
    const stamps = { created: '2025-01-01T00:00:00Z', modified: '2025-01-01T00:00:00Z' };
    const kept = { request: { a: 'b' }, statusMap: null };
    const attributes = { url: 'x', statusMap: 'three' };
    world.sandbox.state.simIntegrations.push({
      id: 'i1',
      name: 'Desk',
      ...there,
      ...stamps,
      ...kept,
      attributes,
    });
    world.declare([{ kind: 'SimIntegration', name: 'Desk', attributes: { url: 'y', statusMap: 'four' } }]);
    const applied = await world.run('apply', '--yes');
    expect(applied, applied.stderr).toMatchObject({ code: 0 });
    const after = { ...kept, attributes: { url: 'y', statusMap: 'four' } };
    expect(world.sandbox.state.simIntegrations[0]).toMatchObject(after);
    expect((await world.plan()).changes).toEqual([]);
    await world.close();
  },
);
