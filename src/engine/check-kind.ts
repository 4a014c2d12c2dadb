import { isSuccess, isWhole } from '../client/answer.ts';
import type { Client } from '../client/client.ts';
import { describeAnswer, isBadRequest, shortenLine } from '../client/describe.ts';
import { readFirstPage } from '../client/pages.ts';
import { readAll } from '../client/read.ts';
import { readAgain } from '../client/read-once.ts';
import { draftObject } from '../exporter/draft.ts';
import type { ExportedFile, NamedSecret } from '../exporter/index.ts';
import { anyJson, isSentAsText, sameValue } from '../kinds/field.ts';
import { apiRequest } from '../kinds/http.ts';
import { readJsonText } from '../kinds/jsontext.ts';
import { type Field, isObserved, type Kind, type List, type LiveObject } from '../kinds/kind.ts';
import { liveObject } from '../kinds/live-objects.ts';
import { aboveIn, placeBelow } from '../kinds/parents.ts';
import type { Project } from '../kinds/project.ts';
import { targetKindOf } from '../kinds/references.ts';
import type { ManifestFolder } from '../loader/source.ts';
import type { Address } from '../model/address.ts';
import { groupBy } from '../model/basics.ts';
import { type Diagnostic, hasErrors } from '../model/diagnostic.ts';
import { fail } from '../model/failure.ts';
import {
  get,
  getText,
  isArray,
  isFieldName,
  isMemberName,
  isObject,
  isReference,
  type Json,
  type JsonObject,
} from '../model/json.ts';
import type { Change } from '../model/plan.ts';
import { pointer, topName } from '../model/pointer.ts';
import type { ApiSettings } from '../model/settings.ts';
import { namesAndMore } from '../model/words.ts';
import { exportTenant } from './export.ts';
import { planChanges } from './plan.ts';
import { type ProposedPlaces, pathOf } from './stray-ids.ts';
import type { Tenant } from './tenant.ts';

/** Without an error, the descriptor fits the tenant. */
interface KindCheck {
  readonly objects: number;
  /** The number of objects that manifests can declare: the plan of the others' export shows nothing. */
  readonly exported: number;
  /** The policies of ids that the descriptor does not name. */
  readonly proposed: ProposedPlaces;
  readonly diagnostics: readonly Diagnostic[];
}

type LoadFolder = (manifests: ManifestFolder) => Project;

/**
 * Checks a kind against a tenant, which is only read: its list can be read completely, its key is unique, its fields are stable
 * and have the form in which they are written, and a plan of its export is empty. Throws a Failure when the tenant cannot be read.
 */
export async function checkKind(tenant: Tenant, kind: Kind, load: LoadFolder): Promise<KindCheck> {
  const reader = { ...tenant, client: restrictToReads(tenant.client) };
  const { objects, unreadable } = await readTolerantly(reader, kind);
  const again = await readTolerantly(reader, kind);
  const { settings } = tenant.environment;
  const found = [
    ...unreadableRows(kind, unreadable),
    ...sharedKeys(objects),
    ...missingIds(kind, objects),
    ...unstableFields(kind, objects, again.objects),
    ...(isObserved(kind) ? [] : [...unnamedFields(kind, objects), ...misfits(kind, objects, settings)]),
    ...(await checkList(reader, kind, objects)),
    ...(objects.length === 0 ? [nothingToCheck(kind.name)] : []),
  ];
  // Objects that cannot be read or distinguished cannot be exported either.
  if (hasErrors(found)) return { objects: objects.length, exported: 0, proposed: {}, diagnostics: found };
  const plan = await checkPlan(reader, kind, load);
  const unproven = plan.exported === 0 ? [nothingToCheck(`${kind.name} that a manifest can declare`)] : [];
  return { ...plan, objects: objects.length, diagnostics: [...found, ...plan.diagnostics, ...unproven] };
}

function restrictToReads(client: Client): Client {
  const again = readAgain(client);
  return {
    ...again,
    send(request, options) {
      if (request.method !== 'GET') throw new TypeError(`A check of a kind must not send ${request.method}.`);
      return again.send(request, options);
    },
  };
}

async function readTolerantly({ client }: Tenant, kind: Kind) {
  const unreadable: JsonObject[] = [];
  const { read: how } = kind;
  let tolerant = kind;
  if ('list' in how) {
    const { list } = how;
    const isForeign = (row: JsonObject) => {
      if (list.isForeign?.(row) !== true) unreadable.push(row);
      return true;
    };
    tolerant = { ...kind, read: { ...how, list: { ...list, isForeign } } };
  }
  const read = await readAll(client, [tolerant]);
  const objects = read.flatMap(({ raw, id }) => liveObject(kind, raw, id) ?? []);
  return { objects, unreadable };
}

async function checkPlan(reader: Tenant, kind: Kind, load: LoadFolder) {
  const exported = await exportTenant(reader, { kinds: [kind.name] });
  const project = load(manifestsIn(exported.files));
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
      ...askedSecrets(
        kind,
        exported.secrets.filter(({ name }) => asked.has(name)),
      ),
      ...plannedDifferences(changes, length),
    ],
  };
}

/** Lists the secrets that a plan of the export would ask for. */
function askedSecrets({ name }: Kind, secrets: readonly NamedSecret[]): Diagnostic[] {
  const places = groupBy(secrets, ({ at }) => pathOf(at));
  if (places.length === 0) return [];
  const lines = places.slice(0, mostNames).map(([path, [{ address }, ...others]]) => {
    return `- ${shortenLine(path, 200)} in ${namesAndMore([address], others.length)}`;
  });
  const message = [`A plan of the export of ${name} asks for secrets:`, ...lines].join('\n');
  const hint = `Give each of these places that holds no credential the policy \`plain\` in \`places\` of kinds/${name}.kind.yaml.`;
  return [{ code: 'kind-asks-secrets', severity: 'info', message, hint }];
}

function manifestsIn(files: readonly ExportedFile[]): ManifestFolder {
  const texts = new Map(files.map(({ path, content }) => [path, content]));
  const text = (path: string) => {
    const found = texts.get(path);
    if (found === undefined) throw fail('file-not-found', `${path} is not a file of the export.`);
    return found;
  };
  const glob = () => [...texts.keys()].filter((path) => path.endsWith('.yaml'));
  return { source: { glob, read: (path) => Buffer.from(text(path)), text }, manifests: ['**/*.yaml'] };
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

/** Finds objects without an id, which updates, deletes and references need. */
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
): Diagnostic[] {
  const then = new Map(before.map((object) => [nameOf(object), object]));
  return tally(after, (object) =>
    differingMembers(kind, (then.get(nameOf(object)) ?? object).raw, object.raw),
  )
    .filter(([name]) => !kind.serverOwned.includes(name))
    .map(([name, seen]) => ({
      code: 'kind-field-unstable',
      severity: isNamed(kind, name) ? 'error' : 'warning',
      message: `${word(name)} ${seen} changed by itself between two reads.`,
      hint: `Move ${word(name)} to \`serverOwned\`.`,
    }));
}

function unnamedFields(kind: Kind, objects: readonly LiveObject[]): Diagnostic[] {
  const known = ['id', ...kind.serverOwned];
  return tally(objects, ({ raw }) =>
    Object.keys(raw).filter((name) => !known.includes(name) && !isNamed(kind, name)),
  ).map(([name, seen]) => ({
    code: 'kind-field-unnamed',
    severity: isMemberName(name) ? 'warning' : 'info',
    message: `The descriptor does not name ${word(name)} ${seen}.`,
    hint: howToName(name, objects),
  }));
}

/** Finds fields whose values have another form or type than the descriptor says: a plan of an export does not show that. */
function misfits(kind: Kind, objects: readonly LiveObject[], settings: ApiSettings): Diagnostic[] {
  const drafts = objects.flatMap((object) => {
    const draft = draftObject(object, { records: new Map() });
    return 'refused' in draft ? [] : [draft];
  });
  const declarable = new Set(drafts.flatMap(({ fields }) => fields.map(([name]) => name)));
  const misfit = (message: string, hint: string): Diagnostic => {
    return { code: 'kind-field-form', severity: 'error', message, hint };
  };
  return Object.entries(kind.fields).flatMap(([name, field]) => {
    const forms = tally(objects, ({ raw }) => {
      const form = otherForm(field, get(raw, name) ?? null, settings);
      return form === null ? [] : [form];
    });
    if (forms.length > 0 || declarable.has(name))
      return forms.map(([form, seen]) => {
        const { shown, written, hint } = formWords(field)[form];
        const message = `${word(name)} ${seen} is ${shown}, and an apply would write ${written}.`;
        return misfit(message, `${hint} in \`fields\`.`);
      });
    const unfit = drafts.filter(({ omissions }) =>
      omissions.some(({ at, reason }) => at === pointer(name) && reason !== 'notShown'),
    );
    return tally(
      unfit.map(({ object }) => object),
      () => [name],
      objects.length,
    ).map(([, seen]) =>
      misfit(
        `${word(name)} ${seen} does not fit the type \`${field.is}\`, so an export would leave it out.`,
        `Say \`${suggestedField(name, objects)}\` in \`fields\`, or add ${word(name)} to \`serverOwned\`.`,
      ),
    );
  });
}

function plannedDifferences(changes: readonly Change[], exported: number): Diagnostic[] {
  const namesIn = ({ action, diff }: Change) =>
    new Set(action === 'create' ? [''] : diff.map(({ path }) => topName(path)));
  return tally(changes, namesIn, exported).map(([name, seen]) => ({
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

/** The names of the members that differ between two objects, as a plan compares them. */
function differingMembers({ fields }: Kind, one: JsonObject, other: JsonObject): string[] {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].filter(
    (name) => !sameValue(get(fields, name) ?? anyJson, get(one, name), get(other, name)),
  );
}

function howToName(name: string, objects: readonly LiveObject[]): string {
  if (!isMemberName(name)) return 'A descriptor cannot have this name, so the field stays as it is.';
  if (!isFieldName(name))
    return `Add ${word(name)} to \`serverOwned\`: a manifest cannot have a field of that name.`;
  return `Add \`${shortenLine(name, 100)}: ${suggestedField(name, objects)}\` to \`fields\` if manifests should declare it, else ${word(name)} to \`serverOwned\`.`;
}

function suggestedField(name: string, objects: readonly LiveObject[]): string {
  const shown = objects.map(({ raw }) => get(raw, name) ?? null).filter((value) => value !== null);
  const isAll = (test: (value: Json) => boolean) => shown.length > 0 && shown.every(test);
  if (isAll((value) => typeof value === 'string')) {
    const isLong = shown.some((value) => String(value).includes('\n') || String(value).length > 255);
    return isLong ? 'text' : 'value';
  }
  if (isAll((value) => isArray(value) && value.every((item) => typeof item !== 'object'))) return 'set';
  if (isAll((value) => isArray(value) && value.length > 0 && value.every(isReference)))
    return '{ is: references, to: KIND }';
  if (isAll(isReference)) return '{ is: reference, to: KIND }';
  return isAll((value) => typeof value !== 'object') ? 'value' : 'json';
}

type OtherForm = 'object' | 'text' | 'id';

/** The form in which the tenant shows a value that a write would send in another form; `null` if a write keeps it. */
function otherForm(field: Field, shown: Json, settings: ApiSettings): OtherForm | null {
  if (shown === null || shown === '') return null;
  switch (field.is) {
    case 'json':
      if (typeof shown !== 'string')
        return isObject(shown) && isSentAsText(field, settings) ? 'object' : null;
      return typeof readJsonText(shown) === 'object' && !isSentAsText(field, settings) ? 'text' : null;
    case 'reference':
      return typeof shown === 'object' ? null : 'id';
    case 'references':
      return isArray(shown) && shown.some((item) => typeof item !== 'object') ? 'id' : null;
    default:
      return null;
  }
}

function formWords(field: Field): Readonly<Record<OtherForm, Record<'shown' | 'written' | 'hint', string>>> {
  const to = targetKindOf(field);
  const [ids, shown, each] =
    field.is === 'references' ? ['set', 'a list of ids', ' for each'] : ['value', 'an id', ''];
  return {
    object: { shown: 'an object', written: 'text that holds JSON', hint: 'Leave out `text: true`' },
    text: { shown: 'text that holds JSON', written: 'an object', hint: 'Say `{ is: json, text: true }`' },
    id: {
      shown,
      written: `\`{type, id}\`${each}`,
      hint: `Say \`${to === null ? ids : `{ is: ${ids}, to: ${to} }`}\``,
    },
  };
}

function nothingToCheck(what: string): Diagnostic {
  return {
    code: 'kind-no-objects',
    severity: 'error',
    message: `The tenant has no ${what}, so the descriptor cannot be proven.`,
    hint: 'Make one in the admin interface, or check against a tenant that has some.',
  };
}

function unreadableRows(kind: Kind, rows: readonly JsonObject[]): Diagnostic[] {
  const [first] = rows;
  if (!first) return [];
  const lacking = kind.keyFields.filter(({ name }) => getText(first, name) === null);
  const what = rows.length === 1 ? 'a row' : `${rows.length} rows`;
  const id = getText(first, 'id');
  const which = id === null ? '' : ` (such as the one with the id ${shortenLine(id, 100)})`;
  const parts = lacking.map(({ name }) => word(name)).join(' and ');
  const message = `The tenant lists ${what} without a text in ${parts}${which}: a ${kind.name} cannot be identified without it.`;
  const hint = 'Correct `key`, or `path` and `list.member` where these rows are something else.';
  return [{ code: 'kind-row-unreadable', severity: 'error', message, hint }];
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

/** Checks that the list can be read in the ways that plans and applies read it. */
async function checkList(reader: Tenant, kind: Kind, objects: readonly LiveObject[]): Promise<Diagnostic[]> {
  if (kind.read.how !== 'list') return [];
  const { list } = kind.read;
  // A list below another object is asked like any other.
  if (kind.parent) return isObserved(kind) ? [] : checkSingle(reader, kind, objects);
  return [
    ...(await checkPages(reader, list, objects)),
    ...(await checkFilter(reader, list, objects)),
    ...(isObserved(kind) ? [] : await checkSingle(reader, kind, objects)),
  ];
}

/** Asks for what would be the second page after a first page that looks like the last. */
async function checkPages(reader: Tenant, list: List, objects: readonly LiveObject[]): Promise<Diagnostic[]> {
  const { pageSize } = list;
  const [first] = objects;
  if (!first || (pageSize !== null && objects.length >= pageSize)) return [];
  const limit = pageSize === null ? {} : { limit: String(pageSize) };
  const rows = await rowsAt(reader, list, { ...limit, offset: String(objects.length) });
  const known = new Set(objects.map(nameOf));
  const more = rows.map((row) => liveObject(first.kind, row, null));
  if (more.every((object) => object !== null && known.has(nameOf(object)))) return [];
  const message = `The tenant lists ${objects.length} objects at once although there are more, but the descriptor says ${pageSize ?? 'that there are no pages'}.`;
  const hint = `Set \`list.pageSize\` to ${objects.length}.`;
  return [{ code: 'kind-page-size', severity: 'error', message, hint }];
}

/** Asks for two objects by their keys, as a plan does: the list has to understand `or` too. */
async function checkFilter(
  reader: Tenant,
  list: List,
  objects: readonly LiveObject[],
): Promise<Diagnostic[]> {
  if (!list.filter || objects.length === 0) return [];
  const wanted = objects.slice(0, 2);
  const filters = list.filter(wanted.map(({ key }) => key));
  const rows = await rowsAt(reader, list, { filters });
  const found = new Set(rows.map((row) => String(row.id)));
  const lost = wanted.find(({ id }) => id !== null && !found.has(id));
  if (!lost) return [];
  const message = `The filter ${shortenLine(filters, 200)} does not find ${lost.address}.`;
  const hint = 'Remove `list.filter`: then the whole list is read.';
  return [{ code: 'kind-filter', severity: 'error', message, hint }];
}

/** Returns the rows of one answer of the list; none when the tenant refuses the parameters. */
async function rowsAt({ client }: Tenant, list: List, query: Record<string, string>) {
  const request = apiRequest('GET', list.resource, client.settings, { query });
  const source = { ...list, what: list.resource.name, request, pageSize: null };
  try {
    return (await readFirstPage(client, source)).rows;
  } catch (error) {
    if (isBadRequest(error)) return [];
    throw error;
  }
}

/** Reads one object by its id, as an apply does after it wrote one. */
async function checkSingle(
  { client }: Tenant,
  kind: Kind,
  objects: readonly LiveObject[],
): Promise<Diagnostic[]> {
  const listed = objects.find(({ id }) => id !== null);
  if (kind.read.how !== 'list' || !kind.read.one || !listed || listed.id === null) return [];
  const call = kind.read.one(listed.id, client.settings);
  const sent = await client.send(call);
  const above = kind.parent ? aboveIn(kind.parent, listed.raw) : null;
  const body = isWhole(sent) && isObject(sent.body) ? sent.body : null;
  const single = body && liveObject(kind, placeBelow(kind, body, above), listed.id);
  const isSame = single?.identity === listed.identity;
  const differing = isSame ? differingMembers(kind, single.fields, listed.fields) : [];
  if (isSame && differing.length === 0) return [];
  // The body of a success is data, which no message quotes.
  const why = isSuccess(sent) ? '' : ` (${describeAnswer(sent).text})`;
  const [what, hint] = isSame
    ? [
        `with another ${differing.map(word).join(', ')} than the list`,
        'Leave the fields that differ out of the descriptor.',
      ]
    : [
        `without the object${why}`,
        'An apply reads the whole list after each change. Check that `path` is right, and the rights of the client.',
      ];
  const message = `GET ${shortenLine(call.path, 200)} answers ${what}.`;
  return [{ code: 'kind-single-read', severity: 'warning', message, hint, address: listed.address }];
}
