import type { Resource, UsedLookup } from '../kinds/resource.ts';
import type { Address } from '../model/address.ts';
import { groupBy } from '../model/basics.ts';
import { type Json, mapJson, mapMembers, nestedIn } from '../model/json.ts';
import { type Lookup, lookedUpWords, lookupKey, lookupMarker, lookupOf } from '../model/marker.ts';
import { type Pointer, pointer } from '../model/pointer.ts';
import type { ApiSettings } from '../model/settings.ts';

/** The resource with the lookups that its tenant also needs, as its kind and the settings say. */
export function completeResource(resource: Resource, settings: ApiSettings): Resource {
  const fields = resource.kind.quirks?.complete?.(resource.fields, settings);
  return fields === undefined ? resource : { ...resource, fields };
}

/** The distinct lookups in the resources' fields, in order, with the places that use them. */
export function lookupsIn(resources: readonly Resource[]): UsedLookup[] {
  const all = resources.flatMap((resource) =>
    lookupsAt(resource.fields, '').map(({ lookup, at }) => ({ lookup, use: { resource, at } })),
  );
  return groupBy(all, ({ lookup }) => lookupKey(lookup)).map(([, same]) => {
    const [{ lookup }] = same;
    return { ...lookup, uses: same.map(({ use }) => use) };
  });
}

function lookupsAt(value: Json, at: Pointer): { lookup: Lookup; at: Pointer }[] {
  const lookup = lookupOf(value);
  if (lookup) return [{ lookup, at }];
  return nestedIn(value).flatMap(([name, inner]) => lookupsAt(inner, at + pointer(name)));
}

export function fillLookups(resource: Resource, answer: (lookup: Lookup) => Json): Resource {
  if (!hasLookup(resource.fields)) return resource;
  const fields = mapMembers(resource.fields, (value) =>
    mapJson(value, (part) => {
      const lookup = lookupOf(part);
      return lookup ? answer(lookup) : part;
    }),
  );
  return { ...resource, fields };
}

/** The lookups behind found values, by the address of the resource that uses them. */
export type LookedUp = ReadonlyMap<Address, ReadonlyMap<string, string>>;

export function lookedUpBy(lookups: readonly UsedLookup[], answer: (lookup: Lookup) => Json): LookedUp {
  const found = new Map<Address, Map<string, string>>();
  for (const lookup of lookups) {
    const value = answer(lookup);
    if (typeof value !== 'string' && typeof value !== 'number') continue;
    for (const { resource } of lookup.uses ?? []) {
      const names = found.get(resource.address) ?? new Map<string, string>();
      found.set(resource.address, names.set(String(value), lookedUpWords(lookup)));
    }
  }
  return found;
}

export function answerAsked(
  asked: readonly Lookup[],
  answer: (lookup: Lookup) => Json,
): (lookup: Lookup) => Json {
  const keys = new Set(asked.map(lookupKey));
  return (lookup) => (keys.has(lookupKey(lookup)) ? answer(lookup) : lookupMarker(lookup));
}

export function hasLookup(value: Json): boolean {
  return lookupsAt(value, '').length > 0;
}
