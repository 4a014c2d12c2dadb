import type { Argv } from 'yargs';
import { failure } from '../model/failure.ts';
import { defineCommand, examples } from './command.ts';
import { check } from './kind-check.ts';
import { draft } from './kind-draft.ts';
import { commonOptions, flag, format, text } from './options.ts';

function build(yargs: Argv) {
  return commonOptions(yargs)
    .usage(
      '$0 kind draft OPENAPI PATH | kind check KIND [options]\n\nHelps to describe a kind of your own. `draft` writes a first descriptor from the OpenAPI description of a collection. `check` reads the tenant to show whether the descriptor holds: a plan of an export has to be empty.',
    )
    .positional('action', { choices: ['draft', 'check'] as const, describe: 'What to do' })
    .positional('subject', {
      type: 'string',
      describe: 'For draft: the OpenAPI document, as JSON or YAML. For check: the kind',
    })
    .positional('path', { type: 'string', describe: 'For draft: the path of the collection' })
    .demandOption(['action', 'subject'])
    .option('out', text('For draft: the file to write, such as kinds/Role.kind.yaml. Default: print it'))
    .option('write', flag('For check: mark a descriptor that holds as proven, in its file'))
    .option('format', { ...format(['text', 'json']), describe: 'For check: output format' })
    .example(
      examples({
        '$0 kind draft openapi.yaml /v2025/roles': 'Print a first descriptor',
        '$0 kind draft openapi.yaml /v2025/roles --out kinds/Role.kind.yaml': 'Write it into the project',
        '$0 kind check Role -e sandbox': 'Show whether the descriptor holds',
        '$0 kind check Role -e sandbox --write': 'Mark it as proven, too',
      }),
    );
}

export const command = defineCommand(build, async (args, io) => {
  switch (args.action) {
    case 'draft':
      refuseOthers(args.action, { write: args.write, format: args.format !== 'text' });
      return draft(args, io);
    case 'check':
      refuseOthers(args.action, { out: args.out !== undefined });
      if (args.path !== undefined) throw failure('usage', `Unknown argument: ${args.path}`);
      return check(args, io);
  }
});

/** Throws a Failure for options of the other action, which would have no effect. */
function refuseOthers(action: string, given: Readonly<Record<string, boolean>>): void {
  const name = Object.keys(given).find((option) => given[option]);
  if (name === undefined) return;
  throw failure('usage', `kind ${action} takes no --${name}.`, {
    hint: '`tenantctl kind --help` lists the options.',
  });
}
