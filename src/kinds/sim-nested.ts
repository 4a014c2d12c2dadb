import { isObject, type Json, type JsonObject, mapMembers, own, pick } from '../model/json.ts';
import { secretName } from '../model/marker.ts';
import { readJsonText } from './jsontext.ts';
import type { LiveObject } from './kind.ts';

/** The fields of a ticket, which some tenants keep inside `attributes` (api-notes, "SimIntegration"). */
export const ticketFields: readonly string[] = ['request', 'statusMap'];

/**
 * Splits the attributes of an answer. Nested ticket fields are objects inside `attributes` that the answer does not have at
 * top level; other members with their names are ordinary settings of the service desk.
 */
export function splitAttributes(
  answer: JsonObject,
  names = ticketFields,
): { attributes: Json; nested: JsonObject } {
  const all = readJsonText(own(answer, 'attributes') ?? null);
  if (!isObject(all)) return { attributes: all, nested: {} };
  const isNested = (value: Json, name: string) =>
    names.includes(name) && !Object.hasOwn(answer, name) && isObject(readJsonText(value));
  return {
    attributes: mapMembers(all, (value, name) => (isNested(value, name) ? undefined : value)),
    nested: mapMembers(all, (value, name) => (isNested(value, name) ? value : undefined)),
  };
}

/** The ticket fields that the tenant keeps inside the attributes of an integration: its answer has them nowhere else. */
export function nestedFields({ raw, fields }: Pick<LiveObject, 'raw' | 'fields'>): string[] {
  return ticketFields.filter((name) => !Object.hasOwn(raw, name) && isObject(own(fields, name) ?? null));
}

/**
 * Declared fields for a tenant that keeps ticket fields inside the attributes: what a manifest declares there is the field
 * itself. Without this, it would differ for ever.
 */
export function liftNested(declared: JsonObject, live: LiveObject): JsonObject {
  const attributes = own(declared, 'attributes');
  if (attributes === undefined || !isObject(attributes)) return declared;
  const names = nestedFields(live).filter((name) => isTicket(own(attributes, name)));
  if (names.length === 0) return declared;
  const rest = mapMembers(attributes, (value, name) => (names.includes(name) ? undefined : value));
  return { ...mapMembers(pick(attributes, names), readJsonText), ...declared, attributes: rest };
}

/** Whether a member is a ticket field, or clears it. A text or a secret is an ordinary setting of that name. */
function isTicket(value: Json | undefined): boolean {
  return (
    value === null || (value !== undefined && isObject(readJsonText(value)) && secretName(value) === null)
  );
}
