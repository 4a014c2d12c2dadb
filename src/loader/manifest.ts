import type { ErrorObject } from 'ajv';
import { validators } from '../generated/validators.js';
import { findKind, kinds } from '../kinds/index.ts';
import type { Kind } from '../kinds/kind.ts';
import { type Address, formatAddress, type Key } from '../model/address.ts';
import { isArray, isObject, type JsonObject, objectFrom, own, textOf } from '../model/json.ts';
import { type Pointer, segmentsOf, valueAt } from '../model/pointer.ts';
import type { Lifecycle, Resource } from '../model/resource.ts';
import { didYouMean } from '../model/suggest.ts';
import { sourceOf } from './file.ts';
import { placeInside } from './inside.ts';
import type { Overlays } from './overlay.ts';
import type { YamlDocument } from './parse.ts';
import { type Found, findNode } from './position.ts';
import type { Problems } from './problems.ts';
import { checkSchema } from './schema.ts';
import { type Tree, unresolved } from './tree.ts';

/** A document that declares an object of a known kind under a key, sound or not. */
export interface Manifest {
  readonly kind: Kind;
  readonly key: Key;
  readonly id: string | null;
  readonly document: YamlDocument;
  /** `null` where there were problems. */
  readonly resource: Resource | null;
}

/** Reads one document of a manifest file; `null` where not even kind and key can be made out. */
export function readManifest(
  document: YamlDocument,
  tree: Tree,
  overlays: Overlays,
  problems: Problems,
): Manifest | null {
  const { value } = tree;
  if (!isObject(value)) {
    const place = findNode(document, '').place;
    problems.add('not-a-mapping', 'A manifest must be a mapping that begins with `kind:`', place);
    return null;
  }
  const kind = kindOf(value, document, problems);
  if (!kind) return null;
  const key = keyOf(kind, value);
  const address = key && formatAddress(kind.name, key);
  const overlaid =
    address === null
      ? null
      : overlays.apply(value, address, ['kind', ...kind.keyFields.map(({ name }) => name)]);
  const laid = overlaid?.value ?? value;
  const find = (at: Pointer) => overlaid?.find(at) ?? findNode(document, at);
  const isValid = check(
    kind,
    { value: laid, tagged: tree.tagged || laid !== value },
    address,
    find,
    problems,
  );
  if (!key || address === null) return null;
  const resource = isValid ? toResource({ kind, key, address, value: laid, document, find, problems }) : null;
  return { kind, key, id: textOf(laid, 'id'), document, resource };
}

function kindOf(value: JsonObject, document: YamlDocument, problems: Problems): Kind | null {
  const name = own(value, 'kind');
  if (name === unresolved) return null;
  const kind = typeof name === 'string' ? findKind(name) : undefined;
  if (kind) return kind;
  const { place } = findNode(document, '/kind');
  const all = kinds.map((each) => each.name);
  if (typeof name !== 'string') {
    const hint = `The kinds are ${all.join(', ')}.`;
    problems.add('missing-kind', 'A manifest must say its `kind`', place, { hint });
    return null;
  }
  const hint = didYouMean(name, all) ?? `The kinds are ${all.join(', ')}.`;
  problems.add('unknown-kind', `There is no kind \`${name.slice(0, 80)}\``, place, { hint });
  return null;
}

/** A longer part is refused by the schema, and no address should repeat it. */
const longestKeyPart = 320;

/** The key's parts; a pinned object that is not named goes by its id. `null` where they are not all plain text. */
function keyOf(kind: Kind, value: JsonObject): Key | null {
  const parts = kind.keyFields.map(({ name }) => textOf(value, name));
  const isNameless = kind.keyFields.every(({ name }) => own(value, name) === undefined);
  const key = kind.pinnable && isNameless ? [textOf(value, 'id')] : parts;
  return key.every(isKeyPart) ? key : null;
}

function isKeyPart(part: string | null): part is string {
  return part !== null && part !== '' && part !== unresolved && part.length <= longestKeyPart;
}

function check(
  kind: Kind,
  tree: Tree,
  address: Address | null,
  find: (at: Pointer) => Found,
  problems: Problems,
): boolean {
  const validate = Object.entries(validators).find(([name]) => name === kind.name)?.[1];
  if (!validate) throw new Error(`There is no schema for ${kind.name}.`);
  const fitsSchema = checkSchema(validate, tree, {
    problems,
    ...(address !== null && { address }),
    find,
    explain: (error, name) => explain(kind, error, name),
  });
  return plainOnly(kind, tree, find, problems) && fitsSchema;
}

/** What identifies an object, or says how to treat it, is known before the tenant is asked: no secret, no lookup. */
function plainOnly(
  kind: Kind,
  { value, tagged }: Tree,
  find: (at: Pointer) => Found,
  problems: Problems,
): boolean {
  if (!tagged || !isObject(value)) return true;
  const names = [...kind.keyFields.map(({ name }) => name), 'id', 'ensure'];
  const wrong = names.filter((name) => isObject(own(value, name)));
  for (const name of wrong) {
    problems.add(
      'not-plain',
      `\`${name}\` must be plain text: neither \`!secret\` nor \`!lookup\``,
      find(`/${name}`).place,
    );
  }
  return wrong.length === 0;
}

/** What the schema's keywords mean in a manifest. */
function explain(kind: Kind, { keyword, instancePath, propertyName }: ErrorObject, name: string) {
  if (propertyName !== undefined) {
    const message = `With \`ensure: absent\` only the key may be given, not \`${name}\``;
    return { code: 'absent-with-fields', message, hint: 'Remove the field, or `ensure: absent`.' };
  }
  if (keyword !== 'additionalProperties') return null;
  if (instancePath === '' && kind.serverOwned.includes(name)) {
    const message = `\`${name}\` is set by the tenant and cannot be declared`;
    return { code: 'server-owned-field', message, hint: 'Remove the line.' };
  }
  if (instancePath === '/lifecycle' && name === 'renamedFrom') {
    return {
      code: 'not-renamable',
      message: `The API cannot rename objects of kind ${kind.name}`,
      hint: 'Remove `renamedFrom`.',
    };
  }
  return null;
}

interface Sound {
  readonly kind: Kind;
  readonly key: Key;
  readonly address: Address;
  readonly value: JsonObject;
  readonly document: YamlDocument;
  find(at: Pointer): Found;
  readonly problems: Problems;
}

function toResource(sound: Sound): Resource | null {
  const { kind, key, address, value, document, find } = sound;
  const lifecycle = readLifecycle(sound);
  return {
    kind: kind.name,
    key,
    address,
    id: textOf(value, 'id'),
    ensure: own(value, 'ensure') === 'absent' ? 'absent' : 'present',
    fields: objectFrom(Object.entries(value).filter(([name]) => Object.hasOwn(kind.fields, name))),
    lifecycle,
    get source() {
      return sourceOf(document);
    },
    locate: (at) => sourceOf(find(at).place),
    point: (at, offset) => {
      const found = find(at);
      const text = offset === undefined ? undefined : valueAt(value, at);
      const inside = typeof text === 'string' ? placeInside(found, text, offset ?? 0) : null;
      const place = inside ?? found.place;
      return { source: sourceOf(place), excerpt: place.file.excerpt(place.offset) };
    },
  };
}

function readLifecycle({ kind, value, find, problems }: Sound): Lifecycle {
  const member = own(value, 'lifecycle');
  const lifecycle = isObject(member) ? member : {};
  const ignored = own(lifecycle, 'ignore');
  const ignore = isArray(ignored) ? ignored.filter((item) => typeof item === 'string') : [];
  for (const [index, at] of ignore.entries()) {
    const [field = ''] = segmentsOf(at);
    if (Object.hasOwn(kind.fields, field)) continue;
    const hint = didYouMean(field, Object.keys(kind.fields));
    const { place } = find(`/lifecycle/ignore/${index}`);
    problems.add(
      'unknown-field',
      `A ${kind.name} has no field \`${field}\` to ignore`,
      place,
      hint === null ? {} : { hint },
    );
  }
  const renamedFrom = textOf(lifecycle, 'renamedFrom');
  return {
    protect: own(lifecycle, 'protect') === true,
    ignore,
    renamedFrom: renamedFrom === null ? null : [renamedFrom],
    allowLockout: own(lifecycle, 'allowLockout') === true,
  };
}
