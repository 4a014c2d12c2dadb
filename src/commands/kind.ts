import type { Argv } from 'yargs';
import { defineCommand } from './command.ts';
import { draft } from './kind-draft.ts';
import { commonOptions, text } from './options.ts';

function build(yargs: Argv) {
  return commonOptions(yargs)
    .usage(
      '$0 kind draft OPENAPI PATH [options]\n\nHelps to describe a kind of your own. `draft` writes a first descriptor from the OpenAPI description of a collection.',
    )
    .positional('action', { choices: ['draft'] as const, describe: 'What to do' })
    .positional('subject', { type: 'string', describe: 'The OpenAPI document, as JSON or YAML' })
    .positional('path', { type: 'string', describe: 'For draft: the path of the collection' })
    .demandOption(['action', 'subject'])
    .option('out', text('For draft: the file to write, such as kinds/Role.kind.yaml. Default: print it'))
    .example('$0 kind draft openapi.yaml /v2025/roles', 'Print a first descriptor')
    .example(
      '$0 kind draft openapi.yaml /v2025/roles --out kinds/Role.kind.yaml',
      'Write it into the project',
    );
}

export const command = defineCommand(build, (args, io) => draft(args, io));
