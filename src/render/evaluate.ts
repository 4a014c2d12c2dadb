import { Compile, parse } from 'velocityjs';
import type { JsonObject } from '../model/json.ts';

/**
 * The text with its Velocity carried out; references that cannot be resolved stay as they are written. Throws what
 * the library throws for text that is no Velocity. To be called in the renderer's process only: a template may never
 * end, or take all memory.
 */
export function evaluate(text: string, context: JsonObject): string {
  return new GuardedCompile(parse(text), { customMethodHandlers: javaMethods }).render(
    structuredClone(context),
  );
}

/** Methods of text and lists that mean the same in Java and may be called. */
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
  /** The library asks this before every step of a reference: what an object inherits is out of reach. */
  isBlockedPathKey(base: unknown, key: string, isTarget?: boolean): boolean {
    if (isTarget) return ['__proto__', 'constructor', 'prototype'].includes(key);
    if (base === null || base === undefined || Object.hasOwn(Object(base), key)) return false;
    return key in Object(base) && !(methods.has(key) && hasMethods(base));
  }
}

const hasMethods = (base: unknown): boolean =>
  Array.isArray(base) || ['string', 'number', 'boolean'].includes(typeof base);

interface Call {
  readonly property: string;
  readonly context: unknown;
  readonly params: readonly unknown[];
}

/** Methods of Java that JavaScript calls otherwise. */
const javaMethods = [
  method('isEmpty', ({ context }) => sizeOf(context) === 0),
  method('length', ({ context }) => sizeOf(context)),
  method('equals', ({ context, params }) => context === params[0]),
  method('equalsIgnoreCase', ({ context, params }) => folded(context) === folded(params[0])),
  method('contains', ({ context, params }) =>
    typeof context === 'string'
      ? context.includes(String(params[0]))
      : Array.isArray(context) && context.includes(params[0]),
  ),
];

function method(uid: string, resolve: (call: Call) => unknown) {
  return { uid, match: ({ property }: Call) => property === uid, resolve };
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
}

const folded = (value: unknown): string => String(value).toLowerCase();
