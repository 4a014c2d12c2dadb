import { longestKeyPart } from '../kinds/described-kind.ts';
import { readableFields } from '../kinds/field.ts';
import { readJsonText } from '../kinds/jsontext.ts';
import { isKeyOf, type Kind, keyBelow, type LiveObject, partFor } from '../kinds/kind.ts';
import { identityOf } from '../kinds/live-objects.ts';
import { fieldSays } from '../kinds/places.ts';
import { type Kinds, unknownKind } from '../kinds/project.ts';
import { secretTest } from '../kinds/redact.ts';
import { idsIn } from '../kinds/references.ts';
import { noLifecycle, type Resource } from '../kinds/resource.ts';
import { type Address, formatAddress, type Key, parseAddress, referenceText } from '../model/address.ts';
import { lazy } from '../model/basics.ts';
import { checkoutDigest } from '../model/digest.ts';
import { noteOverlay } from '../model/failure.ts';
import {
  get,
  getText,
  getTexts,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  lossesIn,
  mapJson,
  mapMembers,
  nestedIn,
  objectFrom,
  pick,
  sameJson,
} from '../model/json.ts';
import { isFilledInLater, lookupOf, markersIn, refOf, secretName, secretPlaces } from '../model/marker.ts';
import { type Pointer, placeAbove, placesOf, pointer, segmentsOf, valueAt } from '../model/pointer.ts';
import { cutShort, didYouMean } from '../model/words.ts';
import type { readOverlays } from './overlay.ts';
import { reopenDocument } from './parse.ts';
import { type Place, type Problem, type Problems, quoted, unresolved } from './problems.ts';
import { checkSchema, schemaOf } from './schema.ts';
import { noteIn, resolveNotes } from './tags.ts';
import { type FoundNode, findNode, isRefusedKey, placeInside, type ReadTag, type Tree } from './tree.ts';

/** A document that declares an object: it has a known kind and a key, but may have other problems. */
export interface Manifest
  extends Pick<Resource, 'kind' | 'key' | 'address' | 'id' | 'fields' | 'declaration'> {
  readonly place: Place;
  readonly identities: ReturnType<typeof identitiesOf>;
  readonly resource: Resource | null;
}

type Overlays = ReturnType<typeof readOverlays>;

interface ManifestContext {
  readonly kinds: Kinds;
  readonly readTag: ReadTag;
  readonly overlays: Overlays | null;
  readonly problems: Problems;
  readonly shared: Map<WrittenManifest, Manifest>;
}

interface WrittenManifest extends Tree {
  readonly place: Place;
}

/**
 * Reads what a document declares in an environment; `null` if its kind or key cannot be read. Problems are reported. A document
 * without tags and overlays is the same in all environments, and is read once.
 */
export function readManifest(noted: WrittenManifest, context: ManifestContext): Manifest | null {
  const { kinds, readTag, overlays, problems, shared } = context;
  const known = shared.get(noted);
  const isOfTheseHosts = known?.kind === kinds.find(known?.kind.name ?? '');
  if (known && isOfTheseHosts && !overlays?.match(known.address)) return known;
  const { place } = noted;
  const written = noted.tagged ? resolveNotes(noted.value, place.file, readTag) : noted.value;
  const kind = kindOf(written, place, context);
  if (!kind || !isObject(written) || !isObject(noted.value)) return null;
  const key = keyOf(kind, written);
  const address = key && formatAddress(kind.name, key);
  const overlaid = address === null ? null : (overlays?.apply(written, address, kind) ?? null);
  const before = problems.count;
  const value = overlaid?.value ?? written;
  const tagged = noted.tagged || overlaid !== null;
  // The document is parsed again for positions: most are never needed.
  const find = (at: Pointer) => overlaid?.find(at) ?? findNode(reopenDocument(place), at);
  const declared: DeclaredTree = { kind, kinds, value, tagged, overlaid, find, problems };
  const isValid = checkManifest(declared, address);
  if (!key || address === null) return null;
  // No other name is copied, so none can reach a prototype.
  const fields = mapMembers(value, (item, name) => {
    if (!Object.hasOwn(kind.fields, name)) return undefined;
    return tagged ? dropUnresolved(item) : item;
  });
  const declaration = declarationOf(noted.value, value, kind, kinds);
  const manifest = { kind, key, address, id: getText(value, 'id'), place, fields, declaration };
  const resource = isValid ? resourceOf(manifest, declared) : null;
  const read = { ...manifest, identities: identitiesOf(manifest, resource?.lifecycle), resource };
  if (!tagged && resource && problems.count === before) shared.set(noted, read);
  return read;
}

/** The value without what could not be read: members, and lists with such an item. `undefined`: nothing is left. */
function dropUnresolved(value: Json): Json | undefined {
  if (value === unresolved) return undefined;
  if (isObject(value)) return mapMembers(value, dropUnresolved);
  if (!isArray(value)) return value;
  const items = value.map(dropUnresolved).filter((item) => item !== undefined);
  return items.length === value.length ? items : undefined;
}

/**
 * The identities that only one manifest may have, as texts that are equal for the same object: its key, its id, and the former key
 * that it renames.
 */
export function identitiesOf(
  { kind, key, address, id }: Pick<Manifest, 'kind' | 'key' | 'address' | 'id'>,
  lifecycle?: Resource['lifecycle'],
) {
  const { name } = kind;
  const identities = [{ identity: identityOf(kind, key), label: address, isFormer: false }];
  if (id !== null) {
    const label = `The ${name} with the id ${id}`;
    identities.push({ identity: `id ${name} ${id}`, label, isFormer: false });
  }
  const former = lifecycle?.renamedFrom;
  if (former) {
    const label = formatAddress(name, former);
    identities.push({ identity: identityOf(kind, former), label, isFormer: true });
  }
  return identities;
}

/** What declares a live object: by its id, or by its key, below the name that manifests give its parent. */
export function declarerOf<T extends { readonly key: Key }>(
  byIdentity: ReadonlyMap<string, T>,
  object: Pick<LiveObject, 'kind' | 'key' | 'id' | 'above'>,
): T | undefined {
  const { kind, id } = object;
  const byId = id === null ? undefined : byIdentity.get(`id ${kind.name} ${id}`);
  return byId ?? byIdentity.get(identityOf(kind, declaredKey(byIdentity, object)));
}

/** Manifests may name an object at any level above, and none of those between. */
function declaredKey(
  byIdentity: ReadonlyMap<string, { readonly key: Key }>,
  { key, above }: Pick<LiveObject, 'key' | 'above'>,
): Key {
  if (!above) return key;
  const parent = declarerOf(byIdentity, above)?.key ?? declaredKey(byIdentity, above);
  return keyBelow(parent, key);
}

interface DeclaredTree extends Tree {
  readonly kind: Kind;
  readonly kinds: Kinds;
  readonly value: JsonObject;
  readonly overlaid: ReturnType<Overlays['apply']>;
  readonly problems: Problems;
  find(at: Pointer): FoundNode;
}

function resourceOf(manifest: Omit<Manifest, 'resource' | 'identities'>, declared: DeclaredTree): Resource {
  // On Node 20, a copy by `...` would take six times as long, for each of thousands.
  const { kind, key, address, id, place, fields, declaration } = manifest;
  const { value, find, overlaid } = declared;
  const lifecycle = get(value, 'lifecycle');
  return {
    kind,
    key,
    address,
    id,
    fields,
    declaration,
    ensure: get(value, 'ensure') === 'absent' ? 'absent' : 'present',
    lifecycle: isObject(lifecycle) ? readLifecycle(lifecycle, declared) : noLifecycle,
    secrets: () => overlaid?.secrets() ?? secretPlaces(fields),
    source: () => place.file.at(place.offset),
    point(at, offset) {
      const found = find(at);
      const text = valueAt(value, at);
      const isInText = offset !== undefined && typeof text === 'string';
      const inside = isInText ? placeInside(found, text, offset) : null;
      const { file, offset: start } = inside ?? found.place;
      return { source: file.at(start), excerpt: file.excerpt(start) };
    },
    overlayAt(at) {
      const place = overlaid?.find(at)?.place;
      return place ? place.file.at(place.offset) : null;
    },
    isOverlaid: (at) => overlaid?.touches(at) ?? false,
  };
}

/** The kind of a document; `null` if it names none, which is reported. */
function kindOf(value: Json, place: Place, { kinds, problems }: ManifestContext): Kind | null {
  if (value === unresolved) return null;
  if (!isObject(value)) {
    const message = 'A manifest must be a mapping that begins with `kind:`.';
    const hint = isArray(value)
      ? 'Write each object without the `-`, and `---` between them.'
      : 'Write `kind: NotificationTemplate` in the first line: a name, a colon, a space and the value. The other fields follow in lines of their own.';
    problems.add('not-a-mapping', message, place, { hint });
    return null;
  }
  const name = get(value, 'kind');
  if (name === unresolved) return null;
  const kind = typeof name === 'string' ? kinds.find(name) : undefined;
  if (kind) return kind;
  const { place: at } = findNode(reopenDocument(place), '/kind');
  if (typeof name === 'string') problems.report(unknownKind(name.slice(0, 80), kinds), at);
  else {
    const hint = `The kinds are ${kinds.all.map((each) => each.name).join(', ')}.`;
    problems.add('missing-kind', 'A manifest must have a `kind`.', at, { hint });
  }
  return null;
}

/** The parts of the key; `null` if they are not all plain text. An object pinned without a name has its id as key. */
function keyOf(kind: Kind, value: JsonObject): Key | null {
  const parts = kind.keyFields.map(({ name }) => {
    if (name !== kind.parent?.part) return getText(value, name);
    const parent = parseAddress(refOf(get(value, name)) ?? '');
    return parent && partFor(parent.key);
  });
  if (parts.every(isKeyPart)) return parts;
  const isNameless = kind.keyFields.every(({ name }) => get(value, name) === undefined);
  const id = getText(value, 'id');
  return kind.can.pin && isNameless && isKeyPart(id) ? [id] : null;
}

/** Longer parts should not get into addresses. The schema of the kind refuses them. */
function isKeyPart(part: string | null): part is string {
  return part !== null && part !== '' && part !== unresolved && part.length <= longestKeyPart;
}

function checkManifest(declared: DeclaredTree, address: Address | null): boolean {
  const { kind, value, find, overlaid, problems } = declared;
  const isFitting = checkSchema(schemaOf(kind), declared, find, (general, place, fault) => {
    const { message, ...problem } = explain(kind, fault) ?? general;
    const noted = noteOverlay(message, Boolean(overlaid?.find(fault.at)));
    const isSecret = secretTest(kind, { marked: [], values: [value] })(fault.at);
    problems.report({ ...problem, message: noted }, place, {
      ...(address !== null && { address }),
      ...(isSecret && { excerpt: false }),
    });
  });
  // The names that identify an object, besides its parent's.
  const identifying = kind.keyFields.map(({ name }) => name).filter((name) => name !== kind.parent?.part);
  const plain = [...identifying, 'id', 'ensure'];
  const wrong = [...wrongIdentity(declared, plain), ...wrongReferences(declared), ...wrongJson(declared)];
  for (const problem of wrong) problems.report(problem, find(problem.at).place);
  for (const { at, ...problem } of neverWritten(declared))
    problems.report(problem, find(at).place, { severity: 'warning' });
  // If a value outside the fields could not be read, the intent of the manifest is unknown.
  const besides = pick(value, [...plain, 'lifecycle']);
  const isRead = sameJson(dropUnresolved(besides) ?? null, besides);
  return isFitting && isRead && wrong.length === 0;
}

interface ProblemAt extends Problem {
  readonly at: Pointer;
}

/** Tags in keys and ids, which must be known before the tenant is read, and parents without a `!ref`. */
function wrongIdentity({ kind, value }: DeclaredTree, plain: readonly string[]): ProblemAt[] {
  const rules = get(value, 'lifecycle');
  // The schema refuses a list that is one tag.
  const inRules = placesOf(
    isObject(rules) ? pick(rules, ['renamedFrom', 'basedOn', 'ignore']) : {},
    (part, at) => isFilledInLater(part) && at !== '/lifecycle/ignore',
    '/lifecycle',
  );
  const named = plain.filter((name) => isFilledInLater(get(value, name))).map((name) => pointer(name));
  const wrong = [...named, ...inRules].map((at): ProblemAt => {
    const message = `\`${segmentsOf(at).join('.')}\` must be plain text, not \`!secret\`, \`!lookup\` or \`!ref\`.`;
    return { at, code: 'not-plain', message };
  });
  const name = getText(value, kind.parent?.part ?? '');
  if (!kind.parent || name === null || name === unresolved) return wrong;
  const { part, kind: above } = kind.parent;
  // A name as plain text would be the same key, and no reference.
  const message = `\`${part}\` must be a \`!ref\` of the kind ${above.name}.`;
  const isTagless = name.startsWith(`${above.name}/`);
  const reference = isTagless ? name.slice(0, 160) : referenceText(above.name, [name.slice(0, 80)]);
  const hint = `Write \`${part}: !ref ${reference}\`.`;
  return [...wrong, { at: pointer(part), code: 'wrong-type', message, hint }];
}

/** Values inside fields that a policy leaves to the tenant. */
function neverWritten({ kind, value }: DeclaredTree): ProblemAt[] {
  return Object.entries(kind.fields).flatMap(([name, field]) => {
    if (!field.places?.has('serverOwned')) return [];
    const given = get(value, name) ?? null;
    const owned = placesOf(given, (_, at) => fieldSays(field, at, 'serverOwned'), pointer(name));
    return owned.map((at): ProblemAt => {
      const message = `\`${segmentsOf(at).join('/')}\` is set by the tenant (\`places\` of ${kind.name}), so this value is never written.`;
      const hint = 'Remove the line, or the policy of the place.';
      return { at, code: 'server-owned-field', message, hint };
    });
  });
}

type Fault = Parameters<Parameters<typeof checkSchema>[3]>[2];

/** Explains an error of the schema in terms of manifests; `null` if the general message is good enough. */
function explain(kind: Kind, fault: Fault): Problem | null {
  const { error, name } = fault;
  const { instancePath, propertyName, data } = error;
  const [field = '', ...below] = segmentsOf(instancePath);
  if (data === null && propertyName === undefined) {
    if (below.length > 0 || !Object.hasOwn(kind.fields, field)) return null;
    const message = `\`${field}\` cannot be cleared: the API does not accept null for it.`;
    return { code: 'not-clearable', message, hint: 'Remove the line to leave it as it is.' };
  }
  if (propertyName !== undefined) {
    const message = `With \`ensure: absent\`, only the key is allowed, not \`${name}\`.`;
    return { code: 'absent-with-fields', message, hint: 'Remove the field, or `ensure: absent`.' };
  }
  if (name === null) return null;
  if (instancePath === '' && kind.serverOwned.includes(name)) {
    const field = get(kind.quirks?.declaredAs ?? {}, name);
    const [message, hint] =
      field === undefined
        ? [`\`${name}\` is set by the tenant and cannot be declared.`, 'Remove the line.']
        : [`\`${name}\` is called \`${field}\` in a manifest.`, `Declare \`${field}\` in its place.`];
    return { code: 'server-owned-field', message, hint };
  }
  if (instancePath === '/lifecycle' && name === 'renamedFrom') {
    const message = `The API cannot rename objects of kind ${kind.name}.`;
    return { code: 'not-renamable', message, hint: 'Remove `renamedFrom`.' };
  }
  return null;
}

/** Explains a pointer to something that cannot be ignored alone; `null` for any other. */
function explainIgnored(kind: Kind, at: Pointer, value: JsonObject): Problem | null {
  const [name = '', ...below] = segmentsOf(at);
  const field = get(kind.fields, name);
  if (!field) {
    const message = `A ${kind.name} has no field \`${name}\` to ignore.`;
    return { code: 'unknown-field', message, hint: didYouMean(name, Object.keys(kind.fields)) };
  }
  const hasMembers = field.is === 'json' || field.is === 'reference' || isObject(get(value, name));
  const isPart = below.length > 0 && !hasMembers;
  // Lists and null, which clears, have no members that could be left alone, and a secret or lookup is not known yet.
  const closed = placeAbove(
    readableFields(kind, value),
    at,
    (part) => part === null || isArray(part) || secretName(part) !== null || lookupOf(part) !== null,
  );
  const whole = isPart ? pointer(name) : closed;
  if (whole === null) return null;
  return {
    code: 'not-ignorable',
    message: `\`${at}\` cannot be ignored by itself: \`${whole}\` is compared and written as a whole.`,
    hint: `Ignore \`${whole}\`.`,
  };
}

function readLifecycle(
  lifecycle: JsonObject,
  { kind, value, find, problems }: DeclaredTree,
): Resource['lifecycle'] {
  const ignore = getTexts(lifecycle, 'ignore');
  for (const [index, at] of ignore.entries()) {
    const problem = explainIgnored(kind, at, value);
    if (problem) problems.report(problem, find(`/lifecycle/ignore/${index}`).place);
  }
  const renamedFrom = getText(lifecycle, 'renamedFrom');
  return {
    protect: get(lifecycle, 'protect') === true,
    ignore,
    renamedFrom: renamedFrom === null ? null : [renamedFrom],
    allowLockout: get(lifecycle, 'allowLockout') === true,
    basedOn: getText(lifecycle, 'basedOn'),
  };
}

/** JSON fields that are one tag, since their members are compared one by one, or text with numbers that would lose digits. */
function wrongJson({ kind, value, overlaid }: DeclaredTree): ProblemAt[] {
  // Merged with an overlay, a text is a mapping: texts are checked where they are written.
  const written = (overlaid?.sources ?? [value]).flatMap((source) => Object.entries(source));
  return written.flatMap(([name, given]) => {
    const field = get(kind.fields, name);
    if (field?.is !== 'json') return [];
    const at = pointer(name);
    if (isFilledInLater(given) && refOf(given) === null) {
      const message = `\`${name}\` is JSON, and cannot be one \`!secret\` or \`!lookup\` as a whole.`;
      const hint = `Declare its members, and tag those that are secret or looked up: \`${name}: { password: !secret NAME }\`.`;
      return [{ at, code: 'wrong-type', message, hint }];
    }
    // Keys and numbers in YAML are refused when they are read.
    const texts = isObject(given) ? (field.nested ?? []).map((each) => get(given, each)) : [given];
    const json = texts.filter((text) => typeof text === 'string' && readJsonText(text) !== text);
    if (json.length === 0) return [];
    const shown = get(readableFields(kind, { [name]: given }), name) ?? null;
    const [refused] = placesOf(
      shown,
      (_, below) => isRefusedKey(segmentsOf(below).at(-1) ?? '') && valueAt(given, below) === undefined,
    );
    if (refused !== undefined) {
      const message = `The key \`${segmentsOf(refused).at(-1)}\` is not allowed in the JSON of \`${name}\`.`;
      const hint =
        'A manifest cannot have it. Tags such as `!secret NAME` need YAML: declare the members instead of a text.';
      return [{ at, code: 'reserved-key', message, hint }];
    }
    const losses = json.map((text) => lossesIn(String(text)));
    if (losses.some(({ hasKeyTwice }) => hasKeyTwice)) {
      const message = `An object in the JSON of \`${name}\` has a key twice, and the last value would count.`;
      return [{ at, code: 'duplicate-key', message, hint: 'Keep one of the two.' }];
    }
    const inexact = losses.flatMap(({ numbers }) => numbers);
    return inexact.map((digits) => {
      const number = quoted(cutShort(digits, 40));
      const message = `\`${number}\` in the JSON of \`${name}\` is more than a number can hold.`;
      return { at, code: 'inexact-number', message, hint: `If it is text, put it in quotes: "${number}".` };
    });
  });
}

/** The name of a member may be a reference without a tag. */
function wrongReferences({ kind, kinds, value: manifest }: DeclaredTree): ProblemAt[] {
  return nestedIn(manifest).flatMap(([name, value]) => {
    const field = get(kind.fields, name);
    const uses = field ? idsIn(field, value) : [];
    const marked = placesOf(value, (part) => refOf(part) !== null).map((at) => {
      return (
        uses.find((use) => use.at === at && !use.isName) ?? { at, id: valueAt(value, at) ?? null, to: [] }
      );
    });
    const message = `\`!ref\` is not allowed here in \`${name}\`.`;
    const notTaken = { code: 'ref-not-taken', message, hint: 'A `!ref` stands in the place of an id.' };
    return [...uses.filter(({ isName }) => isName), ...marked].flatMap(({ at, id, to: [target] }) => {
      const to = refOf(id);
      // The members of a JSON field are compared one by one, so all of it cannot be an id.
      const isTaken = target !== undefined && !(field?.is === 'json' && at === '');
      const problem = to === null ? null : isTaken ? wrongTarget(to, name, target, kinds) : notTaken;
      return problem ? [{ ...problem, at: pointer(name) + at }] : [];
    });
  });
}

function wrongTarget(to: Address, name: string, target: string, kinds: Kinds): Problem | null {
  const { kind: wanted, key } = parseAddress(to) ?? { kind: '', key: [] };
  const found = kinds.find(wanted);
  if (wanted !== target && (found || kinds.find(target))) {
    const message = `\`${name}\` refers to the kind ${target}, not to ${wanted.slice(0, 80)}.`;
    return { code: 'ref-kind', message, hint: didYouMean(wanted, [target]) ?? `Write \`!ref ${target}/…\`.` };
  }
  if (!found) return unknownKind(wanted.slice(0, 80), kinds);
  if (isKeyOf(found, key)) return null;
  const message = `A reference to this kind is \`!ref ${referenceText(wanted, partsOf(found))}\`.`;
  const hint =
    'Inside a part write `%2F` for a slash and `%25` for a percent sign; inside a part of a part `%252F` and `%2525`.';
  return { code: 'invalid-ref', message, hint };
}

/** The parts of a key by name. */
function partsOf({ keyFields, parent }: Kind): Key {
  const names = keyFields.map(({ name }) => name.toUpperCase());
  const above = parent ? partsOf(parent.kind) : [];
  return above.length > 1 ? keyBelow(above, names) : names;
}

/**
 * Digests the declaration of a document in all environments, and finds where this one departs from it. The descriptors of its
 * kind and of referenced kinds decide its effect, so they are part of the digest.
 */
function declarationOf(
  noted: JsonObject,
  resolved: JsonObject,
  { described }: Kind,
  kinds: Kinds,
): NonNullable<Resource['declaration']> {
  const isSame = noted === resolved;
  const descriptor = described?.digest;
  return {
    digest: lazy(() => {
      // The place of a tag in its file does not matter.
      const declared = isSame
        ? noted
        : mapJson(noted, (value) => {
            const note = noteIn(value);
            return note ? { $tag: [note.tag, note.argument] } : value;
          });
      const kindsOfTargets = new Set(markersIn(noted, '$ref').map((to) => parseAddress(to)?.kind ?? ''));
      const digests = [...kindsOfTargets].flatMap((name) => {
        const digest = kinds.find(name)?.described?.digest;
        return digest === undefined ? [] : [[name, digest] as const];
      });
      const targets = digests.length > 0 ? objectFrom(digests) : undefined;
      const isDescribed = descriptor !== undefined || targets !== undefined;
      return checkoutDigest(isDescribed ? { declared, descriptor, targets } : declared);
    }),
    differsHere: () => (isSame ? [] : differences(noted, resolved, '')),
    isEnsuredHere: (get(noted, 'ensure') === 'absent') !== (get(resolved, 'ensure') === 'absent'),
  };
}

function differences(noted: Json | undefined, resolved: Json | undefined, at: Pointer): Pointer[] {
  if (noted !== undefined && resolved !== undefined && sameJson(noted, resolved)) return [];
  if (isObject(noted) && isObject(resolved) && !noteIn(noted)) {
    const names = new Set([...Object.keys(noted), ...Object.keys(resolved)]);
    return [...names].flatMap((name) =>
      differences(get(noted, name), get(resolved, name), at + pointer(name)),
    );
  }
  if (isArray(noted) && isArray(resolved) && noted.length === resolved.length)
    return noted.flatMap((item, index) => differences(item, resolved[index], at + pointer(index)));
  return [at];
}
