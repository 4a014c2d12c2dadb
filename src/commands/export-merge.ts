import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { scopeOf } from '../engine/choices.ts';
import { mergeTenant } from '../engine/export.ts';
import type { Merge } from '../exporter/index.ts';
import { loadDeclarations, loadProject } from '../loader/index.ts';
import { hasErrors } from '../model/diagnostic.ts';
import { ExitCode } from '../model/failure.ts';
import { oneLine } from '../report/safe.ts';
import { type CommonArgs, projectOptions } from './command.ts';
import { folderInProject, refuseUnread } from './export-place.ts';
import type { Io } from './io.ts';
import { printRemarks, writeText } from './output.ts';
import { createProgress } from './progress.ts';
import { withTenant } from './tenant.ts';

export interface MergeArgs extends CommonArgs {
  readonly out: string;
  readonly kinds: readonly string[];
  readonly only: readonly string[];
  readonly except: readonly string[];
  readonly delete: boolean;
}

/** `export --merge`: takes what the tenant has into the manifests there are, and leaves the rest of them alone. */
export async function mergeIntoManifests(args: MergeArgs, io: Io): Promise<ExitCode> {
  const project = loadProject(projectOptions(args, io));
  const declarations = loadDeclarations(projectOptions(args, io));
  const { root, configFile } = project;
  const isInScope = scopeOf(args);
  const merge = await withTenant(project, io, createProgress(io, args), (tenant) =>
    mergeTenant(project, tenant, {
      kinds: args.kinds,
      isInScope,
      folder: folderInProject(resolve(io.cwd, args.out), configFile, root),
      delete: args.delete,
      read: (path) => readIfThere(join(root, path)),
    }),
  );

  refuseUnread(merge.newManifests, declarations);
  for (const { path, content } of [...merge.changed, ...merge.created])
    writeText(join(root, path), content, io);
  for (const path of merge.deleted) rmSync(join(root, path));
  if (merge.diagnostics.length > 0)
    printRemarks({ is: 'diagnostics', diagnostics: merge.diagnostics }, args, io);
  io.stdout.write(summaryOf(merge));
  return hasErrors(merge.diagnostics) ? ExitCode.incomplete : ExitCode.done;
}

function readIfThere(path: string): string | null {
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
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
