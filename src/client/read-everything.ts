import { kindNamed } from '../kinds/index.ts';
import type { Kind } from '../kinds/kind.ts';
import { identityOf } from '../kinds/live.ts';
import type { LiveObject } from '../model/live.ts';
import type { ApiSettings } from '../model/settings.ts';
import type { Client } from './client.ts';
import { rememberReads } from './memo.ts';
import { allOrFailure, readTenant } from './read.ts';
import { readDefaults } from './read-kind.ts';

/** What somebody declared: worth asking for where no list tells what there is. */
type DeclaredKey = Pick<LiveObject, 'kind' | 'key'>;

interface Reader {
  readonly client: Client;
  readonly settings: ApiSettings;
  readonly declared: readonly DeclaredKey[];
  /** What is read already, or being read, by the name of its kind. */
  readonly read: Map<string, Promise<readonly LiveObject[]>>;
}

/**
 * Every live object of these kinds. A kind without a list is asked for the keys that the objects of other kinds
 * suggest, and for those in `declared`. Throws a Failure like {@link readTenant}.
 */
export async function readEverything(
  client: Client,
  kinds: readonly Kind[],
  settings: ApiSettings,
  declared: readonly DeclaredKey[] = [],
): Promise<readonly LiveObject[]> {
  const reader: Reader = { client: rememberReads(client), settings, declared, read: new Map() };
  return (await allOrFailure(kinds.map((kind) => readAllOf(reader, kind)))).flat();
}

/** The objects of a kind, read once though other kinds have use for them too. */
function readAllOf(reader: Reader, kind: Kind): Promise<readonly LiveObject[]> {
  const known = reader.read.get(kind.name);
  if (known) return known;
  const read = readKindWhole(reader, kind);
  reader.read.set(kind.name, read);
  return read;
}

async function readKindWhole(reader: Reader, kind: Kind): Promise<readonly LiveObject[]> {
  const { client, settings, declared } = reader;
  if (kind.read.how !== 'each-declared') {
    return (await readTenant(client, [{ kind, keys: [], ids: [], complete: true }], settings)).objects;
  }
  const known = await Promise.all(
    kind.read.candidatesFrom.map((name) => readSuggestions(reader, kindNamed(name))),
  );
  const own = declared.filter((one) => one.kind === kind.name).map(({ key }) => key);
  const byIdentity = new Map(
    [...kind.read.candidates(known.flat()), ...own].map((key) => [identityOf(kind, key), key]),
  );
  const keys = [...byIdentity.values()];
  return (await readTenant(client, [{ kind, keys, ids: [], complete: false }], settings)).objects;
}

/** The live objects of a kind, and the defaults that stand where there is none. */
async function readSuggestions(reader: Reader, kind: Kind): Promise<readonly LiveObject[]> {
  const [live, defaults] = await Promise.all([
    readAllOf(reader, kind),
    readDefaults({ ...reader, pages: null }, { kind, keys: [], ids: [], complete: true }),
  ]);
  return [...live, ...defaults];
}
