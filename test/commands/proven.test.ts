import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Result } from '../../src/model/documents.ts';
import { commitAll } from '../support/repository.ts';
import { createTwoTenants, type TwoTenants } from '../support/two-tenants.ts';
import { expectEnd, type World } from '../support/world.ts';

let two: TwoTenants;
let test: World;

/** Two environments with unlike variables, each with a tenant of its own. */
beforeEach(async () => {
  two = await createTwoTenants();
  ({ test } = two);
  writeProject();
});
afterEach(() => two.close());

/** The project file, with further members of each environment. */
const writeProject = (more: { readonly test?: object; readonly production?: object } = {}) =>
  two.writeProject({
    test: { variables: { company: 'Test' }, ...more.test },
    production: { variables: { company: 'Acme' }, ...more.production },
  });
const run: World['run'] = (...argv) => two.run(...argv);
const declareSenders = (...documents: string[]) => test.write('config/senders.yaml', documents.join('---\n'));
const sender = (email: string) => `kind: SenderAddress\nemail: ${email}\n`;
const applyTo = (environment: string, ...argv: string[]) =>
  run('apply -e', environment, '--yes', '--result', `${environment}.json`, ...argv);
/** Applies to production what an apply to test has proven, which has to end with this code, and to say this. */
const promote = (code: number, ...told: string[]) => promoteWith([], code, ...told);
const promoteWith = (options: string[], code: number, ...told: string[]) =>
  expectEnd(applyTo('production', '--proven-by', 'test.json', ...options), code, ...told);
const resultOf = (environment: string): Result => JSON.parse(test.read(`${environment}.json`));

describe('apply --proven-by', () => {
  it('applies what an apply to another environment has proven', async () => {
    declareSenders(sender('a@acme.example'));
    await expectEnd(applyTo('test'), 0);
    await promote(0);
    expect(resultOf('production').proven).toEqual(resultOf('test').proven);
    expect(Object.keys(resultOf('test').proven ?? {})).toEqual(['SenderAddress/a%40acme.example']);
  });

  it('refuses what was added or changed since, names it, and sends nothing', async () => {
    declareSenders(sender('a@acme.example'));
    await expectEnd(applyTo('test'), 0);
    declareSenders(sender('a@acme.example'), sender('b@acme.example'));
    const told = ['SenderAddress/b%40acme.example is not proven', 'config/senders.yaml:4'];
    const { stderr } = await promote(4, ...told);
    expect(stderr).not.toContain('a%40acme.example is not proven');
    await expectEnd(run('apply -e production --dry-run --proven-by test.json'), 4);
    expect((await run('plan -e production')).stdout).toContain('2 to create');
  });

  it('takes no proof of an object that --only left out of the apply', async () => {
    declareSenders(sender('a@acme.example'), sender('b@acme.example'));
    await expectEnd(applyTo('test', '--only', 'SenderAddress/a*'), 0);
    const { stderr } = await promote(4, 'SenderAddress/b%40acme.example is not proven');
    expect(stderr).not.toContain('a%40acme.example is not proven');
  });

  it('holds for a dry run of several environments', async () => {
    declareSenders(sender('a@acme.example'));
    await applyTo('test');
    const dryRun = ['apply', '-e', 'test,production', '--dry-run', '--proven-by', 'test.json'];
    await expectEnd(run(...dryRun), 0);
    declareSenders(sender('a@acme.example'), sender('b@acme.example'));
    await expectEnd(run(...dryRun), 4, 'b%40acme.example is not proven');
  });

  it('holds for a saved plan, and takes globs', async () => {
    declareSenders(sender('b@acme.example'));
    await applyTo('test');
    const earlier = test.read('test.json');
    declareSenders(sender('a@acme.example'));
    await run('plan -e production --out plan.json');
    await expectEnd(run('apply plan.json --proven-by results/*.json'), 1, 'results/*.json names no file');
    await applyTo('test');
    test.write('results/earlier.json', earlier);
    test.write('results/test.json', test.read('test.json'));
    await expectEnd(run('apply plan.json --proven-by results/*.json'), 0);
  });

  it('does not write over a proof, also where a glob names it', async () => {
    declareSenders(sender('a@acme.example'));
    await applyTo('test');
    test.write('proofs/test.json', test.read('test.json'));
    const overwriting = run('apply -e production --yes --proven-by proofs/*.json --result proofs/test.json');
    await expectEnd(overwriting, 1, 'proofs/test.json is read by this command');
    expect(test.read('proofs/test.json')).toBe(test.read('test.json'));
  });

  it('lists the values that the environment decides, which no other can prove', async () => {
    const integration = 'kind: SimIntegration\nname: Tickets\ntype: ServiceNow Service Desk\n';
    const declareOf = (what: string) =>
      declareSenders(
        `${integration}description: !format "${what} of %{company}"\n`,
        sender('a@acme.example'),
      );
    declareOf('Tickets');
    await expectEnd(applyTo('test'), 0);
    await run('plan -e production --out plan.json');
    const saved = run('apply plan.json --proven-by test.json --dry-run');
    await expectEnd(saved, 0, 'SimIntegration/Tickets differs here');
    // Manifests of today say nothing of a plan that was made from others.
    declareOf('Incidents');
    const outdated = await run('apply plan.json --proven-by test.json --dry-run');
    expect(outdated.stderr).not.toContain('differs here');
    declareOf('Tickets');
    const why =
      'differs here: variables, secrets, lookups or overlays of this environment decide /description.';
    const { stderr } = await promote(0, `SimIntegration/Tickets ${why}`);
    expect(stderr).not.toContain('SenderAddress/a%40acme.example differs here');
    // What is equal already is no change, and needs no proof.
    const again = await applyTo('production', '--proven-by', 'test.json');
    expect(again.stderr).not.toContain('differs here');
  });

  it('lists what an overlay of the environment that proves it has decided there', async () => {
    const merge = { description: 'Ours', type: 'Jira' };
    writeProject({ test: { overlays: [{ target: 'SimIntegration/*', merge }] } });
    const desk = (name: string) => `kind: SimIntegration\nname: ${name}\ntype: Jira\ndescription: Theirs\n`;
    declareSenders(desk('Tickets'));
    await expectEnd(applyTo('test'), 0);
    const why =
      'differs in test, which proves it: variables, secrets, lookups or overlays of test decide /description.';
    await promote(0, `SimIntegration/Tickets ${why}`);
    // Also where a variable gives the object another name there.
    declareSenders(desk('!format "Desk of %{company}"'));
    await expectEnd(applyTo('test'), 0);
    await promote(0, `SimIntegration/Desk%20of%20Acme ${why}`);
    const other = JSON.stringify({ ...resultOf('test'), environment: '../../elsewhere' });
    test.write('test.json', other);
    expect((await applyTo('production', '--proven-by', 'test.json')).stderr).not.toContain('differs in');
  });

  it('takes no proof from a tenant whose environment decides that the object does not exist', async () => {
    const overlays = [{ target: 'SenderAddress/a*', merge: { ensure: 'absent' } }];
    declareSenders(sender('a@acme.example'), sender('b@acme.example'));
    writeProject({ test: { overlays } });
    await expectEnd(applyTo('test'), 0);
    expect(Object.keys(resultOf('test').proven ?? {})).toEqual(['SenderAddress/b%40acme.example']);
    await promote(4, 'SenderAddress/a%40acme.example is not proven');

    writeProject();
    await expectEnd(applyTo('test'), 0);
    await promote(0);
    // What differs only in the tenant that needs the proof is told, and needs none.
    writeProject({ production: { overlays } });
    await promote(0, 'overlays of this environment decide /ensure.');
  });

  it('goes by what is declared, also where a variable makes the name another one', async () => {
    declareSenders('kind: SenderAddress\nemail: !format "help@%{company}.example"\n');
    await expectEnd(applyTo('test'), 0);
    await promote(0);
    const [mine = {}, proof = {}] = [resultOf('production').proven, resultOf('test').proven];
    expect(Object.values(mine)).toEqual(Object.values(proof));
    expect(Object.keys(mine)).not.toEqual(Object.keys(proof));
  });

  it('takes no proof of an object for another one with the same fields', async () => {
    declareSenders(sender('a@acme.example'));
    await expectEnd(applyTo('test'), 0);
    declareSenders(sender('b@acme.example'));
    await promote(4);
  });

  it('takes no proof where the descriptor of the kind has changed since: the requests are others', async () => {
    const descriptor = (more = '') => `kind: Role
summary: Access for people with something in common.
path: /v2025/roles
key: name
create: true
update: json-patch
fields: { note: text }
${more}`;
    const embedded = 'test: { sandbox: { data: one.json } }\n  production: { sandbox: { data: two.json } }';
    test.write('tenantctl.yaml', `version: 1\nenvironments:\n  ${embedded}\n`);
    test.write('kinds/Role.kind.yaml', descriptor());
    test.write('config/roles.yaml', 'kind: Role\nname: Reader\nnote: Reads.\n');
    await expectEnd(applyTo('test'), 0);
    test.write('kinds/Role.kind.yaml', descriptor().replace('/roles', '/groups'));
    await promote(4, 'Role/Reader is not proven');
    // Words for people change no request.
    test.write('kinds/Role.kind.yaml', descriptor().replace('Access', 'Rights'));
    await promote(0);
  });

  it('takes no proof where the descriptor of a kind that is referred to has changed since: the names mean others', async () => {
    const person = 'kind: Person\npath: /v2025/people\nkey: alias\n';
    const role = 'create: true\nupdate: json-patch\nfields: { owner: { is: reference, to: Person } }\n';
    test.write('kinds/Person.kind.yaml', person);
    test.write('kinds/Role.kind.yaml', `kind: Role\npath: /v2025/roles\nkey: name\n${role}`);
    const people = '[{ id: p1, alias: ann, nick: bob }, { id: p2, alias: bob, nick: ann }]';
    test.write('seed.yaml', `tenant: acme\nobjects: { Person: ${people} }\n`);
    const embedded = (name: string) => `${name}: { sandbox: { seed: seed.yaml, data: ${name}.data } }`;
    const environments = `  ${embedded('test')}\n  ${embedded('production')}\n`;
    test.write('tenantctl.yaml', `version: 1\nenvironments:\n${environments}`);
    test.write('config/roles.yaml', 'kind: Role\nname: Reader\nowner: !ref Person/ann\n');
    await expectEnd(applyTo('test'), 0);
    test.write('kinds/Person.kind.yaml', person.replace('alias', 'nick'));
    await promote(4, 'Role/Reader is not proven');
    test.write('kinds/Person.kind.yaml', person);
    await promote(0);
  });

  it('proves a delete only by a delete', async () => {
    declareSenders(sender('a@acme.example'));
    await applyTo('test');
    await applyTo('production');
    declareSenders(`${sender('a@acme.example')}ensure: absent\n`);
    await applyTo('production', '--proven-by', 'test.json');
    await promoteWith(['--allow-delete-all', 'SenderAddress'], 4);
    await applyTo('test', '--allow-delete-all', 'SenderAddress');
    await promoteWith(['--allow-delete-all', 'SenderAddress'], 0);
  });

  it('takes no earlier delete as the proof of one that an overlay decides', async () => {
    declareSenders(sender('a@acme.example'), sender('b@acme.example'));
    await applyTo('test');
    await applyTo('production');
    declareSenders(`${sender('a@acme.example')}ensure: absent\n`, sender('b@acme.example'));
    await expectEnd(applyTo('test'), 0);
    // Declared again, which no test tenant has shown.
    declareSenders(sender('a@acme.example'), sender('b@acme.example'));
    writeProject({ production: { overlays: [{ target: 'SenderAddress/a*', merge: { ensure: 'absent' } }] } });
    expect((await run('plan -e production')).stdout).toContain('1 to delete');
    await promote(4);
  });

  it('proves the delete of a removed manifest also by a tenant that does not have the object any more', async () => {
    declareSenders(sender('a@acme.example'), sender('b@acme.example'));
    commitAll(test.dir);
    await applyTo('test');
    await applyTo('production');
    declareSenders(sender('a@acme.example'));
    const since = ['--since', 'HEAD'];
    await expectEnd(applyTo('production', ...since, '--proven-by', 'test.json'), 4);
    await applyTo('test', ...since);
    // Another apply finds nothing to delete, and is as good a proof.
    await applyTo('test', ...since);
    expect(resultOf('test')).toMatchObject({ changes: [] });
    await expectEnd(applyTo('production', ...since, '--proven-by', 'test.json'), 0);
    expect(resultOf('production')).toMatchObject({ changes: [{ action: 'delete', outcome: 'done' }] });
  });

  it('needs no proof of what a person has to do', async () => {
    declareSenders(sender('a@acme.example'), 'kind: AuthProfile\nname: Partners\ntype: MFA\n');
    await expectEnd(applyTo('test'), 0);
    await promote(0);
    expect(resultOf('production').changes).toMatchObject([{ outcome: 'done' }, { action: 'manual' }]);
  });

  it('proves a delete of --prune only by a delete that was made', async () => {
    const prunable = { prune: { kinds: ['SenderAddress'] } };
    writeProject({ test: prunable, production: prunable });
    declareSenders(sender('a@acme.example'), sender('b@acme.example'));
    await applyTo('test');
    await applyTo('production');
    declareSenders(sender('a@acme.example'));
    const prune = ['--prune', '--proven-by', 'test.json'];
    // This result made the object.
    await expectEnd(applyTo('production', ...prune), 4);
    test.sandbox.faults.add({ kind: 'status', status: 403, method: 'DELETE' });
    await expectEnd(applyTo('test', '--prune'), 3);
    await expectEnd(applyTo('production', ...prune), 4);
    await expectEnd(applyTo('test', '--prune'), 0);
    await expectEnd(applyTo('production', ...prune), 0);
  });

  it('counts an object that gets another name as no removed one', async () => {
    const integration = (name: string) =>
      `kind: SimIntegration\nname: ${name}\ntype: ServiceNow Service Desk\n`;
    declareSenders(integration('Old'));
    commitAll(test.dir);
    await applyTo('test');
    declareSenders(`${integration('New')}lifecycle: { renamedFrom: Old }\n`);
    const { stdout } = await run('plan -e test --since HEAD --format json');
    expect(Object.keys(JSON.parse(stdout).desired)).toEqual(['SimIntegration/New']);
  });

  it('takes no proof of a removed object from a tenant that still has it', async () => {
    declareSenders(sender('a@acme.example'), sender('b@acme.example'));
    commitAll(test.dir);
    await applyTo('test');
    await applyTo('production');
    declareSenders(sender('a@acme.example'));
    await applyTo('test', '--since', 'HEAD', '--only', 'SenderAddress/a*');
    const since = ['--since', 'HEAD', '--proven-by', 'test.json'];
    await expectEnd(applyTo('production', ...since), 4);
  });
});
