import type { Kinds } from '../kinds/catalog.ts';
import type { Kind } from '../kinds/kind.ts';
import type { Declaration } from '../kinds/resource.ts';
import { parseAddress } from '../model/address.ts';
import { once } from '../model/basics.ts';
import { sha256 } from '../model/digest.ts';
import {
  isArray,
  isObject,
  itemsOf,
  type Json,
  type JsonObject,
  mapJson,
  objectFrom,
  own,
  sameJson,
} from '../model/json.ts';
import { refsIn } from '../model/marker.ts';
import { type Pointer, pointer } from '../model/pointer.ts';
import type { SourceFile } from './file.ts';
import { type ReadTag, unresolved } from './tree.ts';

/** A tag as a manifest writes it: what it stands for depends on the environment. */
export function noteOf(tag: string, argument: Json, offset: number): JsonObject {
  return { $tag: [tag, argument, offset] };
}

/** The value with its notes replaced by what their tags stand for in an environment. */
export function resolveNotes(value: Json, file: SourceFile, readTag: ReadTag): Json {
  return mapJson(value, (item) => {
    const note = noteIn(item);
    return note ? readTag(note.tag, note.argument, { file, offset: note.offset }) : item;
  });
}

/** The value with {@link unresolved} in the place of each note. */
export function withoutNotes(value: Json): Json {
  return mapJson(value, (item) => (noteIn(item) ? unresolved : item));
}

interface Note {
  readonly tag: string;
  readonly argument: Json;
  readonly offset: number;
}

/** The notes in a value, also in the arguments of others. */
export function notesIn(value: Json): Note[] {
  const below = itemsOf(value).flatMap(notesIn);
  const note = noteIn(value);
  return note ? [note, ...below] : below;
}

/** The note that a value is; `null` for any other. A file cannot have the key of a note. */
export function noteIn(value: Json | undefined): Note | null {
  const content = isObject(value) ? own(value, '$tag') : undefined;
  const [tag, argument = null, offset] = isArray(content) ? content : [];
  return typeof tag === 'string' && typeof offset === 'number' ? { tag, argument, offset } : null;
}

/**
 * What a document declares in all environments, and where this one departs from it.
 *
 * @param noted the document with notes for its tags
 * @param resolved what it declares in this environment
 * @param kind the descriptor of a kind of the project's own decides what becomes of the document, so it is part of the digest
 * @param kinds the descriptors of the kinds that it refers to decide which objects it means, so they are too
 */
export function declarationOf(
  noted: JsonObject,
  resolved: JsonObject,
  { kind: { descriptorDigest }, kinds }: { readonly kind: Kind; readonly kinds: Kinds },
): Declaration {
  // Most documents have no tags.
  const isSame = noted === resolved;
  return {
    digest: once(() => {
      const declared = isSame ? noted : mapJson(noted, withoutOffset);
      const targets = targetDigests(noted, kinds);
      const isDescribed = descriptorDigest !== undefined || targets !== undefined;
      return sha256(isDescribed ? { declared, descriptor: descriptorDigest, targets } : declared);
    }),
    differsHere: () => (isSame ? [] : differences(noted, resolved, '')),
    isEnsuredHere: () => isAbsent(noted) !== isAbsent(resolved),
  };
}

/** The digests of the descriptors of the kinds that a document refers to, by their names; `undefined` where it has none. */
function targetDigests(noted: JsonObject, kinds: Kinds): JsonObject | undefined {
  const names = new Set(refsIn(noted).map((to) => parseAddress(to)?.kind ?? ''));
  const digests = [...names].flatMap((name): [string, string][] => {
    const digest = kinds.find(name)?.descriptorDigest;
    return digest ? [[name, digest]] : [];
  });
  return digests.length > 0 ? objectFrom(digests) : undefined;
}

const isAbsent = (declared: JsonObject): boolean => own(declared, 'ensure') === 'absent';

/** Where a tag stands in its file does not change what it declares. */
function withoutOffset(value: Json): Json {
  const note = noteIn(value);
  return note ? { $tag: [note.tag, note.argument] } : value;
}

/** The places where two values differ, without those above them. */
function differences(noted: Json | undefined, resolved: Json | undefined, at: Pointer): Pointer[] {
  if (noted !== undefined && resolved !== undefined && sameJson(noted, resolved)) return [];
  if (isObject(noted) && isObject(resolved) && !noteIn(noted)) {
    const names = new Set([...Object.keys(noted), ...Object.keys(resolved)]);
    return [...names].flatMap((name) =>
      differences(own(noted, name), own(resolved, name), at + pointer(name)),
    );
  }
  if (isArray(noted) && isArray(resolved) && noted.length === resolved.length) {
    return noted.flatMap((item, index) => differences(item, resolved[index], at + pointer(index)));
  }
  return [at];
}
