import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Kind } from '../kinds/kind.ts';
import type { Project } from '../kinds/project.ts';
import type { Resource } from '../kinds/resource.ts';
import { type Checkout, commitsWith, findUncommitted, withRevision } from '../loader/git.ts';
import { type LoadedProject, leftOutThen, openPastProjects, openProjects } from '../loader/index.ts';
import { collectionIn } from '../loader/kind-files.ts';
import type { Address } from '../model/address.ts';
import { groupBy, lazy } from '../model/basics.ts';
import type { Change, DraftPlan } from '../model/documents.ts';
import { type Diagnostic, Failure, fail, onFailure } from '../model/failure.ts';
import type { JsonObject } from '../model/json.ts';
import { isSameTenant } from '../model/tenant.ts';
import { namesAndMore } from '../model/words.ts';
import type { PlanInput } from '../planner/input.ts';
import { type MovedDefault, provenDefault } from '../planner/moved-defaults.ts';
import type { PlanOptions } from './choices.ts';
import { pastApplies } from './results.ts';

interface PastDeclarations {
  readonly resources: readonly Resource[];
  readonly diagnostics: readonly Diagnostic[];
}

interface Past extends PastDeclarations {
  written(): ReturnType<typeof writtenSince>;
  nameCommits(plan: DraftPlan, desired: Pick<PlanInput, 'resources' | 'previous'>): Promise<DraftPlan>;
}

/**
 * Reads the declarations for the environment of a project, resolved with all that the revision had. If it did not have the
 * environment, or that was another tenant, nothing was declared, and a warning says so. Throws a Failure if git hides manifests
 * from the disk, and those of `loadProject`, which name the revision as git does: `HEAD~1:config/a.yaml`.
 */
export type ReadPast = (project: Project) => Past;

/**
 * Lets `use` read the declarations at the revision of `--since`, which is checked out once for all environments; `null` without
 * `--since`. Rejects with the Failures of `withRevision`.
 */
export async function withSince<T>(
  project: Pick<LoadedProject, 'root' | 'configFile' | 'files'>,
  { since = null, env = process.env }: Pick<PlanOptions, 'since' | 'env'>,
  use: (read: ReadPast | null) => T | Promise<T>,
): Promise<T> {
  if (since === null) return use(null);
  const useCheckout = ({ folder, same, hidden, committedAt, commits }: Checkout) => {
    const options = { configFile: join(folder, basename(project.configFile)), env };
    const opened = lazy(() => openPastProjects(options, { ...project, same }));
    return use((present) => {
      refuseHidden(present, hidden, env);
      return {
        ...readPast(present, () => opened().load(present), since),
        written: () => writtenSince(committedAt, present),
        nameCommits: (plan, desired) => nameCommits(plan, desired, commits, present.root),
      };
    });
  };
  return withRevision(project, since, useCheckout, project.files?.documents.texts());
}

/** The declarations for the environment, with the current kinds. None counts if they were for another tenant. */
function readPast(project: Project, load: () => Project, revision: string): PastDeclarations {
  const { name, tenant } = project.environment;
  try {
    const past = load();
    // A service that one of them lacks proves nothing.
    const isOther = (['identity', 'profiles'] as const).some((service) => {
      const [then, now] = [past.environment.tenant[service], tenant[service]];
      return then !== now && then !== '' && now !== '';
    });
    if (isOther) return emptyPast(`the environment \`${name}\` was another tenant`, revision);
    const unknown = past.diagnostics.filter(({ code }) => leftOutThen.includes(code));
    const { resources, lost } = renewKinds(past, project);
    return { resources, diagnostics: [...unknown, ...lost].map((each) => addRevision(each, revision)) };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { diagnostics, exitCode } = error;
    if (diagnostics.some(({ code }) => code === 'config-not-found' || code === 'unknown-environment'))
      return emptyPast(`there was no environment \`${name}\``, revision);
    throw new Failure(
      diagnostics.map((each) => addRevision(each, revision)),
      exitCode,
    );
  }
}

/**
 * The resources with the current kinds, with which the tenant is read. If a kind is no longer described, or has another key or
 * collection, its objects cannot be found in the tenant: `lost` says so.
 */
function renewKinds({ resources, environment: then }: Project, { environment: now }: Project) {
  const renewed = new Map(
    [...new Set(resources.map(({ kind }) => kind))].map((kind) => {
      const today = now.kinds.find(kind.name);
      return [kind, today && placeOf(kind, then) === placeOf(today, now) ? today : null];
    }),
  );
  const gone = resources.filter(({ kind }) => !renewed.get(kind));
  const lost = groupBy(gone, ({ kind }) => kind.name).map(([name, { length }]): Diagnostic => {
    const what = `${length} ${length === 1 ? 'object' : 'objects'} of the kind ${name}`;
    return {
      code: 'kind-lost',
      severity: 'warning',
      message: `The project declared ${what}, which it no longer describes, or with another key or path, so --since cannot tell which of them were removed.`,
      hint: `To delete objects together with their kind, delete them first, with kinds/${name}.kind.yaml and \`identity.paths\` as they were.`,
    };
  });
  const kept = resources.flatMap((resource) => {
    const kind = renewed.get(resource.kind);
    return kind ? [{ ...resource, kind }] : [];
  });
  return { resources: kept, lost };
}

/** What the objects of a kind are known by: their key, and where the tenant has them and what they are below. */
function placeOf({ keyFields, resource, parent }: Kind, environment: Project['environment']): string {
  const names = keyFields.map(({ name }) => name).join();
  const above = parent ? placeOf(parent.kind, environment) : '';
  return `${above} ${collectionIn(resource.path(environment.settings))} ${names}`;
}

function emptyPast(why: string, revision: string): PastDeclarations {
  const message = `At ${revision} ${why}, so nothing counts as declared then, and --since deletes nothing.`;
  return { resources: [], diagnostics: [{ code: 'nothing-declared-then', severity: 'warning', message }] };
}

const mostNamed = 5;

/** A file that is missing on the disk because git left it out was not removed by anybody. */
function refuseHidden(
  { configFile, environment }: Project,
  hidden: Checkout['hidden'],
  env: NodeJS.ProcessEnv,
) {
  if (hidden.length === 0) return;
  const { covers } = openProjects({ configFile, env }).declarations(environment.name);
  // Others may be manifests through a link.
  const manifests = hidden.filter(
    (path) => /\.ya?ml$/i.test(path) || covers(path.endsWith('/') ? `${path}any.yaml` : path),
  );
  if (manifests.length === 0) return;
  const named = namesAndMore(manifests.slice(0, mostNamed), manifests.length - mostNamed);
  throw fail(
    'hidden-manifests',
    `git leaves files of the project out of the work tree or does not compare them: ${named}. Objects in them would look as if they had been removed.`,
    {
      hint: 'Undo a sparse checkout with `git sparse-checkout disable`, and marks with `git update-index --no-skip-worktree --no-assume-unchanged FILE`. Check out submodules with `git submodule update --init`.',
    },
  );
}

function addRevision(diagnostic: Diagnostic, revision: string): Diagnostic {
  const { source, message } = diagnostic;
  return {
    ...diagnostic,
    message: `At ${revision}: ${message}`,
    ...(source && { source: { ...source, file: `${revision}:${source.file}` } }),
  };
}

/** The writes of this checkout's applies after the revision: they are not somebody else's changes. */
async function writtenSince(committedAt: string, { root, environment }: Project) {
  const written = new Map<Address, JsonObject | null>();
  for (const later of (await pastApplies(root, [environment.name], { since: committedAt })).reverse()) {
    if ('unreadable' in later || !isSameTenant(later.result.tenant, environment.tenant)) continue;
    for (const { address, action, outcome, after } of later.result.changes) {
      if (outcome !== 'done') continue;
      if (action === 'delete') written.set(address, null);
      else if (after) written.set(address, { ...written.get(address), ...after });
    }
  }
  return written;
}

/** Adds to each change that the repository asks for the commit that last changed its files after the revision. */
async function nameCommits(
  plan: DraftPlan,
  { resources, previous }: Pick<PlanInput, 'resources' | 'previous'>,
  latest: Checkout['commits'],
  root: string,
): Promise<DraftPlan> {
  if (latest.size === 0) return plan;
  const declared = new Map([...(previous ?? []), ...resources].map((each) => [each.address, each]));
  const filesOf = new Map(
    plan.changes.map((change) => [change, filesBehind(change, declared.get(change.address))]),
  );
  const named = [...new Set([...filesOf.values()].flat())].filter((file) => latest.has(file));
  // Uncommitted changes are in no log.
  const open = new Set(
    await findUncommitted(named.map((file) => join(root, file)).filter((file) => existsSync(file))),
  );
  const changes = plan.changes.map((change) => {
    const files = (filesOf.get(change) ?? []).filter((file) => !open.has(join(root, file)));
    const commits = files.flatMap((file) => latest.get(file) ?? []);
    const [commit] = commits.toSorted((one, other) => (one.at < other.at ? 1 : -1));
    return commit ? { ...change, commit } : change;
  });
  return { ...plan, changes };
}

/** The manifest, and the side files and overlays that the differences come from. */
function filesBehind({ action, diff }: Change, resource: Resource | undefined): string[] {
  const isOfTenant = diff.length > 0 && diff.every(({ origin }) => origin === 'tenant');
  if (!resource || isOfTenant) return [];
  // The files of the revision are gone again.
  if (action === 'delete') return [resource.source().file];
  const places = diff.map(({ path }) => resource.overlayAt(path) ?? resource.point(path, 0).source);
  return [...new Set([resource.source(), ...places].map(({ file }) => file))];
}

/** A project is checked out and loaded for each. */
const maxCommits = 8;

/**
 * The vendor's defaults that objects were customised from, by address: as the manifests hold them now, or as the commits of the
 * project did that first recorded their digests. Defaults that neither proves are left out; without git, all are.
 */
export async function findEarlierDefaults(
  moved: readonly MovedDefault[],
  project: Project,
  env: NodeJS.ProcessEnv,
): Promise<ReadonlyMap<Address, JsonObject>> {
  const found = new Map<Address, JsonObject>();
  const note = (declared: readonly Resource[]) => {
    for (const each of moved) {
      const { address } = each.match.resource;
      const resource = found.has(address) ? undefined : declared.find((one) => one.address === address);
      const fields = resource && provenDefault(each, resource.fields);
      if (fields) found.set(address, fields);
    }
  };
  note(moved.map(({ match }) => match.resource));
  const missing = moved.filter(({ match }) => !found.has(match.resource.address));
  const digests = [...new Set(missing.map(({ basedOn }) => basedOn))];
  // None without git, a clone or its history: they only help to compare, and no plan needs them.
  const commits = digests.length === 0 ? [] : await commitsWith(project, digests).catch(onFailure(() => []));
  for (const since of commits.slice(0, maxCommits)) {
    const declared = withSince(project, { since, env }, (read) => read?.(project).resources ?? []);
    note(await declared.catch(onFailure(() => [])));
    if (found.size === moved.length) break;
  }
  return found;
}
