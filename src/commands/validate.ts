import { joinValidations, validateProject } from '../engine/validate.ts';
import { loadProject, openProjects } from '../loader/index.ts';
import { comparePlaces } from '../loader/problems.ts';
import { ExitCode } from '../model/failure.ts';
import { countIs } from '../report/words.ts';
import {
  type ArgsOf,
  commonOptions,
  describeCommand,
  fleetOptions,
  format,
  scopeOptions,
} from './command.ts';
import type { Io } from './io.ts';
import { printDocument } from './output.ts';
import { folderInRepository, projectFileOptions, projectOptions, selectedEnvironments } from './project.ts';

const options = {
  ...commonOptions,
  ...scopeOptions,
  ...fleetOptions,
  format: format(['text', 'json', 'markdown', 'github', 'sarif']),
} as const;

type Args = ArgsOf<typeof options>;

export const command = describeCommand({
  usage:
    '$0 validate [options]\n\nChecks the project file and the manifests without contacting the tenant. Reports all problems at once.',
  options,
  examples: {
    '$0 validate': 'Check everything that can be checked offline',
    '$0 validate --format github': 'As annotations on a GitHub pull request',
  },
}).run(async (args, io) => {
  const { exitCode, resources, ...found } = validateSelected(args, io);
  const diagnostics = found.diagnostics.toSorted(comparePlaces);
  await printDocument({ is: 'diagnostics', diagnostics }, args.format, io, {
    folder: folderInRepository(args, io),
  });
  if (exitCode === ExitCode.done && args.format === 'text' && !io.quiet) {
    io.stdout.write(`${countIs(resources, 'object')} valid.\n`);
  }
  return exitCode;
});

function validateSelected(args: Args, io: Io): ReturnType<typeof validateProject> {
  const names = selectedEnvironments(args, io);
  if (!names) {
    const options = projectOptions(args, io);
    return validateProject(() => loadProject(options), args);
  }
  const projects = openProjects(projectFileOptions(args, io));
  return joinValidations(
    names.map((name) => ({ name, ...validateProject(() => projects.load(name), args) })),
  );
}
