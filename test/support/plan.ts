import { whyUndeclarable } from '../../src/exporter/draft.ts';
import { builtInKinds } from '../../src/kinds/index.ts';
import type { Kind, LiveObject } from '../../src/kinds/kind.ts';
import { liveObject } from '../../src/kinds/live-objects.ts';
import type { Environment, Policy, Secrets } from '../../src/kinds/project.ts';
import { noLifecycle, type Resource, undeclared } from '../../src/kinds/resource.ts';
import type { Key } from '../../src/model/address.ts';
import { type Plan, withDigest } from '../../src/model/documents.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { secretPlaces } from '../../src/model/marker.ts';
import { type ApiSettings, contractSettings } from '../../src/model/tenant.ts';
import { planMatched } from '../../src/planner/index.ts';
import type { PlanChoices, PlanInput } from '../../src/planner/input.ts';
import { matchAll } from '../../src/planner/match.ts';

/** An answer of the API with the kind it belongs to and, where the answer has none, the id that was asked for. */
export interface Answer {
  kind: string;
  raw: JsonObject;
  id?: string;
}

export interface PlanCase {
  declared: readonly Resource[];
  live?: readonly Answer[];
  defaults?: readonly Answer[];
  settings?: Partial<ApiSettings>;
  policy?: Partial<Policy>;
  choices?: Partial<PlanChoices>;
  scope?: Partial<PlanChoices['scope']>;
  previous?: readonly Resource[];
  written?: PlanInput['written'];
  /** Left out: all are set. */
  secrets?: Readonly<Record<string, string>>;
}

/** The plan for resources and answers made by hand. */
export function planOf(given: PlanCase): Plan {
  const input = inputOf(given);
  return withDigest(planMatched(input, matchAll(input), liveObjects(given.defaults)));
}

/** What a plan is made from. */
export function inputOf(given: PlanCase): PlanInput {
  const settings = { ...contractSettings, ...given.settings };
  return {
    createdAt: '2026-01-01T00:00:00.000Z',
    environment: environmentOf(settings, given.policy),
    resources: given.declared,
    previous: given.previous ?? null,
    ...(given.written && { written: given.written }),
    tenant: { identity: 'https://tenant.example', profiles: 'https://profiles.example' },
    objects: liveObjects(given.live),
    secrets: { ...secretsOf(given.secrets ?? {}), ...(!given.secrets && { problem: () => null }) },
    whyUndeclarable,
    choices: {
      rotate: [],
      maxDeletes: null,
      allowDeleteAll: [],
      ...given.choices,
      scope: { only: [], except: [], prune: false, since: null, ...given.scope },
    },
    diagnostics: [],
  };
}

export const liveObjects = (answers: readonly Answer[] = []): LiveObject[] => answers.map(liveFrom);

/** Answers with a tenant's objects, in the shape of each kind's list. */
export const answers = {
  sender: (id: string, email: string): Answer => ({ kind: 'SenderAddress', raw: { id, email } }),
  template: (key: string, fields: JsonObject = {}, id: string | null = `id-${key}`): Answer => ({
    kind: 'NotificationTemplate',
    raw: { id, key, medium: 'EMAIL', locale: 'en', subject: 'Hello', body: 'Text', ...fields },
  }),
  search: (id: number, label: string, rules: readonly JsonObject[] = []): Answer => ({
    kind: 'ProfileSearch',
    raw: { id, label, condition_rules_attributes: rules },
  }),
  integration: (id: string, name: string, fields: JsonObject = {}): Answer => ({
    kind: 'SimIntegration',
    raw: { id, name, ...fields },
  }),
};

export function resource(
  named: string | Kind,
  key: Key,
  fields: JsonObject = {},
  more: Partial<Pick<Resource, 'ensure' | 'id'>> & { lifecycle?: Partial<Resource['lifecycle']> } = {},
): Resource {
  const source = { file: 'config/test.yaml', line: 1, column: 1 };
  const kind = typeof named === 'string' ? builtInKinds.get(named) : named;
  return {
    ...undeclared(kind, key, source),
    id: more.id ?? null,
    ensure: more.ensure ?? 'present',
    fields,
    lifecycle: { ...noLifecycle, ...more.lifecycle },
    secrets: () => secretPlaces(fields),
  };
}

export function liveFrom({ kind, raw, id }: Answer): LiveObject {
  const object = liveObject(builtInKinds.get(kind), raw, id ?? null);
  if (!object) throw new Error(`${kind} does not take this answer for one of its own.`);
  return object;
}

export const secretsOf = (values: Readonly<Record<string, string>>): Secrets => ({
  reveal: (name) => values[name] ?? '',
  matches: (name, test) => values[name] !== undefined && test(values[name]),
  problem: (name) =>
    name in values ? null : { code: 'secret-unset', message: `The secret ${name} is not set.` },
});

const environmentOf = (settings: ApiSettings, policy: Partial<Policy> = {}): Environment => ({
  name: 'test',
  kinds: builtInKinds,
  tenant: { identity: 'https://tenant.example', profiles: 'https://profiles.example' },
  connection: {
    to: 'tenant',
    identity: null,
    profiles: null,
    network: { allowedHosts: null, proxies: null },
  },
  settings,
  limits: { requests: 100, per: 10_000, concurrency: 8, timeout: null, answers: null, settle: 0 },
  policy: { protect: [], prune: { kinds: [], keep: [] }, maxDeletes: 10, readOnly: false, ...policy },
  variables: {},
});
