import { readFileSync } from 'node:fs';
import { ExitCode, failure } from '../model/failure.ts';
import { didYouMean } from '../model/words.ts';
import { describePlainCommand } from './command.ts';
import { documentation, packageFile } from './package-file.ts';

export const command = describePlainCommand({
  usage: '$0 explain CODE\n\nExplains the code of a message: what it means, and what to do.',
  options: (yargs) =>
    yargs
      .positional('code', { type: 'string', describe: 'The code in brackets after a message' })
      .demandOption('code'),
  examples: {
    '$0 explain plan-stale': 'Explain why a saved plan was refused',
  },
}).run(async (args, io) => {
  const code = args.code.replace(/^\[|\]$/g, '');
  const page = 'docs/troubleshooting.md';
  const entries = readEntries(readFileSync(packageFile(page), 'utf8'));
  const text = entries.get(code);
  if (text === undefined) {
    const hint = didYouMean(code, entries.keys()) ?? `All codes: ${documentation(page)}`;
    throw failure('unknown-code', `There is no code \`${code.slice(0, 80)}\`.`, { hint });
  }
  io.stdout.write(`${code}\n\n${text}\n\nDocumentation: ${documentation(`${page}#${code}`)}\n`);
  return ExitCode.done;
});

/** The texts of the troubleshooting page by their codes, each with what its section says of all codes. Without links. */
function readEntries(page: string): ReadonlyMap<string, string> {
  const [, ...sections] = page.split(/^## .*\n/m);
  return new Map(
    sections.flatMap((section) => {
      const [preface = '', ...entries] = section.split(/^### /m);
      return entries.map((entry) => {
        const [code = '', ...lines] = entry.split('\n');
        const text = `${lines.join('\n').trim()}\n\n${preface.trim()}`.trim();
        return [code, text.replace(/\[([^\]]+)\]\([^)]*\)/g, '$1')] as const;
      });
    }),
  );
}
