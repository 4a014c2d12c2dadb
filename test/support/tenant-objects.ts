import { formatAddress } from '../../src/model/address.ts';
import { isObject, type JsonObject, objectsIn, parseJson, textOf } from '../../src/model/json.ts';
import type { World } from './world.ts';

/** Where the embedded tenant has the objects of a kind, and their keys. */
export const places = [
  ['AuthProfile', 'authProfiles', ['name']],
  ['SimIntegration', 'simIntegrations', ['name']],
  ['NotificationTemplate', 'templates', ['key', 'medium', 'locale']],
  ['NotificationPreference', 'preferences', ['key']],
  ['SenderAddress', 'senders', ['email']],
  ['VerifiedDomain', 'identities', ['address']],
  ['MailFrom', 'mailFrom', ['identity']],
  ['ProfileSearch', 'profileSearches', ['label']],
  ['Told', 'Told', ['name', 'locale']],
] as const;

/** The objects of a tenant, by their addresses. */
export function objectsOf({ sandbox: { state } }: World): Map<string, JsonObject> {
  const lists = parseJson(JSON.stringify({ ...state, ...state.objects }));
  return new Map(
    places.flatMap(([kind, list, names]) =>
      objectsIn(isObject(lists) ? lists[list] : []).map((row) => {
        const key = names.flatMap((name) => textOf(row, name) ?? []);
        return [formatAddress(kind, key), row] as const;
      }),
    ),
  );
}
