import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  objectFrom,
  own,
  parseJson,
} from '../../model/json.ts';

/**
 * Editor settings with ours added: members and list items that are missing. What is there stays as it is; a file that is
 * no plain JSON object (comments are frequent) cannot be added to: `null`.
 */
export function editorSettings(ours: string): (existing: string | null) => string | null {
  return (existing) => {
    if (existing === null) return ours;
    const [theirs, added] = [parseJson(existing), parseJson(ours)];
    if (!isObject(theirs) || !isObject(added)) return null;
    const merged = merge(theirs, added);
    return JSON.stringify(merged) === JSON.stringify(theirs)
      ? existing
      : `${JSON.stringify(merged, null, 2)}\n`;
  };
}

function merge(theirs: JsonObject, ours: JsonObject): JsonObject {
  const added = Object.entries(ours).map(([name, value]): [string, Json] => [
    name,
    both(own(theirs, name), value),
  ]);
  return objectFrom([...Object.entries(theirs), ...added]);
}

function both(theirs: Json | undefined, ours: Json): Json {
  if (theirs === undefined) return ours;
  if (isObject(theirs) && isObject(ours)) return merge(theirs, ours);
  if (isArray(theirs) && isArray(ours)) return [...theirs, ...ours.filter((item) => !theirs.includes(item))];
  return theirs;
}
