import { get, type Json, type JsonObject, objectsIn, sameJson } from '../model/json.ts';
import { canonicalRecord, comparableRecord } from './field.ts';
import type { RecordsField } from './kind.ts';

/** A declared record and its live version; one side is `null` for an added or removed record. */
export interface RecordPair {
  readonly declared: JsonObject | null;
  readonly live: JsonObject | null;
}

/**
 * Pairs declared records with live ones: first those that are equal, then those that agree in all declared members, then
 * those that agree in the members `alike`. The order is the declared one. Each record is used once, but for one that repeats
 * another: records are a set, so it pairs with what that pairs with, and a live one needs no partner.
 */
export function pairRecords(
  declared: Json | undefined,
  live: Json | undefined,
  field: RecordsField,
): RecordPair[] {
  const wanted = objectsIn(declared);
  const left = new Set(objectsIn(live));
  const partner = new Map<JsonObject, JsonObject>();
  for (const agree of [areEqual(field), agreesIn(null, field), agreesIn(field.alike, field)]) {
    for (const record of wanted) {
      if (partner.has(record)) continue;
      const match = [...left].find((candidate) => agree(record, candidate));
      if (!match) continue;
      partner.set(record, match);
      left.delete(match);
    }
  }
  const isSame = areEqual(field);
  const used = [...partner.values()];
  const unpaired = [...left].filter((record) => !wanted.some((other) => isSame(other, record)));
  return [
    ...wanted.map((record) => {
      const match = partner.get(record) ?? used.find((other) => isSame(record, other)) ?? null;
      return { declared: record, live: match };
    }),
    ...unpaired.map((record) => ({ declared: null, live: record })),
  ];
}

/** Whether all members that `declared` names have the same values in `live`; one declared null is unset there. */
export function recordAgrees(declared: JsonObject, live: JsonObject, field: RecordsField): boolean {
  return agreesIn(null, field)(declared, live);
}

type Agree = (declared: JsonObject, live: JsonObject) => boolean;

function areEqual(field: RecordsField): Agree {
  return (declared, live) => sameJson(comparableRecord(declared, field), comparableRecord(live, field));
}

function agreesIn(names: readonly string[] | null, field: RecordsField): Agree {
  return (declared, live) => {
    const a = comparableRecord(declared, field);
    const b = comparableRecord(live, field);
    const compared = names ?? Object.keys(canonicalRecord(declared, field));
    return compared.every((name) => sameJson(get(a, name) ?? null, get(b, name) ?? null));
  };
}
