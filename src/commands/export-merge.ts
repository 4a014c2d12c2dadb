import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { resolveLookups } from '../client/lookups.ts';
import { readEverything } from '../client/read-everything.ts';
import { type Merge, mergeExport } from '../exporter/index.ts';
import { kindNamed } from '../kinds/index.ts';
import { loadDeclarations, loadProject } from '../loader/index.ts';
import { hasErrors } from '../model/diagnostic.ts';
import { ExitCode } from '../model/exit.ts';
import { fillLookups, lookupsIn } from '../planner/index.ts';
import { oneLine } from '../report/safe.ts';
import { scopeOf } from './check-globs.ts';
import type { CommonArgs } from './command.ts';
import { folderInProject, refuseUnread } from './export-place.ts';
import type { Io } from './io.ts';
import { printRemarks, writeText } from './output.ts';
import { createProgress } from './progress.ts';
import { projectOptions } from './project.ts';
import { readReferenced } from './read-referenced.ts';
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
  const { root, configFile, environment, resources, secrets } = project;
  const { settings } = environment;
  const isChosen = scopeOf(args);
  const merge = await withTenant(project, io, createProgress(io, args), async (tenant) => {
    const { client } = tenant.remembered();
    const [objects, answer] = await Promise.all([
      readEverything(client, args.kinds.map(kindNamed), settings, resources),
      resolveLookups(client, lookupsIn(resources)),
    ]);
    return mergeExport({
      objects,
      settings,
      records: await readReferenced(client, objects, settings),
      resources: fillLookups(resources, answer),
      inScope: ({ kind, address }) => args.kinds.includes(kind) && isChosen(address),
      secrets,
      folder: folderInProject(resolve(io.cwd, args.out), configFile, root),
      delete: args.delete,
      read: (path) => readIfThere(join(root, path)),
    });
  });

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
