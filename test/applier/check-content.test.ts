import { describe, expect, it } from 'vitest';
import { unshownValues } from '../../src/applier/check-content.ts';
import { profileSearch } from '../../src/kinds/profile-search.ts';
import { simIntegration } from '../../src/kinds/sim-integration.ts';
import { isArray, isObject, type Json, type JsonObject } from '../../src/model/json.ts';
import { contractSettings } from '../../src/model/settings.ts';
import { liveFrom, planOf, resource } from '../support/plan.ts';

/** The fields that are sent otherwise than shown, in a plan that tenantctl made itself. */
function unshownIn(
  declared: JsonObject,
  before: JsonObject,
  settings = contractSettings,
  secrets: Readonly<Record<string, string>> = {},
): string[] {
  const answer = { kind: 'SimIntegration', raw: { id: 'i1', name: 'Desk', ...before } };
  const { changes } = planOf({
    declared: [resource('SimIntegration', ['Desk'], declared)],
    live: [answer],
    settings,
    secrets,
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

it('a value that is sent to another place than it is shown at is found', () => {
  const answer = { kind: 'SimIntegration', raw: { id: 'i1', name: 'Desk', attributes: '{}' } };
  const declared = [resource('SimIntegration', ['Desk'], { attributes: { a: '1' } })];
  const { changes } = planOf({ declared, live: [answer] });
  const found = changes.map((planned) => {
    const change = { ...planned, diff: planned.diff.map((each) => ({ ...each, path: '/attributes/b' })) };
    return unshownValues({ kind: simIntegration, change }, liveFrom(answer), contractSettings);
  });
  expect(found).toEqual([['attributes']]);
});

describe('secrets and masks in settings', () => {
  const secret = { $secret: 'CODE' };
  it.each<[string, JsonObject, string]>([
    ['a secret that stays beside a change', { code: secret, port: '60' }, '{"code":"1234","port":"50"}'],
    ['a secret that changes', { code: secret }, '{"code":"5678"}'],
    ['a secret and its neighbour', { code: secret, port: '60' }, '{"code":"5678","port":"50"}'],
    ['a secret in a new object', { in: { code: secret, port: '60' } }, '{"port":"50"}'],
    ['a secret where the tenant has an object', { in: secret }, '{"in":{"a":"1"}}'],
    ['a secret under a mask', { code: secret, port: '60' }, '{"code":"********","port":"50"}'],
    ['a text in the place of a mask', { code: 'open', port: '60' }, '{"code":"********","port":"50"}'],
    ['an object in the place of a mask', { code: { a: '1' }, port: '60' }, '{"code":"****","port":"50"}'],
  ])('are sent as planned: %s', (_name, attributes, before) => {
    for (const simUpdate of ['patch', 'put'] as const) {
      const settings = { ...contractSettings, simUpdate };
      expect(
        unshownIn({ attributes }, { attributes: before }, settings, { CODE: '1234' }),
        simUpdate,
      ).toEqual([]);
    }
  });
});

it('a name that is shown beside an id, and not sent, is no other value', () => {
  const rule = (id: string) => ({ type: 'RULE', id });
  const answer = {
    kind: 'SimIntegration',
    raw: { id: 'i1', name: 'Desk', beforeProvisioningRule: rule('r1') },
  };
  const declared = [resource('SimIntegration', ['Desk'], { beforeProvisioningRule: rule('r2') })];
  const { changes } = planOf({ declared, live: [answer] });
  const unshown = (shown: JsonObject) =>
    changes.map((planned) => {
      const change = { ...planned, diff: planned.diff.map((each) => ({ ...each, after: shown })) };
      return unshownValues({ kind: simIntegration, change }, liveFrom(answer), contractSettings);
    });
  expect(unshown({ ...rule('r2'), name: 'New' })).toEqual([[]]);
  expect(unshown({ ...rule('r3'), name: 'New' })).toEqual([['beforeProvisioningRule']]);
});

it.each([
  ['as it was', '1234'],
  ['another one', '5678'],
])('a set that holds a secret is sent as planned, the secret %s', (_name, code) => {
  const declared = { sources: [{ $secret: 'CODE' }, 'b'] };
  for (const before of [['1234'], ['a', '1234'], ['a']]) {
    const managedSources = before.map((id) => ({ id }));
    for (const simUpdate of ['patch', 'put'] as const) {
      const settings = { ...contractSettings, simUpdate };
      expect(unshownIn(declared, { managedSources }, settings, { CODE: code }), before.join()).toEqual([]);
    }
  }
});

describe('the rules of a search that holds a secret', () => {
  const attribute = (value: Json, condition = 'a1') => ({
    type: 'ProfileAttributeRule',
    object_type: 'NeAttribute',
    condition_object_id: condition,
    comparison_operator: '==',
    value,
  });
  const status = (value: string) => ({ type: 'ProfileStatusRule', comparison_operator: '==', value });
  const secret = { $secret: 'CODE' };
  const answer = {
    kind: 'ProfileSearch',
    raw: {
      id: 's1',
      label: 'Staff',
      condition_rules_attributes: [
        { id: 'r1', ...attribute('1234') },
        { id: 'r2', ...status('Active') },
      ],
    },
  };
  /** What is sent otherwise than shown, with a secret of this value, after the requests were edited. */
  const unshown = (
    rules: readonly JsonObject[],
    code = '1234',
    edit: (sent: Json[]) => Json[] = (sent) => sent,
  ) => {
    const declared = [resource('ProfileSearch', ['Staff'], { rules })];
    const { changes } = planOf({ declared, live: [answer], secrets: { CODE: code } });
    return changes.flatMap((planned) => {
      const requests = planned.requests.map((request) => {
        const { condition_rules_attributes: sent = [] } = searchIn(request.body);
        const search = { condition_rules_attributes: edit(isArray(sent) ? [...sent] : []) };
        return { ...request, body: { advanced_search: search } };
      });
      const change = { ...planned, requests };
      return [unshownValues({ kind: profileSearch, change }, liveFrom(answer), contractSettings)];
    });
  };
  const evil = attribute('anyone', 'a2');

  it.each([
    ['beside the secret, which is as it was', [attribute(secret), status('Inactive')], '1234'],
    ['the secret alone', [attribute(secret), status('Active')], '5678'],
    ['the secret and the rest', [attribute(secret), status('Inactive')], '5678'],
    ['all but the secret, whose rule is about something else', [attribute(secret, 'a3')], '1234'],
    ['all that is no secret', [attribute(secret)], '1234'],
    [
      'the operator of the secret',
      [{ ...attribute(secret), comparison_operator: '!=' }, status('Active')],
      '1234',
    ],
    ['two with one secret', [attribute(secret), attribute(secret, 'a4'), status('Active')], '1234'],
    ['the order', [status('Inactive'), attribute(secret)], '1234'],
  ])('are sent as tenantctl planned it: %s', (_name, rules, code) => {
    expect(unshown(rules, code)).toEqual([[]]);
  });

  it.each<[string, (sent: Json[]) => Json[]]>([
    ['one more rule', (sent) => [...sent, evil]],
    ['another rule', (sent) => sent.map((rule) => (JSON.stringify(rule).includes('Inactive') ? evil : rule))],
    ['a rule that goes', (sent) => [...sent, { id: 'r2', _destroy: true }]],
    ['the rule of the secret that goes', (sent) => [...sent, { id: 'r1', _destroy: true }]],
    ['another operator beside the secret', (sent) => [...sent, { id: 'r1', comparison_operator: '!=' }]],
  ])('are refused with %s', (_name, edit) => {
    expect(unshown([attribute(secret), status('Inactive')], '1234', edit)).toEqual([['rules']]);
  });

  it('are refused where another member gets the value that the plan shows', () => {
    const rule = { type: 'ProfileStatusRule', comparison_operator: 'Active', value: 'Active' };
    const raw = { id: 's1', label: 'Staff', condition_rules_attributes: [{ id: 'r1', ...rule }] };
    const live = { kind: 'ProfileSearch', raw };
    const declared = [resource('ProfileSearch', ['Staff'], { rules: [{ ...rule, value: 'Left' }] })];
    const found = (member: string) =>
      planOf({ declared, live: [live] }).changes.flatMap((planned) => {
        const sent = [{ id: 'r1', [member]: 'Left' }];
        const requests = planned.requests.map((request) => ({
          ...request,
          body: { advanced_search: { condition_rules_attributes: sent } },
        }));
        const change = { ...planned, requests };
        return unshownValues({ kind: profileSearch, change }, liveFrom(live), contractSettings);
      });
    expect(found('value')).toEqual([]);
    expect(found('comparison_operator')).toEqual(['rules']);
  });

  it('are refused with two more rules than the plan conceals', () => {
    const rules = [attribute(secret), status('Active')];
    expect(unshown(rules, '5678', (sent) => [...sent, evil, attribute('all', 'a5')])).toEqual([['rules']]);
  });
});

const searchIn = (body: Json): JsonObject => {
  const search = isObject(body) ? body.advanced_search : null;
  return search !== undefined && isObject(search) ? search : {};
};
