import { join, relative } from 'node:path';
import { calledAddresses } from '../../engine/tenant.ts';
import type { Environment } from '../../kinds/project.ts';
import { repositoryOf } from '../../loader/git.ts';
import {
  loadEnvironmentNames,
  loadVariableNames,
  type OpenedProjects,
  openProjects,
  valuesIn,
} from '../../loader/index.ts';
import { isPlainName, selectEnvironments } from '../../loader/selection.ts';
import { attemptOrNull, fail } from '../../model/failure.ts';
import { readIfThere } from '../files.ts';
import {
  type Choices,
  environmentName,
  example,
  fill,
  type NewTenant,
  usualNames,
  writeFiles,
} from './project-file.ts';

/** One step of a pipeline, which applies to one selection of environments. */
interface Step {
  /** The value of `--env` for them. */
  readonly selection: string;
  /** The environment variables that they use: in the project file, in their own, and in manifests. */
  readonly names: readonly string[];
}

interface PipelineContent<S extends Step = Step> {
  /** A pipeline that promotes has other jobs, and one for several tenants another one for their drift. */
  readonly shape: 'one' | 'several' | 'promotion';
  /** The only hosts that may be called; none if they are unknown, or all are embedded. */
  readonly hosts: readonly string[];
  /** The environment of the pipeline, or the first step and the one that requires its proof. */
  readonly stages: readonly [first: S, next?: S];
}

interface Stage extends Step {
  readonly environments: readonly string[];
}

type PipelineFacts = ReturnType<typeof readPipelineFacts>;

/** The selections that pipelines apply to: a single one, or a first one and the next, which gets what the first has proven. */
type Route = readonly [first: string, next?: string];

/**
 * Throws a Failure for a selection that selects no environment. Without a route, from pipelines or an option, the pipelines are for
 * `production`, or else the default, or else the last environment.
 */
export function readPipelineFacts(
  root: string,
  env: NodeJS.ProcessEnv,
  route: Route | null,
  from = 'The pipelines',
) {
  const configFile = join(root, 'tenantctl.yaml');
  const { manifests, inManifests, inEnvironments } = loadVariableNames({ configFile, env });
  const variables = sortUnique([...[...inEnvironments.values()].flat(), ...inManifests]);
  const values = valuesIn(root, { env });
  const placeholders = Object.fromEntries(variables.map((name) => [name, 'unset']));
  // It can be read even if variables are not set.
  const project = { configFile, env: { ...placeholders, ...env } };
  const all = loadEnvironmentNames(project);
  const { environments, defaultEnvironment } = all;
  const otherwise = defaultEnvironment ?? environments.at(-1) ?? environmentName;
  const stageOf = (selection: string): Stage => {
    const selected = environments.length === 0 ? [selection] : selectEnvironments([selection], all, from);
    const named = selected.flatMap((name) => inEnvironments.get(name) ?? []);
    return { selection, environments: selected, names: sortUnique([...named, ...inManifests]) };
  };
  const [first, next] = route ?? [environments.includes(environmentName) ? environmentName : otherwise];
  const start = stageOf(first);
  const stages: PipelineContent<Stage>['stages'] = next === undefined ? [start] : [start, stageOf(next)];
  const opened = openProjects(project);
  const called = connectionsOf(
    opened,
    stages.flatMap((stage) => stage?.environments ?? []),
  );
  const hosts = new Set(called.flatMap(calledAddresses).map(({ url }) => new URL(url).host));
  const planned = defaultEnvironment === null ? environments : [defaultEnvironment];
  const read = next === undefined ? connectionsOf(opened, planned) : called;
  const shape = next === undefined ? (start.environments.length > 1 ? 'several' : 'one') : 'promotion';
  const content: PipelineContent<Stage> = { shape, hosts: [...hosts], stages };
  return {
    ...content,
    /** The environments of the project, and its groups. */
    all,
    /** The environment variables that all settings and manifests use. */
    variables,
    hasManifests: manifests.length > 0,
    /** The variables that have no value on this machine. */
    unset: variables.filter((name) => values.problem(name) !== null),
    /** True when a plan without `--env` reads only embedded tenants, which need no credentials. */
    isEmbedded: read.length > 0 && read.every(({ to }) => to === 'sandbox'),
    /** True when the project has several environments and no default. */
    needsEnvironment: defaultEnvironment === null && environments.length > 1,
  };
}

const sortUnique = (names: readonly string[]) => [...new Set(names)].sort();

/** None if an environment cannot be read: `validate` and `plan` explain what is wrong. */
function connectionsOf(
  project: OpenedProjects,
  environments: readonly string[],
): Environment['connection'][] {
  return (
    attemptOrNull(() => environments.map((name) => project.environment(name).environment.connection)) ?? []
  );
}

/** The group of all tenants but the first in a new project. */
const laterGroup = 'production';

/**
 * The route of the pipelines. In a new project: the first tenant, then the others. Otherwise new tenants join the last step, unless
 * a step selects them already. Throws a Failure for a selection that selects no environment, or that a pipeline cannot name.
 *
 * @param known `null` for a new project
 */
export function chooseRoute(
  root: string,
  before: Route | null,
  { tenants, pipelines }: Choices,
  known: PipelineFacts | null,
): { readonly route: Route | null; readonly joined: readonly string[] } {
  const added = known && pipelines === 'none' ? [] : tenants.map(({ name }) => name);
  let route: Route | null = null;
  let joined: readonly string[] = [];
  if (!known) {
    const [first, next, ...others] = added;
    const end = next && others.length > 0 ? `@${laterGroup}` : next;
    if (first !== undefined) route = end === undefined ? [first] : [first, end];
  } else if (before) {
    const [first, next] = before;
    const names = { ...known.all, environments: [...known.all.environments, ...added] };
    const covered = [first, next ?? first].flatMap((selection) => selectEnvironments([selection], names));
    joined = added.filter((name) => !covered.includes(name));
    const end = [next ?? first, ...joined].join(',');
    route = next === undefined ? [end] : [first, end];
  }
  if (pipelines !== 'none') requirePlain(root, tenants, route, known);
  return { route, joined };
}

/** `host`, `host:port` or IPv6 in brackets, without characters that mean something in a list, YAML, a shell or a CI system. */
const plainHost = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/i;
const plainSelection = /^[\w@!*{][\w@!*?{}[\].,-]*$/;

/** A pipeline could not name other folders without quotes. */
const plainFolder = /^[A-Za-z0-9._/-]*$/;

/** Throws a Failure for values that would not reach a job unchanged: CI systems and shells interpret `$`, spaces and quotes. */
function requirePlain(
  root: string,
  tenants: readonly NewTenant[],
  route: Route | null,
  known: PipelineFacts | null,
): void {
  const { folder } = placeOf(root);
  const urls = tenants.flatMap(({ identity, profiles }) => [identity, profiles ?? identity]);
  const hosts = [...(known?.hosts ?? []), ...urls.map((url) => new URL(url).host)];
  const selections = [
    ...(route ?? known?.stages.map((stage) => stage?.selection) ?? []),
    ...tenants.map(({ name }) => name),
  ];
  const problems = new Set([
    ...selections
      .filter((text = '') => !plainSelection.test(text))
      .map((text) => `the environment ${JSON.stringify(text)}`),
    ...hosts.filter((host) => !plainHost.test(host)).map((host) => `the host ${JSON.stringify(host)}`),
    ...(plainFolder.test(folder) ? [] : [`the folder ${JSON.stringify(folder.slice(0, -1))}`]),
  ]);
  if (problems.size === 0) return;
  throw fail('usage', `A pipeline cannot pass on ${[...problems].join(' and ')}.`, {
    hint: 'Use a name of letters, digits, dots, dashes and underscores, or do without pipelines: --pipelines none.',
  });
}

/** A placeholder for unknown hosts. No request can reach it. */
const unknownHost = 'name-the-hosts-of-your-tenant.invalid';

/**
 * The text of a pipeline.
 *
 * @param folder the project's folder in its repository, with `/` at its end; `''` if it is the same. It is part of names that
 * projects of a repository would otherwise share, since each is planned and applied separately.
 */
export function pipelineFile(system: System, content: PipelineContent, folder: string): string {
  const { shape, stages } = content;
  const [first, next] = stages;
  const dir = folder.slice(0, -1);
  const secretsOf = (...steps: readonly (Step | undefined)[]) => {
    const used = sortUnique(steps.flatMap((step) => step?.names ?? []));
    return (used.length > 0 ? used : Object.values(usualNames())).map((secret) => ({ secret }));
  };
  const values = {
    isOne: shape === 'one',
    isSeveral: shape === 'several',
    isPromotion: shape === 'promotion',
    hosts: quote(content.hosts.join(',') || unknownHost),
    first: quote(first.selection),
    next: quote(next?.selection ?? ''),
    all: shape === 'promotion' ? '-e "$TENANTCTL_FIRST" -e "$TENANTCTL_NEXT"' : '-e "$TENANTCTL_ENV"',
    firstName: deploymentName(first, 'test'),
    nextName: deploymentName(next, 'production'),
    firstSecrets: secretsOf(first),
    nextSecrets: secretsOf(next),
    allSecrets: secretsOf(first, next),
    folder,
    dir,
    here: dir === '' ? '.' : quote(dir),
    suffix: suffixOf(folder),
    inFolder: dir === '' ? '' : ` in ${dir}`,
    ofFolder: dir === '' ? '' : ` (${dir})`,
    title: dir === '' ? '### tenantctl plan' : `**${dir}**`,
    comment: dir === '' ? 'plan.md' : 'comment.md',
  };
  const { path } = systems[system];
  return fill(example(shape === 'promotion' ? `promotion/${path}` : path), {
    ...values,
    driftOfEach: fill(example(`drift/${system}.yaml`), values).trimEnd(),
  });
}

const quote = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** The environment of GitHub or GitLab for a selection: its first group or environment, which it keeps when others join. */
export function deploymentName(step: Step | undefined, otherwise: string): string {
  const [name = ''] = (step?.selection ?? '').replace(/^@/, '').split(',');
  return isPlainName(name) ? name : otherwise;
}

/** What keeps the tags, groups and files of a repository's projects apart: `-apps-iga` for `apps/iga/`. */
const suffixOf = (folder: string): string => `/${folder}`.slice(0, -1).replaceAll(/[^A-Za-z0-9_-]/g, '-');

/** The repository of a project, and the project's folder there, with `/` at its end. Without one, the project is the top. */
function placeOf(root: string) {
  const { top, prefix: folder } = repositoryOf(root) ?? { top: root, prefix: '' };
  return { top, folder };
}

const systems = {
  github: { path: '.github/workflows/tenantctl.yaml', beside: 'tenantctl.github.yaml' },
  gitlab: { path: '.gitlab-ci.yml', beside: 'tenantctl.gitlab-ci.yml' },
} as const;

type System = keyof typeof systems;

function placesIn(system: System, folder: string): string[] {
  const { path } = systems[system];
  // GitHub runs every file there, so each project can have one.
  return system === 'github'
    ? [...new Set([path, path.replace('.yaml', `${suffixOf(folder)}.yaml`)])]
    : [path];
}

/** True when an existing pipeline has jobs for the project in this folder. Their tag is of no other project. */
const isFor = (existing: string, folder: string): boolean =>
  new RegExp(`tenantctl-applied${suffixOf(folder)}(?![\\w-])`).test(existing);

/** The content of an existing pipeline; `null` if somebody has replaced its selections. */
function contentOf(text: string): PipelineContent | null {
  const written = (name: string) =>
    new RegExp(`^ *TENANTCTL_${name}: *(['"]?)(.+?)\\1 *$`, 'm').exec(text)?.[2];
  const stepIn = (job: string, selection: string): Step => {
    const [, body = ''] = new RegExp(`^ *${job}:\\n([\\s\\S]*?)(?=^ {0,2}\\w+:$)`, 'm').exec(text) ?? [];
    return { selection, names: [...body.matchAll(/secrets\.(\w+)/g)].map(([, name = '']) => name) };
  };
  const [only, first, next] = ['ENV', 'FIRST', 'NEXT'].map(written);
  if ([only, first, next].some((selection) => selection && !plainSelection.test(selection))) return null;
  const hosts = (written('ALLOWED_HOSTS')?.split(',') ?? []).filter((host) => host !== unknownHost);
  if (first && next)
    return { hosts, shape: 'promotion', stages: [stepIn('first', first), stepIn('next', next)] };
  const shape = text.includes('drift.unread') ? 'several' : 'one';
  return only ? { hosts, shape, stages: [stepIn('apply', only)] } : null;
}

/** Keeps what a pipeline names already: it may need more than the project says. */
function withContentOf(facts: PipelineFacts, there: PipelineContent | null): PipelineContent {
  const isLike = there?.stages.length === facts.stages.length;
  const grown = (step: Step, at: 0 | 1): Step => ({
    ...step,
    names: [...step.names, ...((isLike && there?.stages[at]?.names) || [])],
  });
  const [first, next] = facts.stages;
  return {
    shape: facts.shape,
    hosts: [...new Set([...facts.hosts, ...(there?.hosts ?? [])])],
    stages: next ? [grown(first, 0), grown(next, 1)] : [grown(first, 0)],
  };
}

/** The route of the project's pipelines; `null` if they have none, or none that can be read. */
export function writtenRoute(root: string): Route | null {
  const { top, folder } = placeOf(root);
  const [content] = [...placesIn('github', folder), ...placesIn('gitlab', folder)]
    .map((path) => readIfThere(join(top, path)) ?? '')
    .flatMap((text) => (isFor(text, folder) && contentOf(text)) || []);
  if (!content) return null;
  const [first, next] = content.stages;
  return next ? [first.selection, next.selection] : [first.selection];
}

/**
 * Writes the pipelines at the top of the repository that the project is in, and returns what it did, with paths from the
 * project's folder.
 *
 * @param onlyExisting whether a project without pipelines gets none
 */
export function writePipelines(
  root: string,
  wanted: Choices['pipelines'],
  facts: PipelineFacts,
  onlyExisting: boolean,
) {
  const { top, folder } = placeOf(root);
  const files = (['github', 'gitlab'] as const)
    .filter((system) => wanted === 'both' || wanted === system)
    .flatMap((system) => pipelineOf(system, facts, { top, folder }, onlyExisting) ?? []);
  const fromRoot = (path: string) => relative(root, join(top, path));
  return {
    notes: writeFiles(top, files).map(({ path, what }) => ({ path: fromRoot(path), what })),
    /** What somebody has to do for each pipeline, as values for the next steps. */
    jobs: files.map(({ path, addTo, lacking }) => ({
      path: fromRoot(path),
      to: addTo === null ? '' : fromRoot(addTo),
      isEdited: lacking.length > 0,
      lines: lacking,
      hasSecrets: lacking.some((line) => line.includes('secrets.')),
    })),
  };
}

/** Git for Windows checks files out with other line ends. */
const asMade = (text: string | null) => text?.replaceAll('\r\n', '\n') ?? null;

/**
 * The pipeline of a system. An unedited one, which equals the template filled with its own values, is updated. If another
 * pipeline has its place, or an edited one needs other jobs, ours goes into the project's folder, so that somebody can copy its
 * jobs. `null` if the project has none, and gets none.
 */
function pipelineOf(
  system: System,
  facts: PipelineFacts,
  { top, folder }: ReturnType<typeof placeOf>,
  onlyExisting: boolean,
) {
  const read = (path: string) => {
    const text = asMade(readIfThere(join(top, path)));
    const isOurs = text !== null && isFor(text, folder);
    const content = isOurs ? contentOf(text) : null;
    const made = content && pipelineFile(system, content, folder);
    return { path, text, isOurs, content, made };
  };
  const places = placesIn(system, folder).map(read);
  const beside = read(`${folder}${systems[system].beside}`);
  if (onlyExisting && ![...places, beside].some(({ isOurs }) => isOurs)) return null;
  const isFree = ({ text, isOurs, content, made }: typeof beside) =>
    text === null ||
    text === made ||
    (isOurs && (content ? content.shape === facts.shape : facts.shape !== 'promotion'));
  const at = places.find(isFree) ?? beside;
  const wanted = pipelineFile(system, withContentOf(facts, at.content), folder);
  const present = new Set(`${at.made}\n${at.text}`.split('\n').map((line) => line.trim()));
  const lines = new Set(wanted.split('\n').map((line) => line.trim()));
  return {
    path: at.path,
    content: (there: string | null) => (there === null || asMade(there) === at.made ? wanted : there),
    // The existing file that runs, to which somebody must add the jobs of this one; `null`: this file runs.
    addTo: at === beside ? (places.find(({ isOurs }) => isOurs)?.path ?? systems[system].path) : null,
    // The lines that an edited file lacks.
    lacking:
      at.made === null || at.text === null || at.text === at.made
        ? []
        : [...lines].filter((line) => !present.has(line)),
  };
}
