import { usualNames } from './choices.ts';
import type { PipelineFacts } from './facts.ts';

/** In the place of hosts that are not known. No request can reach it. */
export const unknownHost = 'name-the-hosts-of-your-tenant.invalid';

/**
 * The example's pipeline with the hosts of this project, and with its secrets.
 *
 * @param folder the project's folder in its repository, with `/` at its end; `''` where it is the same
 */
export function pipelineFile(example: string, { names, hosts }: PipelineFacts, folder: string): string {
  const allowed = hosts === null ? unknownHost : hosts.join(',');
  const used = names.length > 0 ? names : Object.values(usualNames);
  const text = example
    .replace(/(?<=^ +TENANTCTL_ALLOWED_HOSTS: ).*$/m, () => allowed)
    .replaceAll(usedSecrets, (_lines, indent: string) =>
      used.map((name) => `${indent}${name}: \${{ secrets.${name} }}\n`).join(''),
    );
  return folder === '' ? text : inFolder(text, folder);
}

/** Whether a pipeline that exists has jobs for the project in this folder, as `pipelineFile` would write them. */
export const hasJobsFor = (existing: string, folder: string): boolean =>
  existing.includes('bin/tenantctl') && existing.includes(folder.slice(0, -1));

/** The secrets of the examples, a line for each. */
const usedSecrets = /^( +)TENANT_CLIENT_ID: .*\n +TENANT_CLIENT_SECRET: .*\n( +SNOW_PASSWORD: .*\n)?/gm;

/**
 * A pipeline at the top of a repository that works in one of its folders. Scripts begin there; GitHub's and GitLab's own
 * steps take their paths from the top. The tag is named by the folder, since each project of a repository is applied by
 * itself.
 */
function inFolder(text: string, folder: string): string {
  const enter = `cd ${folder.slice(0, -1)}`;
  return text
    .replaceAll(
      'tenantctl-applied',
      `tenantctl-applied-${folder.slice(0, -1).replaceAll(/[^A-Za-z0-9_-]/g, '-')}`,
    )
    .replace(/^defaults:\n {2}run:\n/m, (found) => `${found}    working-directory: ${folder.slice(0, -1)}\n`)
    .replaceAll(/(?<=hashFiles\(')/g, folder)
    .replaceAll(/(?<=^ {10}path: )(?=\S)/gm, folder)
    .replaceAll(
      /^( +)(before|after)_script:\n/gm,
      (found, indent: string) => `${found}${indent}  - ${enter}\n`,
    )
    .replaceAll(/(?<=^ {4}paths: \[).*(?=\]$)/gm, (paths) =>
      paths
        .split(', ')
        .map((path) => `${folder}${path}`)
        .join(', '),
    )
    .replace(/(?<=^ {6}terraform: )/m, folder);
}
