import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Argv } from 'yargs';
import { kinds } from '../kinds/index.ts';
import { ExitCode } from '../model/exit.ts';
import { failure } from '../model/failure.ts';
import { type ArgsOf, commonOptions, defineCommand } from './command.ts';
import type { Io } from './io.ts';

/** Finds the package's own files, wherever the program is installed. */
const require = createRequire(import.meta.url);

const others = ['manifest', 'project', 'plan', 'result'];

function build(yargs: Argv) {
  return commonOptions(yargs)
    .usage(
      '$0 schema [KIND]\n\nPrints the JSON Schema of a kind, of manifests in editors (manifest), of the project file (project), of plan or result files; without KIND lists them.',
    )
    .positional('kind', { type: 'string', describe: 'A kind, or manifest, project, plan, result' })
    .example('$0 schema NotificationTemplate', 'The fields of a template manifest');
}

type Args = ArgsOf<typeof build>;

async function run({ kind }: Args, io: Io): Promise<ExitCode> {
  const names = [...kinds.map(({ name }) => name), ...others];
  if (kind === undefined) {
    io.stdout.write(`${names.join('\n')}\n`);
    return ExitCode.done;
  }
  if (!names.includes(kind)) {
    throw failure('unknown-schema', `There is no schema "${kind}".`, {
      hint: `Use one of: ${names.join(', ')}.`,
    });
  }
  io.stdout.write(readFileSync(require.resolve(`tenantctl/schemas/${kind}.schema.json`), 'utf8'));
  return ExitCode.done;
}

export const command = defineCommand(build, run);
