import type { ErrorObject, ValidateFunction } from 'ajv';
import { validators } from '../generated/validators.js';
import { findKind, kindNamed, kinds } from '../kinds/index.ts';
import type { Kind } from '../kinds/kind.ts';
import { type Address, formatAddress, type Key } from '../model/address.ts';
import { isArray, isObject, type JsonObject, own, textOf } from '../model/json.ts';
import { type Pointer, segmentsOf } from '../model/pointer.ts';
import type { Lifecycle, Resource } from '../model/resource.ts';
import { didYouMean } from '../model/suggest.ts';
import type { Content } from './contents.ts';
import type { YamlDocument } from './document.ts';
import { type Outline, plainLifecycle } from './outline.ts';
import type { Overlays } from './overlay.ts';
import { type Found, findNode } from './position.ts';
import type { Problems } from './problems.ts';
import { declarationDigest, KnownResource, resourceOf } from './resource.ts';
import { checkSchema } from './schema.ts';
import { type ReadTag, readDeferred, type Tree, unresolved } from './tree.ts';

/** A document that declares an object of a known kind under a key, sound or not. */
export interface Manifest {
  readonly kind: Kind;
  readonly key: Key;
  readonly address: Address;
  readonly id: string | null;
  readonly document: YamlDocument;
  /** `null` where there were problems. */
  readonly resource: Resource | null;
  /** What the document says besides fields where nothing but its text has a say in the resource; else `null`. */
  readonly outline: Outline | null;
}

/** Reads one document of a manifest file; `null` where not even kind and key can be made out. */
export function readManifest(
  content: Content,
  readTag: ReadTag,
  overlays: Overlays,
  problems: Problems,
): Manifest | null {
  const { outline, document } = content;
  const address = outline && formatAddress(outline.kind, outline.key);
  if (address !== null && outline && !overlays.touches(address))
    return knownManifest(content, outline, address);
  const tree = readDeferred(content.tree(), document.file, readTag);
  return readValue(content, tree, overlays, problems);
}

/** A manifest that an earlier run found sound. */
function knownManifest(content: Content, outline: Outline, address: Address): Manifest {
  const { kind, id, key } = outline;
  const { document } = content;
  const resource = new KnownResource(outline, address, content);
  return { kind: kindNamed(kind), key, address, id, document, resource, outline };
}

function readValue(content: Content, tree: Tree, overlays: Overlays, problems: Problems): Manifest | null {
  const { document, digest } = content;
  const { value } = tree;
  if (!isObject(value)) {
    problems.add('not-a-mapping', 'A manifest must be a mapping that begins with `kind:`', document);
    return null;
  }
  const kind = kindOf(value, document, problems);
  if (!kind) return null;
  const key = keyOf(kind, value);
  const address = key && formatAddress(kind.name, key);
  const overlaid =
    address !== null && overlays.touches(address)
      ? overlays.apply(value, address, ['kind', ...kind.keyFields.map(({ name }) => name)])
      : null;
  const laid = overlaid?.value ?? value;
  const find = (at: Pointer) => overlaid?.find(at) ?? findNode(document, at);
  const isPlain = !tree.tagged && laid === value;
  const isValid = check(kind, { value: laid, tagged: !isPlain }, address, find, problems);
  if (!key || address === null) return null;
  const id = textOf(laid, 'id');
  if (!isValid) return { kind, key, address, id, document, resource: null, outline: null };
  const ensure = own(laid, 'ensure') === 'absent' ? 'absent' : 'present';
  const outline: Outline = {
    kind: kind.name,
    key,
    id,
    ensure,
    lifecycle: readLifecycle(kind, laid, find, problems),
  };
  const resource = resourceOf(outline, {
    address,
    document,
    find,
    value: () => laid,
    digest: digest && (isPlain ? digest : declarationDigest(outline, laid)),
  });
  return { kind, key, address, id, document, resource, outline: isPlain ? outline : null };
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
  if (parts.every(isKeyPart)) return parts;
  const isNameless = kind.keyFields.every(({ name }) => own(value, name) === undefined);
  const id = textOf(value, 'id');
  return kind.pinnable && isNameless && isKeyPart(id) ? [id] : null;
}

function isKeyPart(part: string | null): part is string {
  return part !== null && part !== '' && part !== unresolved && part.length <= longestKeyPart;
}

/** By the kind's name; each schema is set up when it is first asked for. */
const schemas: Readonly<Partial<Record<string, ValidateFunction>>> = validators;

function check(
  kind: Kind,
  tree: Tree,
  address: Address | null,
  find: (at: Pointer) => Found,
  problems: Problems,
): boolean {
  const validate = Object.hasOwn(schemas, kind.name) ? schemas[kind.name] : undefined;
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
function explain(kind: Kind, { keyword, instancePath, propertyName, data }: ErrorObject, name: string) {
  if (data === null && propertyName === undefined) return notClearable(kind, instancePath);
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

/** A `null` that the schema refuses: the tenant would refuse it too. */
function notClearable(kind: Kind, at: Pointer) {
  const [field = '', ...below] = segmentsOf(at);
  if (below.length > 0 || !Object.hasOwn(kind.fields, field)) return null;
  // Without its only field, nothing of the object is left.
  const isAll = Object.keys(kind.fields).length === 1;
  return {
    code: 'not-clearable',
    message: `\`${field}\` cannot be cleared: the API takes no null for it`,
    hint: `Remove the line to leave it as it is${isAll ? ', or declare `ensure: absent` instead' : ''}.`,
  };
}

function readLifecycle(
  kind: Kind,
  value: JsonObject,
  find: (at: Pointer) => Found,
  problems: Problems,
): Lifecycle {
  const lifecycle = own(value, 'lifecycle');
  if (!isObject(lifecycle)) return plainLifecycle;
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
  if (renamedFrom !== null && kind.keyFields.some(({ name }) => textOf(value, name) === renamedFrom)) {
    const message = '`lifecycle.renamedFrom` is the name that the object has';
    const hint = 'Give the name that it had before, or remove the line.';
    problems.add('invalid-value', message, find('/lifecycle/renamedFrom').place, { hint });
  }
  return {
    protect: own(lifecycle, 'protect') === true,
    ignore,
    renamedFrom: renamedFrom === null ? null : [renamedFrom],
    allowLockout: own(lifecycle, 'allowLockout') === true,
  };
}
