import { canonicalJson, isObject, type Json, mapJson } from '../model/json.ts';
import { type Lookup, lookupMarker, lookupOf } from '../model/marker.ts';
import type { Resource } from '../model/resource.ts';

/** Every distinct lookup that the resources' fields contain, in their order. */
export function lookupsIn(resources: readonly Resource[]): Lookup[] {
  const found = new Map<string, Lookup>();
  for (const { fields } of resources) {
    mapJson(fields, (value) => {
      const lookup = lookupOf(value);
      if (lookup) found.set(lookupKey(lookup), lookup);
      return value;
    });
  }
  return [...found.values()];
}

/** The resources with each lookup replaced by the record's field that `answer` gives for it. */
export function fillLookups(
  resources: readonly Resource[],
  answer: (lookup: Lookup) => Json,
): readonly Resource[] {
  return resources.map((resource) => {
    const fields = mapJson(resource.fields, (value) => {
      const lookup = lookupOf(value);
      return lookup ? answer(lookup) : value;
    });
    return isObject(fields) ? { ...resource, fields } : resource;
  });
}

/** Equal lookups have equal texts. */
export function lookupKey(lookup: Lookup): string {
  return canonicalJson(lookupMarker(lookup));
}
