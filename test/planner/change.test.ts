/** What a change holds: differences, secrets, ids, and what is left alone. */
import { describe, expect, it } from 'vitest';
import { kindFrom } from '../../src/kinds/described-kind.ts';
import { liveObject } from '../../src/kinds/live-objects.ts';
import { isRefused, secretsSentBy } from '../../src/model/documents.ts';
import type { Json } from '../../src/model/json.ts';
import { contractSettings } from '../../src/model/tenant.ts';
import { changeFor } from '../../src/planner/change.ts';
import { descriptorFrom } from '../support/descriptor.ts';
import { type Answer, answers, liveFrom, type PlanCase, planOf, resource } from '../support/plan.ts';

const secret = { $secret: 'SNOW' };
const changeOf = (given: PlanCase) => planOf(given).changes[0];

describe('a change', () => {
  const live = [answers.integration('i1', 'S', { type: 'A' })];
  const [object] = live.map((answer) => liveFrom(answer));

  it('names its manifest, and the live object with its fingerprint', () =>
    expect(changeOf({ declared: [resource('SimIntegration', ['S'], { type: 'B' })], live })).toMatchObject({
      address: 'SimIntegration/S',
      kind: 'SimIntegration',
      key: ['S'],
      action: 'update',
      source: { file: 'config/test.yaml', line: 1 },
      id: 'i1',
      fingerprint: object?.fingerprint(),
      diff: [{ path: '/type', op: 'replace', before: 'A', after: 'B', sensitive: false, origin: null }],
    }));

  it('says when the tenant modified the object, if it shows that', () => {
    const declared = [resource('SimIntegration', ['S'], { description: 'New' })];
    const modifiedAt = (modified: string) =>
      changeOf({ declared, live: [answers.integration('1', 'S', { modified })] })?.modified;
    expect(modifiedAt('2026-01-02T03:04:05Z')).toBe('2026-01-02T03:04:05.000Z');
    expect(modifiedAt('now')).toBeUndefined();
  });

  it('that creates has neither, and says so of a template too, although it has a default', () => {
    const created = changeOf({ declared: [resource('SimIntegration', ['New'], { type: 'B' })] });
    expect(created).toMatchObject({ action: 'create', id: null, fingerprint: null });
    const template = changeOf({
      declared: [resource('NotificationTemplate', ['k', 'EMAIL', 'en'], { subject: 'New' })],
      defaults: [answers.template('k', { subject: 'Old' }, null)],
    });
    expect(template).toMatchObject({ action: 'create', id: null, diff: [{ before: 'Old', after: 'New' }] });
  });

  it('warns of what its kind knows of an update', () => {
    const raw = { identity: 'a.example', mailFromDomain: 'old.a.example' };
    const declared = [resource('MailFrom', ['a.example'], { mailFromDomain: 'new.a.example' })];
    expect(changeOf({ declared, live: [{ kind: 'MailFrom', raw }] })?.warnings).toEqual([
      'Publish the new MX and TXT records of a.example: `tenantctl status` prints them.',
    ]);
  });

  it('lists the places of secrets, whether they change or not, and only where there are any', () => {
    const desk = (more = {}) => resource('SimIntegration', ['S'], { type: 'B', ...more });
    const found = changeOf({ declared: [desk({ attributes: { password: secret } })], live });
    expect(found?.secrets).toEqual(['/attributes/password']);
    const overlaid = { ...desk(), secrets: () => ['/description'] };
    expect(changeOf({ declared: [overlaid], live })?.secrets).toEqual(['/description']);
    expect(changeOf({ declared: [desk()], live })).not.toHaveProperty('secrets');
  });
});

describe('lifecycle.ignore', () => {
  const ignoring = (fields: object, ignore: string[]) =>
    resource('SimIntegration', ['S'], { ...fields }, { lifecycle: { ignore } });
  const live = [answers.integration('1', 'S', { type: 'T', attributes: { a: 'x', b: 'x' } })];
  const places = (given: PlanCase) => changeOf(given)?.diff.map(({ path }) => path) ?? [];

  it('leaves a member alone, and writes it back as the tenant has it', () => {
    const declared = [ignoring({ attributes: { a: 'y', b: 'y' } }, ['/attributes/b'])];
    expect(places({ declared, live })).toEqual(['/attributes/a']);
    expect(changeOf({ declared, live })?.requests[0]?.body).toMatchObject({
      operations: [{ path: '/attributes', value: { $jsonText: { a: 'y', b: { $live: '/attributes/b' } } } }],
    });
  });

  it('does not declare what the manifest leaves out', () => {
    expect(places({ declared: [ignoring({ type: 'T' }, ['/attributes/a', ''])], live })).toEqual([]);
    const whole = [answers.integration('1', 'S', { type: 'T', request: { a: 1, b: 2 } })];
    expect(places({ declared: [ignoring({ type: 'T' }, ['/request/a'])], live: whole })).toEqual([]);
  });

  it.each(['/attributes/b', '/attributes/b/c', '/attributes/list/1', '/attributes'])(
    "never makes a marker of the tenant's value, which could name any secret: %s",
    (ignore) => {
      const foreign = { $secret: 'CLIENT_SECRET' };
      const attributes = { a: 'x', b: { c: foreign }, list: [foreign, { n: foreign }] };
      const hostile = [answers.integration('1', 'S', { type: 'T', managedSources: ['s'], attributes })];
      const declared = [ignoring({ type: 'U', attributes: { a: 'y', b: { c: 1 }, list: [] } }, [ignore])];
      for (const simUpdate of ['patch', 'put'] as const) {
        const change = changeOf({ declared, live: hostile, settings: { simUpdate } });
        expect(change?.requests).toHaveLength(1);
        expect(change && secretsSentBy(change)).toEqual([]);
      }
    },
  );

  it('is never made, if its requests would send a secret that its manifest does not declare', () => {
    const { kind, ...declared } = resource('SimIntegration', ['S'], { type: 'T', attributes: { a: secret } });
    const body = [secret, { $secret: 'CLIENT_SECRET' }];
    const request = { method: 'POST', path: '/', query: {}, headers: {}, body } as const;
    const create = () => ({ requests: [request] });
    const careless = { ...kind, write: { ...kind.write, create } };
    expect(() =>
      changeFor({ kind: careless, resource: { ...declared, kind: careless }, live: null }, null, {
        settings: contractSettings,
        unseen: { secrets: { matches: () => false }, left: true },
      }),
    ).toThrow('Nothing declares the secret CLIENT_SECRET that SimIntegration/S would be sent.');
  });

  it('takes away the remark that a value is not comparable', () => {
    const masked = [answers.integration('1', 'S', { attributes: { password: '****' } })];
    const told = (ignore: string[]) => {
      const declared = [ignoring({ attributes: { password: secret } }, ignore)];
      return planOf({ declared, live: masked, secrets: { SNOW: 'x' } }).diagnostics;
    };
    expect(told([])).toMatchObject([{ code: 'not-comparable' }]);
    expect(told(['/attributes/password'])).toEqual([]);
  });

  it.each([
    ['a map', { url: 'new', password: secret }],
    ['JSON text', '{"url":"new","password":"old"}'],
    ['nothing of it', { url: 'new' }],
  ])(
    'warns where a write of the whole would lose a member that the tenant does not show: %s',
    (_what, attributes) => {
      const declared = [ignoring({ attributes }, ['/attributes/password', '/type'])];
      const hidden = [
        answers.integration('1', 'S', { type: 'T', managedSources: ['s'], attributes: { url: 'old' } }),
      ];
      const warnings = (settings: PlanCase['settings'] = {}) =>
        changeOf({ declared, live: hidden, settings, secrets: { SNOW: 'x' } })?.warnings;
      const lost =
        'The tenant does not show /attributes/password, and this change writes `attributes` as a whole, without it: ' +
        'declare it with !secret, and not under `lifecycle.ignore`, if it is in use.';
      expect(warnings()).toEqual([lost]);
      expect(warnings({ simUpdate: 'put' })).toContain(lost);
      expect(warnings({ jsonText: 'object' })).toEqual([]);
    },
  );

  it('has no effect on a new object', () =>
    expect(places({ declared: [ignoring({ type: 'T', description: 'D' }, ['/description'])] })).toEqual([
      '/description',
      '/type',
    ]));
});

describe('a secret', () => {
  const integration = (attributes: object) => [
    resource('SimIntegration', ['S'], { attributes: { ...attributes } }),
  ];
  const live = (attributes: object, more = {}): Answer[] => [
    answers.integration('1', 'S', { attributes: { ...attributes }, ...more }),
  ];
  const secrets = { SNOW: 'mine' };

  it('is compared inside objects too', () => {
    const declared = integration({ deep: { password: secret } });
    expect(changeOf({ declared, live: live({ deep: { password: 'mine' } }), secrets })).toBeUndefined();
    expect(changeOf({ declared, live: live({ deep: { password: 'x' } }), secrets })?.diff).toMatchObject([
      { path: '/attributes/deep/password', sensitive: true, before: null, after: null },
    ]);
  });

  it('equals what a text in clear would equal: there a number, but no object', () => {
    const declared = integration({ pin: secret });
    expect(changeOf({ declared, live: live({ pin: 7 }), secrets: { SNOW: '7' } })).toBeUndefined();
    expect(changeOf({ declared, live: live({ pin: 8 }), secrets: { SNOW: '7' } })?.diff).toHaveLength(1);
    expect(changeOf({ declared, live: live({ pin: { a: 'mine' } }), secrets })?.diff).toHaveLength(1);
  });

  it('is never shown, nor what stands in its place in the tenant, on a delete either', () => {
    const gone = (fields = {}) => resource('SimIntegration', ['S'], fields, { ensure: 'absent' });
    const other = answers.integration('2', 'T');
    const declared = [gone({ attributes: { plain: secret } })];
    const plan = planOf({ declared, live: [...live({ plain: 'canary' }), other] });
    expect(isRefused(plan)).toBe(false);
    expect(JSON.stringify(plan)).not.toContain('canary');
    const overlaid = { ...gone(), secrets: () => ['/description'] };
    const shown = [...live({}, { description: 'canary' }), other];
    expect(JSON.stringify(planOf({ declared: [overlaid], live: shown }))).not.toContain('canary');
  });

  it('is no place of the tenant where the order of a list does not count', () => {
    const fields = { type: 'B', sources: ['a', 'b'] };
    const overlaid = { ...resource('SimIntegration', ['S'], fields), secrets: () => ['/sources/0'] };
    const shown = [answers.integration('1', 'S', { type: 'A', managedSources: ['a', 'b'] })];
    expect(changeOf({ declared: [overlaid], live: shown })?.declared).toEqual(fields);
  });

  it('is hidden in a difference that holds it on one side only', () => {
    const [declared, choices] = [integration({ password: secret }), { rotate: ['**'] }];
    const added = changeOf({ declared, live: live({}), choices });
    expect(added?.diff).toMatchObject([
      { path: '/attributes/password', op: 'add', sensitive: true, after: null },
    ]);
    const gone = changeOf({ declared: integration({ password: null }), live: live({ password: 'canary' }) });
    expect(gone?.diff).toMatchObject([{ op: 'remove', sensitive: true, before: null }]);
    expect(JSON.stringify(gone)).not.toContain('canary');
  });
});

describe('a value that the tenant does not show', () => {
  const live = [answers.integration('1', 'S', { type: 'T', attributes: { a: '***', b: 'x' }, request: {} })];
  const remarks = (fields: object, choices = {}) => {
    const plan = planOf({ declared: [resource('SimIntegration', ['S'], { ...fields })], live, choices });
    return { changes: plan.changes.length, told: plan.diagnostics.map(({ message }) => message) };
  };

  it('is told, with what to do, and changes nothing', () => {
    const declared = [resource('SimIntegration', ['S'], { statusMap: { a: 'b' }, attributes: { a: 'new' } })];
    const plan = planOf({ declared, live });
    expect(plan.changes).toEqual([]);
    expect(plan.summary.unchanged).toBe(1);
    const message =
      'SimIntegration/S: the tenant does not show /statusMap, /attributes/a, so it cannot be compared.';
    const hint = 'Write it with --rotate SimIntegration/S.';
    const source = { file: 'config/test.yaml', line: 1, column: 1 };
    expect(plan.diagnostics).toEqual([
      { code: 'not-comparable', severity: 'info', message, hint, address: 'SimIntegration/S', source },
    ]);
  });

  it('is not shown either where the manifest gives a new one in clear', () => {
    const declared = [resource('SimIntegration', ['S'], { attributes: { a: 'new' } })];
    expect(changeOf({ declared, live, choices: { rotate: ['**'] } })?.diff).toMatchObject([
      { path: '/attributes/a', sensitive: true, before: null, after: null },
    ]);
  });

  it('is told to be written where the plan writes what contains it', () => {
    const declared = resource('SimIntegration', ['S'], {
      statusMap: { a: { $secret: 'NEW' } },
      attributes: { a: { $secret: 'OLD' } },
    });
    const shown = answers.integration('1', 'S', { attributes: { a: '***' }, statusMap: { b: 'Failed' } });
    const plan = planOf({ declared: [declared], live: [shown] });
    expect(plan.changes).toMatchObject([{ diff: [{ path: '/statusMap', op: 'remove' }] }]);
    expect(plan.diagnostics.map(({ message, hint }) => [message, hint])).toEqual([
      [expect.stringMatching(/ does not show \/statusMap\/a, .* It is written, because/), undefined],
      [
        expect.stringMatching(/ does not show \/attributes\/a, so it cannot be compared\.$/),
        expect.any(String),
      ],
    ]);
  });

  it('is told once where it is in an item of a list without order', () => {
    const places = { 'form/users': 'set' };
    const kind = kindFrom(descriptorFrom({ kind: 'Hook', path: '/h', fields: { form: 'json' }, places }));
    const users = (password: Json, ...names: string[]) => ({
      users: names.map((name) => ({ name, password })),
    });
    const live = liveObject(kind, { id: '1', name: 'H', form: users('****', 'b', 'a') }, null);
    const declared = resource(kind, ['H'], { form: users(secret, 'b', 'a') });
    const context = { settings: contractSettings, unseen: { secrets: { matches: () => false }, left: true } };
    expect(changeFor({ kind, resource: declared, live }, null, context)).toEqual({
      change: null,
      notComparable: ['/form/users/0/password', '/form/users/1/password'],
    });
    const last = resource(kind, ['H'], { form: { users: [{ $live: '/form/users/1' }] } });
    const { change } = changeFor({ kind, resource: last, live }, null, context);
    expect(change?.diff).toMatchObject([{ path: '/form/users/0', op: 'remove' }]);
  });

  it('is not asked for where the manifest clears it: that can be compared', () => {
    expect(remarks({ attributes: { a: null } })).toMatchObject({ changes: 1, told: [] });
    expect(remarks({ attributes: { b: 'x' } })).toEqual({ changes: 0, told: [] });
  });

  it('is written with --rotate, and only for the objects that it names', () => {
    const rotating = (name: string) =>
      remarks({ statusMap: { a: 'b' } }, { rotate: [`SimIntegration/${name}`] });
    expect(rotating('*')).toEqual({ changes: 1, told: [] });
    expect(rotating('T')).toMatchObject({ changes: 0 });
  });
});

describe('a secret in a list or an object that the tenant does not have', () => {
  const live = [answers.integration('1', 'S', { attributes: { url: 'u', empty: {} } })];
  const planned = (attributes: object) =>
    planOf({ declared: [resource('SimIntegration', ['S'], { attributes: { ...attributes } })], live });

  it.each<[string, object, unknown]>([
    ['list', [{ name: 'key', value: secret }], [{ name: 'key', value: '(sensitive)' }]],
    ['object', { type: 'basic', password: secret }, { type: 'basic', password: '(sensitive)' }],
    ['list inside a list', [[secret]], [['(sensitive)']]],
  ])('is new with the %s, and shown so', (_, auth, after) => {
    const { changes, diagnostics } = planned({ auth });
    expect(changes[0]?.diff).toMatchObject([{ path: '/attributes/auth', op: 'add', after }]);
    expect(diagnostics).toEqual([]);
  });

  it('is an item of its own behind the last one of the tenant', () => {
    const listed = [answers.integration('1', 'S', { attributes: { list: ['a'] } })];
    const declared = [resource('SimIntegration', ['S'], { attributes: { list: ['a', secret] } })];
    const { changes, diagnostics } = planOf({ declared, live: listed });
    expect(changes[0]?.diff).toMatchObject([{ path: '/attributes/list/1', op: 'add', sensitive: true }]);
    expect(diagnostics).toEqual([]);
  });

  it('cannot be compared where the tenant has what is around it, and may hide it', () => {
    for (const attributes of [{ password: secret }, { empty: { password: secret } }])
      expect(planned(attributes)).toMatchObject({ changes: [], diagnostics: [{ code: 'not-comparable' }] });
  });
});

describe('a member of the settings that the tenant shows as ciphertext', () => {
  const raw = { type: 'T', request: {}, statusMap: {}, attributes: { pin: '1:ACP:cipher' } };
  const live = [answers.integration('1', 'S', raw), answers.integration('2', 'T')];

  it('is not shown, whatever its name, on a delete either', () => {
    const gone = planOf({ declared: [resource('SimIntegration', ['S'], {}, { ensure: 'absent' })], live });
    expect(gone.changes).toMatchObject([{ action: 'delete' }]);
    expect(JSON.stringify(gone)).not.toContain('1:ACP:cipher');
  });

  it('is read again for a write that carries it, and never stands in the plan', () => {
    const plan = planOf({
      declared: [resource('SimIntegration', ['S'], { attributes: { url: 'u' } })],
      live,
    });
    expect(plan.changes[0]?.requests[0]?.body).toMatchObject({
      operations: [{ value: { $jsonText: { url: 'u', pin: { $live: '/attributes/pin' } } } }],
    });
    expect(JSON.stringify(plan)).not.toContain('1:ACP:cipher');
  });
});

it('a field that is hidden as a whole is no secret: what is declared for it is shown', () => {
  const declared = [resource('SimIntegration', ['S'], { statusMap: { open: 'Queued' } })];
  const live = [answers.integration('1', 'S', { request: {} })];
  expect(changeOf({ declared, live, choices: { rotate: ['**'] } })?.diff).toMatchObject([
    { path: '/statusMap/open', op: 'add', after: 'Queued', sensitive: false },
  ]);
});

describe('a pinned object', () => {
  const live: Answer[] = [{ kind: 'AuthProfile', id: 'p1', raw: { type: 'MFA' } }];

  it('without a name is not renamed', () => {
    const declared = [resource('AuthProfile', ['Employees'], { type: 'MFA' }, { id: 'p1' })];
    expect(planOf({ declared, live }).changes).toEqual([]);
  });

  it('whose name differs in case only is the same object where case does not count', () => {
    const declared = [resource('SenderAddress', ['A@a.example'])];
    expect(planOf({ declared, live: [answers.sender('1', 'a@A.example')] }).changes).toEqual([]);
  });

  it('needs its name, and reports all ids that do not exist', () => {
    const pinned = (name: string, id: string) => resource('AuthProfile', [name], {}, { id });
    expect(() => planOf({ declared: [pinned('A', 'x'), pinned('B', 'p1'), pinned('C', 'y')], live })).toThrow(
      /id "x" that this manifest pins\.\n.*id "y"/,
    );
  });

  it('is not renamed to the name of another object', () => {
    const pinned = (name: string, id: string) => resource('SimIntegration', [name], {}, { id });
    const live = [answers.integration('1', 'First'), answers.integration('2', 'Second')];
    const message =
      /SimIntegration\/First cannot be renamed to "Second": the tenant has another.* with the id "2"/;
    expect(() => planOf({ declared: [pinned('Second', '1')], live })).toThrow(message);
    expect(() => planOf({ declared: [pinned('Second', '1'), pinned('Third', '2')], live })).toThrow(message);
    const absent = resource('SimIntegration', ['Second'], {}, { id: '1', ensure: 'absent' });
    expect(changeOf({ declared: [absent], live })).toMatchObject({ action: 'delete', id: '1' });
    expect(planOf({ declared: [pinned('Second', '2')], live }).changes).toEqual([]);
  });

  it.each<[string, Parameters<typeof resource>[3], string]>([
    ['that it is absent', { ensure: 'absent' }, 'Old'],
    ['its fields', {}, 'Old'],
    ['another new name', { lifecycle: { renamedFrom: ['Old'] } }, 'Other'],
  ])('is refused where another manifest declares %s under its former name', (_, more, name) => {
    const pinned = resource('SimIntegration', ['New'], {}, { id: '1' });
    const other = resource('SimIntegration', [name], {}, more);
    const live = [answers.integration('1', 'Old'), answers.integration('2', 'Second')];
    const message = `SimIntegration/${name} and SimIntegration/New (config/test.yaml:1, pinned by id) are the same object`;
    const given = { declared: [pinned, other], live };
    expect(() => planOf(given)).toThrow(message);
    expect(() => planOf({ ...given, scope: { only: [other.address] } })).toThrow(message);
    expect(changeOf({ ...given, scope: { only: [pinned.address] } })).toMatchObject({ action: 'update' });
  });

  it('gets no remark on a rename that does not happen', () => {
    const pinned = { id: '1', lifecycle: { renamedFrom: ['Nothing'] } };
    const declared = [resource('SimIntegration', ['New'], {}, pinned)];
    expect(planOf({ declared, live: [answers.integration('1', 'New')] }).diagnostics).toEqual([]);
  });
});

it('only what is in scope is compared and counted', () => {
  const declared = ['A', 'B', 'C'].map((name) => resource('SimIntegration', [name], { type: 'T' }));
  const chosen = (only: string[], except: string[]) =>
    planOf({ declared, scope: { only, except } }).changes.map(({ key: [name] }) => name);
  expect(chosen([], [])).toEqual(['A', 'B', 'C']);
  expect(chosen(['SimIntegration/A', 'SimIntegration/B'], ['SimIntegration/B'])).toEqual(['A']);
  const { summary } = planOf({ declared, scope: { only: ['SimIntegration/A'] } });
  expect(summary).toMatchObject({ create: 1, unchanged: 0 });
});
