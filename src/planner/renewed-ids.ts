import { fieldNamed, type Kind } from '../kinds/kind.ts';
import { idsIn, mapIds } from '../kinds/references.ts';
import { type Address, formatAddress } from '../model/address.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { isObject, type Json, type JsonObject, mapMembers } from '../model/json.ts';
import { refMarker } from '../model/marker.ts';
import type { Undo } from './undo.ts';

/** The ids that deleted objects had, and what stands for each after the rollback. */
export type RenewedIds = ReadonlyMap<string, Renewed>;

interface Renewed {
  readonly address: Address;
  /** The id of an object that was made again, or a marker for one that the rollback makes; `null`: neither is known. */
  readonly id: Json;
}

/**
 * An object that is created again has another id: what the rollback restores has to refer to that one.
 *
 * @param all the changes to undo, those out of scope included
 * @param idAfter the id that a deleted object has now, or a marker; `null` where the rollback does not create it
 */
export function renewedIds(all: readonly Undo[], idAfter: (undo: Undo) => Json): RenewedIds {
  return new Map(
    all.flatMap((undo) => {
      const { kind, record, former } = undo;
      if (record.action !== 'delete' || record.id === undefined) return [];
      const address = formatAddress(kind.name, former);
      return [[placeOf(kind.name, record.id), { address, id: idAfter(undo) }]];
    }),
  );
}

/** What stands for the id of an object that a rollback creates. */
export const createdAgain = ({ kind, former }: Undo): Json =>
  kind.can.create ? refMarker(formatAddress(kind.name, former)) : null;

const placeOf = (kind: string, id: string): string => `${kind}/${id}`;

function renewedIn(renewed: RenewedIds, to: readonly string[], id: Json): Renewed | undefined {
  const [found] = isObject(id) ? [] : to.flatMap((kind) => renewed.get(placeOf(kind, String(id))) ?? []);
  return found;
}

/** Restored fields that refer to the objects as they are after the rollback. */
export function withRenewedIds(kind: Kind, fields: JsonObject, renewed: RenewedIds): JsonObject {
  if (renewed.size === 0) return fields;
  return mapMembers(fields, (value, name) => {
    const field = fieldNamed(kind, name);
    if (!field) return value;
    return mapIds(field, value, (id, to) => renewedIn(renewed, to, id)?.id ?? id);
  });
}

/** A warning for each restored object that refers to a deleted one which the rollback does not create. */
export function formerIdRemarks(
  { kind, record: { address } }: Undo,
  fields: JsonObject,
  renewed: RenewedIds,
): Diagnostic[] {
  const lost = Object.entries(kind.fields).flatMap(([name, field]) => {
    const value = fields[name];
    if (value === undefined) return [];
    return idsIn(field, value).flatMap(({ id, to }) => {
      const target = renewedIn(renewed, to, id);
      return target?.id === null ? [target.address] : [];
    });
  });
  return [...new Set(lost)].map((target): Diagnostic => {
    const message = `${address} gets back the former id of ${target}, which was deleted and which this rollback does not create.`;
    const hint = `Roll both back together, or create ${target} first and refer to it by a manifest.`;
    return { code: 'rollback-former-id', severity: 'warning', message, hint, address };
  });
}
