/** Things that a careful person tried, and that once went wrong. */
import { existsSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createTestWorld, expectEnd, seedFile, succeed, type World } from '../support/world.ts';

async function worldOf(declared: readonly object[] = []): Promise<World> {
  const world = await createTestWorld({ sandbox: { seed: seedFile } });
  world.declare(declared);
  return world;
}

it('says before any work that a file cannot be written', async () => {
  const world = await worldOf([{ kind: 'SenderAddress', email: 'new@acme.example' }]);
  world.write('file', '');
  for (const line of ['plan --out', 'plan --report', 'apply --yes --result', 'apply --yes --report']) {
    for (const file of ['file/plan.json', '/proc/none/plan.json', 'config/'])
      await expectEnd(world.run(...line.split(' '), file), 1);
  }
  world.write('config/b.yaml', 'kind: Nothing\n');
  await expectEnd(world.run('plan --out new.json --report new.md'), 1, '[unknown-kind]');
  for (const file of ['new.json', 'new.md']) expect(existsSync(join(world.dir, file))).toBe(false);
  expect(world.sandbox.log).toEqual([]);
});

it('writes over no file that it reads, or writes already, by another name', async () => {
  const world = await worldOf([{ kind: 'SenderAddress', email: 'new@acme.example' }]);
  await succeed(world, 'plan --out plan.json');
  symlinkSync('plan.json', join(world.dir, 'link.json'));
  const show = world.run('show plan.json --report link.json');
  await expectEnd(show, 1, 'link.json is read by this command');
  const plan = world.run('plan --out plan.json --report link.json');
  await expectEnd(plan, 1, 'is named twice');
  const rollback = world.run('rollback link.json --out plan.json');
  await expectEnd(rollback, 1, 'plan.json is read by this command');
});

it.each([
  ['kept/a.json', 'diff kept test --report kept/a.json'],
  ['kept/a.json', 'diff test kept/a.yaml --report link.json'],
  ['backup.json', 'diff backup.json test --report backup.json'],
  ['backup.json', 'diff backup.json test --trace backup.json'],
  ['backup.json', 'export --from backup.json --trace backup.json'],
  ['backup.json', 'send-test NotificationTemplate/a/EMAIL/en --context backup.json --trace backup.json'],
  ['RESULT', 'rollback --last --out RESULT'],
  ['RESULT', 'rollback --last --report RESULT'],
  ['RESULT', 'rollback --last --trace RESULT'],
  ['RESULT', 'rollback RESULT --trace RESULT'],
  ['RESULT', 'show RESULT --report RESULT'],
])('does not overwrite %s, which it finds or a path on its line leads to: %s', async (read, line) => {
  const world = await worldOf([{ kind: 'SenderAddress', email: 'new@acme.example' }]);
  await succeed(world, 'apply --yes');
  const results = '.tenantctl/test/results';
  const result = join(results, readdirSync(join(world.dir, results))[0] ?? '');
  const template = 'kind: NotificationTemplate\nkey: password_expiring\nmedium: EMAIL\nlocale: en\n';
  world.write('kept/a.yaml', `${template}body: !file a.json\n`);
  world.write('kept/a.json', 'Text');
  world.write('backup.json', '{"objects":[]}');
  symlinkSync('kept/a.json', join(world.dir, 'link.json'));
  const file = read.replace('RESULT', result);
  const before = world.read(file);
  const words = line.replaceAll('RESULT', result).split(' ');
  await expectEnd(world.run(...words), 1, `${words.at(-1)} is read by this command`);
  expect(world.read(file)).toBe(before);
});

it('writes over earlier reports, results and traces, but not twice', async () => {
  const world = await worldOf([{ kind: 'SenderAddress', email: 'new@acme.example' }]);
  for (let run = 0; run < 2; run += 1)
    await succeed(world, 'apply --yes --result r.json --report s.json --trace t.jsonl');
  await expectEnd(world.run('plan --report r.json --trace r.json'), 1, 'r.json is named twice');
});

it.each([
  ['plan', '--out'],
  ['apply --yes', '--result'],
])('writes nothing over a manifest or the project file: %s %s', async (command, option) => {
  const world = await worldOf([{ kind: 'SenderAddress', email: 'new@acme.example' }]);
  world.write('config/other.yml', 'kind: SenderAddress\nemail: other@acme.example\n');
  for (const file of ['tenantctl.yaml', 'config/other.yml']) {
    const before = world.read(file);
    await expectEnd(world.run(...command.split(' '), option, file), 1, `${file} exists and is YAML`);
    expect(world.read(file)).toBe(before);
  }
  expect(world.sandbox.log).toEqual([]);
});

it.skipIf(!existsSync('/dev/full'))('names the file for which there is no room', async () => {
  const world = await worldOf();
  await expectEnd(world.run('plan --out /dev/full'), 1, '/dev/full', '(ENOSPC).  [unwritable-file]');
  world.declare([{ kind: 'SenderAddress', email: 'new@acme.example' }]);
  const saved = 'Result file: .tenantctl/test/results/';
  const applied = world.run('apply --yes --quiet --result /dev/full');
  await expectEnd(applied, 3, '/dev/full cannot be written', saved);
  world.declare([{ kind: 'SenderAddress', email: 'other@acme.example' }]);
  const report = `${world.dir}-full.md`;
  symlinkSync('/dev/full', report);
  await expectEnd(world.run('apply --yes --report', report), 3, 'A report could not be written.');
});

it('ends with 1 when it cannot show a file: nothing was going to be applied', async () => {
  const world = await worldOf();
  world.write('broken.json', '{"formatVersion":1');
  await expectEnd(world.run('show broken.json'), 1, '[plan-unreadable]');
  await expectEnd(world.run('apply broken.json'), 4, '[plan-unreadable]');
});

it('finds offline that a MAIL FROM domain is not below its identity', async () => {
  const world = await worldOf();
  const cases = [
    ['help@acme.example', 'bounce.acme.example', 0],
    ['ACME.example', 'bounce.acme.EXAMPLE', 0],
    ['help@acme.example', 'acme.example', 1],
    ['help@acme.example', 'bounce.other.example', 1],
    ['help@acme.example', 'notacme.example', 1],
  ] as const;
  for (const [identity, mailFromDomain, code] of cases) {
    world.declare([{ kind: 'MailFrom', identity, mailFromDomain }]);
    expect([mailFromDomain, (await world.run('validate')).code]).toEqual([mailFromDomain, code]);
  }
});

it('says of a file that show cannot show what it is', async () => {
  const world = await worldOf([{ kind: 'SenderAddress', email: 'new@acme.example' }]);
  await succeed(world, 'diff test config --report diff.json');
  await expectEnd(world.run('show diff.json'), 1, 'is a diff, not a plan or a result');
  await world.run('apply --yes --result result.json');
  world.write('cut.json', world.read('result.json').slice(0, -100));
  await expectEnd(world.run('show cut.json'), 1, 'cut.json is not JSON: it was cut off');
});
