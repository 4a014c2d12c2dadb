import type { JsonObject } from '../model/json.ts';
import type { Client } from './client.ts';
import { collectionSource } from './lookups.ts';
import { readRows } from './pages.ts';
import { allOrFailure } from './read.ts';

/** All records of some collections of the profile-management interface, by the collection's name. */
export async function readRecords(
  client: Client,
  collections: readonly string[],
): Promise<ReadonlyMap<string, readonly JsonObject[]>> {
  const rows = await allOrFailure(collections.map((name) => readRows(client, collectionSource(name, {}))));
  return new Map(collections.map((name, at) => [name, rows[at] ?? []]));
}
