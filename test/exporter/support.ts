import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import type { DraftInput } from '../../src/exporter/draft.ts';
import { type ExportedFile, exportObjects } from '../../src/exporter/files.ts';
import { kindFrom } from '../../src/kinds/described-kind.ts';
import { readableFields } from '../../src/kinds/field.ts';
import type { Field, Kind, LiveObject } from '../../src/kinds/kind.ts';
import { liveObject } from '../../src/kinds/live-objects.ts';
import type { Project, Secrets } from '../../src/kinds/project.ts';
import { loadProject } from '../../src/loader/index.ts';
import { type Plan, withDigest } from '../../src/model/documents.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { type Lookup, secretName, secretPlaces } from '../../src/model/marker.ts';
import { type Pointer, setMember, valueAt } from '../../src/model/pointer.ts';
import { planMatched } from '../../src/planner/index.ts';
import type { PlanInput } from '../../src/planner/input.ts';
import { matchAll } from '../../src/planner/match.ts';
import { fillLookups } from '../../src/planner/references.ts';
import { anyText } from '../support/arbitraries.ts';
import { type Answer, liveFrom, secretsOf } from '../support/plan.ts';

/** A project of these files, loaded by the real loader. */
export function load(
  files: readonly ExportedFile[],
  env: Readonly<Record<string, string>> = {},
  projectFile = 'version: 1\nenvironments: { test: { sandbox: {} } }\nmanifests: ["**/*.yaml"]\n',
): Project {
  const root = mkdtempSync(join(tmpdir(), 'tenantctl-export-'));
  try {
    writeFileSync(join(root, 'tenantctl.yaml'), projectFile);
    for (const { path, content } of files) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    }
    return loadProject({
      configFile: join(root, 'tenantctl.yaml'),
      env: { ...unknownSecrets(files), ...env },
    });
  } finally {
    rmSync(root, { recursive: true });
  }
}

/** Some value for each secret that the files name. */
function unknownSecrets(files: readonly ExportedFile[]): Record<string, string> {
  const names = files.flatMap(({ content }) => [...content.matchAll(/!secret (\w+)/g)]);
  return Object.fromEntries(names.map(([, name = '']) => [name, 'unknown']));
}

/** A kind of a project's own, with objects that have ids. */
export const ownKind = (
  kind: string,
  keys: readonly string[],
  fields: Readonly<Record<string, Field>>,
): Kind =>
  kindFrom({
    kind,
    summary: 'A kind.',
    service: 'identity',
    path: `/v2025/${kind.toLowerCase()}s`,
    key: keys.map((name) => ({ name })),
    list: { pageSize: 50 },
    parent: null,
    single: false,
    id: 'id',
    write: {},
    update: 'json-patch',
    create: true,
    delete: true,
    fields,
    serverOwned: ['id'],
  });

/** An object of such a kind. */
export function ownObject(kind: Kind, raw: JsonObject): LiveObject {
  const object = liveObject(kind, { id: 'x', ...raw }, null);
  if (!object) throw new Error(`It is no ${kind.name}.`);
  return object;
}

/** An export of objects. No record is known but those in `more`. */
export const exportOf = (objects: readonly LiveObject[], more: Partial<DraftInput> = {}) =>
  exportObjects({ objects, records: new Map(), ...more });

/** The manifest that an export makes of an object. */
export const manifestOf = (object: LiveObject, more: Partial<DraftInput> = {}): string =>
  exportOf([object], more).files.find(({ path }) => path.endsWith('.yaml'))?.content ?? '';

export type Rows = ReadonlyMap<string, readonly JsonObject[]>;

/** What a lookup finds among the rows. */
export function lookedUp({ from, where, take }: Lookup, rows: Rows): Json {
  const [row, ...others] = (rows.get(from) ?? []).filter((each) =>
    Object.entries(where).every(([field, text]) => String(each[field] ?? '') === text),
  );
  if (!row || others.length > 0) throw new Error(`Not one record of ${from} matches.`);
  return row[take] ?? null;
}

/** The plan of a loaded project against live objects; lookups are answered from the rows. */
export function planFor(project: Project, objects: readonly LiveObject[], rows: Rows = new Map()): Plan {
  const input: PlanInput = {
    createdAt: '2026-01-01T00:00:00.000Z',
    environment: project.environment,
    resources: project.resources.map((each) => fillLookups(each, (lookup) => lookedUp(lookup, rows))),
    previous: null,
    tenant: project.environment.tenant,
    objects,
    secrets: { ...fillIn(project, objects), problem: () => null },
    whyUndeclarable: () => null,
    choices: {
      rotate: [],
      maxDeletes: null,
      allowDeleteAll: [],
      scope: { only: [], except: [], prune: false, since: null },
    },
    diagnostics: [],
  };
  return withDigest(planMatched(input, matchAll(input), []));
}

/** The secrets as a person would fill them in: with the values that the tenant has, where it shows them. */
function fillIn(project: Project, objects: readonly LiveObject[]): Secrets {
  const values = project.resources.flatMap((resource): [string, string][] => {
    const live = objects.find(({ address }) => address === resource.address);
    if (!live) return [];
    const current = readableFields(live.kind, live.fields);
    return secretPlaces(resource.fields).flatMap((at): [string, string][] => {
      const [name, value] = [secretName(valueAt(resource.fields, at)), valueAt(current, at)];
      return name !== null && typeof value === 'string' ? [[name, value]] : [];
    });
  });
  return secretsOf(Object.fromEntries(values));
}

/** What a manifest declares that has nothing but these secrets. */
export function declaringSecrets(names: Readonly<Record<Pointer, string>>) {
  const places = Object.keys(names);
  const fields = places.reduce<JsonObject>((all, at) => setMember(all, at, { $secret: names[at] ?? '' }), {});
  return { fields, secrets: () => places };
}

export const template = (key: string, fields: JsonObject = {}, medium = 'EMAIL', locale = 'en') =>
  liveFrom({ kind: 'NotificationTemplate', raw: { id: `id-${key}`, key, medium, locale, ...fields } });
export const integration = (name: string, fields: JsonObject = {}) =>
  liveFrom({ kind: 'SimIntegration', raw: { id: `id-${name}`, name, ...fields } });
export const search = (label: string, rules: readonly JsonObject[]) =>
  liveFrom({ kind: 'ProfileSearch', raw: { id: 7, label, condition_rules_attributes: rules } });
export const statusRule = (value: Json) => ({ type: 'ProfileStatusRule', comparison_operator: '==', value });
export const typeRule = (value: Json) => ({ type: 'ProfileTypeRule', comparison_operator: '==', value });
export const sender = (email: string) =>
  liveFrom({ kind: 'SenderAddress', raw: { id: `id-${email}`, email, verificationStatus: 'SUCCESS' } });
export const answer = (kind: string, raw: JsonObject, id?: string): LiveObject =>
  liveFrom(id === undefined ? ({ kind, raw } satisfies Answer) : { kind, raw, id });

/** Texts that a careless printer loses or changes. */
export const awkward = fc.oneof(
  fc.constantFrom(
    ...' ¦ leading¦trailing ¦a: b¦# no comment¦a #b¦- item¦? key¦---¦...¦%YAML 1.1¦[a, b]¦{a: b}¦&a b'.split(
      '¦',
    ),
    ...'null ~ true no On 12 0x1F 1e3 .inf 1_000 2024-01-01 12:30:45 << = *a | > @ ` %{x} %%{x} a: : ,'.split(
      ' ',
    ),
    ...['', '!secret X', '"', "'", '\\', '${name}', 'ünï', '👩‍💻', 'x'.repeat(2000)],
    ...['a\r\nb', 'a\rb', 'a\n\n', '\n', ' a\n  b\n', 'one\ntwo\nthree  \nfour\n', 'tab\there', '\t'],
    ...['\u0000', '\u0007', '\u0085', '\u2028', '\u202e', '\ufeff', '\ud800'],
  ),
  anyText(12),
  fc.string({
    unit: fc.constantFrom('\n', ' ', '\r', '\t', ':', '#', '-', '"', "'", 'a', '{', ']', ','),
    maxLength: 16,
  }),
);

const hostileKey = fc.oneof(
  awkward,
  fc.constantFrom(...'__proto__ constructor $secret $lookup $literal password apiToken key'.split(' ')),
);

/** JSON with awkward texts and hostile keys. */
export const hostileJson: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    awkward,
    fc.constantFrom<Json>(null, true, 0, -1.5, 1e21, 12345678901234567000, '********', '1:ACP:c2VjcmV0'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc
      .array(fc.tuple(hostileKey, tie('value')), { maxLength: 4 })
      .map((entries) => Object.fromEntries(entries)),
  ),
})).value;
