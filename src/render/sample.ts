import { isArray, isObject, type Json, type JsonObject, objectFrom, own, textOf } from '../model/json.ts';
import { Shape, sampleValue } from './sample-values.ts';
import { asJson, isReference, nodesIn, type Tree } from './velocity.ts';

/** The variable that holds the tenant's own attributes (api-notes, "Template context"). */
const globals = '__global';

export interface SampleChoice {
  /** The tenant's attributes, taken as they are; `null` makes them up too. */
  readonly attributes: JsonObject | null;
  /** How many items lists have. */
  readonly items?: number;
}

/**
 * A context with a readable value for every variable that the templates use and do not set themselves: `Ann Example`
 * for `${user.name}`, two items for what `#foreach` iterates over.
 */
export function sampleContext(
  templates: readonly Tree[],
  { attributes, items = 2 }: SampleChoice,
): JsonObject {
  const scope = new Scope();
  for (const template of templates) walk(asJson(template), scope);
  const sampled = [...scope.variables].map(([name, shape]): [string, Json] => [
    name,
    name === globals && attributes ? attributes : sampleValue(name, shape, items),
  ]);
  const unused = attributes && !scope.variables.has(globals) ? [[globals, attributes] as const] : [];
  return objectFrom([...sampled, ...unused]);
}

/** A node or a list of nodes; a block is a list that begins with its directive. */
function walk(node: Json, scope: Scope): void {
  if (isObject(node)) walkNode(node, scope);
  if (!isArray(node)) return;
  const [first] = node;
  walkAll(node, isObject(first) ? scopeWithin(first, scope) : scope);
}

/** The variables inside the block that a directive opens. */
function scopeWithin(directive: JsonObject, scope: Scope): Scope {
  switch (textOf(directive, 'type')) {
    case 'foreach': {
      const source = resolve(own(directive, 'from'), scope);
      if (source) source.isList = true;
      return scope.inner([[textOf(directive, 'to') ?? '', source?.item ?? null]]);
    }
    case 'macro': {
      const args = nodesIn(own(directive, 'args')).filter(isObject);
      const names = args.flatMap((arg) => textOf(arg, 'id') ?? []);
      return scope.inner(names.map((name) => [name, null]));
    }
    case 'define':
      scope.set(textOf(directive, 'id') ?? '', null);
      return scope;
    default:
      return scope;
  }
}

function walkAll(nodes: readonly Json[], scope: Scope): void {
  for (const node of nodes) walk(node, scope);
}

function walkNode(node: JsonObject, scope: Scope): void {
  const type = textOf(node, 'type');
  if (type === 'math')
    noteComparison(textOf(node, 'operator') ?? '', nodesIn(own(node, 'expression')), scope);
  if (type === 'references') resolve(node, scope);
  else if (type === 'set') walkSet(nodesIn(own(node, 'equal')), scope);
  else walkAll(Object.values(node), scope);
}

function walkSet([target, value]: readonly Json[], scope: Scope): void {
  if (!isObject(target) || value === undefined) return;
  const source = isReference(value) ? resolve(value, scope) : null;
  if (!isReference(value)) walk(value, scope);
  if (own(target, 'path') === undefined) scope.set(textOf(target, 'id') ?? '', source);
}

/** `$state == "APPROVED"` shows what a value looks like, and `$count > 10` that it is a number. */
function noteComparison(operator: string, [left, right]: readonly Json[], scope: Scope): void {
  if (!['==', '!=', '>', '<', '>=', '<='].includes(operator)) return;
  for (const [side, other] of [
    [left, right],
    [right, left],
  ]) {
    if (!isReference(side) || !isObject(other)) continue;
    const shape = resolve(side, scope);
    const type = textOf(other, 'type');
    if (!shape) continue;
    if (type === 'integer') shape.isNumber = true;
    if (type === 'string' && operator === '==') shape.like ??= textOf(other, 'value');
  }
}

/** The shape of what a reference names; `null` where the template sets it itself or no sample is possible. */
function resolve(node: Json | undefined, scope: Scope): Shape | null {
  if (!isReference(node)) return null;
  let shape = scope.find(textOf(node, 'id') ?? '');
  for (const step of nodesIn(own(node, 'path'))) {
    if (!isObject(step)) return null;
    walkAll(nodesIn(own(step, 'args')), scope);
    shape = shape && stepInto(shape, step, scope);
  }
  return shape;
}

function stepInto(shape: Shape, step: JsonObject, scope: Scope): Shape | null {
  const type = textOf(step, 'type');
  const id = textOf(step, 'id');
  if (type === 'index') return stepByValue(shape, own(step, 'id'), scope);
  if (id === null) return null;
  if (type === 'property') return shape.member(id);
  if (type !== 'method') return null;
  if (id === 'get') return stepByValue(shape, nodesIn(own(step, 'args'))[0], scope);
  const name = getterMember(id);
  return name === null ? null : shape.member(name);
}

function stepByValue(shape: Shape, value: Json | undefined, scope: Scope): Shape | null {
  if (!isObject(value)) return null;
  walk(value, scope);
  const type = textOf(value, 'type');
  const text = textOf(value, 'value');
  if (type === 'string') return text === null ? null : shape.member(text);
  if (type !== 'integer') return null;
  shape.isList = true;
  return shape.item;
}

/** Variables that Velocity itself provides inside `#foreach` and macros. */
const provided = ['foreach', 'velocityCount', 'velocityHasNext', 'bodyContent'];

/** The variables at one place of a template. */
class Scope {
  /** Those that the template does not set itself. */
  readonly variables: Map<string, Shape>;
  readonly #local: Map<string, Shape | null>;

  constructor(
    variables: Map<string, Shape> = new Map(),
    local: Iterable<readonly [string, Shape | null]> = provided.map((name) => [name, null]),
  ) {
    this.variables = variables;
    this.#local = new Map(local);
  }

  /** The shape of a variable; `null` for one that the template sets to something unknown. */
  find(name: string): Shape | null {
    const local = this.#local.get(name);
    if (local !== undefined) return local;
    const known = this.variables.get(name) ?? new Shape();
    this.variables.set(name, known);
    return known;
  }

  set(name: string, shape: Shape | null): void {
    this.#local.set(name, shape);
  }

  inner(names: Iterable<readonly [string, Shape | null]>): Scope {
    return new Scope(this.variables, [...this.#local, ...names]);
  }
}

/** The member that a call such as `getName` or `isActive` reads; `null` for any other call. */
function getterMember(method: string): string | null {
  const name = /^(?:get|is)([A-Z]\w*)$/.exec(method)?.[1];
  return name === undefined || name === 'Empty' ? null : `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
}
