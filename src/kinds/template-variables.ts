import type { Key } from '../model/address.ts';
import { get, getText, type Json, type JsonObject, objectsIn, parseJson } from '../model/json.ts';
import { pointer, setMember } from '../model/pointer.ts';

interface ListedVariables {
  readonly names: ReadonlySet<string>;
  /** The members of `$__global`. */
  readonly globals: ReadonlySet<string>;
  readonly examples: JsonObject;
}

export type VariableLists = ReadonlyMap<string, ListedVariables>;

/** Templates in several locales have the same variables. */
export const listedFor = ([key = '', medium = '']: Key): string => JSON.stringify([key, medium]);

export function parseVariables(answer: JsonObject): ListedVariables {
  const rows = ['globalVariables', 'templateVariables'].flatMap((name) => objectsIn(get(answer, name)));
  const listed = rows.flatMap((row) => {
    // Written as in a text, or bare: `${requester.name}`.
    const path = /^\$?!?\{?([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)/.exec(getText(row, 'key') ?? '')?.[1];
    return path === undefined ? [] : [{ path: path.split('.'), example: exampleOf(row) }];
  });
  const examples = listed.reduce<JsonObject>(
    (all, { path, example }) => (example === null ? all : setMember(all, pointer(...path), example)),
    {},
  );
  return {
    names: new Set(listed.map(({ path: [name = ''] }) => name)),
    globals: new Set(
      listed.flatMap(({ path: [name, member] }) => (name === '__global' && member ? [member] : [])),
    ),
    examples,
  };
}

/** The example as a value of its type, or else any such value. `null` for functions and for examples that do not fit. */
function exampleOf(row: JsonObject): Json {
  const type = getText(row, 'type')?.toLowerCase() ?? '';
  const example = get(row, 'example') ?? null;
  if (type.includes('function')) return null;
  if (/bool/.test(type)) return String(example ?? true) === 'true';
  if (/int|long|number|double|float/.test(type))
    return Number.isFinite(Number(example ?? 3)) ? Number(example ?? 3) : 3;
  if (typeof example !== 'string' || !/list|array|map|object/.test(type))
    return example === '' ? null : example;
  const parsed = parseJson(example);
  return typeof parsed === 'object' ? parsed : null;
}
