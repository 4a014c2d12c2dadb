import type { Environment as WrittenEnvironment } from '../generated/schemas/project.ts';
import { readableFields } from '../kinds/field.ts';
import { applyMergePatch } from '../kinds/json-patch.ts';
import type { Kind } from '../kinds/kind.ts';
import { globProblem } from '../kinds/project.ts';
import { type Address, matchAddresses } from '../model/address.ts';
import { get, isObject, type Json, type JsonObject, mapMembers, pick } from '../model/json.ts';
import { isFilledInLater, secretPlaces } from '../model/marker.ts';
import { type Pointer, placeAbove, pointer, valueAt } from '../model/pointer.ts';
import type { readConnection } from './connection.ts';

/** The members, besides the key, of a manifest with `ensure: absent`. */
const absentMembers = ['kind', 'id', 'ensure', 'lifecycle'];

export function readOverlays(
  overlays: NonNullable<WrittenEnvironment['overlays']>,
  { kinds, problems, find: findIn }: Parameters<typeof readConnection>[1],
) {
  const prepared = overlays.map(({ target, merge }, index) => ({
    target,
    merge,
    place: findIn(pointer('overlays', index, 'target')).place,
    find: (at: Pointer) => findIn(`${pointer('overlays', index, 'merge')}${at}`),
    matches: globProblem(target, kinds) ? () => false : matchAddresses([target]),
    used: false,
  }));
  return {
    match: (address: Address) => prepared.some(({ matches }) => matches(address)),
    /**
     * The manifest with every overlay that matches its address; `null` if none matches. No overlay may change what
     * identifies the object: such members are left alone, and reported.
     */
    apply(manifest: JsonObject, address: Address, kind: Kind) {
      const fixed = ['kind', ...kind.keyFields.map(({ name }) => name)];
      const matching = prepared.filter(({ matches }) => matches(address));
      if (matching.length === 0) return null;
      const used = matching.map((overlay) => {
        overlay.used = true;
        for (const name of fixed.filter((each) => Object.hasOwn(overlay.merge, each))) {
          const message = `An overlay cannot change \`${name}\`, which identifies the object.`;
          problems.add('overlay-key', message, overlay.find(`/${name}`).key);
        }
        const merge = mapMembers(overlay.merge, (value, name) => (fixed.includes(name) ? undefined : value));
        return { merge, find: overlay.find };
      });
      const sources = [manifest, ...used.map(({ merge }) => merge)];
      return {
        value: mergeSources(sources, { kind, fixed }),
        /** The manifest and the overlays, each as it is written. */
        sources,
        /** The places that the manifest or one of the overlays marks `!secret`. */
        secrets: () => sources.flatMap((each) => secretPlaces(each)),
        /** Where an overlay has written a value; `null` for one of the manifest, and for a mapping that both have members of. */
        find(at: Pointer) {
          const isInManifest = isMapping(valueAt(readableFields(kind, manifest), at));
          const writing = used.filter(
            ({ merge }) => writes(merge, at) && !(isInManifest && isMapping(valueAt(merge, at))),
          );
          return writing.at(-1)?.find(at) ?? null;
        },
        touches: (at: Pointer) => used.some(({ merge }) => writes(merge, at)),
      };
    },
    reportUnused() {
      for (const { used, target, place } of prepared) {
        if (used) continue;
        const problem = globProblem(target, kinds);
        const message = `The overlay's target \`${target}\` matches no declared object.`;
        const hint =
          'Correct the target: it is compared with addresses as `plan` shows them. Or remove the overlay.';
        if (problem) problems.report(problem, place);
        else problems.add('unused-overlay', message, place, { severity: 'warning', hint });
      }
    },
  };
}

/**
 * Applies JSON merge patches (RFC 7396) to a manifest, with one difference: a field set to `null` stays `null`, so that it is
 * cleared in the tenant as it would be by a manifest. JSON is the same as a text. If the object is to be absent in the end,
 * only the source that says so may have further fields, which is an error: those of the others are ignored.
 */
function mergeSources(
  [manifest = {}, ...merges]: readonly JsonObject[],
  { kind, fixed }: { readonly kind: Kind; readonly fixed: readonly string[] },
): JsonObject {
  let merged = manifest;
  for (const merge of merges) {
    const below = readableFields(kind, pick(merged, Object.keys(merge)));
    const patched = mapMembers(merge, (item, name) =>
      applyMergePatch(get(below, name) ?? null, item, isMapping),
    );
    merged = { ...merged, ...patched };
  }
  if (get(merged, 'ensure') !== 'absent') return merged;
  const decisive = [manifest, ...merges].findLast((each) => Object.hasOwn(each, 'ensure')) ?? manifest;
  const kept = [...absentMembers, ...fixed, ...Object.keys(decisive)];
  return mapMembers(merged, (value, name) => (kept.includes(name) ? value : undefined));
}

/** True if a merge sets or removes a value, or a whole that contains it: a tag or an alias too has only the members that it gives. */
function writes(merge: JsonObject, at: Pointer): boolean {
  return valueAt(merge, at) !== undefined || placeAbove(merge, at, (part) => !isMapping(part)) !== null;
}

/** A marker is a single value, even though it is an object. */
function isMapping(value: Json | undefined): value is JsonObject {
  return isObject(value) && !isFilledInLater(value);
}
