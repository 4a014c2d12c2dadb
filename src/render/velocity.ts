import { Compile, type parse } from 'velocityjs';
import { isArray, isObject, type Json, type JsonObject, textOf } from '../model/json.ts';

/** A template as the library parses it. */
export type Tree = ReturnType<typeof parse>;

/** A part of a tree, which is plain data of many types, as JSON. */
export function asJson(node: unknown): Json {
  return JSON.parse(JSON.stringify(node ?? null));
}

/** What a node is: `if`, `references`; empty for text. */
export function typeOf(node: unknown): string {
  return typeof node === 'object' && node !== null && 'type' in node ? String(node.type) : '';
}

/** Whether a node names a variable, such as `$user.name`. */
export function isReference(node: Json | undefined): node is JsonObject {
  return isObject(node) && textOf(node, 'type') === 'references';
}

/** The nodes in a member of a node; none where it is not a list. */
export function nodesIn(value: Json | undefined): readonly Json[] {
  return isArray(value) ? value : [];
}

/** What is noted and changed while a template is evaluated. */
export interface Trace {
  /** Is called with each node that is evaluated. */
  onNode(node: unknown): void;
  /** What a condition comes to in place of what the context gives; `undefined` leaves it. */
  decide(condition: unknown): boolean | undefined;
}

/**
 * A template with its Velocity evaluated. References that cannot be resolved stay as they are written. Changes neither the
 * template nor the context.
 */
export function evaluate(template: Tree, context: JsonObject, trace: Trace | null = null): string {
  const compile = new GuardedCompile(template, { customMethodHandlers }, trace);
  return String(compile.render(structuredClone(context)));
}

/** Methods of texts and lists that mean the same in Java; these may be called. */
const methods = new Set([
  'charAt',
  'concat',
  'endsWith',
  'indexOf',
  'lastIndexOf',
  'replace',
  'replaceAll',
  'split',
  'startsWith',
  'substring',
  'toLowerCase',
  'toString',
  'toUpperCase',
  'trim',
]);

class GuardedCompile extends Compile {
  readonly #trace: Trace | null;

  constructor(template: Tree, config: ConstructorParameters<typeof Compile>[1], trace: Trace | null) {
    super(template, config);
    this.#trace = trace;
  }

  override renderAstList(nodes?: Tree, contextId?: string): string {
    for (const node of nodes ?? []) this.#trace?.onNode(node);
    return super.renderAstList(nodes, contextId);
  }

  override getExpression(node: Tree[number]): string {
    const decided = this.#trace?.decide(node);
    if (decided === undefined) return super.getExpression(node);
    // The library only asks whether it is empty.
    return decided ? 'true' : '';
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

interface Call {
  readonly property: string;
  readonly context: unknown;
  readonly params: readonly unknown[];
}

const customMethodHandlers = Object.entries(javaMethods).map(([uid, method]) => ({
  uid,
  match: ({ property }: Call) => property === uid,
  resolve: ({ context, params }: Call) => method(context, params[0]),
}));

function sizeOf(value: unknown): number {
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
}
