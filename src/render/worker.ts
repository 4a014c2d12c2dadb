/**
 * The renderer's process. Templates are evaluated here, since one may never end or take all memory; the program then
 * ends this process. A thread is not enough: a list such as `[1..99999999]` aborts the whole process.
 */
import { Compile, parse } from 'velocityjs';
import { scanVelocity } from '../lint/velocity.ts';
import { messageOf } from '../model/failure.ts';
import type { Job, Outcome, Rendering } from './renderer.ts';

const maxReason = 400;
const maxCharacters = Number(process.argv[2]);

function answer(job: Job): Outcome<Rendering> {
  try {
    return render(job);
  } catch (error) {
    const message = messageOf(error);
    const cut = message.length > maxReason ? `${message.slice(0, maxReason)} …` : message;
    const reason = error instanceof RangeError ? 'it repeats itself without end, or is too long.' : cut;
    return { is: 'failed', reason: `It cannot be rendered: ${reason}` };
  }
}

function render({ texts, context, conditions }: Job): Outcome<Rendering> {
  let left = maxCharacters;
  const rendered: [string, string][] = [];
  const literals: string[] = [];
  for (const [name, text] of Object.entries(texts)) {
    // The library shows `#stop` as text, and goes on after `#break`.
    const unlike = ['stop', 'break'].find((name) => scanVelocity(text).directives.has(name));
    if (unlike) throw new Error(`\`#${unlike}\` works only in the tenant. Try \`send-test\`.`);
    const tree = parse(text);
    const nodes: unknown[] = tree.flat(Number.POSITIVE_INFINITY);
    const lines = nodes.flatMap((node) => (typeof node === 'string' ? node.split('\n') : []));
    literals.push(...lines.map((line) => line.trim()).filter((line) => line !== ''));
    if (conditions !== null) decideConditions(tree, conditions);
    const compile = new GuardedCompile(tree, { customMethodHandlers });
    // References that cannot be resolved stay as written. Templates must not change the context of the next text.
    const result = String(compile.render(structuredClone(context)));
    left -= result.length;
    if (left < 0) return { is: 'failed', reason: `It renders to more than ${maxCharacters} characters.` };
    rendered.push([name, result]);
  }
  return { is: 'rendered', value: { texts: Object.fromEntries(rendered), literals } };
}

/** Makes every `#if` and `#elseif` of a tree true, or false. */
function decideConditions(tree: unknown, holds: boolean): void {
  if (!Array.isArray(tree)) return;
  for (const node of tree) {
    decideConditions(node, holds);
    if (typeof node === 'object' && node !== null && 'condition' in node)
      node.condition = { type: 'bool', value: String(holds) };
  }
}

/** Methods of texts and lists that mean the same in Java; these may be called. */
const methods = new Set(
  'charAt concat endsWith indexOf lastIndexOf replace replaceAll split startsWith substring toLowerCase toString toUpperCase trim'.split(
    ' ',
  ),
);

class GuardedCompile extends Compile {
  /** In Java, the quotient of whole numbers is a whole number, unless one is written as a decimal. */
  override getExpression(ast: Parameters<Compile['getExpression']>[0]): string {
    const isDivision = ast.type === 'math' && ast.operator === '/';
    if (!isDivision || JSON.stringify(ast).includes('"type":"decimal"')) return super.getExpression(ast);
    const [dividend = 0, divisor = 0] = ast.expression.map((each) => Number(this.getExpression(each)));
    if (![dividend, divisor].every(Number.isInteger)) return super.getExpression(ast);
    return this.getLiteral({ type: 'integer', value: String(Math.trunc(dividend / divisor)) });
  }

  /** The library asks this before every step of a reference. Inherited members cannot be reached. */
  isBlockedPathKey(base: unknown, key: string, isTarget?: boolean): boolean {
    if (isTarget) return ['__proto__', 'constructor', 'prototype'].includes(key);
    if (base === null || base === undefined || Object.hasOwn(Object(base), key)) return false;
    const hasMethods = Array.isArray(base) || ['string', 'number', 'boolean'].includes(typeof base);
    return key in Object(base) && !(methods.has(key) && hasMethods);
  }
}

/** Methods of Java that have another name in JavaScript, as functions of a value and the first argument. */
const javaMethods: Readonly<Record<string, (value: unknown, other: unknown) => unknown>> = {
  isEmpty: (value) => sizeOf(value) === 0,
  length: sizeOf,
  equals: (value, other) => value === other,
  equalsIgnoreCase: (value, other) => String(value).toLowerCase() === String(other).toLowerCase(),
  contains: (value, other) =>
    typeof value === 'string' ? value.includes(String(other)) : Array.isArray(value) && value.includes(other),
};

interface MethodCall {
  readonly property: string;
  readonly context: unknown;
  readonly params: readonly unknown[];
}

const customMethodHandlers = Object.entries(javaMethods).map(([uid, method]) => ({
  uid,
  match: ({ property }: MethodCall) => property === uid,
  resolve: ({ context, params }: MethodCall) => method(context, params[0]),
}));

function sizeOf(value: unknown): number {
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
}

// Only the program can write to this channel, so a message is a job.
process.on('message', (job: Job) => process.send?.(answer(job)));
process.on('disconnect', () => process.exit());
process.send?.('ready');
