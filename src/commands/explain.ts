import { readFileSync } from 'node:fs';
import type { Argv } from 'yargs';
import { ExitCode, failure } from '../model/failure.ts';
import { didYouMean } from '../model/suggest.ts';
import { defineCommand, examples } from './command.ts';
import { packageFile } from './package-file.ts';

function build(yargs: Argv) {
  return yargs
    .usage('$0 explain CODE\n\nExplains the code of a message: what it means, and what to do.')
    .positional('code', { type: 'string', describe: 'The code in brackets after a message' })
    .demandOption('code')
    .example(
      examples({
        '$0 explain plan-stale': 'Explain why a saved plan was refused',
      }),
    );
}

export const command = defineCommand(build, async (args, io) => {
  const code = args.code.replace(/^\[|\]$/g, '');
  const entries = readEntries(readFileSync(packageFile('docs/troubleshooting.md'), 'utf8'));
  const text = entries.get(code);
  if (text === undefined) {
    const page = 'docs/troubleshooting.md lists all codes.';
    const near = didYouMean(code, entries.keys());
    throw failure('unknown-code', `There is no code \`${code.slice(0, 80)}\`.`, { hint: near ?? page });
  }
  io.stdout.write(`${code}\n\n${text}\n`);
  return ExitCode.done;
});

/** The texts of the troubleshooting page by their codes, without Markdown's links. */
function readEntries(page: string): ReadonlyMap<string, string> {
  const sections = page.split(/^#{2,3} /m).map((section) => {
    const [code = '', ...lines] = section.split('\n');
    const text = lines.join('\n').trim();
    return [code, text.replace(/\[([^\]]+)\]\([^)]*\)/g, '$1')] as const;
  });
  return new Map(sections.filter(([code]) => /^[a-z][a-z0-9-]*$/.test(code)));
}
