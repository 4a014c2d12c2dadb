import { isObject, type Json, type JsonObject, objectFrom } from '../model/json.ts';
import { livePlace, secretName } from '../model/marker.ts';
import { type Pointer, pointer, segmentsOf, valueAt, withValueAt } from '../model/pointer.ts';
import type { Secrets } from '../model/secrets.ts';
import { secretPlaces } from './conceal.ts';

/** A declared object with everything that is not to be compared set to what is live. */
export interface Settled {
  readonly fields: JsonObject;
  /** Declared values the tenant does not show: neither equal nor different. */
  readonly notComparable: readonly Pointer[];
}

export interface LiveSide {
  readonly fields: JsonObject;
  readonly hidden: readonly Pointer[];
}

/**
 * Sets to the live value what a comparison cannot judge: secrets that equal the live text, and values the tenant
 * hides. Whoever rotates an object skips this, so that they are written.
 */
export function settle(declared: JsonObject, live: LiveSide, secrets: Secrets): Settled {
  if (live.hidden.length === 0 && secretPlaces(declared).length === 0) {
    return { fields: declared, notComparable: [] };
  }
  const notComparable: Pointer[] = [];

  const settleValue = (value: Json, at: Pointer): Json | undefined => {
    const current = valueAt(live.fields, at);
    if (livePlace(value) !== null) return current;
    const name = secretName(value);
    if (isHidden(value, current, at)) {
      notComparable.push(at);
      return current;
    }
    if (name !== null) return typeof current === 'string' && secrets.matches(name, current) ? current : value;
    return isObject(value) ? settleMembers(value, at) : value;
  };
  const isHidden = (value: Json, current: Json | undefined, at: Pointer): boolean => {
    if (value === null) return false;
    return live.hidden.includes(at) || (secretName(value) !== null && (current ?? null) === null);
  };
  const settleMembers = (members: JsonObject, at: Pointer): JsonObject =>
    objectFrom(
      Object.entries(members).flatMap(([name, value]): [string, Json][] => {
        const settled = settleValue(value, `${at}${pointer(name)}`);
        return settled === undefined ? [] : [[name, settled]];
      }),
    );

  return { fields: settleMembers(declared, ''), notComparable };
}

/** The declared fields with those under `lifecycle.ignore` as they are live: neither compared nor changed. */
export function leaveIgnored(declared: JsonObject, live: JsonObject, ignore: readonly Pointer[]): JsonObject {
  return ignore.reduce((fields, at) => {
    const name = segmentsOf(at)[0];
    if (name === undefined || !Object.hasOwn(fields, name)) return fields;
    return withValueAt(fields, at, valueAt(live, at));
  }, declared);
}
