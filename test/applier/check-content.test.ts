import { describe, expect, it } from 'vitest';
import { unshownValues } from '../../src/applier/check-content.ts';
import { simIntegration } from '../../src/kinds/sim-integration.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { contractSettings } from '../../src/model/settings.ts';
import { liveFrom, planOf, resource } from '../support/plan.ts';

/** The fields that are sent otherwise than shown, in a plan that tenantctl made itself. */
function unshownIn(declared: JsonObject, before: JsonObject, settings = contractSettings): string[] {
  const answer = { kind: 'SimIntegration', raw: { id: 'i1', name: 'Desk', ...before } };
  const { changes } = planOf({
    declared: [resource('SimIntegration', ['Desk'], declared)],
    live: [answer],
    settings,
  });
  expect(changes).toHaveLength(1);
  return changes.flatMap((change) =>
    unshownValues({ kind: simIntegration, change }, liveFrom(answer, settings), settings),
  );
}

describe('the requests of a plan that tenantctl made set what it shows', () => {
  const cases: readonly (readonly [string, JsonObject, JsonObject])[] = [
    [
      'a number where the tenant has text',
      { attributes: { port: 60, on: true } },
      { attributes: '{"port":"50"}' },
    ],
    ['an object in an object', { attributes: { a: { b: { c: 1 } } } }, { attributes: '{"a":{"x":2}}' }],
    ['a new object', { attributes: { a: { b: [1, { c: 2 }] } } }, { attributes: '{}' }],
    ['a list that becomes longer', { attributes: { a: [1, 2, 3] } }, { attributes: '{"a":["1"]}' }],
    ['a list that becomes shorter', { attributes: { a: [1] } }, { attributes: '{"a":[1,2,3]}' }],
    ['a member that goes', { attributes: { a: null, b: 2 } }, { attributes: '{"a":1,"b":1}' }],
    ['the last member', { attributes: { a: null } }, { attributes: '{"a":1}' }],
    [
      'attributes with ticket fields among them',
      { attributes: { a: 2 }, request: { b: 2 } },
      { attributes: '{"a":1,"request":{"b":1}}' },
    ],
    ['all members', { attributes: null }, { attributes: '{"a":1}' }],
    ['a whole object', { statusMap: { closed: 'Failed' } }, { statusMap: '{"open":"Committed"}' }],
    ['a set', { sources: ['c', 'a'] }, { managedSources: [{ id: 'a' }, { id: 'b' }] }],
    ['text of several lines', { description: 'a\nb' }, { description: 'a\r\nc' }],
    [
      'a reference',
      { beforeProvisioningRule: { type: 'RULE', id: 'r2', name: 'New' } },
      { beforeProvisioningRule: { type: 'RULE', id: 'r1', name: 'Old' } },
    ],
  ];
  it.each(cases)('%s', (_name, declared, before) => {
    for (const jsonText of ['text', 'object'] as const) {
      for (const simUpdate of ['patch', 'put'] as const) {
        const settings = { ...contractSettings, jsonText, simUpdate };
        expect(unshownIn(declared, before, settings), `${jsonText} ${simUpdate}`).toEqual([]);
      }
    }
  });
});
