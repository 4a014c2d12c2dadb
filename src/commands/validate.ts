import type { Argv } from 'yargs';
import { scopeOf } from '../engine/scope.ts';
import { lint } from '../lint/index.ts';
import { loadProject } from '../loader/index.ts';
import { type Diagnostic, hasErrors } from '../model/diagnostic.ts';
import { ExitCode, Failure } from '../model/failure.ts';
import { type ArgsOf, commonOptions, defineCommand, projectOptions, scopeOptions } from './command.ts';
import type { Io } from './io.ts';
import { printDocument } from './output.ts';

function build(yargs: Argv) {
  return scopeOptions(commonOptions(yargs))
    .usage(
      '$0 validate [options]\n\nChecks project file and manifests, without the tenant, and reports every problem at once.',
    )
    .option('format', {
      choices: ['text', 'json', 'markdown', 'junit', 'github', 'sarif'] as const,
      default: 'text' as const,
      describe: 'How to print the problems',
    })
    .example('$0 validate', 'Check everything that can be known offline')
    .example('$0 validate --format github', 'As annotations on a GitHub pull request');
}

type Args = ArgsOf<typeof build>;

async function run(args: Args, io: Io): Promise<ExitCode> {
  const inScope = scopeOf(args);
  const { diagnostics, exitCode, resources } = check(args, io, inScope);
  printDocument({ is: 'diagnostics', diagnostics }, args.format, args, io);
  if (exitCode === ExitCode.done && args.format === 'text' && !args.quiet) {
    io.stdout.write(resources === 1 ? '1 resource is valid.\n' : `${resources} resources are valid.\n`);
  }
  return exitCode;
}

/** Problems are what this command is for: they are its document, not an accident. */
function check(
  args: Args,
  io: Io,
  inScope: (address: string) => boolean,
): { diagnostics: readonly Diagnostic[]; exitCode: ExitCode; resources: number } {
  // An error anywhere stops every command, whatever its scope.
  const isTold = ({ address, severity }: Diagnostic) =>
    severity === 'error' || address === undefined || inScope(address);
  try {
    const { diagnostics: problems, resources, lint: levels } = loadProject(projectOptions(args, io));
    const diagnostics = [...problems, ...lint({ resources, known: null, levels })].filter(isTold);
    const exitCode = hasErrors(diagnostics) ? ExitCode.couldNotRun : ExitCode.done;
    const count = resources.filter(({ address }) => inScope(address)).length;
    return { diagnostics, exitCode, resources: count };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { diagnostics: error.diagnostics.filter(isTold), exitCode: error.exitCode, resources: 0 };
  }
}

export const command = defineCommand(build, run);
