// Runs tenantctl in a step of GitHub Actions: arguments from the action's inputs, facts into its outputs.
import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const {
  TENANTCTL_PROGRAM: program = '',
  TENANTCTL_COMMAND: command = '',
  TENANTCTL_ENVIRONMENT: environment = '',
  TENANTCTL_SHARD: shard = '',
  TENANTCTL_ARGS: lines = '',
  RUNNER_TEMP: temp = '',
  GITHUB_OUTPUT: outputs = '',
  GITHUB_ACTION: step = 'tenantctl',
} = process.env;

/** The option under which a command saves what it did. */
const saves = { plan: '--out', apply: '--result' };
const given = lines
  .split('\n')
  .map((line) => line.trim())
  .filter((line) => line !== '');
// A dry run does nothing that could be saved.
const option =
  Object.hasOwn(saves, command) && !given.some((arg) => /^--dry-run(=true)?$/.test(arg))
    ? saves[command]
    : null;
const named = readOption(option);
const file = option === null ? null : (named ?? join(temp, `${step}-${command}.json`));

const before = file && lastWritten(file);
const { status, error } = spawnSync(
  process.execPath,
  [
    program,
    command,
    ...(environment === '' ? [] : ['--env', environment]),
    ...(shard === '' ? [] : ['--shard', shard]),
    ...(file === null || named !== null ? [] : [option, file]),
    ...given,
  ],
  { stdio: 'inherit' },
);
if (error) throw error;

setOutput('exit-code', status ?? 1);
// A file of an earlier run says nothing about this one.
if (file !== null && lastWritten(file) !== before) {
  const saved = JSON.parse(readFileSync(file, 'utf8'));
  setOutput('file', file);
  setOutput('digest', saved.digest ?? saved.planDigest);
  for (const [name, count] of Object.entries(countsOf(saved))) setOutput(name, count);
}
// Changes are an answer, no failure: whoever asks with --detailed-exitcode reads the output.
process.exitCode = status === 2 ? 0 : (status ?? 1);

/** The numbers of a plan or result, or of several: those of the environments under names of their own. */
function countsOf({ summary, environments }) {
  if (!environments) return summary;
  const { environments: all, failed, ...changes } = summary;
  const results = environments.flatMap(({ result }) => result ?? []);
  const sum = (name) => results.reduce((total, result) => total + result.summary[name], 0);
  const applied = results.length === 0 ? {} : { done: sum('done'), failed: sum('failed') };
  return { environments: all, 'failed-environments': failed, ...changes, ...applied };
}

/** The value of an option among the arguments given, in either form; `null` if it is not given. */
function readOption(name) {
  if (name === null) return null;
  const joined = given.find((arg) => arg.startsWith(`${name}=`));
  const at = given.indexOf(name);
  return joined?.slice(name.length + 1) ?? (at >= 0 ? (given[at + 1] ?? null) : null);
}

function lastWritten(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? null;
}

function setOutput(name, value) {
  appendFileSync(outputs, `${name}=${value}\n`);
}
