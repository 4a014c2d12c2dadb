import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, resolve } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { commands } from '../../src/commands/index.ts';
import { documentation } from '../../src/commands/package-file.ts';
import { expectEnd, runProgram } from '../support/world.ts';

const run = (...argv: string[]) => runProgram(argv, { cwd: tmpdir(), env: {} });

it.each(['plan-stale', '[plan-stale]'])('explain %s prints what it means and what to do', async (code) => {
  const { stdout, ...rest } = await run('explain', code);
  expect(rest).toMatchObject({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^plan-stale\n\nThe tenant has changed since the plan was made/);
  expect(stdout).toContain('Make a new plan');
});

it('the text of a code has no links of the page, and not the next entry', async () => {
  const { stdout } = await run('explain usage');
  expect(stdout).toContain('--dryrun');
  expect(stdout).not.toMatch(/\]\(|declined|##/);
});

it('the text of a code is wrapped anew at the width of the terminal, with its lists', async () => {
  const { stdout } = await run('explain', 'usage');
  const lines = stdout.split('\n').filter((line) => !line.startsWith('Documentation'));
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(100);
  expect(stdout).toMatch(
    /^- An apply report that would overwrite a plan\. .* names two reports;\n {2}write `apply plan\.json --report r\.md`/m,
  );
});

it('the text of a code ends with what its section says of all codes, and with the address of the page', async () => {
  const { stdout } = await run('explain plan-stale');
  expect(stdout).toMatch(/exit code 4 [\s\S]*nothing\s+was\s+written/);
  const [page = '', anchor] = stdout.trimEnd().split('\nDocumentation: ')[1]?.split('#') ?? [];
  expect(readFileSync(page, 'utf8')).toContain(`\n### ${anchor}\n`);
});

it('the pages that it names are in the package', () => {
  const { files } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(files).toContain('docs/*.md');
});

it.each([
  ['plan-stal', 'Did you mean `plan-stale`?'],
  ['frobnicate-entirely', 'docs/troubleshooting.md'],
])('an unknown code %s is an error that helps', async (code, words) => {
  const ran = await run('explain', code);
  expect(ran).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(words) });
});

it.each([
  [['plan', '--prun'], 'There is no option --prun.', 'Did you mean `--prune`?'],
  [['apply', '--dryrun'], 'There is no option --dryrun.', 'Did you mean `--dry-run`?'],
  [
    ['plan', '--frobnicate=x'],
    'There is no option --frobnicate.',
    '`tenantctl plan --help` lists the options.',
  ],
  [['plan', '--no-colour'], 'There is no option --no-colour.', 'Did you mean `--no-color`?'],
  [['plan', '--no-such'], 'There is no option --no-such.', '`tenantctl plan --help` lists the options.'],
  [['plann'], 'There is no command `plann`.', 'Did you mean `plan`?'],
  [['destroy'], 'There is no command `destroy`.', '`tenantctl apply --prune`'],
  [['delete'], 'There is no command `delete`.', 'Write `ensure: absent` into the manifest'],
  [['undo'], 'There is no command `undo`.', 'Use `tenantctl rollback --last`.'],
  [['dump'], 'There is no command `dump`.', 'Use `tenantctl export`.'],
  [['sync', '--quiet'], 'There is no command `sync`.', 'then `tenantctl apply`.'],
  [['lint'], 'There is no command `lint`.', 'Use `tenantctl validate`.'],
  [['fmt'], 'There is no command `fmt`.', 'There is no formatter'],
  [['version'], 'There is no command `version`.', 'Use `tenantctl --version`.'],
  [['state', 'list'], 'There is no command `state`.', 'There is no state: `tenantctl plan` compares'],
  [['plan', '--target', 'x'], 'There is no option --target.', 'Use --only.'],
  [['plan', '--kinds', 'x'], 'There is no option --kinds.', "Use --only 'KIND/**'."],
  [['search'], 'An argument is missing: `tenantctl search <label>`.', '`tenantctl search --help` lists'],
])('%j is answered with what was probably meant', async (argv, message, hint) => {
  await expectEnd(run(...argv), 1, message, hint);
});

it('what the parser says is in English, whatever the language of the terminal', async () => {
  vi.stubEnv('LC_ALL', 'de_DE.UTF-8');
  onTestFinished(() => void vi.unstubAllEnvs());
  expect((await run('plan --prun')).stderr).toContain('There is no option --prun.');
  expect((await run('plann')).stderr).toContain('Did you mean `plan`?');
  expect((await run('env --help')).stdout).toContain('{text|json');
});

it('an option says in words what it takes, what it may be and its default; a switch says nothing', async () => {
  const { stdout } = await run('plan --help');
  expect(stdout).toMatch(/^ {6}--max-deletes number {2,}Allow up to this many deletes$/m);
  expect(stdout).toMatch(/^ {6}--only list {2,}Include/m);
  expect(stdout).toMatch(
    /^ {6}--format word {2,}Output format \{text\|json\|markdown\|html\} \(default text\)$/m,
  );
  expect(stdout).toMatch(/^ {6}--prune {2,}Delete/m);
  expect(stdout).toMatch(/^ {6}--color {2,}.*\(on; --no-color turns it off\)$/m);
  expect(stdout).not.toMatch(/\[(?:boolean|string|array|default|choices)|\(default (?:false|\[\])\)/);
});

it('the help has colours where they are wanted', async () => {
  const coloured = (argv: string, FORCE_COLOR = '1') =>
    runProgram([argv], { cwd: tmpdir(), env: { FORCE_COLOR } });
  expect((await coloured('plan --help')).stdout).toContain('\u001b[1mDeletes:\u001b[22m');
  expect((await coloured('plan --help --no-color')).stdout).not.toContain('\u001b');
  expect((await coloured('plan --help', '0')).stdout).not.toContain('\u001b');
  expect((await run('plan --help')).stdout).not.toContain('\u001b');
});

it('the help of plan has its options in groups, the common ones last', async () => {
  const { stdout } = await run('plan --help');
  const headings = [...stdout.matchAll(/^(\w[\w ]*):$/gm)].map(([, heading]) => heading);
  expect(headings).toEqual([
    'Which objects',
    'Deletes',
    'Output',
    'Several environments',
    'Common options',
    'Examples',
  ]);
});

it('the help of the program has every command, in groups', async () => {
  const { stdout } = await run('--help');
  const headings = [...stdout.matchAll(/^(\w[\w ]*):$/gm)].map(([, heading]) => heading);
  expect(headings).toEqual(['Work', 'Look', 'Set up', 'Options']);
  for (const name of Object.keys(commands)) expect(stdout).toMatch(new RegExp(`^  ${name} {2,}\\S`, 'm'));
});

it.each([
  ['export', '--kinds'],
  ['diff', '--kinds'],
  ['sandbox', '--latency'],
  ['sandbox', '--lag'],
  ['plan', '--impact-requests'],
])('the help of %s leaves out %s, which has another word now', async (name, option) => {
  expect((await run(name, '--help')).stdout).not.toMatch(new RegExp(`^ +${option}\\b`, 'm'));
});

it.each(Object.keys(commands))('the help of %s ends with the address of its documentation', async (name) => {
  const { stdout } = await run(name, '--help');
  const [page = '', anchor = ''] = stdout.trimEnd().split('\nDocumentation: ')[1]?.split('#') ?? [];
  expect(page).toMatch(/docs\/commands\.md$/);
  // The help is read in any folder.
  expect(readFileSync(page, 'utf8')).toContain(`\n## ${anchor}\n`);
  expect(isAbsolute(page)).toBe(true);
  expect(anchor).toBe(name);
});

it.each(Object.keys(commands))('the examples in the help of %s are one line each', async (name) => {
  const { stdout } = await run(name, '--help');
  const [, examples = ''] = /^Examples:\n((?: {2}.*\n)+)/m.exec(stdout) ?? [];
  const lines = examples.trimEnd().split('\n');
  expect(lines.filter((_line, at) => at % 2 === 0).filter((line) => !/^ {2}# [A-Z]/.test(line))).toEqual([]);
  expect(
    lines.filter((_line, at) => at % 2 === 1).filter((line) => !line.includes(`tenantctl ${name}`)),
  ).toEqual([]);
});

it('the address is below the homepage, where package.json names one, else in the package', () => {
  const page = 'docs/commands.md#plan';
  expect(documentation(page, {})).toBe(resolve(page));
  expect(documentation(page, { homepage: 'https://docs.example.com/tenantctl/' })).toBe(
    `https://docs.example.com/tenantctl/${page}`,
  );
  expect(documentation(page, { homepage: 'https://git.example.com/acme/tenantctl#readme' })).toBe(
    `https://git.example.com/acme/tenantctl/${page}`,
  );
});
