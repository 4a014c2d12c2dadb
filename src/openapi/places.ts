import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../model/json.ts';
import type { OpenApi, Part, Shape } from './document.ts';
import { isSecretText, isServerOwned, kindOfIds, kindOfType, referenceMembers, toComment } from './fields.ts';

/** A place inside a JSON field, with what a person should know or decide about it. */
export interface DraftPlace {
  readonly path: string;
  readonly policy: Policy;
  readonly notes: readonly string[];
}

type Policy = 'secret' | 'serverOwned' | IdPolicy;

interface IdPolicy {
  readonly is: 'reference';
  readonly by?: string;
  /** The kind, or the kind of each type. */
  readonly to: string | Readonly<Record<string, string>>;
}

interface FoundPlace extends Omit<DraftPlace, 'path'> {
  readonly steps: readonly string[];
  /** The schema of what each step but the last leads to. */
  readonly schemas: readonly JsonObject[];
}

/** Schemas that go deeper, or have more members, are not looked at any further: nobody would write their places. */
const deepest = 12;
const mostMembers = 2000;

/** What single places inside a JSON field are: ids of other objects, secrets, and what only the server sets. */
export function placesIn(api: OpenApi, field: string, property: Part): DraftPlace[] {
  const found: FoundPlace[] = [];
  const repeated = new Set<JsonObject>();
  let left = mostMembers;
  walk(property, [field], []);
  return joined(found.map((place) => ({ ...place, steps: withRepeated(place) })));

  /** Objects inside objects of their own schema have its places too: `criteria/**` + `/sourceId`. */
  function withRepeated({ steps, schemas }: FoundPlace): readonly string[] {
    const at = schemas.findIndex((schema) => repeated.has(schema)) + 1;
    return at === 0 ? steps : [...steps.slice(0, at), '**', ...steps.slice(at)];
  }

  function walk(part: Part, steps: readonly string[], above: readonly JsonObject[]): void {
    left -= 1;
    if (above.includes(part.value)) repeated.add(part.value);
    if (left < 0 || steps.length > deepest || above.includes(part.value)) return;
    const shape = api.shape(part);
    const inside = [...above, part.value];
    if (shape.items) walk(shape.items, [...steps, '*'], inside);
    for (const [name, member] of shape.properties) {
      const at = [...steps, name];
      const known = knownPlace(api, name, member, shape);
      if (known) found.push({ steps: at, schemas: inside, ...known });
      else walk(member, at, inside);
    }
  }
}

function knownPlace(
  api: OpenApi,
  name: string,
  property: Part,
  { properties }: Shape,
): Omit<DraftPlace, 'path'> | null {
  const shape = api.shape(property);
  const { types, writeOnly } = shape.items ? api.shape(shape.items) : shape;
  if (name === 'id') return byType('type', properties, api);
  const isText = types.has('string');
  if (writeOnly || (isText && isSecretText(name, shape))) return { policy: 'secret', notes: [] };
  if (isServerOwned(api, name, property)) return { policy: 'serverOwned', notes: [] };
  const kind = isText ? kindOfIds(name) : null;
  if (kind === null) return null;
  const sibling = name.replace(/Ids?$/, 'Type');
  return (
    byType(sibling, properties, api) ?? {
      policy: { is: 'reference', to: kind },
      notes: ['check: the kind of its ids'],
    }
  );
}

/** The policy of an id whose type a member beside it names; `null` where that is no type of objects. */
function byType(by: string, properties: Shape['properties'], api: OpenApi): Omit<DraftPlace, 'path'> | null {
  if (by === 'type' && ![...properties.keys()].every((name) => referenceMembers.includes(name))) return null;
  const types = api.shape(properties.get(by)).choices.filter((type) => typeof type === 'string');
  const kinds = types.flatMap((type) => {
    const kind = kindOfType(type);
    return kind === null ? [] : [[type, kind] as const];
  });
  const [[, only] = [null, '']] = kinds;
  if (kinds.length === 0) return null;
  if (types.length === 1) return { policy: { is: 'reference', to: only }, notes: [] };
  const others = types.filter((type) => kindOfType(type) === null);
  const notes =
    others.length === 0 ? [] : [`check: ids of ${others.map(toComment).join(', ')} stay as they are`];
  return { policy: { is: 'reference', by, to: Object.fromEntries(kinds) }, notes };
}

/** One rule for places of one name and policy in a field: `membership/**` + `/sourceId`. */
function joined(found: readonly FoundPlace[]): DraftPlace[] {
  const places = new Map<string, DraftPlace>();
  for (const { steps, policy, notes } of found) {
    const [field = '', last = ''] = [steps[0], steps.at(-1)];
    const alike = found.filter((each) => each.steps.at(-1) === last);
    const isOne = alike.length > 1 && alike.every((each) => isDeepStrictEqual(each.policy, policy));
    const path = (isOne ? [field, '**', last] : steps).join('/');
    places.set(path, { path, policy, notes });
  }
  return [...places.values()];
}
