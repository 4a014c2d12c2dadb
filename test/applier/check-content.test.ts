import { describe, expect, it } from 'vitest';
import { unshownValues } from '../../src/applier/check-content.ts';
import type { Kind } from '../../src/kinds/kind.ts';
import { mergedFields, wholeObject } from '../../src/kinds/operation.ts';
import { profileSearch } from '../../src/kinds/profile-search.ts';
import { simIntegration } from '../../src/kinds/sim-integration.ts';
import { isArray, isObject, type Json, type JsonObject } from '../../src/model/json.ts';
import type { Difference } from '../../src/model/plan.ts';
import { contractSettings } from '../../src/model/settings.ts';
import { knowledgeOf, liveFrom, planOf, resource } from '../support/plan.ts';
import { change, createThing, diff, objectOf, request, sensitive, thing } from './fake.ts';

/** The fields that are sent otherwise than shown, in a plan that tenantctl made itself. */
function unshownIn(
  declared: JsonObject,
  before: JsonObject,
  settings = contractSettings,
  secrets: Readonly<Record<string, string>> = {},
): string[] {
  const answer = { kind: 'SimIntegration', raw: { id: 'i1', name: 'Desk', ...before } };
  const { changes, diagnostics } = planOf({
    declared: [resource('SimIntegration', ['Desk'], declared)],
    live: [answer],
    settings,
    secrets,
  });
  expect(changes).toHaveLength(1);
  return changes.flatMap((change) =>
    unshownValues(
      { kind: simIntegration, change },
      liveFrom(answer),
      settings,
      knowledgeOf(secrets, diagnostics),
    ),
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
    ['the last member of an object', { attributes: { in: { a: null } } }, { attributes: '{"in":{"a":"1"}}' }],
    [
      'an object that goes, beside a change',
      { attributes: { in: null, b: 2 } },
      { attributes: '{"in":{"a":"1"},"b":1}' },
    ],
    [
      'what is null already, beside a change',
      { attributes: { a: null, b: 2 } },
      { attributes: '{"a":null,"b":1}' },
    ],
    ['an item that is null', { attributes: { a: [1, null] } }, { attributes: '{"a":[]}' }],
    [
      'a change beside what looks like a marker of a plan',
      { attributes: { b: 2 } },
      { attributes: '{"a":{"$secret":"A"},"b":1}' },
    ],
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
    return unshownValues(
      { kind: simIntegration, change },
      liveFrom(answer),
      contractSettings,
      knowledgeOf({ CODE: '1234' }),
    );
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
    [
      'a secret that stays beside a new one of the same name',
      { a: { code: { $secret: 'OTHER' }, password: 'new' }, b: { password: secret } },
      '{"b":{"password":"1234"}}',
    ],
    ['a new list of secrets', { list: [secret] }, '{"port":"50"}'],
    ['a secret in an item of a list', { list: [{ code: secret, port: '60' }] }, '{"list":[]}'],
    [
      'a secret that stays in an item of a list',
      { list: [{ code: secret, port: '60' }] },
      '{"list":[{"code":"1234","port":"50"}]}',
    ],
    ['a list of secrets in the place of a mask', { in: [secret], port: '60' }, '{"in":"****","port":"50"}'],
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

it.each<[string, JsonObject]>([
  ['in an object', { in: { code: { $secret: 'CODE' }, port: '60' } }],
  ['in a list', { list: ['a', { $secret: 'CODE' }], port: '60' }],
])('a secret of a new object is sent as planned, and no other value: %s', (_name, attributes) => {
  const declared = [resource('SimIntegration', ['Desk'], { type: 'Desk', attributes })];
  const { changes } = planOf({ declared, secrets: { CODE: '1234' } });
  const unshown = (edit: (body: string) => string) =>
    changes.map((planned) => {
      const requests = planned.requests.map((each) => ({
        ...each,
        body: JSON.parse(edit(JSON.stringify(each.body))),
      }));
      return unshownValues(
        { kind: simIntegration, change: { ...planned, requests } },
        null,
        contractSettings,
        knowledgeOf({ CODE: '1234' }),
      );
    });
  expect(unshown((body) => body)).toEqual([[]]);
  expect(unshown((body) => body.replace('"port"', '"other"'))).toEqual([['attributes']]);
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
      return unshownValues(
        { kind: simIntegration, change },
        liveFrom(answer),
        contractSettings,
        knowledgeOf({ CODE: '1234' }),
      );
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
      return [
        unshownValues(
          { kind: profileSearch, change },
          liveFrom(answer),
          contractSettings,
          knowledgeOf({ CODE: code }),
        ),
      ];
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
        return unshownValues(
          { kind: profileSearch, change },
          liveFrom(live),
          contractSettings,
          knowledgeOf({ CODE: '1234' }),
        );
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

describe('what requests write besides what a change shows', () => {
  /** Things that are changed by a JSON Merge Patch, with rows in which a tenant fills in a size. */
  const patched: Kind = {
    ...thing,
    fields: { ...thing.fields, rows: { is: 'records', alike: ['name'], filled: { size: '1' } } },
    operations: {
      ...thing.operations,
      update: [
        {
          method: 'PATCH',
          resource: thing.resource,
          below: ['{id}'],
          read: (body) => mergedFields(body),
        },
        { method: 'PUT', resource: thing.resource, below: ['{id}'], read: wholeObject('name') },
      ],
    },
  };
  const secret = { $secret: 'CODE' };
  const unset = { $secret: 'UNSET' };
  interface Written {
    readonly live?: JsonObject;
    readonly method?: 'PATCH' | 'PUT';
    readonly body: JsonObject;
    readonly shown?: readonly Difference[];
    readonly secrets?: readonly string[];
    readonly hidden?: readonly string[];
    /** The place that the plan says it cannot compare. */
    readonly remarked?: string;
  }
  const unshownIn = ({
    live = {},
    method = 'PATCH',
    body,
    shown = [],
    secrets = [],
    hidden = [],
    remarked,
  }: Written) => {
    const planned = change(patched, ['a'], {
      action: 'update',
      id: 't1',
      diff: shown,
      requests: [request(method, '/v2024/things/t1', body)],
      secrets,
    });
    const base = { ...objectOf(patched, { id: 't1', name: 'a', ...live }), hidden };
    const remark = {
      code: 'not-comparable',
      severity: 'info',
      message: `The tenant does not show /a, ${remarked}, so it cannot be compared.`,
      address: planned.address,
    } as const;
    const known = knowledgeOf({ CODE: '1234' }, remarked === undefined ? [] : [remark]);
    return unshownValues({ kind: patched, change: planned }, base, contractSettings, known);
  };
  const text = diff('/text', 'x', 'y');
  const row = (name: Json, size: Json = 5) => ({ name, size });

  it.each<[string, Written]>([
    ['what it shows', { live: { text: 'x' }, body: { text: 'y' }, shown: [text] }],
    ['what is there already', { live: { text: 'x', other: 1 }, body: { text: 'x', other: 1 } }],
    [
      'the whole object',
      { live: { text: 'x', rule: 1 }, method: 'PUT', body: { name: 'a', text: 'x', rule: 1 } },
    ],
    [
      'a row of a new secret',
      { body: { rows: [row(secret)] }, shown: [sensitive('/rows/0')], secrets: ['/rows/0/name'] },
    ],
    [
      'a row whose secret stays as it is',
      { live: { rows: [row('1234')] }, body: { rows: [row(secret)] }, secrets: ['/rows/0/name'] },
    ],
    [
      'a row with a list beside a secret that stays',
      {
        live: { rows: [{ name: '1234', of: [1, { a: 2, b: null }] }] },
        body: { rows: [{ name: secret, of: [1, { a: 2, c: null }] }] },
      },
    ],
    [
      'a row that shows what the tenant fills in and what is not set',
      {
        body: { rows: [{ name: 'a' }] },
        shown: [diff('/rows/0', null, { name: 'a', size: '1', more: null })],
      },
    ],
    [
      'a reference whose name is shown, and not sent',
      {
        body: { others: [{ type: 'T', id: '1' }] },
        shown: [diff('/others/0', null, { type: 'T', id: '1', name: 'N' })],
      },
    ],
    [
      'a list that the tenant hides, as the plan says',
      { live: { tags: ['a'] }, body: { tags: ['b'] }, hidden: ['/tags'], remarked: '/tags' },
    ],
    [
      'what the tenant hides, as the plan says',
      { live: { text: 'x' }, body: { text: 'y' }, hidden: ['/text'], remarked: '/text' },
    ],
    ['a secret that stays', { live: { text: '1234' }, body: { text: secret }, secrets: ['/text'] }],
    ['a secret that is not set', { live: { text: 'x' }, body: { text: unset }, secrets: ['/text'] }],
    [
      'a secret where the tenant shows nothing, as the plan says',
      { body: { text: secret }, secrets: ['/text'], remarked: '/text' },
    ],
  ])('is nothing: %s', (_what, written) => {
    expect(unshownIn(written)).toEqual([]);
  });

  it.each<[string, Written, string]>([
    ['another value', { live: { text: 'x' }, body: { text: 'z' }, shown: [text] }, 'text'],
    [
      'less than it shows',
      {
        live: { attributes: { a: '1', b: '1' } },
        body: { attributes: { a: '2' } },
        shown: [diff('/attributes/a', '1', '2'), diff('/attributes/b', '1', '2')],
      },
      'attributes',
    ],
    ['what is no field', { live: { other: 1 }, body: { other: 2 } }, 'other'],
    ['what is no field and is not there yet', { body: { other: 2 } }, 'other'],
    [
      'what a whole object leaves out',
      { live: { text: 'x', rule: 1 }, method: 'PUT', body: { name: 'a', rule: 1 } },
      'text',
    ],
    [
      'a secret in the place of a text',
      { live: { text: 'x' }, body: { text: secret }, secrets: ['/text'] },
      'text',
    ],
    ['a secret where the tenant shows nothing', { body: { text: secret }, secrets: ['/text'] }, 'text'],
    [
      'a secret in a row in the place of a text',
      { live: { rows: [row('b')] }, body: { rows: [row(secret)] }, secrets: ['/rows/0/name'] },
      'rows',
    ],
    [
      'a secret in the place of a text in a member of a row',
      {
        live: { rows: [{ name: 'a', of: 'x' }] },
        body: { rows: [{ name: 'a', of: secret }] },
        secrets: ['/rows/0/of'],
      },
      'rows',
    ],
    [
      'a text that goes, and is called sensitive',
      { live: { text: 'x' }, body: { text: null }, shown: [sensitive('/text')] },
      'text',
    ],
    ['what the tenant hides', { live: { text: 'x' }, body: { text: 'y' }, hidden: ['/text'] }, 'text'],
    [
      'a secret that the plan does not name in what the tenant hides',
      { live: { text: '***' }, body: { text: secret }, hidden: ['/text'], remarked: '/text' },
      'text',
    ],
    [
      'a list that the tenant hides',
      { live: { tags: ['a'] }, body: { tags: ['b'] }, hidden: ['/tags'] },
      'tags',
    ],
    [
      'what the tenant hides, where the plan says that of another place',
      { live: { text: 'x' }, body: { text: 'y' }, hidden: ['/text'], remarked: '/text/in' },
      'text',
    ],
    [
      'nothing to what the tenant hides',
      { live: { text: 'x' }, body: { text: null }, hidden: ['/text'] },
      'text',
    ],
    [
      'a live value that is not there',
      { live: { rule: { a: 1 } }, body: { rule: { a: 1, b: { $live: '/rule/b' } } } },
      'rule',
    ],
    [
      'an empty object away',
      { live: { attributes: { a: {}, b: '1' } }, body: { attributes: { a: null } } },
      'attributes',
    ],
    [
      'a text in the place of an object that it shows to lose its members',
      {
        live: { attributes: { in: { a: '1' } } },
        body: { attributes: { in: 'evil' } },
        shown: [diff('/attributes/in/a', '1', null)],
      },
      'attributes',
    ],
    [
      'another reference',
      {
        body: { others: [{ type: 'T', id: '2' }] },
        shown: [diff('/others/0', null, { type: 'T', id: '1', name: 'N' })],
      },
      'others',
    ],
    ['another row', { body: { rows: [row('b')] }, shown: [diff('/rows/0', null, row('a'))] }, 'rows'],
    [
      'another size than the one that the tenant fills in',
      { body: { rows: [{ name: 'a', size: '2' }] }, shown: [diff('/rows/0', null, { name: 'a' })] },
      'rows',
    ],
    [
      'another member beside a secret',
      { live: { rows: [row('1234')] }, body: { rows: [row(secret, 6)] }, secrets: ['/rows/0/name'] },
      'rows',
    ],
    [
      'a row with a secret in the place of another row',
      { live: { rows: [row('b', 9)] }, body: { rows: [row(secret)] }, secrets: ['/rows/0/name'] },
      'rows',
    ],
    [
      'a secret in the place of an object',
      { live: { rows: [row({ a: 1 })] }, body: { rows: [row(secret)] }, secrets: ['/rows/0/name'] },
      'rows',
    ],
    ...(
      [
        ['longer', [1, 2, 3], [1, 2]],
        ['shorter', [1], [1, 2]],
        ['other', [1, { a: 3 }], [1, { a: 2 }]],
        ['new', [1], undefined],
        ['no', 'text', [1]],
      ] as const
    ).map(([how, sent, has]): [string, Written, string] => [
      `${how} list beside a secret`,
      {
        live: { rows: [{ name: '1234', ...(has ? { of: [...has] } : {}) }] },
        body: { rows: [{ name: secret, of: typeof sent === 'string' ? sent : [...sent] }] },
        secrets: ['/rows/0/name'],
      },
      'rows',
    ]),
    [
      'a row without a member that it had beside a secret',
      { live: { rows: [row('1234')] }, body: { rows: [{ name: secret }] }, secrets: ['/rows/0/name'] },
      'rows',
    ],
    [
      'one member less in an object beside a secret',
      {
        live: { rows: [{ name: '1234', of: { a: 1, b: 2 } }] },
        body: { rows: [{ name: secret, of: { a: 1 } }] },
        secrets: ['/rows/0/name'],
      },
      'rows',
    ],
  ])('is found: %s', (_what, written, name) => {
    expect(unshownIn(written)).toEqual([name]);
  });

  it('is found in a new object, in which no secret can stay as it is', () => {
    const planned = change(thing, ['a'], {
      action: 'create',
      requests: [request('POST', '/v2024/things', { name: 'a', text: secret })],
      secrets: ['/text'],
    });
    const message = 'The tenant does not show /text, so it cannot be compared.';
    const remark = { code: 'not-comparable', severity: 'info', message, address: planned.address } as const;
    const known = knowledgeOf({ CODE: '1234' }, [remark]);
    expect(unshownValues({ kind: thing, change: planned }, null, contractSettings, known)).toEqual(['text']);
  });

  it('cannot be told of a change inside a list', () => {
    const answer = { kind: 'SimIntegration', raw: { id: 'i1', name: 'Desk', managedSources: [{ id: 'a' }] } };
    const { changes } = planOf({
      declared: [resource('SimIntegration', ['Desk'], { sources: ['b'] })],
      live: [answer],
    });
    const operations = [{ op: 'replace', path: '/sources/0', value: 'b' }];
    const found = changes.map((planned) => {
      const requests = planned.requests.map((each) => ({ ...each, body: { operations } }));
      const entry = { kind: simIntegration, change: { ...planned, requests } };
      return unshownValues(entry, liveFrom(answer), contractSettings, knowledgeOf({ CODE: '1234' }));
    });
    expect(found).toEqual([['something']]);
  });

  it('is judged of all requests of a change, one after the other', () => {
    const answer = {
      kind: 'SimIntegration',
      raw: { id: 'i1', name: 'Desk', description: 'x', beforeProvisioningRule: { type: 'RULE', id: 'r1' } },
    };
    const declared = { description: 'y', beforeProvisioningRule: { type: 'RULE', id: 'r2' } };
    const { changes } = planOf({
      declared: [resource('SimIntegration', ['Desk'], declared)],
      live: [answer],
    });
    const unshown = (id: string) =>
      changes.map((planned) => {
        const [fields] = planned.requests;
        const path = `${fields?.path}/beforeProvisioningRule`;
        const rule = request('PATCH', path, { operations: [{ op: 'replace', path: '/id', value: id }] });
        const requests = fields ? [fields, rule] : [];
        const entry = { kind: simIntegration, change: { ...planned, requests } };
        return unshownValues(entry, liveFrom(answer), contractSettings, knowledgeOf({ CODE: '1234' }));
      });
    expect(unshown('r2')).toEqual([[]]);
    expect(unshown('r3')).toEqual([['beforeProvisioningRule']]);
  });

  it('of a new object is what it has beside what is shown, and no id', () => {
    const created = createThing('a', { text: 'x' });
    const unshown = (more: JsonObject) => {
      const requests = [request('POST', '/v2024/things', { name: 'a', text: 'x', ...more })];
      return unshownValues(
        { kind: thing, change: { ...created, requests } },
        null,
        contractSettings,
        knowledgeOf({ CODE: '1234' }),
      );
    };
    expect(unshown({})).toEqual([]);
    expect(unshown({ id: 'chosen' })).toEqual([]);
    expect(unshown({ rule: 'r' })).toEqual(['rule']);
    expect(unshown({ other: 1 })).toEqual(['other']);
    // In what is created, a member that is null is one more than is shown, too.
    expect(unshown({ other: null })).toEqual(['other']);
  });

  it('is not asked of deletes and of steps by hand', () => {
    const body = { other: 1, text: 'z' };
    for (const action of ['delete', 'manual'] as const) {
      const planned = change(patched, ['a'], {
        action,
        requests: [request('PATCH', '/v2024/things/t1', body)],
      });
      expect(
        unshownValues({ kind: patched, change: planned }, null, contractSettings, knowledgeOf({})),
      ).toEqual([]);
    }
  });
});
