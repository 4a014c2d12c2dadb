import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatAddress } from '../../src/model/address.ts';
import { getText, isObject, type JsonObject, objectsIn, parseJson } from '../../src/model/json.ts';
import type { TenantState } from '../../src/sandbox/index.ts';
import { loadState } from '../../src/sandbox/state.ts';
import { placesById } from './described.ts';
import type { World } from './world.ts';

const file = join(mkdtempSync(join(tmpdir(), 'tenantctl-objects-')), 'seed.json');

/** Adds objects to the lists of a tenant, as somebody does by hand. What is left out is as in a seed file. */
export function addObjects(
  state: TenantState,
  lists: Partial<Record<keyof TenantState, readonly object[]>>,
): void {
  writeFileSync(file, JSON.stringify(lists));
  for (const [name, rows] of Object.entries(loadState(file, null).state)) {
    const list: unknown = Reflect.get(state, name);
    if (Array.isArray(list) && Array.isArray(rows)) list.push(...rows);
  }
}

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
  ['Told', 'Told', ['place', 'name', 'locale']],
] as const;

/** Objects are named by the name of what they are below. */
const nameOfPlace = ({ place = null }: JsonObject): JsonObject => ({
  place: placesById[String(place)] ?? null,
});

/** The objects of a tenant, by their addresses. */
export function objectsOf({ sandbox: { state } }: World): Map<string, JsonObject> {
  const lists = parseJson(JSON.stringify({ ...state, ...state.objects }));
  return new Map(
    places.flatMap(([kind, list, names]) =>
      objectsIn(isObject(lists) ? lists[list] : []).map((row) => {
        const key = names.flatMap((name) => getText(name === 'place' ? nameOfPlace(row) : row, name) ?? []);
        return [formatAddress(kind, key), row] as const;
      }),
    ),
  );
}
