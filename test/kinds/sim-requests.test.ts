/** Requests for integrations in the corners of the API, written by hand from its documents. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import type { Change } from '../../src/model/plan.ts';
import type { ApiSettings } from '../../src/model/settings.ts';
import { answers, planOf, resource } from '../support/plan.ts';

const shown = { description: 'D', type: 'T', cluster: 'c', request: '{"a":"b"}', statusMap: '{"c":"d"}' };

function change(
  fields: JsonObject,
  live: JsonObject = shown,
  settings: Partial<ApiSettings> = {},
): Change | undefined {
  const declared = [resource('SimIntegration', ['S'], fields)];
  return planOf({ declared, live: [answers.integration('i1', 'S', live)], settings }).changes[0];
}
const bodies = (found: Change | undefined) => found?.requests.map(({ path, body }) => [path, body]);
const operations = (...list: JsonObject[]) => ({ operations: list });
const target = '/v2024/sim-integrations/i1';
const put = { simUpdate: 'put' } as const;

describe('a patch', () => {
  const rule = { type: 'RULE', id: 'r1', name: 'R' };

  it('of the rule alone goes to the rule, with pointers into it', () => {
    expect(
      bodies(change({ beforeProvisioningRule: { ...rule, id: 'r2' } }, { beforeProvisioningRule: rule })),
    ).toEqual([
      [`${target}/beforeProvisioningRule`, operations({ op: 'replace', path: '/id', value: 'r2' })],
    ]);
    const added = Object.entries(rule).map(([name, value]) => ({ op: 'add', path: `/${name}`, value }));
    expect(change({ beforeProvisioningRule: rule })?.requests).toMatchObject([
      { path: `${target}/beforeProvisioningRule`, body: { operations: expect.arrayContaining(added) } },
    ]);
    const cleared = change({ beforeProvisioningRule: null }, { beforeProvisioningRule: rule });
    expect(cleared?.requests).toHaveLength(1);
    expect(cleared?.requests[0]?.body).toEqual({
      operations: expect.arrayContaining(['/type', '/id', '/name'].map((path) => ({ op: 'remove', path }))),
    });
  });

  it('of other fields leaves the rule alone', () => {
    const live = { ...shown, beforeProvisioningRule: rule };
    const found = change(
      { description: 'New', beforeProvisioningRule: { ...rule, name: 'Other name' } },
      live,
    );
    expect(bodies(found)).toEqual([
      [target, operations({ op: 'replace', path: '/description', value: 'New' })],
    ]);
  });

  it('uses replace alone where the host knows no other operation', () => {
    const replace = { simPatchOps: 'replace' } as const;
    expect(bodies(change({ description: null }, shown, replace))).toEqual([
      [target, operations({ op: 'replace', path: '/description', value: null })],
    ]);
    expect(bodies(change({ description: 'N' }, { type: 'T' }, replace))).toEqual([
      [target, operations({ op: 'replace', path: '/description', value: 'N' })],
    ]);
  });
});

describe('a put', () => {
  it('sends everything back as the tenant showed it', () => {
    const found = change({ description: 'New' }, { ...shown, managedSources: ['s'] }, put);
    expect(bodies(found)).toEqual([
      [
        target,
        {
          id: 'i1',
          name: 'S',
          description: 'New',
          type: 'T',
          cluster: 'c',
          sources: ['s'],
          attributes: null,
          request: { $jsonText: { a: 'b' } },
          statusMap: { $jsonText: { c: 'd' } },
          beforeProvisioningRule: null,
        },
      ],
    ]);
    expect(found?.warnings).toEqual([]);
  });

  it('warns of a field that the tenant does not show and the manifest does not declare', () => {
    const { statusMap: _, ...live } = { ...shown, managedSources: [] };
    const found = change({ description: 'New' }, live, put);
    expect(found?.warnings).toEqual([
      'The tenant does not show statusMap, so this PUT is sent without it: declare it if it is in use.',
    ]);
    expect(found?.requests[0]?.body).not.toHaveProperty('statusMap');
    const declared = change({ description: 'New', statusMap: { x: 'y' } }, live, put);
    expect(declared?.warnings).toEqual([]);
    expect(declared?.requests[0]?.body).toHaveProperty('statusMap', { $jsonText: { x: 'y' } });
  });
});

describe('a mask that nobody declared', () => {
  const live = { ...shown, attributes: { url: 'u', password: '********', pin: '1:ACP:abc' } };
  const byHand = { action: 'manual', warnings: [expect.stringContaining('/attributes/password of "S"')] };

  it('is never written over the credential', () => {
    expect(change({ attributes: { url: 'v' } }, live)).toMatchObject(byHand);
    expect(change({ description: 'New' }, live, put)).toMatchObject(byHand);
    const whole = { jsonText: 'object', simPatchOps: 'replace' } as const;
    expect(change({ attributes: { url: 'v' } }, live, whole)).toMatchObject(byHand);
  });

  it('is no obstacle where it is not written', () => {
    expect(change({ description: 'New' }, live)).toMatchObject({ action: 'update' });
    expect(change({ attributes: { url: 'v' } }, live, { jsonText: 'object' })).toMatchObject({
      action: 'update',
    });
    expect(change({ attributes: { url: 'v', password: { $secret: 'S' } } }, live)).toMatchObject({
      action: 'update',
    });
    expect(change({ attributes: null }, live)).toMatchObject({ action: 'update' });
    const encrypted = { attributes: { url: 'u', pin: '1:ACP:abc' } };
    expect(change({ attributes: { url: 'v' } }, encrypted)).toMatchObject({ action: 'update' });
  });
});
