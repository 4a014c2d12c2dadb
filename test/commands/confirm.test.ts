import { PassThrough, Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { confirm } from '../../src/commands/io.ts';
import { addObjects } from '../support/tenant-objects.ts';
import { createTestWorld, expectEnd, runProgram, seedFile, succeed } from '../support/world.ts';

const files = { 'config/a.yaml': 'kind: SenderAddress\nemail: a@acme.example\n' };

it.each([
  ['yes\n', true],
  ['  yes \n', true],
  ['no\n', false],
  ['y\n', false],
  ['yess\n', false],
  ['\nyes\n', false],
  ['', false],
])('takes %j for %s', async (typed, expected) => {
  const stdin = new PassThrough();
  stdin.end(typed);
  expect(await confirm('apply', io(stdin, new AbortController().signal))).toBe(expected);
});

it('ends with 130 on Ctrl-C', async () => {
  const interrupt = new AbortController();
  const answer = confirm('apply', io(new PassThrough(), interrupt.signal));
  interrupt.abort();
  await expect(answer).rejects.toMatchObject({ exitCode: 130, diagnostics: [{ code: 'interrupted' }] });
});

it.each(['plan', 'get **', 'export', 'status', 'diff test config', 'search ProfileSearch/*', 'check'])(
  '%s ends with 130 on Ctrl-C, and sends nothing more',
  async (line) => {
    const { dir, env, sandbox } = await createTestWorld({ files });
    const { code } = await runProgram([line], { cwd: dir, env, signal: AbortSignal.abort() });
    expect([code, sandbox.log]).toEqual([130, []]);
  },
);

it('applies nothing where nobody answers', async () => {
  const { dir, env, sandbox } = await createTestWorld({ files });
  const silent = runProgram(['apply', '--no-color'], { cwd: dir, env, typed: '' });
  await expectEnd(silent, 1, '\n1 e-mail goes out\n', 'Nothing was applied');
  const asJson = runProgram(['apply --format json --quiet'], { cwd: dir, env, typed: 'no\n' });
  expect((await expectEnd(asJson, 1)).json).toMatchObject({ diagnostics: [{ code: 'declined' }] });
  expect(sandbox.state.senders).toEqual([]);
});

it('asks nobody about a saved plan, nor where nothing would be sent', async () => {
  const { dir, env, run, sandbox } = await createTestWorld({ files });
  await run('plan --out plan.json');
  const saved = await expectEnd(runProgram(['apply plan.json'], { cwd: dir, env, typed: '' }), 0);
  expect(saved.stderr).not.toContain("Type 'yes'");
  sandbox.state.senders.length = 0;
  addObjects(sandbox.state, { senders: [{ email: 'a@acme.example' }] });
  const { stderr } = await expectEnd(runProgram(['apply'], { cwd: dir, env, typed: '' }), 0);
  expect(stderr).not.toContain("Type 'yes'");
});

it('names the environment and the tenant, below the plan, which --quiet does not hide', async () => {
  const { dir, env, sandbox } = await createTestWorld({ files });
  const ran = runProgram(['apply --quiet --no-color'], { cwd: dir, env, typed: 'yes\n' });
  const question = `Type 'yes' to apply to test (${sandbox.url}): `;
  await expectEnd(ran, 0, /\+ SenderAddress\/a@acme\.example/, question);
  expect(sandbox.state.senders).toHaveLength(1);
});

it('keeps the warnings of a plan that it does not show with --quiet', async () => {
  const { declare, run } = await createTestWorld({ sandbox: { seed: seedFile } });
  const key = { key: 'password_expiring', medium: 'EMAIL', locale: 'en' };
  declare([{ kind: 'NotificationTemplate', ...key, subject: 'Hello $nope' }]);
  const { stderr } = await expectEnd(run('apply --yes --quiet'), 0, '[unknown-variable]');
  expect(stderr).not.toContain('Plan for');
});

it('asks about 300 changes on one screen with the lock-out, the delete and the step by hand among them', async () => {
  const ofSender = 'verificationStatus: SUCCESS, isVerifiedByDomain: false, region: us-east-1';
  const seed = `
authProfiles: [{ id: a-1, name: Vendors, type: MFA, offNetwork: false, untrustedGeography: false }]
preferences: [{ key: sod_report, mediums: [EMAIL] }]
senders:
  - { id: s-1, email: old@acme.example, ${ofSender} }
  - { id: s-2, email: new@acme.example, ${ofSender} }
`;
  const { dir, env, declare } = await createTestWorld({ seed });
  const domains = Array.from({ length: 297 }, (_, at) => `team-${at}.acme.example`);
  const harmless = domains.map((domain) => ({ kind: 'VerifiedDomain', domain }));
  declare([
    ...harmless.slice(0, 150),
    { kind: 'AuthProfile', name: 'Vendors', offNetwork: true, lifecycle: { allowLockout: true } },
    { kind: 'SenderAddress', email: 'old@acme.example', ensure: 'absent' },
    { kind: 'NotificationPreference', key: 'sod_report', mediums: ['TEAMS'] },
    ...harmless.slice(150),
  ]);
  const { stderr } = await runProgram(['apply', '--no-color'], { cwd: dir, env, typed: 'no\n' });
  const untilQuestion = stderr.slice(0, stderr.indexOf("Type 'yes'")).split('\n');
  expect(untilQuestion.length).toBeGreaterThan(300);
  const screen = untilQuestion.slice(-24);
  const shown = screen.join('\n');
  expect(shown).toMatch(/ {2}HIGH +1 lock-out +AuthProfile\/Vendors · /);
  expect(shown).toMatch(/ {2}HIGH +1 delete +SenderAddress\/old@acme.example · /);
  expect(shown).toMatch(/ {2}MEDIUM +1 step by hand +NotificationPreference\/sod_report · /);
  expect(screen.at(-2)).toBe('1 lock-out · 1 delete · 1 step by hand');
});

function io(stdin: PassThrough, signal: AbortSignal) {
  const sink = () => new Writable({ write: (_chunk, _encoding, done) => done() });
  return { cwd: '/', env: {}, stdin: () => stdin, stdout: sink(), stderr: sink(), signal };
}

it('asks nothing where a person has to do everything', async () => {
  const world = await createTestWorld({ seed: 'preferences: [{ key: sod_report, mediums: [EMAIL] }]' });
  world.declare([{ kind: 'NotificationPreference', key: 'sod_report', mediums: ['TEAMS'] }]);
  const { dir, env } = world;
  const ran = await expectEnd(runProgram(['apply'], { cwd: dir, env, typed: 'no\n' }), 0);
  expect(ran.stderr).not.toContain("Type 'yes'");
  expect(ran.stdout).toContain('1 by hand');
});

it('shows the plan with --yes too, before the result', async () => {
  const world = await createTestWorld({ files });
  const planned = await world.run('plan');
  const { stderr } = await succeed(world, 'apply --yes');
  const end = planned.stdout.indexOf('\nPlan: ');
  expect(end).toBeGreaterThan(0);
  // The result alone is the document that was asked for.
  expect(stderr).toContain(planned.stdout.slice(0, end));
  world.write('config/b.yaml', 'kind: SenderAddress\nemail: b@acme.example\n');
  expect((await world.run('apply --yes --quiet')).stderr).toBe('1 e-mail goes out\n');
});
