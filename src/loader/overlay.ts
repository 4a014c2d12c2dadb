import { globProblem } from '../kinds/address-glob.ts';
import { type Address, matchAddresses } from '../model/address.ts';
import { isObject, type Json, type JsonObject, objectFrom, own } from '../model/json.ts';
import { lookupOf, secretName } from '../model/marker.ts';
import type { Pointer } from '../model/pointer.ts';
import type { Overlay } from './environment.ts';
import type { Found } from './position.ts';
import type { Problems } from './problems.ts';

/** The overlays of an environment, applied to one manifest after the other. */
export interface Overlays {
  /**
   * The manifest with every overlay that matches its address, and where its values then stand; `null` where none
   * matches.
   *
   * @param fixed the members that no overlay may change
   */
  apply(manifest: JsonObject, address: Address, fixed: readonly string[]): Overlaid | null;
  /** Reports overlays that matched nothing. */
  finish(): void;
}

interface Overlaid {
  readonly value: JsonObject;
  /** Where the value at a pointer stands in an overlay; `null` where the manifest gives it. */
  find(at: Pointer): Found | null;
}

/** What there is to say about an object that must not exist. */
const reserved = ['kind', 'id', 'ensure', 'lifecycle'];

/** Overlays in the order in which they are written: later ones win. */
export function prepareOverlays(overlays: readonly Overlay[], problems: Problems): Overlays {
  const prepared = overlays.map((overlay) => ({
    ...overlay,
    matches: matchAddresses([overlay.target]),
    used: false,
  }));
  return {
    apply(manifest, address, fixed) {
      const used = prepared.filter(({ matches }) => matches(address));
      if (used.length === 0) return null;
      let value = manifest;
      for (const overlay of used) {
        overlay.used = true;
        refuseFixed(overlay, fixed, problems);
        value = applyOverlay(value, overlay.merge, fixed);
      }
      return { value, find: (at) => findLast(used, at) };
    },
    finish() {
      for (const { used, target, place } of prepared) {
        if (used) continue;
        const wrong = globProblem(target);
        if (wrong) {
          problems.add(wrong.code, wrong.message, place, { hint: wrong.hint });
          continue;
        }
        const message = `The overlay's target \`${target}\` matches no declared resource`;
        problems.add('unused-overlay', message, place, { severity: 'warning' });
      }
    },
  };
}

function refuseFixed({ merge, find }: Overlay, fixed: readonly string[], problems: Problems): void {
  for (const name of fixed.filter((each) => Object.hasOwn(merge, each))) {
    problems.add(
      'overlay-key',
      `An overlay cannot change \`${name}\`: it says which object this is`,
      find(`/${name}`).key,
    );
  }
}

/**
 * A JSON merge patch (RFC 7396), with one difference: a whole field set to `null` stays, and so is cleared in the
 * tenant, as `null` in a manifest is; leaving a field alone is what omission is for. Of an object that must not
 * exist, by the manifest or by the overlay, the other one's fields do not count.
 */
function applyOverlay(manifest: JsonObject, merge: JsonObject, fixed: readonly string[]): JsonObject {
  const ensure = own(merge, 'ensure');
  const isReserved = ([name]: [string, Json]) => reserved.includes(name) || fixed.includes(name);
  const members = Object.entries(manifest);
  const base = objectFrom(ensure === 'absent' ? members.filter(isReserved) : members);
  const patches = Object.entries(merge).filter(([name]) => !fixed.includes(name));
  const isAbsent = ensure === undefined && own(base, 'ensure') === 'absent';
  const changes = isAbsent ? patches.filter(isReserved) : patches;
  return {
    ...base,
    ...objectFrom(changes.map(([name, patch]) => [name, applyMergePatch(own(base, name), patch)])),
  };
}

function applyMergePatch(target: Json | undefined, patch: Json): Json {
  if (!isMapping(patch)) return patch;
  const members = new Map(Object.entries(target !== undefined && isMapping(target) ? target : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) members.delete(name);
    else members.set(name, applyMergePatch(members.get(name), value));
  }
  return objectFrom(members);
}

/** A marker is a value of its own, never a mapping to merge with. */
function isMapping(value: Json): value is JsonObject {
  return isObject(value) && secretName(value) === null && lookupOf(value) === null;
}

function findLast(overlays: readonly Overlay[], at: Pointer): Found | null {
  const found = overlays.map(({ find }) => find(at)).findLast(({ match }) => match !== 'missing');
  return found ?? null;
}
