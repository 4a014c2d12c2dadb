import { expect } from 'vitest';
import { kindNamed } from '../../src/kinds/index.ts';
import { liveObject } from '../../src/kinds/live.ts';
import { formatAddress, type Key } from '../../src/model/address.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { LiveObject, TenantState } from '../../src/model/live.ts';
import type { Plan } from '../../src/model/plan.ts';
import type { Environment, Policy } from '../../src/model/project.ts';
import type { Lifecycle, Resource } from '../../src/model/resource.ts';
import type { Secrets } from '../../src/model/secrets.ts';
import { type ApiSettings, contractSettings } from '../../src/model/settings.ts';
import {
  keeperFor,
  matchUp,
  type PlanChoices,
  type PlanInput,
  planChanges,
} from '../../src/planner/index.ts';

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
  secrets?: Readonly<Record<string, string>>;
}

/** The plan for resources and answers made by hand. What a plan lets go of as it arrives must make no difference to it. */
export function planOf(given: PlanCase): Plan {
  const { state, ...input } = inputOf(given);
  const plan = planFrom({ ...input, state });
  const kept = { ...state, objects: state.objects.map(keeperFor(input, new Set())) };
  expect(planFrom({ ...input, state: kept })).toEqual(plan);
  return plan;
}

const planFrom = (input: PlanInput) => planChanges(input, matchUp(input));

/** What a plan is made from. */
export function inputOf(given: PlanCase): PlanInput & { readonly state: TenantState } {
  const settings = { ...contractSettings, ...given.settings };
  const live = (answers: readonly Answer[] = []) => answers.map((answer) => liveFrom(answer, settings));
  return {
    tool: { name: 'tenantctl', version: '0.0.0' },
    createdAt: '2026-01-01T00:00:00.000Z',
    environment: environmentOf(settings, given.policy),
    resources: given.declared,
    previous: given.previous ?? null,
    state: {
      tenant: { identity: 'https://tenant.example', profiles: 'https://profiles.example' },
      objects: live(given.live),
      defaults: live(given.defaults),
    },
    secrets: secretsOf(given.secrets ?? {}),
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

export function resource(
  kind: string,
  key: Key,
  fields: JsonObject = {},
  more: Partial<Pick<Resource, 'ensure' | 'id'>> & { lifecycle?: Partial<Lifecycle> } = {},
): Resource {
  const source = { file: 'config/test.yaml', line: 1, column: 1 };
  return {
    kind,
    key,
    address: formatAddress(kind, key),
    id: more.id ?? null,
    ensure: more.ensure ?? 'present',
    fields,
    lifecycle: { protect: false, ignore: [], renamedFrom: null, allowLockout: false, ...more.lifecycle },
    digest: null,
    source,
    locate: () => source,
    point: () => ({ source, excerpt: '' }),
  };
}

export function liveFrom({ kind, raw, id }: Answer, settings: ApiSettings = contractSettings): LiveObject {
  const object = liveObject(kindNamed(kind), raw, settings, id ?? null);
  if (!object) throw new Error(`${kind} does not take this answer for one of its own.`);
  return object;
}

export function secretsOf(values: Readonly<Record<string, string>>): Secrets {
  return {
    reveal: (name) => values[name] ?? '',
    matches: (name, text) => values[name] === text,
  };
}

function environmentOf(settings: ApiSettings, policy: Partial<Policy> = {}): Environment {
  return {
    name: 'test',
    tenant: { identity: 'https://tenant.example', profiles: 'https://profiles.example' },
    connection: { to: 'tenant', identity: null, profiles: null },
    settings,
    limits: { requests: 100, per: 10_000, concurrency: 8, timeout: null },
    policy: { protect: [], prune: { kinds: [], keep: [] }, maxDeletes: null, ...policy },
    variables: {},
  };
}
