/** The systems that run pipelines, played: what they answer, and how they run a job. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { get, getText, isArray, isObject, type Json, type JsonObject } from '../../src/model/json.ts';
import type { Outcome } from '../support/world.ts';
import { member, type Ran, type Runner, scriptOf } from './pipeline-runner.ts';
import type { Call, Played } from './played-programs.ts';

/** What a system knows, as the programs that play it write it down. */
interface Known {
  applied?: string;
  requests: Record<string, unknown>[];
  readonly pulls: Json;
  readonly comments: Record<string, unknown>[];
  readonly statuses: Record<string, unknown>[];
}

/** Runs `answer` with what the system knows, and keeps what it changes. What it returns is printed. */
function withHub({ env }: Call, answer: (known: Known) => string): Outcome {
  const file = join(env.HOME ?? '', 'hub.json');
  const known: Known = { requests: [], ...JSON.parse(readFileSync(file, 'utf8')) };
  const stdout = answer(known);
  writeFileSync(file, JSON.stringify(known));
  return { code: 0, stdout, stderr: '' };
}

/** The options of `gh api`: those with a value by their names, and the fields. Throws where the test does not know one. */
function optionsOfGh(options: readonly string[], cwd: string) {
  const fields: Record<string, string> = {};
  const values: Record<string, string> = {};
  const words = options.values();
  for (const name of words) {
    if (name === '--silent' || name === '--paginate') continue;
    const given = words.next().value ?? '';
    const [, field = '', value = ''] = /^([^=]+)=(.*)$/s.exec(given) ?? [];
    if (name === '--raw-field') fields[field] = value;
    else if (name === '--field') fields[field] = contentOf(value, cwd);
    else if (name === '--jq' || name === '--method') values[name] = given;
    else throw new Error(`unknown option ${name}`);
  }
  return { fields, jq: values['--jq'] ?? null, method: values['--method'] ?? null };
}

/** A value that begins with `@` is in a file. */
const contentOf = (value: string, cwd: string) =>
  value.startsWith('@') ? readFileSync(join(cwd, value.slice(1)), 'utf8') : value;

/** What GitHub knows: its answers to `gh api`, filtered by jq as gh does it. */
export const gh: Played = (call) => {
  const { argv, cwd, env } = call;
  const [api, path = '', ...rest] = argv;
  if (api !== 'api' || env.GH_TOKEN !== 'hub-token') throw new Error('not signed in');
  const { fields, jq, method } = optionsOfGh(rest, cwd);
  const [route = '', query] = path.split('?');
  const writes = Object.keys(fields).length > 0;
  const numberIn = (pattern: string) => new RegExp(`^repos/acme/iga/${pattern}$`).exec(route);
  const answerOf = (known: Known): unknown => {
    const { comments, statuses, requests, pulls } = known;
    const [comment, status, revision, request] = [
      'issues/comments/(\\d+)',
      'statuses/(\\w+)',
      'commits/(\\w+)/statuses',
      'pulls/(\\d+)',
    ].map((pattern) => numberIn(pattern)?.[1]);
    const bot = { login: 'github-actions[bot]' };
    if (numberIn('issues/7/comments')) {
      if (!writes) return comments;
      return comments.push({ id: comments.length + 1, user: bot, body: fields.body });
    }
    if (comment && method === 'PATCH') {
      return Object.assign(comments.find(({ id }) => String(id) === comment) ?? {}, { body: fields.body });
    }
    if (status && writes) return statuses.unshift({ sha: status, creator: bot, ...fields });
    if (revision) return statuses.filter(({ sha }) => sha === revision);
    if (numberIn('commits/(\\w+)/pulls')) return pulls;
    if (numberIn('pulls') && !writes) {
      const head = new URLSearchParams(query).get('head');
      return requests.filter((each) => `acme:${each.head}` === head).slice(0, 1);
    }
    if (numberIn('pulls')) {
      return requests.unshift({ ...fields, number: requests.length + 1, merged_at: null, state: 'open' });
    }
    if (request && method === 'PATCH') {
      return Object.assign(requests.find((each) => String(each.number) === request) ?? {}, fields);
    }
    const moves = numberIn(`git/refs/tags/${tag.source}`) && method === 'PATCH' && known.applied;
    const makes = numberIn('git/refs') && method === 'POST' && !known.applied;
    if (!moves && !makes) throw new Error(`404 ${route}`);
    return Object.assign(known, { applied: fields.sha });
  };
  return withHub(call, (known) => {
    const answer = answerOf(known);
    return jq === null
      ? ''
      : execFileSync('jq', ['-r', jq], { input: JSON.stringify(answer), env, encoding: 'utf8' });
  });
};

/** What GitLab knows: its answers to curl. */
export const curl: Played = (call) => {
  const { argv, cwd } = call;
  if (!argv.includes('Authorization: Bearer lab-token')) throw new Error('not signed in');
  const url = argv.findLast((each) => each.startsWith('http')) ?? '';
  const route = url.replace('https://lab.example/api/v4/projects/12', '');
  const query = new URL(url).searchParams;
  const data = argv.flatMap((each, at) => (each === '--data-urlencode' ? [argv[at + 1] ?? ''] : []));
  const fields = Object.fromEntries(
    data.map((each): [string, string] => {
      const [, name = '', sign, value = ''] = /^(\w+)([=@])(.*)$/s.exec(each) ?? [];
      return [name, sign === '@' ? contentOf(`@${value}`, cwd) : value];
    }),
  );
  const me = { id: 99 };
  const sendsTo = (path: string, method: string) => argv.includes(method) && route === path;
  const answerOf = (known: Known): unknown => {
    const { comments, requests, pulls } = known;
    const request = requests.find(({ iid }) => route === `/merge_requests/${iid}`);
    if (route.startsWith('/merge_requests?source_branch=')) {
      return requests.filter((each) => each.source_branch === query.get('source_branch')).slice(0, 1);
    }
    if (sendsTo('/merge_requests', 'POST')) {
      return void requests.unshift({ ...fields, iid: requests.length + 1, state: 'opened' });
    }
    if (request && argv.includes('PUT')) return void Object.assign(request, fields);
    if (url === 'https://lab.example/api/v4/user') return me;
    if (route === '/merge_requests/7/notes') {
      const own = Object.entries(fields).map(([name, text]) => [name, text.trimEnd()]);
      return void comments.unshift({ author: me, ...Object.fromEntries(own) });
    }
    if (route === '/merge_requests/7/notes?order_by=created_at&sort=desc&per_page=100') return comments;
    if (/^\/repository\/commits\/\w+\/merge_requests$/.test(route)) return pulls;
    if (argv.includes('DELETE') && new RegExp(`^/repository/tags/${tag.source}$`).test(route)) {
      return void delete known.applied;
    }
    const made = new RegExp(`^/repository/tags\\?tag_name=${tag.source}&ref=(?<revision>\\w+)$`).exec(route);
    if (!argv.includes('POST') || !made?.groups || known.applied) {
      throw new Error(`curl: (22) 404 ${route}`);
    }
    return void Object.assign(known, { applied: made.groups.revision });
  };
  return withHub(call, (known) => {
    const answer = answerOf(known);
    return answer === undefined ? '' : `${JSON.stringify(answer)}\n`;
  });
};

/** The tag of the last applied revision, of a project at the top of its repository or in a folder. */
const tag = /tenantctl-applied(?:-apps-iga)?/;

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
  const steps = get(member(workflow, 'jobs', name), 'steps');
  // Without a checkout there are no files, and no folder of the project.
  const top = JSON.stringify(steps).includes('actions/checkout') ? runner.dir : runner.empty;
  const exists = (path: string) => existsSync(join(top, path));
  const usual = getText(member(workflow, 'defaults', 'run'), 'working-directory');
  const values: Record<string, string> = {
    'github.token': 'hub-token',
    'inputs.digest': '',
    'steps.upload.outputs.artifact-url': 'https://hub.example/artifacts/1',
    ...event,
  };
  for (const [key, value] of Object.entries(secrets)) values[`secrets.${key}`] = value;
  let [code, output] = [0, ''];
  for (const step of isArray(steps) ? steps : []) {
    if (!isObject(step) || getText(step, 'run') === null) continue;
    const id = getText(step, 'id');
    if (id !== null) values[`steps.${id}.outcome`] = 'skipped';
    if (code !== 0 && !getText(step, 'if')?.includes('!cancelled()')) continue;
    const [, needed] = /hashFiles\('([^']+)'\)/.exec(getText(step, 'if') ?? '') ?? [];
    if (needed !== undefined && !exists(needed)) continue;
    const env = {
      ...fillIn(member(workflow, 'env'), values),
      ...fillIn(isObject(get(step, 'env')) ? member(step, 'env') : {}, values),
      GITHUB_REPOSITORY: 'acme/iga',
      GITHUB_SHA: 'm1',
      GITHUB_OUTPUT: join(runner.dir, 'outputs'),
      GITHUB_STEP_SUMMARY: join(runner.dir, 'summary.md'),
    };
    const folder = join(top, getText(step, 'working-directory') ?? usual ?? '');
    const ran = await runner.shell(getText(step, 'run') ?? '', env, folder);
    if (id !== null) {
      values[`steps.${id}.outcome`] = ran.code === 0 ? 'success' : 'failure';
      const told = existsSync(join(runner.dir, 'outputs'))
        ? runner.read('outputs').matchAll(/^(\w+)=(.*)$/gm)
        : [];
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
    CI_PROJECT_DIR: runner.dir,
    CI_DEFAULT_BRANCH: 'main',
    CI_API_V4_URL: 'https://lab.example/api/v4',
    CI_JOB_URL: 'https://lab.example/acme/iga/-/jobs/1',
    CI_PROJECT_ID: '12',
    CI_COMMIT_SHA: 'm1',
    CI_MERGE_REQUEST_IID: '7',
    ...event,
  };
  const before = scriptOf(
    get(job, 'before_script') === undefined ? member(file, 'default') : job,
    'before_script',
  );
  const isEmpty = isObject(get(job, 'variables')) && get(member(job, 'variables'), 'GIT_STRATEGY') === 'none';
  const folder = isEmpty ? runner.empty : runner.dir;
  const ran = await runner.shell(`${before}\n${scriptOf(job, 'script')}`, env, folder);
  const after = await runner.shell(scriptOf(job, 'after_script'), env, folder);
  return { code: ran.code, output: ran.output + after.output };
}
