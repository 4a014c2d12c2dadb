// docs/commands.md, from what `--help` of every command prints.
import { sentence, table } from './lines.mjs';

/** @param help what the program prints for these words and `--help` */
export async function commandsPage(help) {
  const overview = await help();
  const commands = [];
  for (const [, name] of overview.matchAll(/^ {2}([a-z][a-z-]*) {2,}(\S.*)$/gm)) {
    commands.push({ name, ...parse(await help(name)) });
  }
  const common = commonIn(commands.map(({ options }) => options));
  return [
    '# Commands',
    '<!-- Made by `npm run docs` from the help of the program. -->',
    `${sentence('Every command prints the requested document on stdout, and everything else on stderr')} See [exit-codes.md](exit-codes.md) for exit codes.`,
    'Documents and messages write `tenantctl`. Where it is installed in a project, and not for the whole machine, run `npx --no-install tenantctl`.',
    table(
      ['Command', 'What it does'],
      commands.map(({ name, description }) => [
        `[\`${name}\`](#${name})`,
        `${description.split('. ')[0]}`.replace(/\.$/, ''),
      ]),
    ),
    '## Common options',
    optionTable(common),
    ...commands.map((command) => section(command, common)),
    '',
  ]
    .join('\n\n')
    .replace(/\n+$/, '\n');
}

function parse(text) {
  const [usage = '', ...rest] = text.split('\n\n');
  const at = rest.findIndex((part) => /^[A-Z][\w ]*:\n/.test(part));
  const blocks = new Map(
    rest.slice(at).map((part) => {
      const [heading, ...lines] = part.split('\n');
      return [heading.replace(/:$/, ''), lines.filter((line) => line !== '')];
    }),
  );
  const block = (name) => blocks.get(name) ?? [];
  // Options are in several groups.
  const optionLines = [...blocks.values()].filter(([first = '']) => /^ {2}(-\w, | {4})--/.test(first)).flat();
  return {
    usage: usage.trim(),
    description: rest.slice(0, at).join(' ').replaceAll(/\s+/g, ' ').trim(),
    positionals: entries(block('Arguments'), /^ {2}\S/),
    options: entries(optionLines, /^ {2}(-\w, | {4})--\S/),
    examples: pairs(block('Examples')),
  };
}

/** Options and arguments: a name, a word for the type, the meaning, which may go on in the next lines, and what it may be. */
function entries(lines, begins) {
  const found = [];
  for (const line of lines) {
    if (begins.test(line)) found.push(line.trim());
    else found.push(`${found.pop() ?? ''} ${line.trim()}`);
  }
  return found.map((entry) => {
    const [, names = '', type = '', rest = ''] =
      /^((?:-\w, +)?\S+)(?: (text|list|number|word)(?= ))? *([\s\S]*)$/.exec(entry) ?? [];
    const [, meaning = '', choices = '', fallback = ''] =
      /^([\s\S]*?)(?: \{([^{}]*)\})?(?: \((default [^()]*|on; [^()]*)\))?$/.exec(rest) ?? [];
    const chosen = choices.split('|').filter(Boolean);
    const value = chosen.length > 0 ? chosen.map((word) => `\`${word}\``).join(', ') : types[type];
    const facts = [value, fallback.replace(/^default (.*)$/, 'default `$1`').replace(/--no-\S+/, '`$&`')];
    return { names: names.replace(/, +/, ', '), meaning, facts: facts.filter(Boolean) };
  });
}

const types = { text: 'text', number: 'a number', list: 'one or more' };

/** Each call, and what the line above says it does. */
function pairs(lines) {
  return lines.flatMap((line, at) =>
    line.startsWith('  # ') ? [[lines[at + 1].trim(), line.replace('  # ', '')]] : [],
  );
}

function section({ name, usage, description, positionals, options, examples }, common) {
  const own = options.filter((option) => !has(common, option));
  return [
    `## ${name}`,
    `\`\`\`sh\n${examples.map(([call, why]) => `# ${why}\n${call}`).join('\n')}\n\`\`\``,
    `${description} Usage: \`${usage}\`.`,
    ...fewer(options, common),
    ...(positionals.length > 0 ? [optionTable(positionals, 'Argument')] : []),
    ...(own.length > 0 ? [optionTable(own)] : []),
  ].join('\n\n');
}

function optionTable(options, head = 'Option') {
  return table(
    [head, 'Meaning', 'Values'],
    options.map(({ names, meaning, facts }) => [`\`${names}\``, meaning, facts.join('; ')]),
  );
}

/** The options that most commands have. */
function commonIn(lists) {
  const first = lists
    .flat()
    .filter((option, at, all) => all.findIndex((other) => same(option, other)) === at);
  return first.filter((option) => lists.filter((options) => has(options, option)).length > lists.length / 2);
}

/** A sentence for a command that has only some of the common options. */
function fewer(options, common) {
  const [kept, missing] = [true, false].map((kept) =>
    common.filter((option) => has(options, option) === kept),
  );
  if (missing.length === 0) return [];
  const link = '[common options](#common-options)';
  return missing.length < kept.length
    ? [`It has all ${link} but ${namesOf(missing)}.`]
    : [`Of the ${link} it has only ${namesOf(kept)}.`];
}

const namesOf = (options) =>
  options
    .map(({ names }) => `\`${names}\``)
    .join(', ')
    .replace(/, (?=`[^`]*`$)/, ' and ');

const has = (options, option) => options.some((other) => same(option, other));
const same = (a, b) => a.names === b.names && a.meaning === b.meaning && String(a.facts) === String(b.facts);
