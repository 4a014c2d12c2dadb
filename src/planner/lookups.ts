import { canonicalJson, isArray, isObject, type Json, type JsonObject, mapJson } from '../model/json.ts';
import { type Lookup, lookupMarker, lookupOf } from '../model/marker.ts';
import { type Pointer, pointer } from '../model/pointer.ts';
import type { Resource, UsedLookup } from '../model/resource.ts';

/** Every distinct lookup that the resources' fields contain, in their order, with the places that use it. */
export function lookupsIn(resources: readonly Resource[]): UsedLookup[] {
  const found = new Map<string, Lookup & { uses: { resource: Resource; at: Pointer }[] }>();
  for (const resource of resources.filter(mayLookUp)) {
    for (const { lookup, at } of lookupsAt(resource.fields, '')) {
      const name = lookupKey(lookup);
      const known = found.get(name);
      if (known) known.uses.push({ resource, at });
      else found.set(name, { ...lookup, uses: [{ resource, at }] });
    }
  }
  return [...found.values()];
}

/** Whether a field of the resource is looked up. */
export function looksUp(resource: Resource): boolean {
  return mayLookUp(resource) && lookupsAt(resource.fields, '').length > 0;
}

/** A digest says that there are no lookups, which spares looking. */
function mayLookUp({ digest }: Resource): boolean {
  return digest === null;
}

function lookupsAt(value: Json, at: Pointer): { lookup: Lookup; at: Pointer }[] {
  const lookup = lookupOf(value);
  if (lookup) return [{ lookup, at }];
  if (!isArray(value) && !isObject(value)) return [];
  // Thousands of texts need no pointers.
  const inner = Object.entries(value).filter(([, item]) => typeof item === 'object');
  return inner.flatMap(([name, item]) => lookupsAt(item, `${at}${pointer(name)}`));
}

/** The resources with each lookup replaced by the record's field that `answer` gives for it. */
export function fillLookups(
  resources: readonly Resource[],
  answer: (lookup: Lookup) => Json,
): readonly Resource[] {
  return resources.map((resource) => {
    if (!looksUp(resource)) return resource;
    const fields = mapJson(resource.fields, (value) => {
      const lookup = lookupOf(value);
      return lookup ? answer(lookup) : value;
    });
    return isObject(fields) ? filled(resource, fields) : resource;
  });
}

function filled(resource: Resource, fields: JsonObject): Resource {
  const { kind, key, address, id, ensure, lifecycle, digest, source } = resource;
  return {
    ...{ kind, key, address, id, ensure, lifecycle, digest, source, fields },
    locate: (at) => resource.locate(at),
    point: (at, offset) => resource.point(at, offset),
  };
}

/** Equal lookups have equal texts. */
function lookupKey(lookup: Lookup): string {
  return canonicalJson(lookupMarker(lookup));
}
