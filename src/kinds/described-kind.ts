import { get, isObject, type JsonObject, mapMembers, pick } from '../model/json.ts';
import type { ApiSettings } from '../model/settings.ts';
import { concealedPlaces } from './credentials.ts';
import { manifestSchemaOf } from './described-schema.ts';
import { othersIn, writesOf } from './described-write.ts';
import { type Descriptor, namingOf, type Proof } from './descriptor.ts';
import { type ApiResource, apiRequest, eq, or, resourceAt } from './http.ts';
import { readJsonText } from './jsontext.ts';
import { type Facts, type Field, fieldNamed, type Kind, type List, type Parent, type Read } from './kind.ts';
import { idText } from './operation.ts';
import { aboveIn, joinIds, pathIds } from './parents.ts';

/**
 * The kind that a descriptor describes, in its `resource`. Callers use it like a built-in kind.
 *
 * @param parent the kind of the objects that its objects are below, where it has one
 */
export function kindFrom(
  descriptor: Descriptor,
  {
    resource = resourceOf(descriptor),
    proof,
    parent,
  }: { readonly resource?: ApiResource; readonly proof?: Proof; readonly parent?: Parent } = {},
): Kind {
  const { kind: name, summary, key, single, update, write } = descriptor;
  const { isPinnable, isRenamable } = namingOf(descriptor);
  const above = parent && {
    name: parent.part,
    foldCase: parent.kind.keyFields.some(({ foldCase }) => foldCase),
  };
  return {
    name,
    summary,
    keyFields: [...(above ? [above] : []), ...key],
    fields: fieldsOf(descriptor, parent),
    // Where a manifest may pin the id, it is not among what it may not say.
    serverOwned: descriptor.serverOwned.filter((each) => !(isPinnable && each === 'id')),
    resource,
    ...(parent && { parent }),
    ...(descriptor.id !== 'id' && { idMember: descriptor.id }),
    read: readOf(descriptor, resource, parent),
    parse: (answer, id) => parse(descriptor, answer, { id, parent }),
    can: {
      // A descriptor does not say what the tenant does with a second create. A PUT does the same twice.
      create: descriptor.create && (single ? 'replaces' : 'duplicates'),
      update: update !== 'none',
      delete: descriptor.delete,
      rename: isRenamable,
      pin: isPinnable,
    },
    ...writesOf({ descriptor, resource, parent }),
    described: {
      schema: () => manifestSchemaOf(descriptor),
      ...(write.required && { required: write.required }),
      ...(proof && { digest: proof.digest }),
    },
    ...(proof?.notice && { quirks: { notice: proof.notice } }),
  };
}

/** Its place among the fields makes the parent a reference like any other: resolved, checked, and before it in an apply. */
function fieldsOf({ fields }: Descriptor, parent: Parent | undefined): Readonly<Record<string, Field>> {
  return parent ? { [parent.part]: { is: 'value', to: parent.kind.name }, ...fields } : fields;
}

function readOf(descriptor: Descriptor, resource: ApiResource, parent: Parent | undefined): Read {
  const one = (id: string | null, settings: ApiSettings) => {
    const [above, own] = id === null ? [] : pathIds(parent, id);
    return apiRequest('GET', resource, settings, {
      above: above === undefined ? [] : [above],
      below: own === undefined || descriptor.single ? [] : [own],
    });
  };
  if (!descriptor.single) return { how: 'list', list: listOf(descriptor, resource, parent), one };
  // Elsewhere a 404 says that the path is wrong.
  return { how: 'single', one, isAbsent: ({ status }) => descriptor.create && status === 404 };
}

const resourceOf = ({ kind, service, path }: Descriptor) => resourceAt(kind, service, path);

export function listOf(
  { key, list: { filterPart = -1, ...list } }: Descriptor,
  resource: ApiResource,
  parent?: Parent,
): List {
  const part = key[filterPart];
  if (!part) return { ...list, resource };
  // The parent is in front of the other parts of a key.
  const at = filterPart + (parent ? 1 : 0);
  return {
    ...list,
    resource,
    filter: (keys) =>
      or([...new Set(keys.map((each) => each[at] ?? ''))].map((value) => eq(part.name, value))),
  };
}

interface Context {
  readonly id: string | null;
  readonly parent: Parent | undefined;
}

/** An id stands in for a key of one part that the tenant leaves empty. An answer without the member is another thing. */
function parse(descriptor: Descriptor, answer: JsonObject, { id: requested, parent }: Context): Facts | null {
  const above = parent ? aboveIn(parent, answer) : null;
  if (parent && !above) return null;
  const shown =
    idText(get(answer, descriptor.id)) ?? (requested === null ? null : pathIds(parent, requested)[1]);
  const id = descriptor.single ? null : (shown ?? null);
  const parts = descriptor.key.map(({ name, of }) => {
    const member = get(answer, name);
    return of !== undefined && isObject(member) ? get(member, of) : member;
  });
  const key = parts.map((part) =>
    parts.length === 1 && (part === null || part === '') ? id : (part ?? null),
  );
  if (!key.every((part) => typeof part === 'string')) return null;
  const named = mapMembers(pick(answer, Object.keys(descriptor.fields)), (value, name) =>
    fieldNamed(descriptor, name)?.is === 'json' ? readJsonText(value) : value,
  );
  const others = othersIn(descriptor, answer, parent);
  const fields = { ...others, ...named };
  const facts = { fields, hidden: concealedPlaces(fields, ''), extraMembers: () => others };
  if (!parent || !above) return { ...facts, key, id };
  return {
    ...facts,
    key: [above.part, ...key],
    id: descriptor.single ? joinIds(above.id) : id === null ? null : joinIds(above.id, id),
    fields: { [parent.part]: above.id, ...fields },
  };
}
