import { shortenLine } from '../client/describe.ts';
import { readFirstPage } from '../client/pages.ts';
import { readAll, readObjects } from '../client/read.ts';
import { draftObject } from '../exporter/draft.ts';
import type { Export } from '../exporter/files.ts';
import { anyJson, isSentAsText, sameValue } from '../kinds/field.ts';
import { apiRequest } from '../kinds/http.ts';
import { readJsonText } from '../kinds/jsontext.ts';
import { type Field, isObserved, type Kind, type List, type LiveObject } from '../kinds/kind.ts';
import { liveObject, someOf } from '../kinds/live-objects.ts';
import { fieldSays } from '../kinds/places.ts';
import type { Project } from '../kinds/project.ts';
import { targetKindOf } from '../kinds/references.ts';
import type { ManifestFolder } from '../loader/source.ts';
import type { Address } from '../model/address.ts';
import { groupBy } from '../model/basics.ts';
import type { Change } from '../model/documents.ts';
import { type Diagnostic, hasCode, hasErrors } from '../model/failure.ts';
import { get, isArray, isMemberName, isReference, type Json } from '../model/json.ts';
import { pointer, topName } from '../model/pointer.ts';
import type { ApiSettings } from '../model/tenant.ts';
import { namesAndMore } from '../model/words.ts';
import { exportTenant } from './export.ts';
import { planChanges } from './plan.ts';
import { pathOf } from './stray-ids.ts';
import type { Tenant } from './tenant.ts';

/**
 * Checks a kind against a tenant, which is only read: its list can be read completely, its key is unique, its fields are stable
 * and have the form in which they are written, and a plan of its export is empty. Throws a Failure when the tenant cannot be read.
 * `exported`: how many objects manifests can declare. Without an error, the descriptor fits the tenant.
 */
export async function checkKind(tenant: Tenant, kind: Kind, load: (manifests: ManifestFolder) => Project) {
  const objects = await readByKeys(tenant, kind);
  const again = await readByKeys(tenant, kind);
  // One object as an apply reads it after a write.
  const one = objects.slice(0, kind.read.how === 'single' ? 0 : 1).flatMap(({ key, id }) => {
    return id === null ? [] : { ...someOf(kind, [key]), ids: [id], written: true };
  });
  const { settings } = tenant.environment;
  const found = [
    ...sharedKeys(objects),
    ...missingIds(kind, objects),
    ...unstableFields(kind, objects, again, 'changed by itself between two reads'),
    ...unstableFields(kind, objects, await readObjects(tenant.client, one), 'differs in a read by id'),
    ...(isObserved(kind) ? [] : [...unnamedFields(kind, objects), ...misfits(kind, objects, settings)]),
    // A list below another object is asked like any other.
    ...(kind.read.how === 'list' && !kind.parent
      ? [
          ...(await checkPages(tenant, kind.read.list, objects)),
          ...(await checkFilter(tenant, kind.read.list, objects.slice(0, 2))),
        ]
      : []),
    ...(objects.length === 0 ? [nothingToCheck(kind.name)] : []),
  ];
  // Objects that cannot be read or distinguished cannot be exported either.
  if (hasErrors(found)) return { objects: objects.length, exported: 0, proposed: {}, diagnostics: found };
  const plan = await checkPlan(tenant, kind, load);
  const unproven = plan.exported === 0 ? [nothingToCheck(`${kind.name} that a manifest can declare`)] : [];
  return { ...plan, objects: objects.length, diagnostics: [...found, ...plan.diagnostics, ...unproven] };
}

/** All objects, known by their keys even if they share one. */
async function readByKeys({ client }: Tenant, kind: Kind): Promise<LiveObject[]> {
  return (await readAll(client, [kind])).flatMap(({ raw, id }) => liveObject(kind, raw, id) ?? []);
}

async function checkPlan(reader: Tenant, kind: Kind, load: Parameters<typeof checkKind>[2]) {
  const exported = await exportTenant(reader, { kinds: [kind.name] });
  const texts = new Map(exported.files.map(({ path, content }) => [path, content]));
  const source = {
    glob: () => [...texts.keys()].filter((path) => path.endsWith('.yaml')),
    text: (path: string) => texts.get(path) ?? '',
  };
  const project = load({ source, manifests: ['**/*.yaml'] });
  // The tenant has the secrets that an export conceals, so the plan uses its values.
  const asked = new Set<string>();
  const problem = (name: string) => {
    asked.add(name);
    return null;
  };
  const secrets = { ...project.secrets, problem, matches: () => true };
  const { changes } = await planChanges({ ...project, secrets }, reader);
  const { length } = project.resources;
  return {
    exported: length,
    proposed: exported.proposed.get(kind.name) ?? {},
    diagnostics: [
      ...exported.diagnostics,
      ...askedSecrets(kind, exported.secrets, asked),
      ...plannedDifferences(changes, length),
    ],
  };
}

function askedSecrets(
  { name, fields }: Kind,
  secrets: Export['secrets'],
  asked: ReadonlySet<string>,
): Diagnostic[] {
  const open = secrets.filter(
    (secret) => asked.has(secret.name) && !fieldSays(fields[topName(secret.at)], secret.at, 'secret'),
  );
  const places = groupBy(open, ({ at }) => pathOf(at));
  if (places.length === 0) return [];
  const lines = places.slice(0, mostNames).map(([path, [{ address }, ...others]]) => {
    return `- ${shortenLine(path, 200)} in ${namesAndMore([address], others.length)}`;
  });
  const message = [`A plan of the export of ${name} asks for secrets:`, ...lines].join('\n');
  const hint = `In \`places\` of kinds/${name}.kind.yaml, give each of them the policy \`secret\`, or \`plain\` if it holds no credential.`;
  return [{ code: 'kind-asks-secrets', severity: 'info', message, hint }];
}

/** Hosts with more fields than this are hostile. */
const mostNames = 200;

/** Returns each name with the objects that it was found in: `of 2 of 5 objects, such as Role/admin`. */
function tally<T extends { readonly address: Address }, N extends string>(
  objects: readonly T[],
  namesIn: (object: T) => Iterable<N>,
  of = objects.length,
): [name: N, seen: string][] {
  const found = new Map<N, { readonly example: Address; count: number }>();
  for (const object of objects) {
    for (const name of namesIn(object)) {
      const known = found.get(name);
      if (known) known.count += 1;
      else if (found.size < mostNames) found.set(name, { example: object.address, count: 1 });
    }
  }
  return [...found].map(([name, { example, count }]) => [
    name,
    of === 1 ? `of ${example}` : `of ${count} of ${of} objects, such as ${example}`,
  ]);
}

const word = (name: string) => `\`${shortenLine(name, 100)}\``;

function missingIds({ can, read }: Kind, objects: readonly LiveObject[]): Diagnostic[] {
  if ((can.create && !can.update && !can.delete) || read.how === 'single') return [];
  return tally(objects, ({ id }) => (id === null ? ['id'] : [])).map(([, seen]) => ({
    code: 'kind-row-unreadable',
    severity: 'error',
    message: `The tenant shows no \`id\` ${seen}: neither a request nor a \`!ref\` could name it.`,
    hint: 'Correct `path` and `list.member`. If objects have no `id`, a kind can only create them: `create: true`, `update: none` and `delete: false`.',
  }));
}

/** Finds fields that differ between two reads although nobody changed them. Server-owned fields may differ. */
function unstableFields(
  kind: Kind,
  before: readonly LiveObject[],
  after: readonly LiveObject[],
  how: string,
): Diagnostic[] {
  const then = new Map(before.map((object) => [nameOf(object), object]));
  return tally(after, (object) => {
    const { raw: earlier } = then.get(nameOf(object)) ?? object;
    const names = new Set([...Object.keys(earlier), ...Object.keys(object.raw)]);
    return [...names].filter(
      (name) => !sameValue(get(kind.fields, name) ?? anyJson, get(earlier, name), get(object.raw, name)),
    );
  })
    .filter(([name]) => !kind.serverOwned.includes(name))
    .map(([name, seen]) => ({
      code: 'kind-field-unstable',
      severity: isNamed(kind, name) ? 'error' : 'warning',
      message: `${word(name)} ${seen} ${how}.`,
      hint: `Move ${word(name)} to \`serverOwned\`.`,
    }));
}

function unnamedFields(kind: Kind, objects: readonly LiveObject[]): Diagnostic[] {
  const known = ['id', ...kind.serverOwned];
  return tally(objects, ({ raw }) =>
    // A descriptor cannot have names such as `@odata.type`: these fields stay as they are.
    Object.keys(raw).filter((name) => isMemberName(name) && !known.includes(name) && !isNamed(kind, name)),
  ).map(([name, seen]) => ({
    code: 'kind-field-unnamed',
    severity: 'warning',
    message: `The descriptor does not name ${word(name)} ${seen}.`,
    hint: `Add \`${shortenLine(name, 100)}: ${suggestedField(name, objects)}\` to \`fields\` if manifests should declare it, else ${word(name)} to \`serverOwned\`.`,
  }));
}

/** Finds fields that an export leaves out, or an apply would write in another form: a plan of an export does not show that. */
function misfits(kind: Kind, objects: readonly LiveObject[], settings: ApiSettings): Diagnostic[] {
  const drafts = objects.flatMap((object) => {
    const draft = draftObject(object, { records: new Map() });
    return 'refused' in draft ? [] : [draft];
  });
  const declarable = new Set(drafts.flatMap(({ fields }) => fields.map(([name]) => name)));
  return Object.entries(kind.fields).flatMap(([name, field]) => {
    const unfit = drafts.filter(
      ({ object: { raw }, omissions }) =>
        isWrittenOtherwise(field, get(raw, name) ?? null, settings) ||
        (!declarable.has(name) &&
          omissions.some(({ at, reason }) => at === pointer(name) && reason !== 'notShown')),
    );
    const shown = unfit.map(({ object }) => object);
    return tally(shown, () => [name], objects.length).map(
      ([, seen]): Diagnostic => ({
        code: 'kind-field-form',
        severity: 'error',
        message: `${word(name)} ${seen} does not have the form of the type \`${field.is}\`, in which an apply would write it.`,
        hint: `Say \`${suggestedField(name, shown, targetKindOf(field))}\` in \`fields\`, or add ${word(name)} to \`serverOwned\`.`,
      }),
    );
  });
}

function plannedDifferences(changes: readonly Change[], exported: number): Diagnostic[] {
  return tally(
    changes,
    ({ action, diff }) => new Set(action === 'create' ? [''] : diff.map(({ path }) => topName(path))),
    exported,
  ).map(([name, seen]) => ({
    code: 'kind-plan-not-empty',
    severity: 'error',
    message: `A plan of the export would ${name === '' ? `create ${seen.slice('of '.length)}` : `change ${word(name)} ${seen}`}.`,
    hint:
      name === ''
        ? 'Objects are not found by their keys: remove `list.filter`.'
        : `Correct the type of ${word(name)} in \`fields\`, or leave it out there.`,
  }));
}

function isNamed({ fields, keyFields }: Kind, name: string): boolean {
  return Object.hasOwn(fields, name) || keyFields.some((part) => part.name === name);
}

const nameOf = ({ id, identity }: LiveObject): string => id ?? identity;

/** The type of a field with the values that objects show. `to`: the kind that ids in it belong to, if that is known. */
function suggestedField(name: string, objects: readonly LiveObject[], to: string | null = null): string {
  const shown = objects.map(({ raw }) => get(raw, name) ?? null).filter((value) => value !== null);
  const isAll = (test: (value: Json) => boolean) => shown.length > 0 && shown.every(test);
  const ids = (is: string) => (to === null ? is : `{ is: ${is}, to: ${to} }`);
  if (isAll((value) => typeof value === 'string')) {
    if (isAll((value) => typeof readJsonText(value) === 'object')) return '{ is: json, text: true }';
    const isLong = shown.some((value) => String(value).includes('\n') || String(value).length > 255);
    return isLong ? 'text' : ids('value');
  }
  if (isAll((value) => isArray(value) && value.every((item) => typeof item !== 'object'))) return ids('set');
  if (isAll((value) => isArray(value) && value.length > 0 && value.every(isReference)))
    return `{ is: references, to: ${to ?? 'KIND'} }`;
  if (isAll(isReference)) return `{ is: reference, to: ${to ?? 'KIND'} }`;
  return isAll((value) => typeof value !== 'object') ? ids('value') : 'json';
}

/** True if the tenant shows a value in another form than a write would send it. */
function isWrittenOtherwise(field: Field, shown: Json, settings: ApiSettings): boolean {
  if (shown === null || shown === '') return false;
  switch (field.is) {
    case 'json':
      if (typeof shown !== 'string') return typeof shown === 'object' && isSentAsText(field, settings);
      return typeof readJsonText(shown) === 'object' && !isSentAsText(field, settings);
    case 'reference':
      return typeof shown !== 'object';
    case 'references':
      return isArray(shown) && shown.some((item) => typeof item !== 'object');
    default:
      return false;
  }
}

function nothingToCheck(what: string): Diagnostic {
  return {
    code: 'kind-no-objects',
    severity: 'error',
    message: `The tenant has no ${what}, so the descriptor cannot be proven.`,
    hint: 'Make one in the admin interface, or check against a tenant that has some.',
  };
}

function sharedKeys(objects: readonly LiveObject[]): Diagnostic[] {
  return groupBy(objects, ({ identity }) => identity).flatMap(([, same]): Diagnostic[] => {
    const [{ address }] = same;
    if (same.length === 1) return [];
    const ids = same.slice(0, 5).map(({ id }) => shortenLine(id ?? 'unknown', 100));
    const more = same.length > ids.length ? ', …' : '';
    const message = `${same.length} objects are ${address} (ids ${ids.join(', ')}${more}): the key does not distinguish them.`;
    const hint = 'Add a field to `key` that differs between them, or rename them in the tenant.';
    return [{ code: 'kind-key-shared', severity: 'error', message, hint, address }];
  });
}

/** Asks for what would be the second page after a first page that looks like the last. */
async function checkPages(reader: Tenant, list: List, objects: readonly LiveObject[]): Promise<Diagnostic[]> {
  const { pageSize } = list;
  const [first] = objects;
  if (!first || (pageSize !== null && objects.length >= pageSize)) return [];
  const limit = pageSize === null ? {} : { limit: String(pageSize) };
  const more = await namesAt(reader, list, first, { ...limit, offset: String(objects.length) });
  const known = objects.map(nameOf);
  if (more.every((name) => name !== null && known.includes(name))) return [];
  const message = `The tenant lists ${objects.length} objects at once although there are more, but the descriptor says ${pageSize ?? 'that there are no pages'}.`;
  const hint = `Set \`list.pageSize\` to ${objects.length}.`;
  return [{ code: 'kind-page-size', severity: 'error', message, hint }];
}

/** Asks for some objects by their keys, as a plan does: the list has to understand `or` too. */
async function checkFilter(reader: Tenant, list: List, wanted: readonly LiveObject[]): Promise<Diagnostic[]> {
  const [first] = wanted;
  if (!list.filter || !first) return [];
  const filters = list.filter(wanted.map(({ key }) => key));
  const found = await namesAt(reader, list, first, { filters });
  const lost = wanted.find((object) => !found.includes(nameOf(object)));
  if (!lost) return [];
  const message = `The filter ${shortenLine(filters, 200)} does not find ${lost.address}.`;
  const hint = 'Remove `list.filter`: then the whole list is read.';
  return [{ code: 'kind-filter', severity: 'error', message, hint }];
}

/** What the rows of one answer of the list are known by; none when the tenant refuses the parameters. */
async function namesAt({ client }: Tenant, list: List, { kind }: LiveObject, query: Record<string, string>) {
  const request = apiRequest('GET', list.resource, client.settings, { query });
  const source = { ...list, what: list.resource.name, request, pageSize: null };
  try {
    const { rows } = await readFirstPage(client, source);
    return rows.map((row) => liveObject(kind, row, null)).map((object) => object && nameOf(object));
  } catch (error) {
    if (hasCode(error, 'tenant-bad-request')) return [];
    throw error;
  }
}
