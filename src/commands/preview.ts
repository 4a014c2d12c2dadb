import type { Argv } from 'yargs';
import { scopeOf } from '../engine/choices.ts';
import { type LiveTemplates, readTemplates } from '../engine/templates.ts';
import type { Tenant } from '../engine/tenant.ts';
import { lint } from '../lint/index.ts';
import { loadEnvironment, loadProject } from '../loader/index.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { ExitCode, Failure } from '../model/failure.ts';
import type { Project } from '../model/project.ts';
import { startPreview } from '../preview/server.ts';
import { previewTemplates, type Snapshot } from '../preview/snapshot.ts';
import { type Watch, watchFolder } from '../preview/watch.ts';
import {
  type ArgsOf,
  commonOptions,
  defineCommand,
  lastPort,
  projectOptions,
  scopeOptions,
  wholeNumber,
} from './command.ts';
import type { Io } from './io.ts';
import { createProgress } from './progress.ts';
import { withTenant } from './tenant.ts';

function build(yargs: Argv) {
  return scopeOptions(commonOptions(yargs))
    .usage(
      '$0 preview [options]\n\nServes a page on the loopback address that shows every notification template, rendered, before and after. Ctrl-C ends it.',
    )
    .option('port', { type: 'number', default: 0, describe: 'Port; 0 takes a free one', requiresArg: true })
    .check(wholeNumber('port', lastPort))
    .option('offline', { type: 'boolean', default: false, describe: 'Do not read the tenant' })
    .example('$0 preview', 'Edit templates and see them at once')
    .example('$0 preview --offline --port 8080', 'Without the tenant');
}

type Args = ArgsOf<typeof build>;

async function run(args: Args, io: Io): Promise<ExitCode> {
  const load = loaderOf(args, io);
  const { root, environment } = loadEnvironment(projectOptions(args, io));
  const reader = args.offline ? offline : onlineReader(args, io);
  const nothing = { environment: environment.name, templates: [], attributes: null, diagnostics: [] };
  let known = await reload(nothing, load, reader);
  const preview = await startPreview({ port: args.port, snapshot: known });
  io.stdout.write(`${preview.url}\n`);
  if (!args.quiet) io.stderr.write('The page follows the manifests. Ctrl-C ends it.\n');
  const refresh = async () => {
    known = await reload(known, load, reader);
    preview.show(known);
  };
  try {
    await follow(root, refresh, io.signal);
  } finally {
    await preview.close();
  }
  return ExitCode.done;
}

/** Gives the project as it is then, with the resources of the scope. Throws a Failure for a scope that is none. */
function loaderOf(args: Args, io: Io): () => Project {
  const inScope = scopeOf(args);
  return () => {
    const project = loadProject({ ...projectOptions(args, io), needsSecrets: false });
    return { ...project, resources: project.resources.filter(({ address }) => inScope(address)) };
  };
}

/** Runs `refresh` after every change of a file, until the signal; rejects with what `refresh` rejects with. */
async function follow(root: string, refresh: () => Promise<void>, signal: AbortSignal): Promise<void> {
  let watch: Watch | undefined;
  await new Promise<void>((end, fail) => {
    watch = watchFolder(root, oneAtATime(refresh, fail));
    if (signal.aborted) end();
    signal.addEventListener('abort', () => end(), { once: true });
  }).finally(() => watch?.close());
}

/** The state after a change; a project that does not load leaves the last templates, with its problems. */
async function reload(known: Snapshot, load: () => Project, reader: Reader): Promise<Snapshot> {
  try {
    return await snapshotOf(load(), reader);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { ...known, diagnostics: error.diagnostics };
  }
}

async function snapshotOf(project: Project, reader: Reader): Promise<Snapshot> {
  const { resources, environment, lint: levels } = project;
  const { side, diagnostics } = await reader(project);
  const known = side && { defaults: side.defaults, context: Object.keys(side.attributes) };
  const findings = lint({ resources, known, levels }).filter(({ address }) => isTemplate(address));
  return {
    environment: environment.name,
    templates: previewTemplates(resources, side),
    attributes: side?.attributes ?? null,
    diagnostics: [...project.diagnostics, ...findings, ...diagnostics],
  };
}

const isTemplate = (address: string | undefined): boolean =>
  address?.startsWith('NotificationTemplate/') ?? false;

type Reader = (project: Project) => Promise<{
  readonly side: LiveTemplates | null;
  readonly diagnostics: readonly Diagnostic[];
}>;

const offline: Reader = async () => ({ side: null, diagnostics: [] });

/** Reads the tenant when other templates are declared than the last time; editing a text asks nothing. */
function onlineReader(args: Args, io: Io): Reader {
  let last: { readonly name: string; readonly answer: ReturnType<Reader> } | null = null;
  return (project) => {
    const addresses = project.resources.map(({ address }) => address).filter(isTemplate);
    const name = JSON.stringify([project.environment.name, ...addresses.toSorted()]);
    if (last?.name !== name) last = { name, answer: readSide(project, args, io) };
    return last.answer;
  };
}

/** A tenant that cannot be read is reported, and costs only the left side. */
async function readSide(project: Project, args: Args, io: Io): ReturnType<Reader> {
  const templates = project.resources.filter(({ address }) => isTemplate(address));
  if (templates.length === 0) return { side: null, diagnostics: [] };
  try {
    const read = (tenant: Tenant) => readTemplates(templates, tenant);
    const side = await withTenant(project, io, createProgress(io, args), read);
    return { side, diagnostics: [] };
  } catch (error) {
    if (!(error instanceof Failure) || io.signal.aborted) throw error;
    return { side: null, diagnostics: error.diagnostics.map(asWarning) };
  }
}

const asWarning = (diagnostic: Diagnostic): Diagnostic => ({ ...diagnostic, severity: 'warning' });

/** Runs `work` again after what is under way, however often it is asked for meanwhile. */
function oneAtATime(work: () => Promise<void>, onError: (error: unknown) => void): () => void {
  let isAsked = false;
  let isBusy = false;
  const next = async () => {
    isBusy = true;
    while (isAsked) {
      isAsked = false;
      await work();
    }
    isBusy = false;
  };
  return () => {
    isAsked = true;
    if (!isBusy) next().catch(onError);
  };
}

export const command = defineCommand(build, run);
