import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('../../src/', import.meta.url));
/** What answers as a tenant has no codes of the program's own; what is generated emits nothing. */
const elsewhere = ['generated', 'sandbox'];

interface Carrier {
  readonly name: string;
  /** Which argument is the code. */
  readonly position: number;
}

/** The functions of the whole program that make a diagnostic of the code they are given. */
const known: readonly Carrier[] = [
  { name: 'fail', position: 0 },
  { name: 'badList', position: 0 },
  { name: 'refusedPath', position: 0 },
  { name: 'problems\\.add', position: 0 },
  { name: 'this\\.add', position: 0 },
];

/** Every code that the program's source can give to a diagnostic. */
export function codesInSource(): Set<string> {
  const codes = new Set<string>();
  for (const path of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.ts') || elsewhere.some((folder) => path.startsWith(`${folder}/`))) continue;
    for (const code of codesIn(path, readFileSync(join(source, path), 'utf8'))) codes.add(code);
  }
  return codes;
}

function codesIn(path: string, text: string): string[] {
  if (path === 'model/lint.ts') return keysOf(text, 'lintRules');
  const given = [...known, ...carriersOf(text)].flatMap(({ name, position }) =>
    callsOf(name, text).flatMap((args) => literals(args[position] ?? '')),
  );
  const named = [...text.matchAll(/\bcode(?:: | = )([^,;}]*)/g)].flatMap(([, value = '']) => literals(value));
  if (path === 'client/describe.ts')
    return [...given, ...named, ...valuesOf(text.slice(text.indexOf('export function readFailure')))];
  if (!text.includes('fail(`${name}-${what}`')) return [...given, ...named];
  // Saved files have a code for each fault and form: `plan-unreadable`, `result-unreadable`.
  const forms = keysOf(text, 'forms');
  const faults = callsOf('refusal', text).flatMap((args) => literals(args[0] ?? ''));
  return [...given, ...named, ...forms.flatMap((form) => faults.map((fault) => `${form}-${fault}`))];
}

/** Functions of a file that have a parameter `code`. */
function carriersOf(text: string): Carrier[] {
  return [...text.matchAll(/(?:function |#)(\w+)(?:<[^>]*>)?\(([^)]*\bcode: [^)]*)\)/g)].map(
    ([, name = '', parameters = '']) => ({
      name,
      position: splitArguments(`${parameters})`).findIndex((parameter) => /^\s*code:/.test(parameter)),
    }),
  );
}

function callsOf(name: string, text: string): string[][] {
  return [...text.matchAll(new RegExp(`(?<!function )(?<!\\w)${name}\\(`, 'g'))].map((match) =>
    splitArguments(text.slice(match.index + match[0].length)),
  );
}

/** The arguments of a call, from behind its opening parenthesis on. */
function splitArguments(text: string): string[] {
  const args: string[] = [];
  let [depth, start, quote] = [0, 0, ''];
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (quote !== '') {
      if (char === '\\') at++;
      else if (char === quote) quote = '';
    } else if (`'"\``.includes(char)) quote = char;
    else if ('([{'.includes(char)) depth++;
    else if (')]}'.includes(char) && depth-- === 0) return [...args, text.slice(start, at)];
    else if (char === ',' && depth === 0) {
      args.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return args;
}

/** The slugs that an expression may be: `'a'`, or both of `isB ? 'a' : 'b'`. */
function literals(expression: string): string[] {
  const choices = expression.includes('?') ? expression.slice(expression.indexOf('?')) : expression;
  if (!/^\s*[?'`]/.test(choices)) return [];
  return [...choices.matchAll(/'([a-z][a-z0-9]*(?:-[a-z0-9]+)*)'/g)].map(([, slug = '']) => slug);
}

/** The codes that failed reads get, by status and by reason. */
function valuesOf(text: string): string[] {
  return [...text.matchAll(/(?:return .*?|: |\?\? |\? )'([a-z]+(?:-[a-z]+)*)'/g)]
    .map(([, slug = '']) => slug)
    .filter((slug) => slug.includes('-'));
}

function keysOf(text: string, name: string): string[] {
  const table = text.slice(text.indexOf(`const ${name}`));
  return [...table.matchAll(/^ {2}'?([a-z-]+)'?: \{/gm)].map(([, key = '']) => key);
}
