import { shortenLine } from '../client/describe.ts';
import { draftObject } from '../exporter/draft.ts';
import type { Omission } from '../exporter/remarks.ts';
import { type OtherForm, otherForm } from '../kinds/field.ts';
import type { Field, Kind, LiveObject } from '../kinds/kind.ts';
import { targetOf } from '../kinds/references.ts';
import type { Address } from '../model/address.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { groupBy } from '../model/group.ts';
import { isArray, type Json, type JsonObject, own, sameJson, textOf } from '../model/json.ts';
import { isFieldName, isMemberName, isReference } from '../model/members.ts';
import type { Change } from '../model/plan.ts';
import { pointer, segmentsOf } from '../model/pointer.ts';
import type { ApiSettings } from '../model/settings.ts';

/** What objects of a kind are told apart by, and how often something was seen. */
interface Seen {
  readonly count: number;
  readonly of: number;
  readonly example: Address;
}

const describeSeen = ({ count, of, example }: Seen) =>
  of === 1 ? `of ${example}` : `of ${count} of ${of} objects, such as ${example}`;

export const word = (name: string) => `\`${shortenLine(name, 100)}\``;

/** Rows of the list that are not objects of the kind. */
export function unreadableRows(kind: Kind, rows: readonly JsonObject[]): Diagnostic[] {
  const [first] = rows;
  if (!first) return [];
  const lacking = kind.keyFields
    .filter(({ name }) => textOf(first, name) === null)
    .map(({ name }) => word(name));
  const what = rows.length === 1 ? 'a row' : `${rows.length} rows`;
  const id = textOf(first, 'id');
  const which = id === null ? '' : ` (such as the one with the id ${shortenLine(id, 100)})`;
  return [
    {
      code: 'kind-row-unreadable',
      severity: 'error',
      message: `The tenant lists ${what} without a text in ${lacking.join(' and ')}${which}: no ${kind.name} can be told by it.`,
      hint: 'Correct `key`, or `path` and `list.member` where these rows are something else.',
    },
  ];
}

/** Objects that have one key. */
export function sharedKeys(objects: readonly LiveObject[]): Diagnostic[] {
  return groupBy(objects, ({ identity }) => identity).flatMap(([, same]): Diagnostic[] => {
    const [first] = same;
    if (same.length === 1) return [];
    const ids = same.slice(0, 5).map(({ id }) => shortenLine(id ?? 'unknown', 100));
    const more = same.length > ids.length ? ', …' : '';
    const message = `${same.length} objects are ${first.address} (ids ${ids.join(', ')}${more}): the key does not tell them apart.`;
    const hint = 'Add a field to `key` that differs between them, or rename them in the tenant.';
    return [{ code: 'kind-key-shared', severity: 'error', message, hint, address: first.address }];
  });
}

/** Objects without an id, which requests that change or delete an object need, and references to it. */
export function missingIds(kind: Kind, objects: readonly LiveObject[]): Diagnostic[] {
  const { create, update, delete: remove } = kind.can;
  const isMadeOnly = create && !update && !remove;
  const seen = tally(objects, ({ id }) => (id === null ? ['id'] : [])).get('id');
  if (isMadeOnly || !seen) return [];
  const message = `The tenant shows no \`id\` ${describeSeen(seen)}: no request and no \`!ref\` could name it.`;
  const hint =
    'Correct `path` and `list.member`. Where objects have no `id`, only a kind with `create: true`, `update: none` and `delete: false` can hold.';
  return [{ code: 'kind-row-unreadable', severity: 'error', message, hint }];
}

/** What an object is known by from one read to another. */
export const nameOf = ({ id, identity }: LiveObject): string => id ?? identity;

/** Fields that differ between two reads although nobody changed them. Those that the server owns may. */
export function unstableFields(before: readonly LiveObject[], after: readonly LiveObject[]): Diagnostic[] {
  const then = new Map(before.map((object) => [nameOf(object), object]));
  const changed = tally(after, (object) => {
    const { raw } = then.get(nameOf(object)) ?? object;
    return differingMembers(raw, object.raw);
  });
  return [...changed]
    .filter(([name]) => !after[0]?.kind.serverOwned.includes(name))
    .map(([name, seen]) => ({
      code: 'kind-field-unstable',
      severity: isNamed(after[0]?.kind, name) ? 'error' : 'warning',
      message: `${word(name)} ${describeSeen(seen)} changed by itself between two reads.`,
      hint: `Move ${word(name)} to \`serverOwned\`.`,
    }));
}

/** The names of the members that two objects have otherwise. `null` counts as none. */
export function differingMembers(one: JsonObject, other: JsonObject): string[] {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].filter((name) => !sameJson(own(one, name) ?? null, own(other, name) ?? null));
}

/** Fields that the tenant shows and the descriptor does not name. A kind that is only read needs none. */
export function unnamedFields(objects: readonly LiveObject[]): Diagnostic[] {
  const unnamed = tally(objects, ({ kind, raw }) =>
    Object.keys(raw).filter(
      (name) => name !== 'id' && !isNamed(kind, name) && !kind.serverOwned.includes(name),
    ),
  );
  return [...unnamed].map(([name, seen]) => {
    const values = objects.map(({ raw }) => own(raw, name) ?? null);
    return {
      code: 'kind-field-unnamed',
      severity: isMemberName(name) ? 'warning' : 'info',
      message: `The descriptor does not name ${word(name)} ${describeSeen(seen)}.`,
      hint: howToName(name, values),
    };
  });
}

function howToName(name: string, values: readonly Json[]): string {
  if (!isMemberName(name)) return 'A descriptor cannot have this name, so the field stays as it is.';
  if (!isFieldName(name))
    return `Add ${word(name)} to \`serverOwned\`: a manifest cannot have a field of that name.`;
  return `Add \`${shortenLine(name, 100)}: ${suggestedField(values)}\` to \`fields\` if manifests should declare it, else ${word(name)} to \`serverOwned\`.`;
}

/** Fields that a write would give another form than they have: the plan of an export does not show that. */
export function otherForms(kind: Kind, objects: readonly LiveObject[], settings: ApiSettings): Diagnostic[] {
  return Object.entries(kind.fields).flatMap(([name, field]) => {
    const formOf = ({ raw }: LiveObject) => otherForm(field, own(raw, name) ?? null, settings);
    const [form] = objects.flatMap((object) => formOf(object) ?? []);
    const seen = tally(objects, (object) => (formOf(object) === null ? [] : [name])).get(name);
    if (!form || !seen) return [];
    const { shown, written, hint } = formWords(field)[form];
    const message = `${word(name)} ${describeSeen(seen)} is ${shown}, and an apply would write ${written}.`;
    return [{ code: 'kind-field-form', severity: 'error', message, hint: `${hint} in \`fields\`.` }];
  });
}

/** Fields of which an export has no value that the tenant shows, since none is of their type. */
export function unfitFields(kind: Kind, objects: readonly LiveObject[], settings: ApiSettings): Diagnostic[] {
  const drafts = objects.flatMap((object) => {
    const draft = draftObject(object, { settings, records: new Map() });
    return 'refused' in draft ? [] : [draft];
  });
  const declarable = new Set(drafts.flatMap(({ fields }) => fields.map(([name]) => name)));
  return Object.entries(kind.fields).flatMap(([name, field]) => {
    const isUnfit = ({ at, reason }: Omission) => at === pointer(name) && reason !== 'notShown';
    const unfit = drafts.filter(({ omissions }) => omissions.some(isUnfit)).map(({ object }) => object);
    const seen = tally(unfit, () => [name]).get(name);
    if (declarable.has(name) || !seen) return [];
    const suggested = suggestedField(unfit.map(({ raw }) => own(raw, name) ?? null));
    const message = `${word(name)} ${describeSeen({ ...seen, of: objects.length })} does not fit the type \`${field.is}\`, so no export has it.`;
    const hint = `Say \`${suggested}\` in \`fields\`, or add ${word(name)} to \`serverOwned\`.`;
    return [{ code: 'kind-field-form', severity: 'error', message, hint }];
  });
}

type FormWords = { readonly shown: string; readonly written: string; readonly hint: string };

function formWords(field: Field): Readonly<Record<OtherForm, FormWords>> {
  const to = targetOf(field);
  const ids = field.is === 'references' ? 'set' : 'value';
  return {
    object: { shown: 'an object', written: 'text that holds JSON', hint: 'Leave out `text: true`' },
    text: { shown: 'text that holds JSON', written: 'an object', hint: 'Say `{ is: json, text: true }`' },
    id: {
      shown: field.is === 'references' ? 'a list of ids' : 'an id',
      written: `\`{type, id}\`${field.is === 'references' ? ' for each' : ''}`,
      hint: `Say \`${to === null ? ids : `{ is: ${ids}, to: ${to} }`}\``,
    },
  };
}

/**
 * What a plan of the export would do, a line for each field.
 *
 * @param of the number of exported objects
 */
export function planFindings(changes: readonly Change[], of: number): Diagnostic[] {
  const found = changes.flatMap(({ address, action, diff }) => {
    const names = new Set(action === 'create' ? [''] : diff.map(({ path }) => segmentsOf(path)[0] ?? ''));
    return [...names].map((name) => ({ name, address }));
  });
  return groupBy(found, ({ name }) => name).map(([name, same]) => {
    const [{ address }] = same;
    const seen = describeSeen({ count: same.length, of, example: address });
    const [what, hint] =
      name === ''
        ? [`create ${seen.slice('of '.length)}`, 'Objects are not found by their keys: remove `list.filter`.']
        : [
            `change ${word(name)} ${seen}`,
            `Correct the type of ${word(name)} in \`fields\`, or leave it out there.`,
          ];
    return {
      code: 'kind-plan-not-empty',
      severity: 'error',
      message: `A plan of the export would ${what}.`,
      hint,
    };
  });
}

function isNamed(kind: Kind | undefined, name: string): boolean {
  return (
    kind !== undefined &&
    (Object.hasOwn(kind.fields, name) || kind.keyFields.some((part) => part.name === name))
  );
}

/** Hosts with more fields than this are hostile. */
const mostNames = 200;

/** In how many objects each name was found. */
function tally(objects: readonly LiveObject[], namesIn: (object: LiveObject) => readonly string[]) {
  const found = new Map<string, Seen>();
  for (const object of objects) {
    for (const name of namesIn(object)) {
      const known = found.get(name);
      if (!known && found.size >= mostNames) continue;
      found.set(name, {
        count: (known?.count ?? 0) + 1,
        of: objects.length,
        example: known?.example ?? object.address,
      });
    }
  }
  return found;
}

/** How a descriptor would say what these values are. */
function suggestedField(values: readonly Json[]): string {
  const shown = values.filter((value) => value !== null);
  const isAll = (test: (value: Json) => boolean) => shown.length > 0 && shown.every(test);
  if (isAll((value) => typeof value === 'string'))
    return shown.some((value) => typeof value === 'string' && (value.includes('\n') || value.length > 255))
      ? 'text'
      : 'value';
  if (isAll((value) => isArray(value) && value.every((item) => typeof item !== 'object'))) return 'set';
  if (isAll((value) => isArray(value) && value.length > 0 && value.every(isReference)))
    return '{ is: references, to: KIND }';
  if (isAll(isReference)) return '{ is: reference, to: KIND }';
  return isAll((value) => typeof value !== 'object') ? 'value' : 'json';
}
