/** action.yml and its script, run as a step of GitHub Actions runs them. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { get, getText, isArray, isObject } from '../../src/model/json.ts';
import { createRunner, member, npmWithBuilt, type Ran, type Runner } from '../commands/pipeline-runner.ts';
import { runProgram } from '../support/world.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const action = parse(readFileSync(`${root}action.yml`, 'utf8'));

let runner: Runner;
async function start(programs: Readonly<Record<string, string>> = {}): Promise<void> {
  runner = await createRunner(programs);
  await runProgram(['init', '--pipelines', 'none'], { cwd: runner.dir });
  runner.write('package-lock.json', '{}');
}
afterEach(() => runner.close());

interface Step extends Ran {
  readonly outputs: Readonly<Record<string, string>>;
}

/** Runs the action's steps with these inputs, the others as action.yml presets them. */
async function use(inputs: Readonly<Record<string, string>>): Promise<Step> {
  runner.write('outputs', '');
  const value = (expression: string): string => {
    const [scope = '', name = ''] = expression.split('.');
    if (scope === 'steps') return told()[expression.replace('steps.install.outputs.', '')] ?? '';
    const preset = getText(member(action, 'inputs', name), 'default');
    if (scope !== 'inputs' || preset === null) throw new Error(`The test does not know ${expression}.`);
    return inputs[name] ?? preset;
  };
  const told = () => {
    const lines = runner.read('outputs').matchAll(/^([\w-]+)=(.*)$/gm);
    return Object.fromEntries([...lines].map(([, name, text]) => [name, text]));
  };
  const steps = get(member(action, 'runs'), 'steps');
  let [code, output] = [0, ''];
  for (const step of isArray(steps) ? steps.filter(isObject) : []) {
    if (code !== 0) continue;
    const env = Object.entries(member(step, 'env')).map(([name, text]): [string, string] => [
      name,
      String(text).replace(/\$\{\{ (\S+) \}\}/g, (_, expression: string) => value(expression)),
    ]);
    const ran = await runner.shell(getText(step, 'run') ?? '', {
      ...Object.fromEntries(env),
      RUNNER_TEMP: `${runner.dir}/temp`,
      GITHUB_ACTION_PATH: root,
      GITHUB_OUTPUT: `${runner.dir}/outputs`,
      GITHUB_STEP_SUMMARY: `${runner.dir}/summary.md`,
    });
    code = ran.code;
    output += ran.output;
  }
  const { program, ...outputs } = told();
  return { code, output, outputs };
}

describe('the action with the built program', () => {
  beforeEach(() => start({ npm: npmWithBuilt }));

  it('plans, and tells digest and counts', async () => {
    const { code, output, outputs } = await use({});
    expect(code).toBe(0);
    expect(outputs).toMatchObject({ 'exit-code': '0', create: '3', update: '4', delete: '1', manual: '0' });
    expect(output).toContain(outputs.digest ?? 'no digest');
    expect(JSON.parse(readFileSync(outputs.file ?? '', 'utf8'))).toMatchObject({ digest: outputs.digest });
    expect(runner.read('npm.log')).toBe('ci --ignore-scripts --no-audit --no-fund\n');
    expect(runner.read('summary.md')).toContain(`Digest: \`${outputs.digest}\``);
  });
});

describe('the action', () => {
  beforeEach(() => start());

  it('takes arguments by the line, and does not call changes a failure', async () => {
    const { code, outputs } = await use({
      environment: 'sandbox',
      args: '--detailed-exitcode\n  --only \nSenderAddress/*\n\n--out\nmine plan.json\n',
    });
    expect({ code, exitCode: outputs['exit-code'], update: outputs.update }).toEqual({
      code: 0,
      exitCode: '2',
      update: '0',
    });
    expect(outputs.file).toBe('mine plan.json');
    expect(JSON.parse(runner.read('mine plan.json'))).toMatchObject({ scope: { only: ['SenderAddress/*'] } });
  });

  it('applies an approved digest, and tells what was done', async () => {
    const { outputs: plan } = await use({});
    const { code, outputs } = await use({ command: 'apply', args: `--expect\n${plan.digest}` });
    expect(code).toBe(0);
    expect(outputs).toMatchObject({ digest: plan.digest, done: '8', failed: '0' });
    expect((await use({ args: '--detailed-exitcode' })).outputs).toMatchObject({
      'exit-code': '0',
      create: '0',
    });
  });

  it('saves nothing of a dry run', async () => {
    expect((await use({ command: 'apply', args: '--dry-run' })).outputs).toEqual({ 'exit-code': '0' });
  });

  it('fails as the program does', async () => {
    const refused = await use({ command: 'apply', args: '--expect\nsha256:0' });
    expect(refused).toMatchObject({ code: 4, outputs: { 'exit-code': '4' } });
    expect(await use({ environment: 'nowhere', args: '--quiet' })).toMatchObject({
      code: 1,
      outputs: { 'exit-code': '1' },
    });
    expect((await use({ command: 'validate', args: '--format=github' })).outputs).toEqual({
      'exit-code': '0',
    });
  });

  it('fails where the program was killed', async () => {
    const program = 'node_modules/tenantctl/dist/bin';
    runner.close();
    runner = await createRunner({
      npm: `#!/bin/sh\nmkdir -p ${program} && echo 'process.kill(process.pid, "SIGKILL")' > ${program}/cli.cjs\n`,
    });
    runner.write('package-lock.json', '{}');
    expect(await use({})).toMatchObject({ code: 1, outputs: { 'exit-code': '1' } });
  });

  it('tells nothing of the file of an earlier run', async () => {
    const args = '--out=plan.json';
    expect((await use({ args })).outputs).toMatchObject({ file: 'plan.json' });
    expect((await use({ args, environment: 'nowhere' })).outputs).toEqual({ 'exit-code': '1' });
  });

  it('installs an exact version that is named, without scripts of packages', async () => {
    expect((await use({ version: '1.2.3-rc.1', args: '--quiet' })).code).toBe(0);
    expect(runner.read('npm.log')).toMatch(/^install .*--ignore-scripts .* tenantctl@1\.2\.3-rc\.1\n$/);
  });

  it.each([
    'latest',
    '^1.2.3',
    '1',
    '1.2',
    '1.x',
    '>=1.0.0',
    '1.2.3 || 2',
    'npm:other@1.2.3',
    'https://x.example/t.tgz',
  ])('installs nothing for the version %s', async (wanted) => {
    const { code, output, outputs } = await use({ version: wanted });
    expect({ code, outputs }).toEqual({ code: 1, outputs: {} });
    expect(output).toMatch(/^::error::The input `version` must be one exact version/);
    expect((await runner.shell('test -e npm.log', {})).code).toBe(1);
  });

  it('installs nothing without a version and without a lock file, or with one that lacks tenantctl', async () => {
    await runner.shell('rm package-lock.json', {});
    expect((await use({})).output).toMatch(/^::error::There is no package-lock\.json/);
    runner.close();
    runner = await createRunner({ npm: '#!/bin/sh\n' });
    runner.write('package-lock.json', '{}');
    const { code, output } = await use({});
    expect(code).toBe(1);
    expect(output).toMatch(/^::error::The package-lock\.json does not contain tenantctl\./m);
  });

  it('runs nothing that an input says besides', async () => {
    const { code } = await use({
      environment: '$(touch pwned)',
      args: '; touch pwned',
      version: '1; touch pwned',
    });
    expect(code).toBe(1);
    expect((await runner.shell('test -e pwned', {})).code).toBe(1);
  });

  it('plans and applies several environments, or a part of them, and tells their numbers', async () => {
    const sandbox = '{ sandbox: {}, limits: { settle: 0s } }';
    runner.write('tenantctl.yaml', `version: 1\nenvironments: { a: ${sandbox}, b: ${sandbox} }\n`);
    await runner.shell('rm -r config; mkdir config', {});
    runner.write('config/sender.yaml', 'kind: SenderAddress\nemail: a@acme.example\n');
    const several = { environment: 'a,b' };
    const { outputs } = await use(several);
    expect(outputs).toMatchObject({ environments: '2', 'failed-environments': '0', create: '2' });
    expect(outputs).not.toHaveProperty('failed');
    const part = await use({ ...several, shard: '1/2' });
    expect(part.outputs).toMatchObject({ environments: '1', create: '1' });
    const applied = await use({ ...several, command: 'apply', args: `--expect\n${outputs.digest}` });
    expect(applied.outputs).toMatchObject({ digest: outputs.digest, done: '2', failed: '0' });
  });

  it('names every output that it tells, and no input in a script', () => {
    const text = readFileSync(`${root}action.yml`, 'utf8');
    const named = Object.keys(member(action, 'outputs'));
    for (const name of named) expect(text).toContain(`steps.run.outputs.${name} }}`);
    expect(text).not.toMatch(/run: .*\$\{\{/);
  });
});
