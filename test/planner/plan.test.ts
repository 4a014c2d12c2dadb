import { describe, expect, it } from 'vitest';
import { isRefused, type Plan } from '../../src/model/documents.ts';
import { Failure } from '../../src/model/failure.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { renderBody } from '../../src/model/marker.ts';
import { type Answer, answers, type PlanCase, planOf, resource } from '../support/plan.ts';

const { sender, template } = answers;
const declaredTemplate = (key: string, fields = {}, more = {}) =>
  resource('NotificationTemplate', [key, 'EMAIL', 'en'], fields, more);

describe('comparing', () => {
  it('leaves alone what a manifest omits, and clears what it sets to null', () => {
    const live = [template('a', { footer: 'F', header: 'H' })];
    const plan = planOf({ declared: [declaredTemplate('a', { footer: null })], live });
    expect(plan.changes[0]?.diff).toMatchObject([
      { path: '/footer', op: 'remove', before: 'F', after: null },
    ]);
    expect(plan.changes[0]?.requests[0]?.body).toMatchObject({ header: 'H', footer: null });
  });

  it('does not see line endings, e-mail case, order of sets, key order and spaces of JSON in text', () => {
    const fields = { attributes: { y: '2', x: '1' }, statusMap: '{"a":"1","b":"2"}' };
    const shown = { attributes: '{ "x": "1",  "y": "2" }', statusMap: '{"b":"2","a":"1"}' };
    const plan = planOf({
      declared: [
        declaredTemplate('a', { body: 'one\ntwo', replyTo: 'HELP@acme.example' }),
        resource('SimIntegration', ['S'], { ...fields, sources: ['a', 'b'] }),
        resource('SenderAddress', ['Help@Acme.example']),
      ],
      live: [
        template('a', { body: 'one\r\ntwo', replyTo: 'help@acme.example' }),
        answers.integration('1', 'S', { ...shown, managedSources: ['b', 'a'] }),
        sender('1', 'help@acme.example'),
      ],
    });
    expect(plan.changes).toEqual([]);
    expect(plan.summary.unchanged).toBe(3);
  });

  it('reads JSON in text, objects and map text alike', () => {
    const attributes = ['{"url":"u","user":"x"}', { url: 'u', user: 'x' }, '{url=u, user=x}'];
    for (const form of attributes) {
      const declared = [resource('SimIntegration', ['S'], { attributes: { url: 'u', user: 'y' } })];
      const plan = planOf({ declared, live: [answers.integration('1', 'S', { attributes: form })] });
      expect(plan.changes[0]?.diff).toMatchObject([{ path: '/attributes/user', before: 'x', after: 'y' }]);
    }
  });

  it('does not compare a reference by its name where it has an id', () => {
    const rule = (name: string) => ({ beforeProvisioningRule: { type: 'RULE', id: 'r', name } });
    const declared = [resource('SimIntegration', ['S'], rule('Old'))];
    expect(planOf({ declared, live: [answers.integration('1', 'S', rule('New'))] }).changes).toEqual([]);
  });

  it('does not compare the name of an application beside the same id', () => {
    const unset = { name: 'P', applicationId: null, applicationName: 'Partner' };
    const diffOf = (fields: JsonObject, raw: JsonObject = { ...unset, applicationId: 'a2' }) =>
      planOf({
        declared: [resource('AuthProfile', ['P'], fields)],
        live: [{ kind: 'AuthProfile', id: 'p1', raw }],
      }).changes.flatMap(({ diff }) => diff.map(({ path }) => path));
    expect(diffOf({ applicationId: 'a2', applicationName: 'Corp' })).toEqual([]);
    expect(diffOf({ applicationName: 'Corp' })).toEqual(['/applicationName']);
    expect(diffOf({ applicationName: 'Corp' }, unset)).toEqual(['/applicationName']);
    expect(diffOf({ applicationId: 'a1', applicationName: 'Corp' })).toEqual([
      '/applicationId',
      '/applicationName',
    ]);
  });

  it('leaves fields under lifecycle.ignore as they are', () => {
    const lifecycle = { ignore: ['/subject'] };
    const declared = [declaredTemplate('a', { subject: 'Mine', body: 'New' }, { lifecycle })];
    const plan = planOf({ declared, live: [template('a')] });
    expect(plan.changes[0]?.diff.map(({ path }) => path)).toEqual(['/body']);
    expect(plan.changes[0]?.requests[0]?.body).toMatchObject({ subject: { $live: '/subject' } });
  });

  it('leaves parts of JSON under lifecycle.ignore as they are, also where the manifest has nothing around them', () => {
    const sentWith = (slackTemplate: JsonObject, ignored: string) => {
      const shown = { text: 'Hi', deep: { kept: 1, other: 2 }, list: ['a', 'b'] };
      const raw = { key: 'a', medium: 'SLACK', locale: 'en', id: 't1', slackTemplate: JSON.stringify(shown) };
      const declared = resource('NotificationTemplate', ['a', 'SLACK', 'en'], { slackTemplate });
      const lifecycle = { ...declared.lifecycle, ignore: [`/slackTemplate${ignored}`] };
      const live = [{ kind: 'NotificationTemplate', raw }];
      return planOf({ declared: [{ ...declared, lifecycle }], live }).changes[0]?.requests[0]?.body;
    };
    const written = (value: JsonObject) => ({ slackTemplate: { $jsonText: value } });
    expect(sentWith({ text: 'New' }, '/deep/kept')).toMatchObject(
      written({ text: 'New', deep: { kept: { $live: '/slackTemplate/deep/kept' } } }),
    );
    expect(sentWith({ text: 'New' }, '/none/x')).toMatchObject(written({ text: 'New' }));
    expect(sentWith({ text: 'New' }, '/list/0')).toMatchObject(
      written({ text: 'New', list: [{ $live: '/slackTemplate/list/0' }, 'b'] }),
    );
  });

  it('takes a template equal to its default for unchanged, and refuses a key without default', () => {
    const declared = [declaredTemplate('a', { subject: 'Hello' })];
    expect(planOf({ declared, defaults: [template('a', {}, null)] }).changes).toEqual([]);
    const declaration = { digest: () => '', differsHere: () => [], isEnsuredHere: false };
    const fromManifest = declared.map((each) => ({ ...each, declaration }));
    expect(() => planOf({ declared: fromManifest, defaults: [template('b', {}, null)] })).toThrow(Failure);
  });

  it('lists a renamed object under its new key, and keeps its id', () => {
    const lifecycle = { renamedFrom: ['Old'] };
    const declared = [resource('ProfileSearch', ['New'], { rules: [] }, { lifecycle })];
    expect(planOf({ declared, live: [answers.search(5, 'Old')] }).changes).toMatchObject([
      { action: 'update', id: '5', diff: [{ path: '/label', before: 'Old', after: 'New' }] },
    ]);
  });

  it('says nothing of a rename that happens, was done, or is of no use', () => {
    const lifecycle = { renamedFrom: ['Old'] };
    const declared = [resource('ProfileSearch', ['New'], {}, { lifecycle })];
    for (const name of ['Old', 'New'])
      expect(planOf({ declared, live: [answers.search(1, name)] }).diagnostics).toEqual([]);
    const gone = [resource('ProfileSearch', ['New'], {}, { ensure: 'absent', lifecycle })];
    expect(planOf({ declared: gone }).diagnostics).toEqual([]);
  });
});

describe('secrets', () => {
  const declared = [
    resource('SimIntegration', ['S'], { attributes: { url: 'u', password: { $secret: 'SNOW' } } }),
  ];
  const live = (attributes: object): Answer[] => [
    answers.integration('1', 'S', { attributes: JSON.stringify(attributes) }),
  ];
  const secrets = { SNOW: 'hunter2' };
  const planned = (attributes: JsonObject, shown: object, more: Partial<PlanCase> = {}) =>
    planOf({
      declared: [resource('SimIntegration', ['S'], { attributes })],
      ...{ live: live(shown), secrets, ...more },
    });

  it('are compared where the tenant shows them, and never shown', () => {
    expect(planOf({ declared, live: live({ url: 'u', password: 'hunter2' }), secrets }).changes).toEqual([]);
    const plan = planOf({ declared, live: live({ url: 'u', password: 'other' }), secrets });
    expect(plan.changes[0]?.diff).toEqual([
      {
        ...{ path: '/attributes/password', op: 'replace', before: null, after: null },
        ...{ sensitive: true, origin: null },
      },
    ]);
    expect(JSON.stringify(plan)).not.toMatch(/hunter2|other/);
  });

  it.each([
    ['encrypted', { url: 'u', password: '1:ACP:c2VjcmV0' }],
    ['masked', { url: 'u', password: '********' }],
    ['left out', { url: 'u' }],
  ])('are not comparable when %s: listed, not changed, written by rotate', (_, attributes) => {
    const plan = planOf({ declared, live: live(attributes), secrets });
    expect(plan.changes).toEqual([]);
    expect(plan.diagnostics).toMatchObject([{ code: 'not-comparable', address: 'SimIntegration/S' }]);
    const choices = { rotate: ['SimIntegration/S'] };
    const rotated = planOf({ declared, live: live(attributes), secrets, choices });
    expect(rotated.changes[0]?.requests[0]?.body).toMatchObject({
      operations: [
        { path: '/attributes', value: { $jsonText: { url: 'u', password: { $secret: 'SNOW' } } } },
      ],
    });
  });

  it.each<[string, PlanCase, boolean]>([
    ['that the tenant shows have', { declared, live: live({ url: 'u', password: 'other' }) }, true],
    ['that nothing compares need not', { declared, live: live({ url: 'u' }) }, false],
    ['that are written with another field have', { declared, live: live({ url: 'v' }) }, true],
    ['of a new object have', { declared }, true],
    [
      'of an object that only a person can create need not',
      { declared: [resource('AuthProfile', ['P'], { untrustedGeography: { $secret: 'SNOW' } })] },
      false,
    ],
    ...['/attributes/password', '/attributes'].map((at): [string, PlanCase, boolean] => [
      `that the manifest ignores with ${at} need not`,
      {
        declared: declared.map((each) => ({ ...each, lifecycle: { ...each.lifecycle, ignore: [at] } })),
        live: live({ url: 'u', password: 'other' }),
      },
      false,
    ]),
  ])('%s to be set', (_what, given, isNeeded) => {
    const plan = () => planOf({ ...given, secrets: {} });
    const unset = expect.objectContaining({ code: 'secret-unset' });
    if (isNeeded) expect(plan).toThrow(expect.objectContaining({ diagnostics: [unset] }));
    else expect(plan).not.toThrow();
  });

  it('that the tenant does not show at all leave the other members alone', () =>
    expect(planned({ password: { $secret: 'SNOW' } }, { url: 'u' }).changes).toEqual([]));

  it('that no manifest marked are known by their names, on deletes too', () => {
    const plan = planOf({
      declared: [resource('SimIntegration', ['S'], {}, { ensure: 'absent' })],
      live: [...live({ nested: { apiToken: 'canary-1', deep: { client_secret: 'canary-2' } }, url: 'u' })],
      choices: { allowDeleteAll: ['SimIntegration'] },
    });
    expect(plan.changes[0]?.action).toBe('delete');
    expect(JSON.stringify(plan)).not.toContain('canary');
  });

  it('are all settings that no manifest declares, whatever they are called', () => {
    const attributes = {
      url: 'u',
      colour: 'canary-1',
      deep: { a: ['canary-2', 7654321], text: '{"b":"canary-3"}' },
    };
    const [put, object] = [{ simUpdate: 'put' }, { jsonText: 'object' }] as const;
    for (const settings of [{}, put, object, { ...put, ...object }]) {
      const plan = planned({ url: 'new', deep: { b: 1 } }, attributes, { settings });
      expect(JSON.stringify(plan)).not.toMatch(/canary|7654321/);
      expect(plan.changes[0]?.diff).toMatchObject([
        { path: '/attributes/url', before: 'u', after: 'new' },
        { path: '/attributes/deep/b', after: '1' },
      ]);
    }
  });

  it('are not the settings that a manifest declares, unless they look like credentials', () => {
    const after = { url: 'new', list: [{ name: 'colour', value: 'red' }], text: '{"a":"b"}', gone: null };
    const list = [{ name: 'colour', value: 'blue' }];
    const plan = planned(after, { url: 'old', list, text: '{"a":"c"}', gone: 'shown' });
    expect(plan.changes[0]?.diff.map(({ path, before, after }) => [path, before, after])).toEqual([
      ['/attributes/url', 'old', 'new'],
      ['/attributes/list/0/value', 'blue', 'red'],
      ['/attributes/text', '{"a":"c"}', '{"a":"b"}'],
      ['/attributes/gone', null, null],
    ]);
    // What stood where a declared map is now was never declared.
    const shown = { deep: 'canary-text', flat: { inner: 'canary-inner' } };
    expect(JSON.stringify(planned({ deep: { a: 1 }, flat: 'x' }, shown))).not.toContain('canary');
  });

  it.each<[string, Json, Json]>([
    ['a name', { pwd: 'canary-1' }, { pwd: 'canary-2' }],
    ['a form', { hook: 'https://a:canary-1@b.example' }, { hook: 'https://a:canary-2@b.example' }],
    [
      'a query',
      { hook: 'https://b.example?x=1&token=canary-1' },
      { hook: 'https://b.example?token=canary-2' },
    ],
    ['a pair', [{ name: 'api-key', value: 'canary-1' }], [{ name: 'api-key', value: 'canary-2' }]],
    ['one pair', [{ name: 'colour', value: 'canary-1' }], [{ name: 'password', value: 'canary-2' }]],
    ['a pair in JSON text', { text: '[{"key":"pwd","value":"canary-1"}]' }, { text: '{"pwd":"canary-2"}' }],
    ['above', { credentials: { a: [{ b: 'canary-1' }] } }, { credentials: { a: [{ b: 'canary-2' }] } }],
  ])('are declared settings that %s tells to be credentials', (_, before, after) => {
    const plan = planned({ deep: after }, { deep: before });
    expect(plan.changes[0]?.diff.length).toBeGreaterThan(0);
    expect(JSON.stringify(plan.changes[0]?.diff)).not.toContain('canary');
  });

  it('are no ordinary texts that speak of them', () => {
    const subject = 'Your password expires in $daysLeft days: token=$token, see https://acme.example/?key=1';
    const live = [template('k', { subject: 'Old' })];
    const plan = planOf({ declared: [declaredTemplate('k', { subject })], live });
    expect(plan.changes[0]?.diff).toMatchObject([{ before: 'Old', after: subject, sensitive: false }]);
  });

  it('in a list are compared where the tenant shows them, and left alone where it hides them', () => {
    const header = (value: Json) => ({
      headers: [
        { name: 'Via', value: 'x' },
        { name: 'Authorization', value },
      ],
    });
    const changes = (value: Json) => planned(header({ $secret: 'SNOW' }), header(value)).changes;
    expect(changes(secrets.SNOW)).toEqual([]);
    expect(changes('********')).toEqual([]);
    expect(changes('other-canary')[0]?.diff).toMatchObject([
      { path: '/attributes/headers/1/value', sensitive: true },
    ]);
    expect(JSON.stringify(changes('other-canary'))).not.toContain('canary');
  });

  it.each([3, 4, 5, 6, 7])('are no masks of %i signs', (length) => {
    for (const sign of '*•●')
      expect(
        planOf({ declared, live: live({ url: 'u', password: sign.repeat(length) }), secrets }).changes,
      ).toEqual([]);
  });

  it("cannot be drawn out by a tenant whose data looks like tenantctl's own markers", () => {
    const plan = planned({ url: 'new' }, { url: 'u', innocent: { $secret: 'SNOW' } });
    expect(plan.changes[0]?.requests[0]?.body).toMatchObject({
      operations: [{ value: { $jsonText: { url: 'new', innocent: { $live: '/attributes/innocent' } } } }],
    });
    const shown = planned({ innocent: 'x' }, { url: 'u', innocent: { $secret: 'canary' } });
    expect(JSON.stringify(shown)).not.toContain('canary');
  });

  const marker = { $secret: 'SNOW' };
  /** The secrets that the first request of a plan sends. */
  const revealedBy = ({ changes: [change] }: Plan): string[] => {
    const revealed: string[] = [];
    expect(change?.requests).toHaveLength(1);
    renderBody(change?.requests[0]?.body ?? null, (name) => {
      revealed.push(name);
      return '';
    });
    return revealed;
  };

  it('cannot be drawn out by the fields of a template that go back as they are', () => {
    const live = [template('k', { body: marker, slackTemplate: marker, unknown: marker })];
    const declared = [declaredTemplate('k', { subject: 'New' })];
    expect(revealedBy(planOf({ declared, live, secrets }))).toEqual([]);
  });

  it('cannot be drawn out by the rules of a saved search either', () => {
    const rule = { type: 'ProfileStatusRule', comparison_operator: '==', object_type: marker };
    const rules = [{ type: 'ProfileStatusRule', comparison_operator: '!=', value: 'Active' }];
    const live = answers.search(1, 'S', [
      { ...rule, id: 'r1', value: 'Active' },
      { ...rule, id: 'r2', uid: marker, value: marker },
    ]);
    const declared = [resource('ProfileSearch', ['S'], { rules })];
    expect(revealedBy(planOf({ declared, live: [live], secrets }))).toEqual([]);
  });
});

it('a member that is declared as null settles where the tenant does not have it, at every depth', () => {
  const fields = { attributes: { gone: null, deep: { gone: null, kept: 'a' } } };
  const live = [answers.integration('1', 'S', { attributes: { deep: { kept: 'a' } } })];
  expect(planOf({ declared: [resource('SimIntegration', ['S'], fields)], live }).changes).toEqual([]);
});

it('a change that lifts a restriction can lock nobody out', () => {
  const raw = { name: 'All', type: 'BLOCK', offNetwork: true, untrustedGeography: false };
  const plan = planOf({
    declared: [resource('AuthProfile', ['All'], { type: 'MFA', offNetwork: false })],
    live: [{ kind: 'AuthProfile', id: 'p', raw }],
  });
  expect(isRefused(plan)).toBe(false);
  expect(plan.changes).toHaveLength(1);
});

it('orders changes by kind as they are applied, deletes last and the other way round', () => {
  const gone = { ensure: 'absent' } as const;
  const plan = planOf({
    declared: [
      resource('ProfileSearch', ['s'], { rules: [] }),
      resource('SenderAddress', ['z@acme.example']),
      resource('SenderAddress', ['a@acme.example']),
      resource('VerifiedDomain', ['acme.example']),
      resource('SimIntegration', ['gone'], {}, gone),
      resource('SenderAddress', ['gone@acme.example'], {}, gone),
    ],
    live: [
      answers.integration('1', 'gone'),
      answers.integration('2', 'stays'),
      sender('3', 'gone@acme.example'),
      sender('4', 'stays@acme.example'),
    ],
  });
  expect(plan.changes.map(({ action, address }) => `${action} ${address}`)).toEqual([
    'create VerifiedDomain/acme.example',
    'create SenderAddress/a%40acme.example',
    'create SenderAddress/z%40acme.example',
    'create ProfileSearch/s',
    'delete SimIntegration/gone',
    'delete SenderAddress/gone%40acme.example',
  ]);
});
