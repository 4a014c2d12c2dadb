import { isPathSegment } from '../kinds/http.ts';
import { Failure } from '../model/failure.ts';
import {
  get,
  getText,
  isArray,
  isObject,
  isTooDeep,
  type Json,
  type JsonObject,
  parseJson,
} from '../model/json.ts';
import { type BackupFolder, limitSize } from './source.ts';

/** An object in a backup: a configuration export, as the vendor's own tooling writes it. */
export interface BackupEntry {
  /** The type in the vendor's words, such as `ACCESS_PROFILE`. */
  readonly type: string;
  readonly object: JsonObject;
  readonly file: string;
}

/** The objects in the files of a backup. Throws a Failure for other files, and for more than `megabytes` in all. */
export function readBackup({ source, backup }: BackupFolder, megabytes: number): BackupEntry[] {
  const limited = limitSize(source, megabytes);
  return backup.flatMap((file) => {
    const content = parseJson(limited.text(file));
    if (content === undefined) throw badBackup(file, 'is not JSON');
    if (isTooDeep(content)) throw badBackup(file, 'is nested too deeply');
    const list = isObject(content) ? (get(content, 'objects') ?? [content]) : content;
    if (!isArray(list)) throw badBackup(file, 'has no list of `objects`');
    return list.map((entry, at) => {
      const read = entryIn(entry);
      if (!read) throw badBackup(file, `has an entry that cannot be used: object ${at + 1}`);
      return { ...read, file };
    });
  });
}

/** `self` has the id and the name that an object may lack. */
function entryIn(entry: Json): Omit<BackupEntry, 'file'> | null {
  const [self, object] = isObject(entry) ? [get(entry, 'self'), get(entry, 'object')] : [];
  if (!isObject(self) || !isObject(object)) return null;
  const type = getText(self, 'type') ?? '';
  const id = getText(object, 'id') ?? getText(self, 'id');
  if (!/^[A-Z][A-Z0-9_]{0,60}$/.test(type) || (id !== null && !isPathSegment(id))) return null;
  const name = get(object, 'name') ?? get(self, 'name') ?? null;
  return {
    type,
    object: { ...object, ...(id !== null && { id }), ...(name !== null && { name }) },
  };
}

export function badBackup(file: string, what: string): Failure {
  const message = `The file ${what}.`;
  const hint =
    'A backup is the JSON of a configuration export: `{"objects": [{"self": {"type", "id", "name"}, "object": {…}}]}`, or such an entry in each file.';
  return new Failure([
    { code: 'bad-backup', severity: 'error', message, hint, source: { file, line: 1, column: 1 } },
  ]);
}
