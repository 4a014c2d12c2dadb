import type { Argv } from 'yargs';
import { joinValidations, type Validation, validateProject } from '../engine/validate.ts';
import { loadProject, openProjects } from '../loader/index.ts';
import { ExitCode } from '../model/failure.ts';
import { countIs } from '../report/words.ts';
import {
  type ArgsOf,
  commonOptions,
  defineCommand,
  examples,
  fleetOptions,
  format,
  scopeOptions,
} from './command.ts';
import type { Io } from './io.ts';
import { printDocument } from './output.ts';
import { folderInRepository, projectFileOptions, projectOptions, selectedEnvironments } from './project.ts';

function build(yargs: Argv) {
  return fleetOptions(scopeOptions(commonOptions(yargs)))
    .usage(
      '$0 validate [options]\n\nChecks the project file and the manifests without asking the tenant. Reports all problems at once.',
    )
    .option('format', format(['text', 'json', 'markdown', 'github', 'sarif']))
    .example(
      examples({
        '$0 validate': 'Check everything that can be checked offline',
        '$0 validate --format github': 'As annotations on a GitHub pull request',
      }),
    );
}

type Args = ArgsOf<typeof build>;

function validateSelected(args: Args, io: Io): Validation {
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

export const command = defineCommand(build, async (args, io) => {
  const { diagnostics, exitCode, resources } = validateSelected(args, io);
  printDocument({ is: 'diagnostics', diagnostics }, args, io, { folder: folderInRepository(args, io) });
  if (exitCode === ExitCode.done && args.format === 'text' && !args.quiet) {
    io.stdout.write(`${countIs(resources, 'object')} valid.\n`);
  }
  return exitCode;
});
