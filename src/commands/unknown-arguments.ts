import yargs from 'yargs';
import type { Diagnostic } from '../model/diagnostic.ts';
import { Failure } from '../model/failure.ts';
import { didYouMean } from '../model/suggest.ts';
import type { Command } from './command.ts';

/** Arguments that a command does not have. */
export class UnknownArguments extends Error {
  /** As the parser names them: options without dashes, some a second time in camel case. */
  readonly names: readonly string[];

  constructor(names: readonly string[]) {
    super(`Unknown arguments: ${names.join(', ')}`);
    this.names = names;
  }
}

/** The names in a message of the parser about unknown arguments; `null` for any other message. */
export function unknownIn(message: string): readonly string[] | null {
  const [, names] = /^Unknown arguments?: (.*)$/s.exec(message) ?? [];
  return names?.split(', ') ?? null;
}

/** The Failure for unknown arguments, each as it was written, with the option that was probably meant. */
export async function describeUnknown(
  { names }: UnknownArguments,
  {
    name,
    command,
    argv,
  }: { readonly name: string; readonly command: Command; readonly argv: readonly string[] },
): Promise<Failure> {
  const options = (await command.completions(yargs().exitProcess(false), ['--'])).map(withoutDashes);
  const written = names.flatMap((each) => argv.find((word) => withoutDashes(word) === each) ?? []);
  const unknown = written.length > 0 ? written : names;
  return new Failure(
    unknown.map((word): Diagnostic => {
      const isOption = word.startsWith('-');
      const near = isOption ? didYouMean(withoutDashes(word), options) : null;
      const message = isOption ? `There is no option ${word.split('=')[0]}.` : `Unknown argument: ${word}`;
      const help = `\`tenantctl ${name} --help\` lists the options.`;
      const hint = near === null ? help : `${near.replace('`', '`--')} ${help}`;
      return { code: 'usage', severity: 'error', message, hint };
    }),
  );
}

/** `only` for `--only`, `--only=x` and `only`. Some shells get a description after a colon. */
function withoutDashes(word: string): string {
  return word.replace(/^-+/, '').split(/[=:\t]/)[0] ?? '';
}
