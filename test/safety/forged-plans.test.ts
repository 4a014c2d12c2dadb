/** Plan files that somebody changed, digest included, so that they do something else than they show. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type Change,
  type Difference,
  type Plan,
  planDigest,
  type Request,
} from '../../src/model/documents.ts';
import { isObject, type Json, type JsonObject, mapMembers } from '../../src/model/json.ts';
import { createWorld, editProject, expectEnd, type World } from '../support/world.ts';
import { everything, fillTenant, oneAtATime, visible } from './every-kind.ts';

let world: World;
let plan: Plan;
async function openWorld(): Promise<void> {
  world = await createWorld(oneAtATime);
  fillTenant(world.sandbox.state);
  world.declare(everything);
  plan = await world.plan();
  // From here on, nothing may be deleted.
  editProject(
    world,
    '"limits":{',
    '"protect":["SimIntegration/*","ProfileSearch/*"],"limits":{"maxDeletes":0,',
  );
}
const allowDeletes = () => editProject(world, '"maxDeletes":0', '"maxDeletes":9');

const find = (address: string): Change => {
  const change = plan.changes.find((each) => each.address === address);
  if (!change) throw new Error(`The plan has no change of ${address}.`);
  return change;
};

/** Applies these changes as one plan with a sound digest and summary. */
async function applyForged(...changes: readonly Change[]) {
  const count = (action: Change['action']) => changes.filter((each) => each.action === action).length;
  const [create, update, manual] = [count('create'), count('update'), count('manual')];
  const summary = { ...plan.summary, create, update, delete: count('delete'), manual };
  const forged = { ...plan, summary, changes };
  world.write('plan.json', JSON.stringify({ ...forged, digest: planDigest(forged) }));
  return world.run('apply plan.json --format json');
}

const withRequests = (change: Change, requests: readonly Request[]): Change => ({ ...change, requests });
const withBody = (change: Change, edit: (body: Json) => Json): Change =>
  withRequests(
    change,
    change.requests.map((request) => ({ ...request, body: edit(request.body) })),
  );
const members = (body: Json): JsonObject => (isObject(body) ? body : {});
const search = (body: Json): JsonObject => members(members(body).advanced_search ?? null);

/** A change whose requests have other fields. */
const withFields = (address: string, fields: JsonObject): Change =>
  withBody(find(address), (body) => ({ ...members(body), ...fields }));
const withSearch = (address: string, fields: JsonObject): Change =>
  withBody(find(address), (body) => ({ advanced_search: { ...search(body), ...fields } }));

/** A text of a template that is a secret of the machine, as if that was there already. */
const withSecret = (address: string, name: string): Change => ({
  ...withFields(address, { [name]: { $secret: 'DESK_PASSWORD' } }),
  secrets: [`/${name}`],
});

/** The change of an integration with other steps. */
const withSteps = (edit: (steps: readonly JsonObject[]) => readonly Json[]): Change =>
  withBody(find(desk), (body) => {
    const { operations } = members(body);
    return { operations: [...edit(Array.isArray(operations) ? operations.filter(isObject) : [])] };
  });

/** The change of a search with other changes of its rules. */
const withRules = (edit: (rules: readonly Json[]) => readonly Json[]): Change =>
  withBody(find(staff), (body) => {
    const rules = search(body).condition_rules_attributes;
    const edited = edit(Array.isArray(rules) ? rules : []);
    return { advanced_search: { ...search(body), condition_rules_attributes: edited } };
  });
const staffRule = (): string => {
  const [rule] = world.sandbox.state.profileSearches.find(({ label }) => label === 'Staff')?.rules ?? [];
  return String(rule?.id);
};
const anyoneButActive = { type: 'ProfileStatusRule', comparison_operator: '!=', value: 'Active' };

/** The change at an address with other text in its requests, which must be there. */
function withText(address: string, text: string, other: string): Change {
  const change = find(address);
  const requests = JSON.stringify(change.requests);
  expect(requests).toContain(text);
  return withRequests(change, JSON.parse(requests.replace(text, () => other)));
}

/** A change that a reviewer sees otherwise. */
const showing = (change: Change, shown: Partial<Difference>): Change => ({
  ...change,
  diff: change.diff.map((difference) => ({ ...difference, ...shown })),
});

const declaring = (change: Change, fields: JsonObject): Change => ({
  ...change,
  declared: { ...change.declared, ...fields },
});

/** Differences that a reviewer does not get to see. */
const concealed: Partial<Difference> = { before: null, after: null, sensitive: true };

const desk = 'SimIntegration/Desk';
const newDesk = 'SimIntegration/New%20desk';
const staff = 'ProfileSearch/Staff';
const newStaff = 'ProfileSearch/New%20staff';
const welcome = 'NotificationTemplate/welcome/EMAIL/en';
const reminder = 'NotificationTemplate/reminder/EMAIL/en';
const escalation = 'NotificationTemplate/escalation/EMAIL/de';
const employees = 'AuthProfile/Employees';
const keptMailFrom = 'MailFrom/kept%40acme.example';
const newSender = 'SenderAddress/new%40acme.example';
const liveUser = '"user":{"$live":"/attributes/user"}';

const forgeries: Readonly<Record<string, () => Change>> = {
  'an update that deletes a protected object': () =>
    withRequests(find(desk), find('SimIntegration/Old%20desk').requests),
  'an update of a template that changes another text too': () => withFields(welcome, { subject: 'Evil' }),
  'an update of a template that sends another text than it shows': () =>
    withFields(welcome, { body: 'Evil' }),
  'a template that gets the text of another of its fields': () =>
    withFields(welcome, { body: { $live: '/subject' } }),
  'the same, declared as one that stays': () => {
    const subject = { $live: '/body' };
    return declaring(withFields(welcome, { subject }), { subject });
  },
  ...Object.fromEntries(
    ['$lookup', '$tag', '$literal', '$jsonText', '$beside'].map((marker) => [
      `a template that declares ${marker}, which no plan has`,
      () => {
        const description = { [marker]: marker === '$beside' ? ['', {}] : { a: 1 } };
        const forged = declaring(withFields(welcome, { description }), { description });
        const added = { path: '/description', op: 'add', before: null, after: description } as const;
        return { ...forged, diff: forged.diff.flatMap((each) => [each, { ...each, ...added }]) };
      },
    ]),
  ),
  'a template whose text is a secret of the machine': () =>
    withFields(welcome, { body: { $secret: 'DESK_PASSWORD' } }),
  'a template that gets a secret of the machine in the place of a text, as if that was there already': () =>
    withSecret(welcome, 'subject'),
  'the same where the tenant has no text': () => withSecret(welcome, 'footer'),
  'a new template that gets a secret of the machine': () => withSecret(escalation, 'footer'),
  'a MAIL FROM domain that is another': () =>
    withFields(keptMailFrom, { mailFromDomain: 'evil.acme.example' }),
  'a sign-in profile with another type than it shows': () =>
    withBody(find(employees), () => [{ op: 'replace', path: '/type', value: 'PTA' }]),
  'an integration with another description than it shows': () =>
    withSteps((steps) =>
      steps.map((step) => (step.path === '/description' ? { ...step, value: 'Evil' } : step)),
    ),
  'an integration that gets a secret of the machine': () =>
    withText(desk, '"u9"', '{"$secret":"DESK_PASSWORD"}'),
  'an integration with another setting than it shows': () => withText(desk, '"u9"', '"https://evil"'),
  ...Object.fromEntries(
    [{ $live: '/attributes/password' }, { $live: '/name' }, 'Evil'].map((name) => [
      `an integration whose rule is called ${JSON.stringify(name)}, beside the id that it shows`,
      () => withText(desk, '"Other"', JSON.stringify(name)),
    ]),
  ),
  ...Object.fromEntries(
    ['/NAME', '/name/x', '/other'].map((path) => [
      `an integration whose rule gets the member ${path}`,
      () => withText(desk, '"path":"/name","value":"Other"', `"path":"${path}","value":"Other"`),
    ]),
  ),
  'an integration with a step that says more than a JSON Patch does': () =>
    withText(desk, '"path":"/description",', '"path":"/description","from":"/attributes",'),
  ...Object.fromEntries(
    ['name', 'type', 'other'].map((part) => [
      `a new integration with another ${part} beside the id of its rule`,
      () =>
        withBody(find(newDesk), (body) => {
          const rule = members(members(body).beforeProvisioningRule ?? null);
          return { ...members(body), beforeProvisioningRule: { ...rule, [part]: 'Evil' } };
        }),
    ]),
  ),
  'a new integration with another cluster than it shows': () => withFields(newDesk, { cluster: 'evil' }),
  'an update of a template that deletes another': () => withRequests(find(welcome), find(reminder).requests),
  'an update of a template that writes another': () => withFields(welcome, { key: 'reminder' }),
  'an update of a template with the id of another': () => withFields(welcome, { id: 'n2' }),
  'an update that deletes the object itself': () => {
    const [patch] = find(desk).requests;
    const [remove] = find('SimIntegration/Old%20desk').requests;
    if (!patch || !remove) throw new Error('The plan lacks a request.');
    return withRequests(find(desk), [{ ...remove, path: patch.path }]);
  },
  'a create that replaces another template': () => withFields(escalation, { key: 'welcome', locale: 'en' }),
  'a sender that starts the verification of another': () =>
    withBody(find(newSender), () => ({ email: 'evil@acme.example' })),
  'a domain that is another': () =>
    withBody(find('VerifiedDomain/mail.acme.example'), () => ({ domain: 'evil.example' })),
  'a MAIL FROM domain of another identity': () => withFields(keptMailFrom, { identity: 'gone@acme.example' }),
  'a search with another label': () => withSearch(staff, { label: 'Left over' }),
  'a search that sets what no kind sets': () => withSearch(newStaff, { id: '1' }),
  'a new search without the rules that it shows': () =>
    withBody(find(newStaff), (body) => {
      const { condition_rules_attributes: _rules, ...others } = search(body);
      return { advanced_search: others };
    }),
  'an integration without one of the changes that it shows': () =>
    withSteps((steps) => steps.filter(({ path }) => path !== '/description')),
  'a new search with other rules than it shows': () =>
    withSearch(newStaff, { condition_rules_attributes: [anyoneButActive] }),
  'a search that gets another rule than it shows': () =>
    withRules((rules) => rules.map(() => anyoneButActive)),
  'a search that gets one more rule': () => withRules((rules) => [...rules, anyoneButActive]),
  'a search that loses a rule': () => withRules((rules) => [...rules, { id: staffRule(), _destroy: true }]),
  'a search whose other rule is changed': () =>
    withRules((rules) => [...rules, { id: staffRule(), value: 'Terminated' }]),
  'a search with the rule of another': () => withRules((rules) => [...rules, { id: 'x9', value: 'Active' }]),
  'a search with a member that no rule has': () =>
    withRules((rules) => rules.map((rule) => ({ ...members(rule), condition_object_type: 'Evil' }))),
  'an integration with another rule than it shows': () => withText(desk, '"value":"r2"', '"value":"evil"'),
  'an integration that gets a setting beside those that it shows': () =>
    withText(desk, liveUser, '"user":"evil"'),
  'an integration that loses a setting': () => withText(desk, `${liveUser},`, ''),
  'an integration whose setting is another one, its password': () =>
    withText(desk, '{"$live":"/attributes/user"}', '{"$live":"/attributes/password"}'),
  'an integration in which one setting is changed by a step of its own': () =>
    withSteps((steps) => [...steps, { op: 'add', path: '/attributes/endpoint', value: 'https://evil' }]),
  'an integration with a setting beside a secret that it shows': () => ({
    ...withText(desk, liveUser, '"user":"evil"'),
    secrets: ['/attributes/user'],
  }),
  'a template with a field that tenantctl does not know': () =>
    withFields(welcome, { sendTo: 'evil@acme.example' }),
  'a template that loses a text': () => withFields(welcome, { subject: null }),
  'a template without one of its texts': () =>
    withBody(find(welcome), (body) =>
      mapMembers(members(body), (value, name) => (name === 'subject' ? undefined : value)),
    ),
  'a template that shows another text than the tenant has': () =>
    showing(find(welcome), { before: 'Something else' }),
  'a text that is called sensitive, and is another one': () =>
    showing(withFields(welcome, { body: 'Evil' }), concealed),
  'a text that is redacted as if it held a credential': () =>
    showing(withFields(welcome, { body: 'Evil' }), { after: '(sensitive)' }),
  'an ordinary setting that is called sensitive': () => showing(withText(desk, 'u9', 'evil'), concealed),
  'an ordinary setting of a new object that is called sensitive': () =>
    showing(withText(newDesk, 'u3', 'evil'), concealed),
  'a rule that is called sensitive': () =>
    showing(withText(staff, 'Inactive', 'Leave of absence'), concealed),
  'a rule with a member that is redacted as if it were a credential': () => {
    const forged = withText(staff, 'Inactive', 'Leave of absence');
    const shown = JSON.stringify(forged.diff).replace('"Inactive"', '"(sensitive)"');
    expect(shown).not.toBe(JSON.stringify(forged.diff));
    return { ...forged, diff: JSON.parse(shown) };
  },
  'a rule with another value than it shows, where both mention the word for what is redacted': () => {
    const forged = withText(staff, 'Inactive', 'Terminated (sensitive)');
    const shown = JSON.stringify(forged.diff).replace('Inactive', 'Active (sensitive)');
    return { ...forged, diff: JSON.parse(shown) };
  },
  'a new template without a text that it conceals': () =>
    showing(withFields(escalation, { subject: null }), concealed),
  'a new search without a rule that it conceals': () =>
    showing(withSearch(newStaff, { condition_rules_attributes: [] }), concealed),
  'a sign-in profile that blocks without saying so': () =>
    withBody(find(employees), () => [{ op: 'replace', path: '/type', value: 'BLOCK' }]),
  'a sign-in profile that shows the block, and not that it can lock people out': () =>
    declaring(
      showing(
        withBody(find(employees), () => [{ op: 'replace', path: '/type', value: 'BLOCK' }]),
        { after: 'BLOCK' },
      ),
      { type: 'BLOCK' },
    ),
  'a sign-in profile that restricts the network without saying so': () =>
    withBody(find(employees), (body) => [
      ...(Array.isArray(body) ? body : []),
      { op: 'replace', path: '/offNetwork', value: true },
    ]),
  'an integration that gets another name': () =>
    withSteps((steps) => [...steps, { op: 'replace', path: '/name', value: 'Hidden' }]),
  'a manual change that sends': () => ({ ...find(newSender), action: 'manual', warnings: ['Do it.'] }),
};

describe('what is refused leaves the tenant as it is, for the next one', () => {
  beforeAll(openWorld);
  afterAll(() => world.close());

  it.each(Object.entries(forgeries))('%s is refused, and nothing is written', async (_name, forge) => {
    const before = visible(world.sandbox.state);
    const { code, stdout } = await applyForged(forge());
    const dry = await world.run('apply plan.json --dry-run --format json');
    expect(dry.code).toBe(4);
    expect(code).toBe(4);
    const { outcome, diagnostics } = JSON.parse(stdout);
    expect(outcome).toBe('refused');
    expect(diagnostics[0].code).toBe('plan-request-refused');
    expect(JSON.parse(dry.stdout).diagnostics).toEqual(diagnostics);
    expect(visible(world.sandbox.state)).toEqual(before);
  });

  it('a request that is another one in any part is refused', async () => {
    const [request] = find(welcome).requests;
    if (!request) throw new Error('The update has no request.');
    const { path, headers, body } = request;
    const paths = ['https://evil.example', '//evil.example'].map((host) => host + path);
    const away = ['/oauth/token', '/v2024/../oauth/token', '/v2024/%2e%2E/oauth/token', '/v2025/a%2F..%2Fb'];
    const broken = ['x', '\\b', '?x=1', '\r\nX: y', '%0d%0a'].map((end) => path + end);
    const others: readonly Partial<Request>[] = [
      ...[...paths, ...away, ...broken, `/${'x'.repeat(1000)}`].map((other) => ({ path: other })),
      { headers: { ...headers, Authorization: 'Bearer x' } },
      { headers: { ...headers, host: 'evil.example' } },
      { headers: { ...headers, accept: 'a\r\nX: y' } },
      { headers: { ...headers, accept: 'a\u001b[2J' } },
      { headers: { ...headers, 'content-type': 'text/xml' } },
      { method: 'GET' },
      { query: { key: 'reminder' } },
      { body: [body] },
    ];
    const before = visible(world.sandbox.state);
    const lists = others.map((other) => [{ ...request, ...other }]);
    const code = expect.stringMatching(/^plan-(request-refused|invalid)$/);
    const refused = { diagnostics: [{ code, message: expect.stringMatching(/^.{0,400}$/) }] };
    for (const requests of [...lists, [request, request]])
      expect(await applyForged(withRequests(find(welcome), requests))).toMatchObject({
        code: 4,
        json: refused,
      });
    expect(visible(world.sandbox.state)).toEqual(before);
  });
});

describe('a plan file', () => {
  const isRefused = async (forged: Change, why: object) =>
    expect(await applyForged(forged)).toMatchObject({ code: 4, json: { diagnostics: [why] } });

  beforeEach(async () => {
    await openWorld();
    return () => world.close();
  });

  it('a rule with a secret is sent as far as the plan shows it', async () => {
    world.env.STATUS = 'Terminated';
    const rule = (value: string) => `{ type: ProfileStatusRule, comparison_operator: "==", value: ${value} }`;
    const rules = [rule('Active'), rule('!secret STATUS')];
    world.write('config/all.yaml', `kind: ProfileSearch\nlabel: Staff\nrules: [${rules.join(', ')}]\n`);
    plan = await world.plan();
    expect(JSON.stringify(find(staff).diff)).toContain('"comparison_operator":"==","value":"(sensitive)"');
    const forged = withText(staff, '"==","value":{"$secret"', '"!=","value":{"$secret"');
    await isRefused(forged, { code: 'plan-request-refused' });
    expect(await applyForged(find(staff))).toMatchObject({ code: 0 });
  });

  it('a batch of deletes may only name objects that the plan deletes', async () => {
    allowDeletes();
    const change = withBody(find(reminder), (body) => [
      ...(Array.isArray(body) ? body : []),
      { key: 'welcome', medium: 'EMAIL', locale: 'en' },
    ]);
    await isRefused(change, { message: expect.stringContaining('they would delete something else') });
    const bare = withBody(find(reminder), () => [{ key: 'reminder' }]);
    expect(await applyForged(bare)).toMatchObject({ code: 4 });
    expect(await applyForged(find(reminder))).toMatchObject({ code: 0 });
  });

  it('a delete under the id or the key of another object is refused', async () => {
    allowDeletes();
    const before = visible(world.sandbox.state);
    const remove = find('SenderAddress/gone%40acme.example');
    const other = world.sandbox.state.senders.find(({ email }) => email === 'kept@acme.example');
    const path = (id: string) => `/v2025/verified-from-addresses/${id}`;
    const [request] = remove.requests;
    if (!request || !other) throw new Error('The tenant or the plan lacks a sender.');
    const id = String(other.id);
    const otherId = { ...remove, id, requests: [{ ...request, path: path(id) }] };
    const otherKey = { ...remove, key: ['kept@acme.example'], address: 'SenderAddress/kept%40acme.example' };
    for (const forged of [otherId, otherKey]) await isRefused(forged, { code: 'plan-stale' });
    const all = withRequests(remove, [{ ...request, body: { all: true } }]);
    await isRefused(all, { code: 'plan-request-refused' });
    expect(visible(world.sandbox.state)).toEqual(before);
  });

  it('a delete that shows other values than the object has is refused', async () => {
    allowDeletes();
    const before = visible(world.sandbox.state);
    const remove = find(reminder);
    const harmless = remove.diff.map((each) => ({ ...each, before: 'harmless' }));
    const message = expect.stringContaining('it would delete other values of');
    await isRefused({ ...remove, diff: harmless }, { message });
    expect(visible(world.sandbox.state)).toEqual(before);
  });

  it('a plan that was made with --max-deletes is applied as it was approved', async () => {
    world.declare([{ kind: 'SenderAddress', email: 'gone@acme.example', ensure: 'absent' }]);
    expect(await world.run('plan --out plan.json')).toMatchObject({
      code: 4,
      stdout: expect.stringContaining('[max-deletes]'),
    });
    const allowed = await world.plan('--max-deletes', '1', '--out', 'plan.json');
    expect(allowed.allowed).toEqual({ maxDeletes: 1, deleteAll: [] });
    expect(await world.run('apply plan.json --expect', allowed.digest)).toMatchObject({ code: 0 });
  });

  it('a plan file raises no limit by itself: its digest has to be approved, or the number said again', async () => {
    world.declare([{ kind: 'SenderAddress', email: 'gone@acme.example', ensure: 'absent' }]);
    await world.plan('--max-deletes', '5', '--out', 'plan.json');
    const before = visible(world.sandbox.state);
    const refused = { code: 4, json: { diagnostics: [{ code: 'max-deletes' }] } };
    for (const options of [[], ['--dry-run'], ['--max-deletes', '0']])
      expect(await world.run('apply plan.json --format json', ...options)).toMatchObject(refused);
    // The digest does not help a file that was changed under it.
    const saved = JSON.parse(world.read('plan.json'));
    world.write('edited.json', JSON.stringify({ ...saved, allowed: { maxDeletes: 6, deleteAll: [] } }));
    await expectEnd(world.run('apply edited.json --expect', saved.digest), 4, '[plan-edited]');
    expect(visible(world.sandbox.state)).toEqual(before);
    expect(await world.run('apply plan.json --max-deletes 1')).toMatchObject({ code: 0 });
  });

  it('a plan file keeps the lower limit that it was made with', async () => {
    allowDeletes();
    world.declare([{ kind: 'SenderAddress', email: 'gone@acme.example', ensure: 'absent' }]);
    const { digest: _digest, ...made } = await world.plan();
    const forged = { ...made, allowed: { maxDeletes: 0, deleteAll: [] } };
    world.write('plan.json', JSON.stringify({ ...forged, digest: planDigest(forged) }));
    expect(await world.run('apply plan.json --format json')).toMatchObject({
      code: 4,
      json: { diagnostics: [{ code: 'max-deletes' }] },
    });
  });

  it('a dry run of a plan that is stale is refused too, and one of a sound plan shows its requests', async () => {
    world.declare([{ kind: 'SenderAddress', email: 'new@acme.example' }]);
    await world.plan('--out', 'plan.json');
    const sound = await world.run('apply plan.json --dry-run');
    expect(sound).toMatchObject({ code: 0, stdout: expect.stringContaining('POST') });
    expect(await world.run('apply plan.json')).toMatchObject({ code: 0 });
    const stale = await world.run('apply plan.json --dry-run --format json');
    expect(stale).toMatchObject({ code: 4, json: { diagnostics: [{ code: 'plan-stale' }] } });
  });

  it('every change that tenantctl plans itself passes', async () => {
    editProject(world, '"protect":["SimIntegration/*","ProfileSearch/*"],', '');
    editProject(world, '"maxDeletes":0,', '');
    expect(await applyForged(...plan.changes)).toMatchObject({ code: 0, json: { outcome: 'done' } });
  });
});
