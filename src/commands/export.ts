import { existsSync } from 'node:fs';
import { join, posix, relative, resolve } from 'node:path';
import type { Argv } from 'yargs';
import { scopeOf } from '../engine/choices.ts';
import { exportTenant } from '../engine/export.ts';
import { type ExportedFile, secretsFile } from '../exporter/index.ts';
import { kinds } from '../kinds/index.ts';
import { loadDeclarations, loadEnvironment } from '../loader/index.ts';
import { ExitCode, Failure, failure } from '../model/failure.ts';
import { type ArgsOf, commonOptions, defineCommand, projectOptions, scopeOptions } from './command.ts';
import { mergeIntoManifests } from './export-merge.ts';
import { folderInProject, refuseDeclared, unreadManifests } from './export-place.ts';
import type { Io } from './io.ts';
import { printRemarks, writeText } from './output.ts';
import { createProgress } from './progress.ts';
import { withTenant } from './tenant.ts';

function build(yargs: Argv) {
  return scopeOptions(commonOptions(yargs))
    .usage('$0 export [options]\n\nWrites the live tenant as manifests.')
    .option('out', {
      type: 'string',
      default: 'config',
      describe: 'The folder to write into',
      requiresArg: true,
    })
    .option('kinds', {
      array: true,
      choices: kinds.map(({ name }) => name),
      default: kinds.map(({ name }) => name),
      defaultDescription: 'all',
      describe: 'The kinds to export',
      requiresArg: true,
    })
    .option('merge', {
      type: 'boolean',
      default: false,
      describe: 'Update the manifests there are, in place: comments, order, style, tags and side files stay',
    })
    .option('delete', {
      type: 'boolean',
      default: false,
      describe: 'With --merge: remove the documents of objects that the tenant no longer has',
    })
    .example('$0 export --out config', 'Begin with what the tenant has')
    .example('$0 export --merge', 'Take what was changed in the tenant into the manifests')
    .example('$0 export --kinds NotificationTemplate SenderAddress', 'Only these kinds')
    .example("$0 export --only 'NotificationTemplate/password_*/**'", 'Only these objects');
}

type Args = ArgsOf<typeof build>;

async function run(args: Args, io: Io): Promise<ExitCode> {
  if (args.merge) return mergeIntoManifests(args, io);
  if (args.delete) throw failure('usage', '--delete goes with --merge.', { hint: 'Add --merge.' });
  return exportAfresh(args, io);
}

/** What an export into new files needs to know. */
type NewExport = Pick<
  Args,
  'config' | 'env' | 'quiet' | 'verbose' | 'color' | 'progress' | 'kinds' | 'only' | 'except' | 'out'
>;

export async function exportAfresh(args: NewExport, io: Io): Promise<ExitCode> {
  const project = loadEnvironment(projectOptions(args, io));
  const declarations = loadDeclarations(projectOptions(args, io));
  const isInScope = scopeOf(args);
  const exported = await withTenant(project, io, createProgress(io, args), (tenant) =>
    exportTenant(tenant, { kinds: args.kinds, isInScope }),
  );

  const folder = resolve(io.cwd, args.out);
  const shown = relative(io.cwd, folder) || '.';
  const inProject = folderInProject(folder, project.configFile, project.root);
  refuseExisting(exported.files, folder, io);
  refuseDeclared(exported.declared, inProject, declarations);
  for (const { path, content } of exported.files) writeText(join(shown, path), content, io);
  const paths = exported.declared.map(({ path }) => posix.join(inProject, path));
  const diagnostics = [...exported.diagnostics, ...unreadManifests(paths, declarations)];
  if (diagnostics.length > 0) printRemarks({ is: 'diagnostics', diagnostics }, args, io);
  io.stdout.write(`Files written to ${shown}: ${exported.files.length}.\n`);
  if (exported.files.some(({ path }) => path === secretsFile)) {
    io.stdout.write(`Secrets to be set before a plan: ${join(shown, secretsFile)} names them.\n`);
  }
  return ExitCode.done;
}

/** An export never writes over what somebody wrote. */
function refuseExisting(files: readonly ExportedFile[], folder: string, io: Io): void {
  const existing = files.map(({ path }) => join(folder, path)).filter((path) => existsSync(path));
  if (existing.length === 0) return;
  throw new Failure(
    existing.map((path) => ({
      code: 'file-exists',
      severity: 'error',
      message: `${relative(io.cwd, path)} exists already; nothing was written.`,
      hint: 'Export into another folder with --out, or update what is there with --merge.',
    })),
  );
}

export const command = defineCommand(build, run);
