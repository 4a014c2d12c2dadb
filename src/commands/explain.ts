import { readFileSync } from 'node:fs';
import { builtInKinds } from '../kinds/index.ts';
import { ExitCode, fail } from '../model/failure.ts';
import { didYouMean } from '../model/words.ts';
import { blank, layout, paragraph, type Row, row, span } from '../report/layout.ts';
import { type ArgsOf, type commonOptions, describeCommand } from './command.ts';
import { explainKind } from './explain-kind.ts';
import { type Io, viewOf } from './io.ts';
import { documentation, isInPackage, packageFile } from './package-file.ts';
import { kindsHere } from './project.ts';
import { wholeSchema } from './schema.ts';

export const command = describeCommand({
  usage:
    '$0 explain CODE|KIND[.FIELD]\n\nExplains the code of a message: what it means, and what to do. Or a kind: its fields, or one of them, with type, default and an example.',
  options: (yargs) =>
    yargs
      .positional('subject', {
        type: 'string',
        describe:
          'The code in brackets after a message; or a kind, or a field of it, such as ProfileSearch.rules.type',
      })
      .demandOption('subject'),
  examples: {
    '$0 explain plan-stale': 'Explain why a saved plan was refused',
    '$0 explain SimIntegration': 'The fields of a kind',
    '$0 explain NotificationTemplate.medium': 'One field',
  },
}).run(async ({ subject, ...args }, io) => {
  // Codes are in lower case, kinds begin with a capital.
  const text = /^[A-Z]|\./.test(subject) ? aboutKind(subject, args, io) : aboutCode(subject, args, io);
  io.stdout.write(text);
  return ExitCode.done;
});

type Args = ArgsOf<typeof commonOptions>;

const page = 'docs/troubleshooting.md';

function aboutCode(subject: string, args: Args, io: Io): string {
  const code = subject.replace(/^\[|\]$/g, '');
  const entries = codeTexts();
  const text = entries.get(code);
  if (text !== undefined) {
    const rows = [row(0, span(code, 'bold')), blank, ...text.split('\n\n').flatMap(blockRows)];
    return `${layout(rows, viewOf(io.stdout, args, io))}Documentation: ${documentation(`${page}#${code}`)}\n`;
  }
  const kind = kindsHere(args, io).all.find(({ name }) => name.toLowerCase() === code.toLowerCase());
  const meant = kind ? `Did you mean \`${kind.name}\`?` : didYouMean(code, entries.keys());
  throw fail('unknown-code', `There is no code \`${code.slice(0, 80)}\`.`, {
    hint: meant ?? `All codes: ${documentation(page)}`,
  });
}

/** A paragraph, a list or code of the page, wrapped anew unless it is code. */
function blockRows(block: string): Row[] {
  if (block.startsWith('```')) return [...paragraph(2, block.replace(/^```.*\n|\n```$/g, '')), blank];
  const items = block.split(/\n(?=(?:- |\d+\. |\|))/);
  return [
    ...items.map((item) => {
      const [mark = ''] = /^(?:- |\d+\. )/.exec(item) ?? [];
      return { indent: 0, hang: mark.length, spans: [span(item.replace(/\n\s*/g, ' '))] };
    }),
    blank,
  ];
}

/** The text of the troubleshooting page by its codes, each with what its section says of all codes. Without links. */
export function codeTexts(): ReadonlyMap<string, string> {
  const [, ...sections] = readFileSync(packageFile(page), 'utf8').split(/^## .*\n/m);
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

function aboutKind(subject: string, args: Args, io: Io): string {
  const path = subject.split('.');
  const [name = ''] = path;
  // Where the project cannot be read, the schemas of the built-in kinds still help.
  const kinds = isInPackage(name) ? builtInKinds : kindsHere(args, io);
  if (!kinds.find(name)) {
    const names = kinds.all.map((kind) => kind.name);
    const hint = didYouMean(name, names) ?? `The kinds are ${names.join(', ')}.`;
    throw fail('unknown-kind', `There is no kind \`${name.slice(0, 80)}\`.`, { hint });
  }
  const view = viewOf(io.stdout, args, io);
  return `${explainKind(wholeSchema(name, kinds), path, view)}\nDocumentation: ${documentation('docs/manifests.md')}\n`;
}
