import { resolveLookups } from '../client/lookups.ts';
import { gitSource, loadProject } from '../loader/index.ts';
import type { Plan, Scope } from '../model/plan.ts';
import type { Project } from '../model/project.ts';
import type { Resource } from '../model/resource.ts';
import {
  defaultsFor,
  fillLookups,
  lookupsIn,
  type PlanChoices,
  type PlanInput,
  planChanges,
  wantedFor,
} from '../planner/index.ts';
import type { PlanArgs } from './command.ts';
import type { Io } from './io.ts';
import { withLint } from './lint-plan.ts';
import type { Tenant } from './tenant.ts';
import { tool } from './version.ts';

/**
 * Reads what the manifests name and compares: the one way a plan is made, whether to be shown, saved or applied.
 */
export async function makePlan(
  project: Project,
  tenant: Tenant,
  choices: PlanChoices,
  io: Pick<Io, 'env'>,
): Promise<Plan> {
  const { environment, resources, secrets, diagnostics } = project;
  const { since } = choices.scope;
  const previous = since === null ? null : loadRevision(project, since, io);
  const wanted = wantedFor({ resources, previous, environment, choices });
  const [state, answer] = await Promise.all([
    tenant.readWanted(wanted),
    resolveLookups(tenant.client, [...lookupsIn(resources), ...lookupsIn(previous ?? [])]),
  ]);
  const input: PlanInput = {
    tool,
    createdAt: new Date().toISOString(),
    environment,
    resources: fillLookups(resources, answer),
    previous: previous && fillLookups(previous, answer),
    state,
    secrets,
    choices,
    // Information about manifests is for `validate`: a reviewer of changes has enough to read.
    diagnostics: diagnostics.filter(({ severity }) => severity !== 'info'),
  };
  const more = await tenant.readDefaults(defaultsFor(input));
  const complete = { ...input, state: { ...state, defaults: [...state.defaults, ...more] } };
  const plan = planChanges(complete);
  return withLint(plan, project, tenant, complete);
}

/** The resources as a git revision declared them, under today's project file and environment. */
function loadRevision(
  { root, configFile, environment }: Project,
  revision: string,
  { env }: Pick<Io, 'env'>,
): readonly Resource[] {
  const manifests = gitSource(root, revision);
  return loadProject({ configFile, environment: environment.name, env, manifests }).resources;
}

export function choicesOf(args: PlanArgs): PlanChoices {
  const scope: Scope = { only: args.only, except: args.except, prune: args.prune, since: args.since ?? null };
  return {
    scope,
    rotate: args.rotate,
    maxDeletes: args.maxDeletes ?? null,
    allowDeleteAll: args.allowDeleteAll,
  };
}
