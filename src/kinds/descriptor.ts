import { defaultKind, type Told, type Kind as WrittenKind } from '../generated/schemas/kind.ts';
import { sha256 } from '../model/digest.ts';
import { get, type JsonObject } from '../model/json.ts';
import { type Pointer, pointer, segmentsOf } from '../model/pointer.ts';
import { filterBy, type Service } from './http.ts';
import type { Field, Kind, List } from './kind.ts';
import { decidingRule, Places } from './places.ts';

/** The content of a `NAME.kind.yaml`, with its defaults: a list of complete objects with an `id`, under one path. */
export interface Descriptor
  extends Required<Omit<WrittenKind, 'key' | 'parent' | 'list' | 'fields' | 'places' | 'proven'>> {
  readonly key: Kind['keyFields'];
  readonly parent: { readonly part: string; readonly kind: string } | null;
  readonly list: Omit<List, 'resource'>;
  readonly fields: Kind['fields'];
}

export function descriptorFrom(written: WrittenKind): Descriptor {
  const { parent: above = {}, list = {}, fields = {}, places = {}, proven: _, ...described } = written;
  const rules = Object.entries(places).map(([path, is]) => ({ path, is }));
  const { service, single, update } = { ...defaultKind, ...described };
  const { key = single ? [] : 'name' } = described;
  const isWritten = update !== 'none' && !single;
  const parts = [key].flat().map((part) => (typeof part === 'string' ? { name: part } : part));
  const { places: _none, ...defaults } = defaultKind;
  const declared = [...parts.map(({ name }) => name), ...Object.keys(fields)];
  const [parent = null] = Object.entries(above).map(([part, kind]) => ({ part, kind }));
  return {
    ...defaults,
    serverOwned: defaults.serverOwned.filter((name) => !declared.includes(name)),
    create: isWritten,
    delete: isWritten,
    summary: `Objects of ${written.path}.`,
    ...described,
    parent,
    key: parts,
    list: describedList(list, service, parts, parent ? 1 : 0),
    fields: Object.fromEntries(
      Object.entries(fields).map(([name, field]): [string, Field] => {
        const inside = rulesInside(rules, name);
        const described = describedField(field);
        return [name, inside.length === 0 ? described : { ...described, places: new Places(inside) }];
      }),
    ),
  };
}

type Rules = ConstructorParameters<typeof Places>[0];

/** The rules for what is in the field of this name, with paths from the field on. */
function rulesInside(rules: Rules, field: string): Rules {
  return rules.flatMap(({ path, is }) => {
    const [first = '', ...below] = segmentsOf(`/${path}`);
    // A step of any length may end in this field, or lead on below it.
    if (first === '**') return [...rulesInside([{ path: below.join('/'), is }], field), { path, is }];
    return first === field || first === '*' ? [{ path: below.join('/'), is }] : [];
  });
}

function describedList(
  { pageSize, member, counts, filter }: NonNullable<WrittenKind['list']>,
  service: Service,
  key: Descriptor['key'],
  above: number,
): Descriptor['list'] {
  const part = key.find(
    ({ name, of }, at) =>
      of === undefined && (typeof filter === 'object' ? filter.includes(name) : filter === true && at === 0),
  );
  return {
    pageSize: pageSize === undefined ? defaultPageSize[service] : pageSize,
    ...(member !== undefined && { member }),
    ...(counts && { counts }),
    ...(part && {
      // The parent is in front of the other parts of a key.
      filter: (keys) =>
        filterBy(
          part.name,
          'eq',
          keys.map((each) => each[above + key.indexOf(part)] ?? ''),
        ),
    }),
  };
}

const defaultPageSize: Readonly<Record<Service, number>> = { identity: 250, profiles: 100 };

function describedField(written: NonNullable<WrittenKind['fields']>[string]): Field {
  const told: Told = typeof written === 'string' ? { is: written } : written;
  const { is, declares = 'whole', text, ...pointing } = told;
  if (is === 'json') return { is, declares, settings: true, ...(text ? { text } : { plain: true }) };
  return is === 'references' ? { to: '', ...pointing, is } : { ...pointing, is };
}

type Check = readonly [at: Pointer, message: string, isWrong: boolean];

/** The mistakes that no schema can find. */
export function mistakesIn(
  descriptor: Descriptor,
  { places = {} }: Pick<WrittenKind, 'places'> = {},
): { readonly at: Pointer; readonly message: string }[] {
  const { key, parent, fields, serverOwned, create, update } = descriptor;
  const names = [...(parent ? [parent.part] : []), ...key.map(({ name }) => name)];
  const whatIs = (name: string) =>
    names.includes(name) ? 'part of the key' : Object.hasOwn(fields, name) ? 'field' : null;
  const checks: readonly Check[] = [
    ...names.map((name, at): Check => {
      const place = pointer('key', at - (parent ? 1 : 0));
      return [place, `\`${name}\` is in the key twice.`, names.indexOf(name) < at];
    }),
    ...Object.keys(fields).map((name): Check => {
      const message = `\`${name}\` is a part of the key, so it cannot be a field too.`;
      return [pointer('fields', name), message, names.includes(name)];
    }),
    ...serverOwned.map((name, at): Check => {
      const message = `\`${name}\` is a ${whatIs(name)}, so \`serverOwned\` cannot name it.`;
      return [pointer('serverOwned', at), message, whatIs(name) !== null];
    }),
    ...checksOfPlaces(fields, places),
    ...key.map(({ of }, at): Check => {
      const message = 'A kind with a reference in its key can only be read and deleted.';
      return [pointer('key', at), message, of !== undefined && (create || update !== 'none')];
    }),
    ...checksOfShape(descriptor),
    ...checksOfWrite(descriptor),
  ];
  return checks.flatMap(([at, message, isWrong]) => (isWrong ? [{ at, message }] : []));
}

function checksOfPlaces(fields: Descriptor['fields'], places: NonNullable<WrittenKind['places']>) {
  const rules = Object.entries(places).map(([path, is]) => ({ path, is }));
  return rules.flatMap((rule): Check[] => {
    const { path, is } = rule;
    const [name = ''] = path.split('/');
    const field = get(fields, name);
    const whole = Object.keys(fields).find((each) =>
      new Places([rule]).is(pointer(each), 'serverOwned', 'minted'),
    );
    const other = decidingRule(rules, rule);
    const isBare = field !== undefined && field.is !== 'json' && typeof is !== 'string';
    const isText = field?.is === 'text' || field?.is === 'email';
    const isTold = (is === 'secret' || is === 'plain') && !(isText && path.replace('/**', '') !== name);
    const hasPlaces = !field || ['json', 'value'].includes(field.is);
    const checks: readonly (readonly [string, boolean])[] = [
      [`This place begins with \`${name}\`, which is not a field.`, !field && !name.startsWith('*')],
      [`\`${name}\` is not JSON, so its ids have no places: say \`to\` in \`fields\`.`, isBare],
      [
        `\`${name}\` is a field of the type \`${field?.is}\`, in which this policy has no effect: remove it.`,
        !isTold && !hasPlaces && !isBare && !whole,
      ],
      [`This is all of \`${whole}\`: name it in \`serverOwned\`, not in \`fields\`.`, whole !== undefined],
      [`\`${other?.path}\` decides wherever this policy holds: remove one of the two.`, other !== undefined],
    ];
    return checks.map(([message, isWrong]) => [pointer('places', path), message, isWrong]);
  });
}

function checksOfShape({ path, key, parent, single, update, write, ...can }: Descriptor): readonly Check[] {
  const places = path.match(/\{.*?\}/g) ?? [];
  const { first, sendId, beforeDelete } = write;
  return [
    [
      '/path',
      `\`path\` has \`${places[0]}\`, but \`parent\` does not say what kind that is.`,
      !parent && places.length > 0,
    ],
    [
      '/path',
      `\`path\` must have \`{${parent?.part}}\` once, and nothing else in braces.`,
      parent !== null && places.join() !== `{${parent.part}}`,
    ],
    ['/key', 'A single object needs no `key`: it is the only one.', single && key.length > 0],
    [
      '/write/beforeDelete',
      '`beforeDelete` needs an `update` that sets single fields.',
      beforeDelete !== undefined && ['none', 'put'].includes(update),
    ],
    [
      '/write/first',
      '`first` needs an `update`, and cannot be combined with `sendId`.',
      first !== undefined && (update === 'none' || sendId === true),
    ],
    [
      '/write/replace',
      '`replace` needs `create: true` and `delete: true`.',
      write.replace === true && !(can.create && can.delete),
    ],
  ];
}

function checksOfWrite({ key, fields, write }: Descriptor): readonly Check[] {
  const known = new Set([...key.map(({ name }) => name), ...Object.keys(fields)]);
  const { required, immutable, first, alone = [], beforeDelete = {} } = write;
  const named = { required, immutable, first, beforeDelete: Object.keys(beforeDelete), alone: alone.flat() };
  return Object.entries(named).flatMap(([setting, names = []]) =>
    names.map((name): Check => {
      const message = `\`${name}\` is neither a field nor a part of the key.`;
      return [pointer('write', setting), message, !known.has(name)];
    }),
  );
}

export function targetsIn({ fields = {}, places = {} }: WrittenKind): readonly [Pointer, string][] {
  const inFields = Object.entries(fields).flatMap(([name, field]): [Pointer, string][] =>
    typeof field === 'object' && field.to !== undefined ? [[pointer('fields', name, 'to'), field.to]] : [],
  );
  const inPlaces = Object.entries(places).flatMap(([path, is]): [Pointer, string][] => {
    const at = pointer('places', path, 'to');
    if (typeof is === 'string') return [];
    return typeof is.to === 'string'
      ? [[at, is.to]]
      : Object.entries(is.to).map(([type, to]) => [at + pointer(type), to]);
  });
  return [...inFields, ...inPlaces];
}

/**
 * The digest of a kind's descriptor as written, without texts for people, and a notice unless it is the one that `kind check` put
 * under `proven`.
 */
export function proofOf(
  kind: string,
  { proven = null, summary: _, ...content }: JsonObject,
): { readonly digest: string; readonly notice?: NonNullable<Kind['quirks']>['notice'] } {
  const digest = sha256(content);
  if (proven === digest) return { digest };
  const why = typeof proven !== 'string' ? '' : ': its descriptor has changed since it was checked';
  const message = `${kind} is unproven${why}.`;
  const hint = `Run \`tenantctl kind check ${kind} --write\`, which only reads the tenant.`;
  return { digest, notice: { code: 'kind-unproven', severity: 'warning', message, hint } };
}
