import { joinValidations, validateProject } from '../engine/validate.ts';
import { loadProject, openProjects } from '../loader/index.ts';
import { comparePlaces } from '../loader/problems.ts';
import { lazy } from '../model/basics.ts';
import { ExitCode, onFailure } from '../model/failure.ts';
import { countIs } from '../report/words.ts';
import {
  type ArgsOf,
  commonOptions,
  describeCommand,
  fleetOptions,
  option,
  scopeOptions,
} from './command.ts';
import type { Io } from './io.ts';
import { printReport, reportOf } from './output.ts';
import { folderInRepository, projectFileOptions, projectOptions, selectedEnvironments } from './project.ts';

const options = {
  ...commonOptions,
  ...scopeOptions,
  ...fleetOptions,
  format: option.format(['text', 'json', 'markdown', 'github', 'sarif']),
} as const;

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
  const folder = await folderInRepository(args, io);
  await printReport(reportOf({ is: 'diagnostics', diagnostics }, io, { folder }), args.format, io);
  if (exitCode === ExitCode.done && args.format === 'text' && !io.quiet) {
    io.stdout.write(`${countIs(resources, 'object')} valid.\n`);
  }
  return exitCode;
});

/** Validates one environment, or several together, also where a setting that they do not need is wrong. */
function validateSelected(args: ArgsOf<typeof options>, io: Io) {
  const projects = lazy(() => openProjects(projectFileOptions(args, io)));
  const loadOne = () => loadProject(projectOptions(args, io));
  try {
    const names = selectedEnvironments(args, io, projects);
    if (!names) return validateProject(loadOne, args);
    const validate = (name: string) => ({ name, ...validateProject(() => projects().load(name), args) });
    return joinValidations(names.map(validate));
  } catch (error) {
    // A group may be unknown because its line is wrong: problems of the file are told first.
    const refuse = () => {
      selectedEnvironments(args, io);
      return loadOne();
    };
    return onFailure(() => validateProject(refuse, args))(error);
  }
}
