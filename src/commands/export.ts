import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, posix, relative, resolve } from 'node:path';
import type { Argv } from 'yargs';
import { scopeOf } from '../engine/choices.ts';
import { kindsWithoutService, leftOut } from '../engine/detect.ts';
import {
  exportTenant,
  mergeTenant,
  pathInProject,
  refuseDeclared,
  refuseUnread,
  unreadManifests,
} from '../engine/export.ts';
import { type ExportedFile, type Merge, secretsFile } from '../exporter/index.ts';
import { kinds } from '../kinds/index.ts';
import { loadDeclarations, loadEnvironment, loadProject, type ProjectEnvironment } from '../loader/index.ts';
import { hasErrors } from '../model/diagnostic.ts';
import { ExitCode, Failure, failure } from '../model/failure.ts';
import { oneLine } from '../report/safe.ts';
import { type ArgsOf, defineCommand } from './command.ts';
import type { Io, Verbosity } from './io.ts';
import { commonOptions, flag, projectOptions, scopeOptions, text } from './options.ts';
import { printRemarks, writeText } from './output.ts';
import { withTenant } from './progress.ts';

function build(yargs: Argv) {
  return scopeOptions(commonOptions(yargs))
    .usage('$0 export [options]\n\nWrites the live tenant as manifests.')
    .option('out', text('The folder to write into. Default: config in the project folder'))
    .option('kinds', {
      array: true,
      choices: kinds.map(({ name }) => name),
      defaultDescription: 'all whose service the environment has',
      describe: 'The kinds to export',
      requiresArg: true,
    })
    .option('merge', flag('Update the existing manifests. Keeps comments, order, style, tags and side files'))
    .option('delete', flag('With --merge: remove documents of objects that the tenant no longer has'))
    .example('$0 export --out config', 'Start a project from an existing tenant')
    .example('$0 export --merge', 'Bring changes made in the tenant into the manifests')
    .example('$0 export --kinds NotificationTemplate SenderAddress', 'Only these kinds')
    .example("$0 export --only 'NotificationTemplate/password_*/**'", 'Only these objects');
}

type Args = ArgsOf<typeof build>;

export const command = defineCommand(build, async (args, io) => {
  if (args.merge) return mergeIntoManifests(args, io);
  if (args.delete) throw failure('usage', '--delete needs --merge.', { hint: 'Add --merge.' });
  return exportToNewFiles(args, io);
});

/** The arguments of an export into new files. */
type NewExportArgs = Verbosity &
  Pick<Args, 'config' | 'env' | 'only' | 'except' | 'out'> & {
    readonly kinds?: readonly string[] | undefined;
  };

/** The kinds to export, and a remark for each that is left out because its service is not in the environment. */
function kindsOf({ kinds: named }: Pick<NewExportArgs, 'kinds'>, { environment }: ProjectEnvironment) {
  if (named) return { names: named, remarks: [] };
  const left = kindsWithoutService(environment);
  const names = kinds.filter((kind) => !left.includes(kind)).map(({ name }) => name);
  return { names, remarks: left.map((kind) => leftOut(kind)) };
}

/** Writes the tenant as new manifests. Throws a Failure where a file exists or an object is already declared. */
export async function exportToNewFiles(args: NewExportArgs, io: Io): Promise<ExitCode> {
  const project = loadEnvironment(projectOptions(args, io));
  const declarations = loadDeclarations(projectOptions(args, io));
  const isInScope = scopeOf(args);
  const { names, remarks } = kindsOf(args, project);
  const exported = await withTenant(project, args, io, (tenant) =>
    exportTenant(tenant, {
      kinds: names,
      root: project.root,
      isInScope,
      declaredSecrets: declarations.secretsOf,
    }),
  );

  const folder = outFolder(args, project, io);
  const shown = relative(io.cwd, folder) || '.';
  const inProject = pathInProject(folder, project);
  refuseExisting(exported.files, folder, io);
  refuseDeclared(exported.declared, inProject, declarations);
  for (const { path, content } of exported.files) writeText(join(shown, path), content, io);
  const paths = exported.declared.map(({ path }) => posix.join(inProject, path));
  const diagnostics = [...remarks, ...exported.diagnostics, ...unreadManifests(paths, declarations)];
  if (diagnostics.length > 0) printRemarks({ is: 'diagnostics', diagnostics }, args, io);
  io.stdout.write(`Files written to ${oneLine(shown)}: ${exported.files.length}.\n`);
  if (exported.files.some(({ path }) => path === secretsFile)) {
    io.stdout.write(`Set the secrets named in ${oneLine(join(shown, secretsFile))} before you plan.\n`);
  }
  return ExitCode.done;
}

/** The folder of `--out`, absolute. */
function outFolder({ out }: Pick<Args, 'out'>, { root }: Pick<ProjectEnvironment, 'root'>, io: Io): string {
  return out === undefined ? join(root, 'config') : resolve(io.cwd, out);
}

/** An export never overwrites a file. */
function refuseExisting(files: readonly ExportedFile[], folder: string, io: Io): void {
  const existing = files.map(({ path }) => join(folder, path)).filter((path) => existsSync(path));
  if (existing.length === 0) return;
  throw new Failure(
    existing.map((path) => ({
      code: 'file-exists',
      severity: 'error',
      message: `${relative(io.cwd, path)} already exists. Nothing was written.`,
      hint: 'Export into another folder with --out, or update the existing manifests with --merge.',
    })),
  );
}

/** Updates the existing manifests with what the tenant has, and adds new ones. */
async function mergeIntoManifests(args: Args, io: Io): Promise<ExitCode> {
  const project = loadProject(projectOptions(args, io));
  const declarations = loadDeclarations(projectOptions(args, io));
  const isInScope = scopeOf(args);
  const inRoot = (path: string) => join(project.root, path);
  const { names, remarks } = kindsOf(args, project);
  const merge = await withTenant(project, args, io, (tenant) =>
    mergeTenant(project, tenant, {
      kinds: names,
      isInScope,
      folder: pathInProject(outFolder(args, project, io), project),
      delete: args.delete,
      read: (path) => (existsSync(inRoot(path)) ? readFileSync(inRoot(path), 'utf8') : null),
    }),
  );

  refuseUnread(merge.newManifests, declarations);
  for (const { path, content } of [...merge.changed, ...merge.created]) writeText(inRoot(path), content, io);
  for (const path of merge.deleted) rmSync(inRoot(path));
  const diagnostics = [...remarks, ...merge.diagnostics];
  if (diagnostics.length > 0) printRemarks({ is: 'diagnostics', diagnostics }, args, io);
  io.stdout.write(summaryOf(merge));
  return hasErrors(diagnostics) ? ExitCode.incomplete : ExitCode.done;
}

function summaryOf({ changed, created, deleted }: Merge): string {
  const lines = [
    ...changed.map(({ path }) => `~ ${path}`),
    ...created.map(({ path }) => `+ ${path}`),
    ...deleted.map((path) => `- ${path}`),
  ];
  const counts = `Files: ${changed.length} changed, ${created.length} new, ${deleted.length} removed.`;
  return `${[...lines.map(oneLine), counts].join('\n')}\n`;
}
