import type { Environment as WrittenEnvironment } from '../generated/schemas/project.ts';
import { applyMergePatch } from '../kinds/json-patch.ts';
import { readJsonText } from '../kinds/jsontext.ts';
import type { Kind } from '../kinds/kind.ts';
import { globProblem } from '../kinds/project.ts';
import { type Address, matchAddresses } from '../model/address.ts';
import { get, isObject, type Json, type JsonObject, objectFrom } from '../model/json.ts';
import { isFilledInLater, secretPlaces } from '../model/marker.ts';
import { type Pointer, pointer, valueAt } from '../model/pointer.ts';
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
      const used = prepared.filter(({ matches }) => matches(address));
      if (used.length === 0) return null;
      const fixed = ['kind', ...kind.keyFields.map(({ name }) => name)];
      let value = manifest;
      for (const overlay of used) {
        overlay.used = true;
        for (const name of fixed.filter((each) => Object.hasOwn(overlay.merge, each))) {
          const message = `An overlay cannot change \`${name}\`, which identifies the object.`;
          problems.add('overlay-key', message, overlay.find(`/${name}`).key);
        }
        value = applyOverlay(value, overlay.merge, { kind, fixed });
      }
      return {
        value,
        /** The places that the manifest or one of the overlays marks `!secret`. */
        secrets: () => [manifest, ...used.map(({ merge }) => merge)].flatMap((each) => secretPlaces(each)),
        /** Where an overlay has written a value; `null` for one of the manifest, and for a mapping that both have members of. */
        find(at: Pointer) {
          const isInManifest = isMapping(valueAt(manifest, at));
          const writing = used.filter(({ merge }) => !isInManifest || !isMapping(valueAt(merge, at)));
          return writing.map(({ find }) => find(at)).findLast(({ match }) => match !== 'missing') ?? null;
        },
        touches: (at: Pointer) => used.some(({ find }) => find(at).match !== 'missing'),
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
 * Applies a JSON merge patch (RFC 7396), with one difference: a field set to `null` stays `null`, so that it is cleared in the
 * tenant as it would be by a manifest. If manifest or overlay say `ensure: absent`, the fields of the other one are ignored.
 */
function applyOverlay(
  manifest: JsonObject,
  merge: JsonObject,
  { kind, fixed }: { readonly kind: Kind; readonly fixed: readonly string[] },
): JsonObject {
  const ensure = get(merge, 'ensure');
  const forAbsent = [...absentMembers, ...fixed];
  const members = Object.entries(manifest).filter(
    ([name]) => ensure !== 'absent' || forAbsent.includes(name),
  );
  const base = objectFrom(members);
  const patches = Object.entries(merge).filter(([name]) => !fixed.includes(name));
  const isAbsent = ensure === undefined && get(base, 'ensure') === 'absent';
  const changes = patches.filter(([name]) => !isAbsent || forAbsent.includes(name));
  const merged = changes.map(([name, patch]) => {
    const written = get(base, name) ?? null;
    // JSON is the same as a text.
    const value = get(kind.fields, name)?.is === 'json' ? readJsonText(written) : written;
    return [name, applyMergePatch(value, patch, isMapping)] as const;
  });
  return { ...base, ...objectFrom(merged) };
}

/** A marker is a single value, even though it is an object. */
function isMapping(value: Json | undefined): value is JsonObject {
  return isObject(value) && !isFilledInLater(value);
}
