import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Limiters } from '../client/client.ts';
import { openBackup } from '../engine/backup.ts';
import { type DiffSource, diffSides, manifestSide } from '../engine/diff.ts';
import { useTenant } from '../engine/tenant.ts';
import { type OpenedProjects, openProjects } from '../loader/index.ts';
import { nearEnvironment } from '../loader/selection.ts';
import { type Diff, differs } from '../model/documents.ts';
import { ExitCode, fail } from '../model/failure.ts';
import { type ArgsOf, commonOptions, describeCommand, option, scopeOptions } from './command.ts';
import { namedFolder } from './files.ts';
import type { Io } from './io.ts';
import { checkOutput, outputDocument } from './output.ts';
import { withFleetProgress } from './progress.ts';
import { projectFileOptions, projectOptions } from './project.ts';

const options = {
  ...commonOptions,
  ...scopeOptions,
  first: { ...option.argument('An environment, or the path of manifests or a backup'), demandOption: true },
  second: option.argument('The same. Can be left out with --declared'),
  kinds: { ...option.names("--only 'KIND/**'"), hidden: true },
  declared: option.flag(
    'An environment stands for what the manifests declare for it. With one environment: its tenant against its manifests',
    'objects',
  ),
  format: option.format(['text', 'json', 'markdown', 'html'], 'output'),
  report: option.list('Also write the differences to these files (.md .html .json)', 'output'),
  'detailed-exitcode': option.flag('Exit with 2 if there are differences', 'output'),
} as const;

type Args = ArgsOf<typeof options>;

export const command = describeCommand({
  usage:
    '$0 diff FIRST [SECOND] [options]\n\nShows what differs between two tenants, or a tenant and manifests, object by object. A side is an environment, whose tenant is read, or a path: manifests, such as an export, or a backup, the JSON of a configuration export. Compares the kinds in --only. Without it, compares the kinds in the manifests or backup of a side, and between two tenants all kinds that the API can change. Changes nothing.',
  options,
  examples: {
    '$0 diff test production': 'Two tenants',
    '$0 diff production ./exported': 'A tenant and an earlier export',
    '$0 diff backup.json production': 'A backup and a tenant',
    '$0 diff --declared production': 'A tenant and its manifests, undeclared objects included',
    '$0 diff --declared test production': 'What the manifests declare for two tenants',
  },
}).run(async (args, io) => {
  checkOutput(args, 'diff', io);
  const projects = openProjects(projectFileOptions(args, io));
  const { sides, environment } = sidesOf(args, projects, io);
  const limiters: Limiters = new Map();
  const tenants = sides.filter(({ is }) => is === 'tenant').length;
  const diff = await withFleetProgress(tenants, { parallel: 1 }, io, (run) => {
    /** Opens a side for `use`, and closes it again. */
    const withSource = (side: SideChoice, use: (source: DiffSource) => Promise<Diff>): Promise<Diff> => {
      if (side.is === 'folder') {
        const folder = namedFolder(side.path, io);
        if (folder.backup.length === 0) {
          const project = projects.loadFolder(folder, environment);
          return use({ ...manifestSide(project), name: side.path, isProject: false });
        }
        const project = projects.environment(environment);
        const limited = { environment: project.environment, sizeLimit: projects.sizeLimit };
        const { tenant, ...backup } = openBackup(side.path, folder, limited, io.signal);
        const declarations = projects.declarations(environment);
        return use({ is: 'tenant', name: side.path, tenant, backup, declarations, ...project });
      }
      const name = side.environment;
      if (side.is === 'manifests') return use(manifestSide(projects.load(name)));
      const project = projects.environment(name);
      const { root, secrets } = project;
      run.onProgress(name, 'begun');
      const options = { signal: io.signal, limiters, ...run.tenantOptions(name) };
      return useTenant(project, options, (tenant) =>
        use({ is: 'tenant', name, tenant, root, secrets, declarations: projects.declarations(name) }),
      );
    };
    return withSource(sides[0], (first) =>
      withSource(sides[1], (second) =>
        // An exit code cannot say that a kind was left out.
        diffSides([first, second], { ...args, isComplete: args.detailedExitcode }),
      ),
    );
  });
  await outputDocument({ is: 'diff', diff }, args, io);
  return args.detailedExitcode && differs(diff) ? ExitCode.changes : ExitCode.done;
});

/** A side that is not read yet. */
type SideChoice =
  | { readonly is: 'tenant' | 'manifests'; readonly environment: string }
  | { readonly is: 'folder'; readonly path: string };

/** The two sides, and the environment whose variables the manifests of folders get; left out: the default of the project. */
function sidesOf(
  args: Args,
  projects: OpenedProjects,
  io: Io,
): { readonly sides: readonly [SideChoice, SideChoice]; readonly environment: string | undefined } {
  const words = [args.first, ...(args.second === undefined ? [] : [args.second])];
  const named = words.map((word) => sideNamed(word, args.declared, projects, io));
  const [first, second] = named;
  const environments = named.flatMap((side) => (side.is === 'folder' ? [] : [side.environment]));
  if (environments.length === named.length && args.env.length > 0)
    throw fail('usage', '--env says whose variables a folder of manifests gets, and no side is a folder.', {
      hint: 'Name the environments to compare as arguments: `tenantctl diff test production`.',
    });
  const [of] = args.env.length > 0 ? [] : environments;
  const environment = of ?? projectOptions(args, io).environment;
  if (first && second) return { environment, sides: [first, second] };
  if (first?.is === 'manifests')
    return { environment, sides: [{ is: 'tenant', environment: first.environment }, first] };
  throw fail('usage', 'A diff needs two sides.', {
    hint: 'Name two environments, or an environment and a folder; or compare a tenant with its manifests: `tenantctl diff --declared ENVIRONMENT`.',
  });
}

/** An environment of the project, or else a path: write `./test` for a folder with the name of an environment. */
function sideNamed(word: string, declared: boolean, projects: OpenedProjects, io: Io): SideChoice {
  if (projects.environments.includes(word))
    return { is: declared ? 'manifests' : 'tenant', environment: word };
  if (/[\\/]|^\./.test(word) || existsSync(resolve(io.cwd, word))) return { is: 'folder', path: word };
  const message = `There is no environment \`${word}\`, and no file or folder of that name.`;
  throw fail('unknown-environment', message, { hint: nearEnvironment(word, projects) });
}
