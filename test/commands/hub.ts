/** The systems that run pipelines, played: what they answer, and how they run a job. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isArray, isObject, type Json, type JsonObject, own, textOf } from '../../src/model/json.ts';
import { member, type Ran, type Runner, scriptOf } from './runner.ts';

/** What GitHub knows: its answers to `gh api`, filtered by jq as gh does it. */
export const gh = `
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
const [api, path, ...rest] = process.argv.slice(2);
const state = JSON.parse(readFileSync('hub.json', 'utf8'));
if (api !== 'api' || process.env.GH_TOKEN !== 'hub-token') throw new Error('not signed in');
const fields = {}; let jq = null; let method = null;
for (let at = 0; at < rest.length; at += 1) {
  if (rest[at] === '--field' || rest[at] === '--raw-field') {
    const raw = rest[at] === '--raw-field';
    const [, name, value] = /^([^=]+)=([^]*)$/.exec(rest[at += 1]);
    fields[name] = !raw && value.startsWith('@') ? readFileSync(value.slice(1), 'utf8') : value;
  } else if (rest[at] === '--jq') jq = rest[at += 1];
  else if (rest[at] === '--method') method = rest[at += 1];
  else if (rest[at] !== '--silent' && rest[at] !== '--paginate') throw new Error('unknown option ' + rest[at]);
}
state.requests ??= [];
const requestsOf = (head) => state.requests.filter((each) => 'acme:' + each.head === head).slice(0, 1);
const requestNumbered = (number) => state.requests.find((each) => String(each.number) === number);
const nextNumber = () => state.requests.length + 1;
const open = (request) => state.requests.unshift(request);
const bot = { login: 'github-actions[bot]' };
const [route] = path.split('?');
const writes = Object.keys(fields).length > 0;
const at = (pattern) => new RegExp('^repos/acme/iga/' + pattern + '$').exec(route);
let answer;
if (at('issues/7/comments') && !writes) answer = state.comments;
else if (at('issues/7/comments')) state.comments.push({ id: state.comments.length + 1, user: bot, body: fields.body });
else if (at('issues/comments/(\\\\d+)') && method === 'PATCH') {
  state.comments.find(({ id }) => String(id) === at('issues/comments/(\\\\d+)')[1]).body = fields.body;
} else if (at('statuses/(\\\\w+)') && writes) {
  state.statuses.unshift({ sha: at('statuses/(\\\\w+)')[1], creator: bot, ...fields });
} else if (at('commits/(\\\\w+)/statuses')) {
  answer = state.statuses.filter(({ sha }) => sha === at('commits/(\\\\w+)/statuses')[1]);
} else if (at('commits/(\\\\w+)/pulls')) answer = state.pulls;
else if (at('pulls') && !writes) answer = requestsOf(new URLSearchParams(path.split('?')[1]).get('head'));
else if (at('pulls')) open({ ...fields, number: nextNumber(), merged_at: null, state: 'open' });
else if (at('pulls/(\\\\d+)') && method === 'PATCH') Object.assign(requestNumbered(at('pulls/(\\\\d+)')[1]), fields);
else if (at('git/refs/tags/tenantctl-applied') && method === 'PATCH' && state.applied) state.applied = fields.sha;
else if (at('git/refs') && method === 'POST' && !state.applied) state.applied = fields.sha;
else { console.error('404 ' + route); process.exit(1); }
writeFileSync('hub.json', JSON.stringify(state));
if (jq !== null) process.stdout.write(execFileSync('jq', ['-r', jq], { input: JSON.stringify(answer) }));
`;

/** What GitLab knows: its answers to curl. */
export const curl = `
import { readFileSync, writeFileSync } from 'node:fs';
const args = process.argv.slice(2);
if (!args.includes('Authorization: Bearer lab-token')) throw new Error('not signed in');
const state = JSON.parse(readFileSync('hub.json', 'utf8'));
const url = args.at(-1).startsWith('http') ? args.at(-1) : args.find((each) => each.startsWith('http'));
const route = url.replace('https://lab.example/api/v4/projects/12', '');
const data = args[args.indexOf('--data-urlencode') + 1];
const me = { id: 99 };
const query = new URL(url).searchParams;
const fields = Object.fromEntries(args.flatMap((each, at) => {
  if (each !== '--data-urlencode') return [];
  const [, name, sign, value] = /^(\\w+)([=@])([^]*)$/.exec(args[at + 1]);
  return [[name, sign === '@' ? readFileSync(value, 'utf8') : value]];
}));
state.requests ??= [];
const sendsTo = (path, method) => args.includes(method) && route === path;
const request = state.requests.find(({ iid }) => route === '/merge_requests/' + iid);
if (route.startsWith('/merge_requests?source_branch=')) {
  const found = state.requests.filter((each) => each.source_branch === query.get('source_branch'));
  console.log(JSON.stringify(found.slice(0, 1)));
} else if (sendsTo('/merge_requests', 'POST')) {
  state.requests.unshift({ ...fields, iid: state.requests.length + 1, state: 'opened' });
} else if (request && args.includes('PUT')) Object.assign(request, fields);
else if (url === 'https://lab.example/api/v4/user') console.log(JSON.stringify(me));
else if (route === '/merge_requests/7/notes') {
  const [name, file] = data.split('@');
  state.comments.unshift({ author: me, [name]: readFileSync(file, 'utf8').trimEnd() });
} else if (route === '/merge_requests/7/notes?order_by=created_at&sort=desc&per_page=100') {
  console.log(JSON.stringify(state.comments));
} else if (/^\\/repository\\/commits\\/\\w+\\/merge_requests$/.test(route)) console.log(JSON.stringify(state.pulls));
else if (args.includes('DELETE') && route === '/repository/tags/tenantctl-applied') delete state.applied;
else if (args.includes('POST') && route.startsWith('/repository/tags?tag_name=tenantctl-applied&ref=') && !state.applied) {
  state.applied = route.split('ref=')[1];
} else { console.error('curl: (22) 404 ' + route); process.exit(22); }
writeFileSync('hub.json', JSON.stringify(state));
`;

/** What the system of a pipeline knows, in the file `hub.json` of the runner. */
export interface Hub {
  /** Where the tag of the last applied revision is. */
  readonly applied?: string;
  /** Pull or merge requests that a job opened, the last one first. */
  readonly requests?: readonly Readonly<Record<string, unknown>>[];
  readonly pulls: readonly object[];
  readonly comments: readonly { readonly body: string; readonly [other: string]: unknown }[];
  readonly statuses: readonly {
    readonly state: string;
    readonly description: string;
    readonly sha: string;
  }[];
}

/** What a job gets from its system. */
export interface Given {
  /** The values of expressions, such as `github.event.pull_request.number`. */
  readonly event?: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
}

/** Runs the `run` steps of a job as GitHub does: after a failure only those that ask for it. */
export async function runGithubJob(
  runner: Runner,
  workflow: Json,
  name: string,
  { event = {}, secrets }: Given,
): Promise<Ran> {
  const exists = (path: string) => existsSync(join(runner.dir, path));
  const steps = own(member(workflow, 'jobs', name), 'steps');
  const values: Record<string, string> = {
    'github.token': 'hub-token',
    'inputs.digest': '',
    'steps.upload.outputs.artifact-url': 'https://hub.example/artifacts/1',
    ...event,
  };
  for (const [key, value] of Object.entries(secrets)) values[`secrets.${key}`] = value;
  let [code, output] = [0, ''];
  for (const step of isArray(steps) ? steps : []) {
    if (!isObject(step) || textOf(step, 'run') === null) continue;
    if (code !== 0 && !textOf(step, 'if')?.includes('!cancelled()')) continue;
    if (textOf(step, 'if')?.includes('hashFiles') && !exists('plan.md')) continue;
    const ran = await runner.shell(textOf(step, 'run') ?? '', {
      ...fillIn(member(workflow, 'env'), values),
      ...fillIn(isObject(own(step, 'env')) ? member(step, 'env') : {}, values),
      GITHUB_REPOSITORY: 'acme/iga',
      GITHUB_SHA: 'm1',
      GITHUB_OUTPUT: join(runner.dir, 'outputs'),
      GITHUB_STEP_SUMMARY: join(runner.dir, 'summary.md'),
    });
    const id = textOf(step, 'id');
    if (id !== null) {
      values[`steps.${id}.outcome`] = ran.code === 0 ? 'success' : 'failure';
      const told = exists('outputs') ? runner.read('outputs').matchAll(/^(\w+)=(.*)$/gm) : [];
      for (const [, key, value] of told) values[`steps.${id}.outputs.${key}`] = value ?? '';
    }
    code = code || ran.code;
    output += ran.output;
  }
  return { code, output };
}

/** The variables with the values of their expressions. Throws where the test does not know one. */
function fillIn(env: JsonObject, values: Readonly<Record<string, string>>): Record<string, string> {
  const filled = Object.entries(env).map(([name, value]): [string, string] => [
    name,
    String(value).replace(/\$\{\{ (\S+) \}\}/g, (_, expression: string) => {
      const found = values[expression];
      if (found === undefined) throw new Error(`The test does not know ${expression}.`);
      return found;
    }),
  ]);
  return Object.fromEntries(filled);
}

/** Runs a job's script as GitLab does, then what comes after it in a shell of its own. */
export async function runGitlabJob(
  runner: Runner,
  file: Json,
  name: string,
  { event = {}, secrets }: Given,
): Promise<Ran> {
  const job = member(file, name);
  const variables = Object.entries(member(file, 'variables')).map(([key, value]): [string, string] => [
    key,
    String(value),
  ]);
  const env = {
    ...Object.fromEntries(variables),
    ...secrets,
    GITLAB_TOKEN: 'lab-token',
    CI_PROJECT_URL: runner.dir,
    CI_DEFAULT_BRANCH: 'main',
    CI_API_V4_URL: 'https://lab.example/api/v4',
    CI_JOB_URL: 'https://lab.example/acme/iga/-/jobs/1',
    CI_PROJECT_ID: '12',
    CI_COMMIT_SHA: 'm1',
    CI_MERGE_REQUEST_IID: '7',
    ...event,
  };
  const before = scriptOf(
    own(job, 'before_script') === undefined ? member(file, 'default') : job,
    'before_script',
  );
  const ran = await runner.shell(`${before}\n${scriptOf(job, 'script')}`, env);
  const after = await runner.shell(scriptOf(job, 'after_script'), env);
  return { code: ran.code, output: ran.output + after.output };
}
