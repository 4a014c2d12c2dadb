import type { Kind, LiveObject } from '../kinds/kind.ts';
import { liveObject } from '../kinds/live-objects.ts';
import { someOf } from '../kinds/read-request.ts';
import { isObject } from '../model/json.ts';
import { isWhole } from './answer.ts';
import type { Client } from './client.ts';
import { readFirstPage } from './pages.ts';
import { readObjects, sourceOf } from './read.ts';

/**
 * The objects with these ids, and all that share a key with one of them; `null` where the whole list takes no more requests,
 * or these calls do not find them. The first page of the list, which says how long it is, is read in any case.
 *
 * @param client sends equal requests once, so that the first page costs nothing where the whole list is read after all
 */
export async function readByIds(
  client: Client,
  kind: Kind,
  ids: readonly string[],
): Promise<readonly LiveObject[] | null> {
  const { read, keyFields } = kind;
  // Where case does not count, a filter may find less than the tenant has.
  if (read.how !== 'list' || !read.list.filter || keyFields.some(({ foldCase }) => foldCase)) return null;
  const { one } = read;
  const { pageSize } = read.list;
  if (!one || pageSize === null) return null;
  const { total } = await readFirstPage(client, sourceOf({ kind, client }, read.list, null));
  // The other pages, against a call for each id and one for all keys.
  if (total === null || Math.ceil(total / pageSize) - 1 <= ids.length + 1) return null;
  const named = await Promise.all(
    ids.map(async (id) => {
      const sent = await client.send(one(id, client.settings));
      return isWhole(sent) && isObject(sent.body) ? liveObject(kind, sent.body, id) : null;
    }),
  );
  const keys = named.flatMap((object) => (object ? [object.key] : []));
  if (keys.length < ids.length) return null;
  const objects = await readObjects(client, [{ ...someOf(kind, keys), allowsDuplicates: keys }]);
  const found = new Set(objects.map(({ id }) => id));
  return ids.every((id) => found.has(id)) ? objects : null;
}
