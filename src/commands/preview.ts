import { checkScope, selectionOf } from '../engine/choices.ts';
import { readTemplates } from '../engine/templates.ts';
import type { Project } from '../kinds/project.ts';
import { lint } from '../lint/index.ts';
import { loadEnvironment, loadProject } from '../loader/index.ts';
import { SharedWork } from '../model/basics.ts';
import { ExitCode, Failure } from '../model/failure.ts';
import { markersIn } from '../model/marker.ts';
import { Preview, watchFolder } from '../preview/server.ts';
import { previewTemplates, type Snapshot } from '../preview/templates.ts';
import { type ArgsOf, commonOptions, describeCommand, option, scopeOptions } from './command.ts';
import type { Io } from './io.ts';
import { withTenant } from './progress.ts';
import { projectOptions } from './project.ts';

const options = {
  ...commonOptions,
  ...scopeOptions,
  port: { ...option.number('Port. 0: any free port'), default: 0 },
  offline: option.flag('Do not read the tenant'),
} as const;

type Args = ArgsOf<typeof options>;

export const command = describeCommand({
  usage:
    '$0 preview [options]\n\nServes a local web page with every notification template, rendered, before and after the changes. Stop it with Ctrl-C.',
  options,
  examples: {
    '$0 preview': 'See templates while you edit them',
    '$0 preview --offline --port 8080': 'Without the tenant',
  },
}).run(async (args, io) => {
  const { root, environment } = loadEnvironment(projectOptions(args, io));
  // A glob that can match nothing is an error at once: no change of a file helps.
  checkScope(args, environment.kinds);
  const reader = createReader(args, io);
  let snapshot: Snapshot = {
    environment: environment.name,
    root,
    templates: [],
    attributes: null,
    listed: new Map(),
    diagnostics: [],
    loadedAt: null,
    isBroken: true,
  };
  /** If the project cannot be loaded, the last templates stay, with the problems. */
  const update = async () => {
    try {
      snapshot = await takeSnapshot(loadInScope(args, io), reader.read);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      snapshot = { ...snapshot, diagnostics: error.diagnostics, isBroken: true };
    }
  };
  await update();
  const preview = await new Preview(snapshot, (text) => io.redactor.text(text)).start(args.port);
  io.stdout.write(`${preview.url}\n`);
  if (!io.quiet) io.stderr.write('The page is updated when manifests change. Press Ctrl-C to stop.\n');
  let watch: ReturnType<typeof watchFolder> | undefined;
  try {
    await new Promise<void>((end, fail) => {
      const shared = new SharedWork(async () => {
        preview.show(null);
        await update();
        preview.show(snapshot);
      });
      const refresh = () => void shared.run().catch(fail);
      preview.onReload = () => {
        reader.forget();
        refresh();
      };
      watch = watchFolder(root, refresh);
      if (io.signal.aborted) end();
      io.signal.addEventListener('abort', () => end(), { once: true });
    });
  } finally {
    watch?.close();
    await preview.close();
  }
  return ExitCode.done;
});

function loadInScope(args: Args, io: Io): Project {
  const { includes, findUnmatched } = selectionOf(args);
  const project = loadProject(projectOptions(args, io));
  // The redactor learns a secret when it is read.
  const secrets = new Set(project.resources.flatMap(({ fields }) => markersIn(fields, '$secret')));
  for (const name of secrets) project.secrets.problem(name);
  const resources = project.resources.filter(({ address }) => includes(address));
  return { ...project, resources, diagnostics: [...findUnmatched(), ...project.diagnostics] };
}

async function takeSnapshot(project: Project, read: (project: Project) => Promise<LivePreview>) {
  const loadedAt = new Date().toISOString();
  const { root, resources, environment, lint: levels } = project;
  const { live, diagnostics } = await read(project);
  const known = live && {
    defaults: live.defaults,
    customised: new Set(live.objects.map(({ address }) => address)),
    context: Object.keys(live.attributes),
    listed: live.listed,
  };
  const findings = lint({ resources, known, levels }).filter(({ address }) => isTemplate(address));
  return {
    environment: environment.name,
    root,
    templates: previewTemplates(resources, live),
    attributes: live?.attributes ?? null,
    listed: live?.listed ?? new Map(),
    diagnostics: [...project.diagnostics, ...findings, ...diagnostics],
    loadedAt,
    isBroken: false,
  };
}

const isTemplate = (address = ''): boolean => address.startsWith('NotificationTemplate/');

type LivePreview = Awaited<ReturnType<typeof readLive>>;

/**
 * Reads the tenant once. Reads it again only if the page is reloaded, the tenant changes, or other templates or bases are declared:
 * an edited text sends no request, and does not wait for a tenant that fails.
 */
function createReader(args: Args, io: Io) {
  let last: { readonly name: string; readonly answer: Promise<LivePreview> } | null = null;
  return {
    read(project: Project): Promise<LivePreview> {
      const { name: environment, tenant, settings } = project.environment;
      const addresses = project.resources.map(({ address }) => address).filter(isTemplate);
      const bases = project.resources.map(({ lifecycle }) => lifecycle.basedOn ?? '');
      const name = JSON.stringify([environment, tenant, settings, addresses.toSorted(), bases.toSorted()]);
      if (last?.name !== name) last = { name, answer: readLive(project, args, io) };
      return last.answer;
    },
    forget() {
      last = null;
    },
  };
}

/** Reads the live templates. If the tenant cannot be read, the page goes without them and shows why. */
async function readLive(project: Project, args: Args, io: Io) {
  const isNeeded = project.resources.some(({ address }) => isTemplate(address));
  if (args.offline || !isNeeded) return { live: null, diagnostics: [] };
  try {
    const live = await withTenant(project, io, (tenant) => readTemplates(project, tenant, io.env));
    return { live, diagnostics: [] };
  } catch (error) {
    if (!(error instanceof Failure) || io.signal.aborted) throw error;
    const diagnostics = error.diagnostics.map((each) => ({ ...each, severity: 'warning' as const }));
    return { live: null, diagnostics };
  }
}
