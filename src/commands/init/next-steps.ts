import { ExitCode } from '../../model/failure.ts';
import type { Choices } from './choices.ts';
import type { PipelineFacts } from './facts.ts';
import type { Note } from './files.ts';
import { unknownHost } from './pipelines.ts';

/** The pipelines of a project after they were written. */
export interface WrittenPipelines {
  readonly notes: readonly Note[];
  /** Those that could not be written where they are run, and the files that have to get their jobs. */
  readonly toAdd: readonly { readonly path: string; readonly to: string }[];
}

/** What `init` has done. */
interface InitResult {
  readonly choices: Choices;
  /** Whether there was no project file before. */
  readonly isNew: boolean;
  /** The exit code of the export. `null`: there was none. */
  readonly exported: ExitCode | null;
  readonly facts: PipelineFacts;
  /** The folder of the project from the current one; empty where it is the same. */
  readonly folder: string;
  /** Whether there is a package-lock.json. */
  readonly hasLock: boolean;
  /** The other files of the project. */
  readonly written: readonly Note[];
  readonly pipelines: WrittenPipelines;
}

/** The commands that come next, and what else there is to do, as comments. */
export function nextSteps(result: InitResult): string[] {
  const { choices, isNew, exported, facts, folder, hasLock, written } = result;
  const lacksManifests = !isNew && !facts.hasManifests && facts.hosts !== null;
  const isToExport = exported !== ExitCode.done && (choices.from === 'export' || lacksManifests);
  // Without --merge, the export would declare the objects of existing manifests again.
  const merge = facts.hasManifests ? ' --merge' : '';
  return [
    ...(folder === '' ? [] : [`cd ${folder}`]),
    ...written.flatMap(({ byHand }) => (byHand ? [`# ${byHand}`] : [])),
    ...(hasLock ? [] : ['npm install   # and commit package-lock.json: pipelines install what it says']),
    ...pipelineSteps(result),
    ...variableSteps(result),
    ...(isToExport ? [`npx tenantctl export${exportOption(result)}${merge}`] : []),
    `npx tenantctl plan${planOptions(facts)}`,
  ];
}

/** What to change in the pipelines. */
function pipelineSteps({ facts, pipelines: { notes, toAdd } }: InitResult): string[] {
  const { hosts, needsEnvironment, stages, environment } = facts;
  const isWritten = notes.some(({ what }) => what === 'created');
  return [
    ...toAdd.map(({ path, to }) => `# Add the jobs of ${path} to ${to}, which stays as it is.`),
    ...(isWritten && hosts === null
      ? [`# In the pipelines, replace ${unknownHost} by the hosts of your tenant.`]
      : []),
    ...(isWritten && needsEnvironment && stages === null
      ? [
          `# The pipelines are for ${environment}. For several environments, remove them and run \`npx tenantctl init --promote FIRST NEXT\`.`,
        ]
      : []),
  ];
}

/** The variables to set. The embedded tenant needs no credentials, and the secrets of the examples are for another environment. */
function variableSteps({ choices, facts: { isEmbedded, unset, unsetSecrets } }: InitResult): string[] {
  const set = (what: string, names: readonly string[]) =>
    names.length === 0
      ? []
      : [`# Set ${what}, here or as NAME=value lines in .env:`, ...names.map((name) => `export ${name}=…`)];
  return [
    ...set('what is missing', isEmbedded ? [] : unset),
    ...set(
      'those of these secrets that `plan` asks for',
      isEmbedded && choices.from === 'examples' ? [] : unsetSecrets,
    ),
  ];
}

/** The environment to export: of several, the last one shows what has to stay. */
function exportOption({ choices: { tenants }, isNew, facts }: InitResult): string {
  const several = isNew ? tenants.map(({ name }) => name) : (facts.stages?.[1].environments ?? []);
  const last = several.at(-1) ?? (facts.needsEnvironment ? facts.environment : undefined);
  const isNamed = last !== undefined && (!isNew || several.length > 1);
  return isNamed ? ` -e ${last}` : '';
}

/** The environments for a first plan. */
function planOptions({ stages, needsEnvironment }: PipelineFacts): string {
  if (stages === null) return needsEnvironment ? " -e '*'" : '';
  return stages.map(({ selection }) => ` -e ${selection}`).join('');
}
