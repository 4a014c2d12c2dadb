import type { Client } from '../client/client.ts';
import { readRecords } from '../client/records.ts';
import { collectionsFor, type Records } from '../exporter/index.ts';
import type { LiveObject } from '../model/live.ts';
import type { ApiSettings } from '../model/settings.ts';

/** The records that ids inside these objects may name. Throws a Failure where they cannot be read. */
export async function readReferenced(
  client: Client,
  objects: readonly LiveObject[],
  settings: ApiSettings,
): Promise<Records> {
  let records: Records = new Map();
  let open = collectionsFor(objects, settings);
  while (open.length > 0) {
    records = new Map([...records, ...(await readRecords(client, open))]);
    open = collectionsFor(objects, settings, records);
  }
  return records;
}
