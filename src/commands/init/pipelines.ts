import { isPlainName } from '../../loader/selection.ts';
import { usualNames } from './choices.ts';
import type { PipelineFacts } from './facts.ts';

/** In the place of hosts that are not known. No request can reach it. */
export const unknownHost = 'name-the-hosts-of-your-tenant.invalid';

/**
 * The example's pipeline with the hosts of this project, its environments, and its secrets.
 *
 * @param folder the project's folder in its repository, with `/` at its end; `''` where it is the same
 */
export function pipelineFile(example: string, facts: PipelineFacts, folder: string): string {
  const allowed = facts.hosts === null ? unknownHost : facts.hosts.join(',');
  const text = withEnvironments(example, facts).replace(
    /(?<=^ +TENANTCTL_ALLOWED_HOSTS: ).*$/m,
    () => allowed,
  );
  return folder === '' ? text : moveToFolder(text, folder);
}

function withEnvironments(example: string, { names, environment, stages }: PipelineFacts): string {
  if (stages === null) {
    const used = names.length > 0 ? names : Object.values(usualNames());
    return example
      .replaceAll(usedSecrets, (_lines, indent: string) => secretLines(used, indent))
      .replace(/(?<=^ +TENANTCTL_ENV: ).*$/m, () => environment);
  }
  const [first, next] = stages;
  const text = example.replaceAll(promotedSecrets, (lines, indent: string) => {
    const used = [
      ...(lines.includes('TEST_') ? first.names : []),
      ...(lines.includes('PRODUCTION_') ? next.names : []),
    ];
    return secretLines([...new Set(used)].sort(), indent);
  });
  return text
    .replace(/(?<=^ +TENANTCTL_FIRST: ).*$/m, () => quote(first.selection))
    .replace(/(?<=^ +TENANTCTL_NEXT: ).*$/m, () => quote(next.selection))
    .replaceAll(/(?<=`|^ +environment: )(test|production)(?=`|$)/gm, (name) =>
      deploymentName((name === 'test' ? first : next).selection, name),
    );
}

const quote = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** The environment of GitHub or GitLab for a selection: the name of the group or environment. */
function deploymentName(selection: string, otherwise: string): string {
  const name = selection.replace(/^@/, '');
  return isPlainName(name) ? name : otherwise;
}

const secretLines = (names: readonly string[], indent: string) =>
  names.map((name) => `${indent}${name}: \${{ secrets.${name} }}\n`).join('');

/** Whether a pipeline that exists has jobs for the project in this folder, as `pipelineFile` would write them. */
export const hasJobsFor = (existing: string, folder: string, { stages }: PipelineFacts): boolean =>
  existing.includes('bin/tenantctl') &&
  existing.includes(folder.slice(0, -1)) &&
  (stages === null || existing.includes('TENANTCTL_FIRST'));

/** The secrets of the example that promotes: of one of its tenants, or of both. */
const promotedSecrets =
  /^( +)(?:TEST|PRODUCTION)_CLIENT_ID: .*\n(?: +(?:TEST|PRODUCTION)_CLIENT_\w+: .*\n)+/gm;

/** The secrets of the examples, a line for each. */
const usedSecrets = /^( +)TENANT_CLIENT_ID: .*\n +TENANT_CLIENT_SECRET: .*\n( +SNOW_PASSWORD: .*\n)?/gm;

/** A project in a folder of a repository, as a word that tags, groups and files can be called by. */
export const wordOf = (folder: string): string => folder.slice(0, -1).replaceAll(/[^A-Za-z0-9_-]/g, '-');

/**
 * A pipeline at the top of a repository that works in one of its folders. Scripts begin there; GitHub's and GitLab's own
 * steps take their paths from the top. What the projects of a repository would share is named by the folder, since each of
 * them is planned and applied by itself.
 */
function moveToFolder(text: string, folder: string): string {
  const enter = `cd ${folder.slice(0, -1)}`;
  return nameByFolder(text, folder)
    .replace(/^defaults:\n {2}run:\n/m, (found) => `${found}    working-directory: ${folder.slice(0, -1)}\n`)
    .replace(/^( +)- name: Move the tag\n/m, `$&$1  working-directory: . # nothing is checked out\n`)
    .replaceAll(/(?<=hashFiles\(')/g, folder)
    .replaceAll(/(?<=^ {10}path: )(?=[^.\s])/gm, folder)
    .replaceAll(/(?<=^ {10}path: )\.$/gm, folder.slice(0, -1))
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

/** The tag, the commit status, the branch of drift, the groups of runs, the workflow and the comment get the project's own name. */
function nameByFolder(text: string, folder: string): string {
  const title = `**${folder.slice(0, -1)}**`;
  return text
    .replaceAll(/tenantctl-applied|tenantctl\/(?:plan|drift)/g, (name) => `${name}-${wordOf(folder)}`)
    .replaceAll(/(?<=^ +(?:resource_)?group: tenantctl)/gm, `-${wordOf(folder)}`)
    .replace(/(?<=^name: )tenantctl$/m, `tenantctl in ${folder.slice(0, -1)}`)
    .replace(/(?<=^ +title='Accept what was changed in the tenant)/m, ` (${folder.slice(0, -1)})`)
    .replaceAll(/(?<=starts[wW]ith\(")### tenantctl plan/g, title)
    .replaceAll(/(?<=body=?@)plan\.md/g, 'comment.md')
    .replace(
      /^( +)(?=id=\$\(gh api "\$comments|curl .*--output \/dev\/null)/m,
      (indent) => `${indent}{ printf '%s\\n\\n' '${title}'; cat plan.md; } > comment.md\n${indent}`,
    );
}
