/** An apply of several environments that is interrupted between two of them. */
import { beforeEach, describe, expect, it } from 'vitest';
import { createTestFleet, type TestFleet } from '../support/fleet.ts';
import { expectEnd, type Outcome, runProgram, succeed, writesIn } from '../support/world.ts';

const names = ['eu-1', 'eu-2', 'us-1'];
let fleet: TestFleet;

beforeEach(async () => {
  fleet = await createTestFleet({ names });
  fleet.declare([{ kind: 'SenderAddress', email: 'a@acme.example' }]);
  await succeed(fleet, 'plan -e * --out fleet.json');
});

const apply = ['apply', 'fleet.json', '--parallel', '1', '--result', 'result.json'];
const reports = ['--report', 'result.md', 'result.html', 'result.xml'];
const senders = () => fleet.sandboxes.map(({ state }) => state.senders.map(({ email }) => email));

/** Runs the apply, and interrupts it as soon as one environment is done. */
async function interruptAfterFirst(): Promise<Outcome> {
  const interruption = new AbortController();
  return runProgram([...apply, ...reports], {
    cwd: fleet.dir,
    env: { ...fleet.env, CI: 'true' },
    signal: interruption.signal,
    onPiece: ({ text }) => text.includes('1/3 ') && interruption.abort(),
  });
}

describe('the environments that were not begun', () => {
  it('are not run, which is no failure of theirs, and the report says once what to do', async () => {
    const { stdout, stderr } = await expectEnd(interruptAfterFirst(), 130);
    expect(senders()).toEqual([['a@acme.example'], [], []]);
    expect(stderr).toMatch(/^2\/3 eu-2: not run\n3\/3 us-1: not run\n/m);
    expect(stdout).toMatch(/^ {4}eu-2 +not run\n {4}us-1 +not run\n/m);
    expect(stdout).toMatch(/^eu-2, us-1\n/m);
    expect(stdout.match(/Run the same command again/g)).toHaveLength(1);
    expect(stdout).toContain('3 environments: 1 applied, 2 not run.');
    expect(stdout + stderr).not.toMatch(/✖|: failed|[1-9] failed/);

    const comment = fleet.read('result.md');
    expect(comment).toContain('### tenantctl apply: 3 environments: 1 applied, 2 not run');
    expect(comment).toContain('| eu-2 | not run |');
    expect(comment).not.toContain('| ❌');
    expect(fleet.read('result.html')).not.toContain('class="alarm"');
    const suite = '<testsuite name="eu-2" tests="1" failures="0" errors="0" skipped="1"';
    expect(fleet.read('result.xml')).toContain(suite);
  });

  it('have the error `not-run` in the result file', async () => {
    await interruptAfterFirst();
    const { environments, summary } = JSON.parse(fleet.read('result.json'));
    expect(summary).toMatchObject({ environments: 3, failed: 2 });
    expect(environments[0]).toMatchObject({ name: 'eu-1', result: { outcome: 'done' }, error: null });
    const error = { exitCode: 130, diagnostics: [{ code: 'not-run' }] };
    for (const each of environments.slice(1)) {
      expect(each).toMatchObject({ result: null, error });
      // Its plan was made, so it was read.
      expect(each.error.diagnostics[0].message).not.toContain('read');
    }
    expect((await fleet.run('show result.json')).stdout).toContain('1 applied, 2 not run.');
  });

  it('are done by the same command, which does not touch the others', async () => {
    await interruptAfterFirst();
    const before = fleet.sandboxOf('eu-1').log.length;
    await succeed(fleet, ...apply);
    expect(senders()).toEqual([['a@acme.example'], ['a@acme.example'], ['a@acme.example']]);
    expect(writesIn(fleet.sandboxOf('eu-1').log.slice(before))).toEqual([]);
  });
});

it('a later plan is applied, though it equals one that was done before the interruption', async () => {
  await interruptAfterFirst();
  expect(senders()).toEqual([['a@acme.example'], [], []]);
  // Somebody takes it away again, so that the plan of all three is the same one, and of another time.
  fleet.sandboxOf('eu-1').state.senders.length = 0;
  await succeed(fleet, 'plan -e * --out later.json');
  const digestOf = (file: string) => JSON.parse(fleet.read(file)).digest;
  expect(digestOf('later.json')).toBe(digestOf('fleet.json'));
  await succeed(fleet, 'apply later.json');
  expect(senders()).toEqual(names.map(() => ['a@acme.example']));
});
