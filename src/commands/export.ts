import { existsSync } from 'node:fs';
import { join, posix, relative, resolve, sep } from 'node:path';
import { type Backup, openBackup } from '../engine/backup.ts';
import { checkScope, kindsNamed, selectionOf } from '../engine/choices.ts';
import { checkNew, exportBackup, exportTenant, mergeTenant, pathInProject } from '../engine/export.ts';
import { addToEnvExample, type Export, type ExportedFile, envExampleFile } from '../exporter/files.ts';
import type { Merge } from '../exporter/merge.ts';
import type { ProjectEnvironment } from '../kinds/project.ts';
import { findUncommitted } from '../loader/git.ts';
import { type OpenedProjects, openProjects } from '../loader/index.ts';
import { requireInside, resolveLinks } from '../loader/paths.ts';
import { type Diagnostic, ExitCode, Failure, fail, hasErrors } from '../model/failure.ts';
import { namesAndMore } from '../model/words.ts';
import { oneLine } from '../report/safe.ts';
import { countIs } from '../report/words.ts';
import { type ArgsOf, commonOptions, describeCommand, option, scopeOptions } from './command.ts';
import { changeFiles, namedFolder, readIfThere } from './files.ts';
import type { Io } from './io.ts';
import { printDiagnostics, stdoutName } from './output.ts';
import { withTenant } from './progress.ts';
import { projectOptions } from './project.ts';

const options = {
  ...commonOptions,
  ...scopeOptions,
  out: option.text('The folder to write into. Default: config in the project folder'),
  from: option.text(
    'Write manifests from a backup instead of a tenant: the file or folder of a configuration export',
  ),
  kinds: { ...option.names("--only 'KIND/**'"), hidden: true },
  'dry-run': option.flag('List the files that would be written, and write nothing'),
  merge: option.flag('Update the existing manifests. Keeps comments, order, style, tags and side files'),
  all: option.flag('With --merge: also add manifests for undeclared objects'),
  delete: option.flag('With --merge: remove documents of objects that the tenant no longer has'),
  'allow-dirty': option.flag('With --merge: also change files with uncommitted changes'),
} as const;

type Args = ArgsOf<typeof options>;

export const command = describeCommand({
  usage:
    '$0 export [options]\n\nWrites the live tenant as manifests. Reads all kinds that the API can change, or with --merge those that manifests declare. --only selects other kinds or single objects.',
  options,
  examples: {
    '$0 export --out config': 'Start a project from an existing tenant',
    '$0 export --from backup.json': 'Start a project from a configuration export of the vendor',
    '$0 export --dry-run': 'List the files, and write nothing',
    '$0 export --merge': 'Bring changes made in the tenant into the manifests',
    '$0 export --merge --all': 'Also add undeclared objects',
    "$0 export --only 'NotificationTemplate/**' 'SenderAddress/**'": 'Only these kinds',
    "$0 export --only 'NotificationTemplate/password_*/**'": 'Only these objects',
  },
}).run(async (args, io) => {
  if (args.merge && args.from !== undefined)
    throw fail('usage', '--from cannot be combined with --merge.', {
      hint: 'Export the backup into another folder with --out, or compare it: `tenantctl diff BACKUP ENVIRONMENT`.',
    });
  if (args.merge) return mergeIntoManifests(args, io);
  for (const name of ['all', 'delete', 'allow-dirty'] as const)
    if (args[name]) throw fail('usage', `--${name} needs --merge.`, { hint: 'Add --merge.' });
  return exportToNewFiles(args, io);
});

type NewExportArgs = Pick<Args, 'config' | 'env' | 'only' | 'except' | 'out'> & {
  readonly dryRun?: boolean;
  readonly from?: string | undefined;
  readonly kinds?: readonly string[] | undefined;
};

/** Writes the tenant as new manifests. Throws a Failure if a file exists or an object is already declared. */
export async function exportToNewFiles(args: NewExportArgs, io: Io): Promise<ExitCode> {
  if (args.out === stdoutName)
    throw fail('usage', 'An export writes several files, so it cannot go to stdout.', {
      hint: 'Name a folder. `tenantctl get "**"` prints live objects in one stream.',
    });
  // `--out` names a folder, and not a file that the project may read.
  const options = projectOptions({ ...args, out: undefined }, io);
  const projects = openProjects(options);
  const project = projects.environment(options.environment);
  const declarations = projects.declarations(options.environment);
  checkScope(args, project.environment.kinds);
  const selection = selectionOf(args);
  const how = {
    kinds: kindsNamed(args),
    isInScope: selection.includes,
    declared: declarations.declared,
  };
  const exported =
    args.from === undefined
      ? await withTenant(project, io, (tenant) => exportTenant(tenant, { ...how, root: project.root }))
      : await exportBackup(openBackupAt(args.from, projects, project, io), how);

  const folder = resolve(io.cwd, args.out ?? join(project.root, 'config'));
  const shown = relative(io.cwd, folder) || '.';
  const inProject = pathInProject(folder, project);
  refuseExisting(exported.files, folder, io);
  const unread = checkNew(exported.declared, inProject, declarations);
  const isOutside = inProject.split('/')[0] === '..';
  if (!isOutside) {
    const written = exported.files.map(({ path }) => posix.join(inProject, path));
    for (const path of [envExampleFile, ...written]) requireInside(project.root, path);
  }
  const unmatched = selection.findUnmatched();
  if (args.dryRun) {
    printDiagnostics([...unmatched, ...exported.diagnostics], io);
    const files = exported.files.map(({ path }) => `+ ${oneLine(join(shown, path))}\n`);
    io.stdout.write(`${files.join('')}Files to write: ${files.length}. Nothing was written.\n`);
    return ExitCode.done;
  }
  const listed = listSecrets(exported, isOutside ? folder : project.root, io);
  const files = exported.files.map(({ path, content }) => ({ path: join(shown, path), content }));
  await changeFiles([...(listed?.isChanged ? [listed] : []), ...files], [], io);
  printDiagnostics([...unmatched, ...exported.diagnostics, ...unread], io);
  io.stdout.write(`Files written to ${oneLine(shown)}: ${exported.files.length}.\n`);
  if (listed)
    io.stdout.write(`The secrets are listed in ${oneLine(listed.path)}. Set those that \`plan\` asks for.\n`);
  return ExitCode.done;
}

function openBackupAt(
  path: string,
  projects: OpenedProjects,
  { environment }: ProjectEnvironment,
  io: Io,
): Backup {
  const folder = namedFolder(path, io);
  const { sizeLimit } = projects;
  if (folder.backup.length > 0) return openBackup(path, folder, { environment, sizeLimit }, io.signal);
  const message = `--from: ${oneLine(path)} has no JSON of a configuration export, or it has manifests.`;
  throw fail('usage', message, { hint: 'Name a `.json` file, or a folder with such files.' });
}

/** The `.env.example` of a folder with the secrets that the manifests name; `null` without secrets. */
function listSecrets({ secrets }: Export, folder: string, io: Io) {
  const path = relative(io.cwd, join(folder, envExampleFile));
  const existing = secrets.length > 0 ? readIfThere(resolve(io.cwd, path), path) : null;
  const content = addToEnvExample(existing, secrets);
  return content === null ? null : { path, content, isChanged: content !== existing };
}

function refuseExisting(files: readonly ExportedFile[], folder: string, io: Io): void {
  const existing = files.map(({ path }) => join(folder, path)).filter((path) => existsSync(path));
  const [first] = existing;
  if (first === undefined) return;
  const what = namesAndMore([relative(io.cwd, first)], existing.length - 1);
  throw fail('file-exists', `There already: ${what}. Nothing was written.`, {
    hint: 'Update the existing manifests with `export --merge`, or export into another folder with --out.',
  });
}

/** Updates the existing manifests with what the tenant has, and adds new ones. */
async function mergeIntoManifests(args: Args, io: Io): Promise<ExitCode> {
  const options = projectOptions({ ...args, out: undefined }, io);
  const projects = openProjects(options);
  const project = projects.load(options.environment);
  const declarations = projects.declarations(options.environment);
  checkScope(args, project.environment.kinds);
  const selection = selectionOf(args);
  const inRoot = (path: string) => join(project.root, path);
  const merge = await withTenant(project, io, (tenant) =>
    mergeTenant(project, tenant, {
      kinds: kindsNamed(args),
      isInScope: selection.includes,
      all: args.all,
      folder: pathInProject(resolve(io.cwd, args.out ?? join(project.root, 'config')), project),
      delete: args.delete,
      read: (path) => readIfThere(inRoot(path), path),
      fileOf: (path) =>
        relative(project.root, resolveLinks(inRoot(path)))
          .split(sep)
          .join('/'),
      declarations,
    }),
  );

  const written = [...merge.changed, ...merge.created];
  for (const { path } of written) requireInside(project.root, path);
  const changed = [...merge.changed.map(({ path }) => path), ...merge.deleted];
  if (!args.allowDirty) await refuseDirty(project.root, changed);
  const unmatched = selection.findUnmatched();
  if (!args.dryRun) {
    const shown = (path: string) => relative(io.cwd, inRoot(path));
    const files = written.map(({ path, content }) => ({ path: shown(path), content }));
    await changeFiles(files, merge.deleted.map(shown), io);
  }
  const diagnostics = [...unmatched, ...merge.diagnostics];
  printDiagnostics(diagnostics, io);
  io.stdout.write(summaryOf(merge));
  if (args.dryRun) io.stdout.write('Nothing was written.\n');
  if (project.resources.length === 0 && !args.all && kindsNamed(args) === undefined)
    io.stdout.write('No object is declared. Add those of the tenant with --all.\n');
  return hasErrors(diagnostics) ? ExitCode.incomplete : ExitCode.done;
}

/** Otherwise the changes of the merge could not be told from uncommitted ones, or reverted alone. */
async function refuseDirty(root: string, paths: readonly string[]): Promise<void> {
  const dirty = new Set(await findUncommitted(paths.map((path) => join(root, path))));
  const problems = paths
    .filter((path) => dirty.has(join(root, path)))
    .map(
      (path): Diagnostic => ({
        code: 'dirty-file',
        severity: 'error',
        message: `${path} has changes that are not committed, and the merge would change it. Nothing was written.`,
        hint: 'Commit the file first, or use --allow-dirty.',
        source: { file: path, line: 1, column: 1 },
      }),
    );
  if (problems.length > 0) throw new Failure(problems);
}

function summaryOf({ changed, created, deleted, undeclared }: Merge): string {
  const lines = [
    ...changed.map(({ path }) => `~ ${path}`),
    ...created.map(({ path }) => `+ ${path}`),
    ...deleted.map((path) => `- ${path}`),
  ];
  const counts = `Files: ${changed.length} changed, ${created.length} new, ${deleted.length} removed.`;
  const rest =
    undeclared === 0
      ? []
      : [`${countIs(undeclared, 'object')} undeclared. Add ${undeclared === 1 ? 'it' : 'them'} with --all.`];
  return `${[...lines.map(oneLine), counts, ...rest].join('\n')}\n`;
}
