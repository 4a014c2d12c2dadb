import { type Json, type JsonObject, objectFrom, own } from '../model/json.ts';

/** Where templates find the tenant's own context (api-notes, "NotificationTemplate"). */
const globalName = '__global';

/** Names that the template engine defines. */
const builtIn = ['foreach', 'velocityCount', 'velocityHasNext', 'esc', 'math'];

// None of these can match in two ways, so that no hostile text makes them slow.
const name = '[A-Za-z_]\\w*';
const reference = new RegExp(`\\$!?\\{?(${name}(?:\\.${name}(?:\\([^()]*\\))?)*)`, 'g');
const loop = new RegExp(
  `#\\{?foreach\\}?\\s*\\(\\s*\\$!?\\{?(${name})\\}?\\s+in\\s+\\$!?\\{?(${name}(?:\\.${name})*)`,
  'g',
);
const assignment = new RegExp(`#\\{?set\\}?\\s*\\(\\s*\\$!?\\{?(${name})`, 'g');

/** A notification stays below these. */
const [mostVariables, mostLoops, deepest] = [1000, 100, 16];

/**
 * A context to try a template with: every variable in its texts has a value, either the one in the tenant's context or the
 * variable's own name, which shows where it appears.
 *
 * @param texts the parts of a Velocity template
 * @param attributes the tenant's context (seed 001, NotificationTemplateContext)
 */
export function sampleContext(texts: readonly string[], attributes: JsonObject): JsonObject {
  const text = texts.join('\n');
  const loops = [...text.matchAll(loop)]
    .slice(0, mostLoops)
    .map(([, item = '', list = '']): Loop => ({ item, list: list.split('.') }));
  const defined = new Set([
    ...builtIn,
    ...[...text.matchAll(assignment)].map(([, variable = '']) => variable),
  ]);
  const references = new Set([...text.matchAll(reference)].map(([, variable = '']) => variable));
  const root: Members = new Map();
  for (const variable of [...references].slice(0, mostVariables)) {
    const way = resolveLoops(members(variable), loops);
    if (!defined.has(way[0] ?? '')) plant(root, way);
  }
  return contextOf(root, attributes);
}

interface Loop {
  readonly item: string;
  readonly list: readonly string[];
}

/** The members of a value that a template reads; `[]` is each item of a list. */
type Members = Map<string, Members>;

/** The names in a reference up to the first method call. */
function members(variable: string): readonly string[] {
  const names = variable.replaceAll(/\([^()]*\)/g, '()').split('.');
  const call = names.findIndex((part) => part.endsWith('()'));
  return call === -1 ? names : names.slice(0, call);
}

/** `$task.name` inside `#foreach($task in $tasks)` is a member of each of `$tasks`. */
function resolveLoops(way: readonly string[], loops: readonly Loop[]): readonly string[] {
  const [first, ...rest] = way;
  const at = loops.findIndex(({ item }) => item === first);
  const inside = loops[at];
  // Each loop is followed once: a loop over its own item would never end.
  return inside ? resolveLoops([...inside.list, '[]', ...rest], loops.toSpliced(at, 1)) : way;
}

function plant(root: Members, way: readonly string[]): void {
  let node = root;
  for (const part of way.slice(0, deepest)) {
    const next: Members = node.get(part) ?? new Map();
    node.set(part, next);
    node = next;
  }
}

function contextOf(root: Members, attributes: JsonObject): JsonObject {
  const sampleOf = (part: string, below: Members, way: string) => own(attributes, part) ?? sample(below, way);
  return samples(root, (part, below) => {
    if (part !== globalName) return sampleOf(part, below, part);
    return samples(below, (inner, deeper) => sampleOf(inner, deeper, `${part}.${inner}`));
  });
}

function samples(node: Members, sampleFor: (part: string, below: Members) => Json): JsonObject {
  return objectFrom([...node].map(([part, below]) => [part, sampleFor(part, below)] as const));
}

/** A sample value: the variable's name, or a list or an object of such values. */
function sample(node: Members, way: string): Json {
  const item = node.get('[]');
  if (item) return [sample(item, way)];
  return node.size === 0 ? way : samples(node, (part, below) => sample(below, `${way}.${part}`));
}
