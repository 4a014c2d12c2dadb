import { basename } from 'node:path';
import type { Argv } from 'yargs';
import { ExitCode, failure } from '../model/failure.ts';
import { parserSettings } from './check-arguments.ts';
import { type ArgsOf, type Commands, defineCommand } from './command.ts';
import { complete } from './completion/complete.ts';
import { scripts, shells } from './completion/scripts.ts';
import type { Io } from './io.ts';

function build(yargs: Argv) {
  return yargs
    .usage(
      '$0 completion [SHELL]\n\nPrints a script that lets the shell complete commands, options, environments, kinds and addresses.',
    )
    .positional('shell', { choices: shells, describe: 'The shell; else that of $SHELL' })
    .parserConfiguration({ ...parserSettings, 'populate--': true })
    .example('source <($0 completion bash)', 'In ~/.bashrc')
    .example('source <($0 completion zsh)', 'In ~/.zshrc, after compinit')
    .example('$0 completion fish | source', 'In ~/.config/fish/config.fish');
}

type Args = ArgsOf<typeof build>;

/** With words after `--` (the command line so far) it prints what may follow: that is how the scripts call it. */
async function run({ shell, '--': words }: Args, io: Io, commands: Commands): Promise<ExitCode> {
  if (Array.isArray(words)) {
    const found = await complete(words.map(String), commands, io);
    io.stdout.write(found.map((word) => `${word}\n`).join(''));
    return ExitCode.done;
  }
  const wanted = shell ?? shells.find((name) => name === basename(io.env.SHELL ?? ''));
  if (wanted === undefined) {
    throw failure('usage', 'Which shell?', { hint: `Name it: ${shells.join(', ')}.` });
  }
  io.stdout.write(scripts[wanted]);
  return ExitCode.done;
}

/** The command that completes command lines of `commands`. */
export function completionOf(commands: Commands) {
  return { command: defineCommand(build, (args: Args, io) => run(args, io, commands)) };
}
