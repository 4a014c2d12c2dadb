/** Drift of several tenants as requests: the nightly jobs of `init` for a project in a folder, one of whose tenants is down. */
import { mkdirSync, rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { git } from '../support/repository.ts';
import { startSandbox } from '../support/sandbox.ts';
import { runProgram } from '../support/world.ts';
import { type Project, runNight, systems } from './nightly-jobs.ts';
import { createRunner } from './pipeline-runner.ts';
import { curl, gh, type Hub } from './played-ci-systems.ts';

const names = ['test', 'eu', 'us', 'us.merged'] as const;
const [folder, config] = ['apps/iga/', 'apps/iga/config/tickets.yaml'] as const;
const declared = (description: string) =>
  `# Ours\nkind: SimIntegration\nname: Tickets\ntype: ServiceNow Service Desk\ndescription: ${description}\n`;

let tenants: ReadonlyMap<string, Sandbox>;
let project: Project;

/** Makes the project, with pipelines for all tenants in one step, as it gets them one after the other; else they promote. */
async function makeProject(isOneStep: boolean): Promise<void> {
  const started: [string, Sandbox][] = [];
  for (const name of names) started.push([name, await startSandbox({ rateLimit: null })]);
  tenants = new Map(started);
  // The first tenant of a project has variables without its name.
  const prefixOf = (name: string) =>
    isOneStep && name === 'test' ? 'TENANT' : name.toUpperCase().replace('.', '_');
  const secrets = Object.fromEntries(
    started.flatMap(([name, { clientId, clientSecret }]) => [
      [`${prefixOf(name)}_CLIENT_ID`, clientId],
      [`${prefixOf(name)}_CLIENT_SECRET`, clientSecret],
      [`${prefixOf(name)}_SNOW_PASSWORD`, 'pw-4711'],
    ]),
  );
  if (isOneStep) secrets.SNOW_PASSWORD = 'pw-4711';
  const runner = await createRunner({ gh, curl });
  project = { runner, folder, secrets };
  git(runner.dir, 'init', '--quiet', '--initial-branch=main');
  const identities = started.flatMap(([name, { url }]) => ['--identity', `${name}=${url}`]);
  const steps = isOneStep ? [identities.slice(0, 2), identities.slice(2)] : [identities];
  for (const step of steps) {
    const made = await runProgram(['init', folder, ...step, '--from', 'examples'], { cwd: runner.dir });
    expect(made.code, made.stderr).toBe(0);
  }
  const workflow = `${runner.read('.gitlab-ci.yml')}${runner.read('.github/workflows/tenantctl.yaml')}`;
  expect(workflow.split(`TENANTCTL_ENV: '${names.join(',')}'`)).toHaveLength(isOneStep ? 3 : 1);
  rmSync(`${runner.dir}/${folder}config`, { recursive: true });
  mkdirSync(`${runner.dir}/${folder}config`);
  runner.write(`${folder}package-lock.json`, '{}');
  runner.write('hub.json', JSON.stringify({ pulls: [], comments: [], statuses: [] }));
  runner.write('.git/info/exclude', 'hub.json\nnpm.log\n');
  runner.write(config, declared('Declared'));
  const applied = await runProgram(['apply', '-e', '*', '--yes'], {
    cwd: `${runner.dir}/${folder}`,
    env: secrets,
  });
  expect(applied.code, applied.stderr).toBe(0);
  git(runner.dir, 'add', '--all', '.');
  git(runner.dir, 'commit', '--quiet', '--message', 'Declare tickets');
  git(runner.dir, 'tag', 'tenantctl-applied-apps-iga');
  git(runner.dir, 'clone', '--quiet', '--bare', '.', `${runner.dir}.git`);
  git(runner.dir, 'remote', 'add', 'origin', `${runner.dir}.git`);
}
afterEach(async () => {
  for (const tenant of tenants.values()) await tenant.close();
  rmSync(`${project.runner.dir}.git`, { recursive: true, force: true });
  project.runner.close();
});

const hub = (): Hub => JSON.parse(project.runner.read('hub.json'));
const changeIn = (name: string, description: string) =>
  Object.assign(tenants.get(name)?.state.simIntegrations[0] ?? {}, { description });

const nights = systems.flatMap((system) => [
  { system, name: system.name, pipeline: 'that promotes', isOneStep: false },
  { system, name: system.name, pipeline: 'of one step', isOneStep: true },
]);

describe.each(nights)('a night of $name, pipeline $pipeline, a tenant down', ({ system, isOneStep }) => {
  beforeEach(async () => {
    await makeProject(isOneStep);
    await tenants.get('eu')?.close();
  });

  it('opens the requests of the tenants that answer, and ends with an error that names the other', async () => {
    changeIn('test', 'Changed in test');
    changeIn('us', 'Changed in us');
    // What a merge of `us` does must not have the name of what `us.merged` has.
    changeIn('us.merged', 'Changed in us.merged');
    const { drift, propose } = await runNight(system, project);
    expect(drift.code, drift.output).toBe(1);
    expect(drift.output).toContain('These tenants could not be planned: eu.');
    expect(drift.output).toContain('These tenants differ from the manifests: test us us.merged.');
    expect(propose.code, propose.output).toBe(0);
    const requests = hub().requests ?? [];
    expect(requests.map(({ head, source_branch }) => head ?? source_branch).sort()).toEqual([
      'tenantctl/drift-apps-iga-test',
      'tenantctl/drift-apps-iga-us',
      'tenantctl/drift-apps-iga-us.merged',
    ]);
    for (const { title, body, description } of requests) {
      expect(title).toMatch(/^Accept changes from the tenant \(apps\/iga\) (?:test|us|us\.merged)$/);
      expect(body ?? description).toMatch(
        /so what they get is missing: eu\.\n\n### tenantctl plan: 3 environ/,
      );
    }
    for (const name of ['test', 'us', 'us.merged']) {
      const branch = `tenantctl/drift-apps-iga-${name}`;
      expect(git(`${project.runner.dir}.git`, 'diff', '--name-only', 'main', branch)).toBe(config);
      expect(git(`${project.runner.dir}.git`, 'show', `${branch}:${config}`)).toBe(
        declared(`Changed in ${name}`).trim(),
      );
    }
  });

  it('opens nothing while main has an object without fields that the tenants have not got yet', async () => {
    changeIn('us', 'Changed in us');
    const { runner } = project;
    runner.write(config, `${declared('Declared')}---\nkind: SenderAddress\nemail: new@acme.example\n`);
    git(runner.dir, 'commit', '--quiet', '--all', '--message', 'Add a sender');
    const { drift } = await runNight(system, project);
    expect(drift.output).toContain('changes that were not applied yet');
  });

  it('opens nothing where the others did not change, and still ends with an error', async () => {
    const { code, output } = await system.job(project, 'drift');
    expect(code, output).toBe(1);
    expect(output).toContain('These tenants could not be planned: eu.');
    expect(output).not.toContain('differ from the manifests');
    expect(output).not.toContain('changes that were not applied yet');
  });
});
