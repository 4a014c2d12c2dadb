import { Compile, type parse } from 'velocityjs';
import type { JsonObject } from '../model/json.ts';

export type Tree = ReturnType<typeof parse>;

/** A template, evaluated. References that cannot be resolved stay as written. Changes neither template nor context. */
export function evaluate(template: Tree, context: JsonObject): string {
  const compile = new GuardedCompile(template, { customMethodHandlers });
  return String(compile.render(structuredClone(context)));
}

/** Lets every `#if` and `#elseif` of a tree hold, or none. */
export function decideConditions(tree: unknown, holds: boolean): void {
  if (!Array.isArray(tree)) return;
  for (const node of tree) {
    decideConditions(node, holds);
    if (typeof node === 'object' && node !== null && 'condition' in node)
      node.condition = { type: 'bool', value: String(holds) };
  }
}

export function literalsIn(trees: readonly Tree[]): string[] {
  const nodes: unknown[] = trees.flat(Number.POSITIVE_INFINITY);
  const lines = nodes.flatMap((node) => (typeof node === 'string' ? node.split('\n') : []));
  return lines.map((line) => line.trim()).filter((line) => line !== '');
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
