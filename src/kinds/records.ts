import { isArray, isObject, type Json, type JsonObject, own, sameJson } from '../model/json.ts';
import { comparableRecord } from './field.ts';

/** A declared record and its live version; one side is `null` for an added or removed record. */
export interface Pair {
  readonly declared: JsonObject | null;
  readonly live: JsonObject | null;
}

/**
 * Pairs declared records with live ones: first those that agree in all declared members, then those that agree in the
 * members `alike`. Each record is used once; the order is the declared one.
 */
export function pairRecords(
  declared: Json | undefined,
  live: Json | undefined,
  alike: readonly string[],
): Pair[] {
  const wanted = recordsOf(declared);
  const left = new Set(recordsOf(live));
  const partner = new Map<JsonObject, JsonObject>();
  for (const agree of [agreesIn(null), agreesIn(alike)]) {
    for (const record of wanted) {
      if (partner.has(record)) continue;
      const match = [...left].find((candidate) => agree(record, candidate));
      if (!match) continue;
      partner.set(record, match);
      left.delete(match);
    }
  }
  return [
    ...wanted.map((record) => ({ declared: record, live: partner.get(record) ?? null })),
    ...[...left].map((record) => ({ declared: null, live: record })),
  ];
}

/** Whether all members that `declared` names have the same values in `live`. */
export function recordAgrees(declared: JsonObject, live: JsonObject): boolean {
  return agreesIn(null)(declared, live);
}

function agreesIn(names: readonly string[] | null) {
  return (declared: JsonObject, live: JsonObject): boolean => {
    const a = comparableRecord(declared);
    const b = comparableRecord(live);
    return (names ?? Object.keys(a)).every((name) => sameJson(own(a, name) ?? null, own(b, name) ?? null));
  };
}

function recordsOf(value: Json | undefined): JsonObject[] {
  return isArray(value) ? value.filter(isObject) : [];
}
