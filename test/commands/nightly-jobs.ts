/** The nightly jobs of pipelines, each on a machine of its own: a checkout of main, and the files that the job before hands over. */
import { spawnSync } from 'node:child_process';
import { basename, join } from 'node:path';
import { globSync } from 'tinyglobby';
import { parse } from 'yaml';
import { get, getText, isArray, isObject, type Json } from '../../src/model/json.ts';
import { git } from '../support/repository.ts';
import { member, type Ran, type Runner } from './pipeline-runner.ts';
import { runGithubJob, runGitlabJob } from './played-ci-systems.ts';

/** A project that pipelines work on. */
export interface Project {
  readonly runner: Runner;
  /** Its folder in the repository, with `/` at its end; empty: it is the repository. */
  readonly folder: '' | 'apps/iga/';
  readonly secrets: Readonly<Record<string, string>>;
}

/** A system that runs the pipelines of `init`. */
export interface System {
  readonly name: 'GitHub' | 'GitLab';
  job(project: Project, name: string): Promise<Ran>;
  /** The files that the job `drift` leaves, as globs from the top of the repository, and the folder where `propose` gets them. */
  handedOver(project: Project): { readonly paths: readonly string[]; readonly to: string };
}

const fileOf = ({ runner }: Project, path: string): Json => parse(runner.read(path));
const workflow = '.github/workflows/tenantctl.yaml';

const github: System = {
  name: 'GitHub',
  job: (project, name) =>
    runGithubJob(project.runner, fileOf(project, workflow), name, { secrets: project.secrets }),
  handedOver: (project) => ({
    paths: [pathFor(fileOf(project, workflow), 'upload-artifact', 'drift')],
    to: pathFor(fileOf(project, workflow), 'download-artifact', 'propose'),
  }),
};

const gitlab: System = {
  name: 'GitLab',
  job: (project, name) =>
    runGitlabJob(project.runner, fileOf(project, '.gitlab-ci.yml'), name, { secrets: project.secrets }),
  handedOver: (project) => {
    const paths = get(member(fileOf(project, '.gitlab-ci.yml'), 'drift', 'artifacts'), 'paths');
    return { paths: (isArray(paths) ? paths : []).map(String), to: project.folder };
  },
};

/** The systems that can be played here: what plays `gh` needs jq. */
export const systems: readonly System[] =
  spawnSync('jq', ['--version']).status === 0 ? [github, gitlab] : [gitlab];

/** The path that a step of a job gives to an action. */
function pathFor(pipeline: Json, action: string, job: string): string {
  const steps = get(member(pipeline, 'jobs', job), 'steps');
  const uses = (step: Json) => isObject(step) && getText(step, 'uses')?.includes(action);
  return getText(member((isArray(steps) ? steps : []).find(uses), 'with'), 'path') ?? '';
}

/** Makes the machine a fresh one, on main. */
export function checkOut({ runner }: Pick<Project, 'runner'>): void {
  git(runner.dir, 'checkout', '--quiet', '--force', 'main');
  git(runner.dir, 'clean', '--quiet', '-ffdx', '--exclude=hub.json');
}

/** Both jobs of a night. */
export async function runNight(
  { job, handedOver }: System,
  project: Project,
): Promise<{ readonly drift: Ran; readonly propose: Ran }> {
  checkOut(project);
  const drift = await job(project, 'drift');
  const { paths, to } = handedOver(project);
  const { runner } = project;
  const files = globSync([...paths], { cwd: runner.dir }).map((path) => [basename(path), runner.read(path)]);
  checkOut(project);
  git(runner.dir, 'checkout', '--quiet', '--detach');
  for (const [name = '', text = ''] of files) runner.write(join(to, name), text);
  return { drift, propose: await job(project, 'propose') };
}
