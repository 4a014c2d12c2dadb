import { existsSync } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { applyChanges } from '../applier/apply.ts';
import { openJournal } from '../applier/journal.ts';
import { findPlanRefusals } from '../applier/preflight.ts';
import { isRegular } from '../applier/replace-files.ts';
import { openResultFile, type ResultRecorder } from '../applier/result-file.ts';
import type { ApplyEvent, TenantPort } from '../applier/run.ts';
import type { Sent } from '../client/answer.ts';
import { describeAnswer } from '../client/describe.ts';
import { resolveLookups } from '../client/lookups.ts';
import { readState } from '../client/read.ts';
import type { Environment, Project, Secrets } from '../kinds/project.ts';
import type { Resource } from '../kinds/resource.ts';
import { headCommit, isInRepository } from '../loader/git.ts';
import { environmentFolder, requireOwnFolder } from '../loader/paths.ts';
import { groupBy } from '../model/basics.ts';
import { type ChangeResult, isRefused, type Plan, type Result, secretsSentBy } from '../model/documents.ts';
import {
  type Diagnostic,
  ExitCode,
  Failure,
  fail,
  isError,
  onFailure,
  unwritableFile,
} from '../model/failure.ts';
import { makeFolder } from '../model/files.ts';
import { get } from '../model/json.ts';
import type { Pointer } from '../model/pointer.ts';
import { findLaterRefusals } from '../planner/guards.ts';
import { lockEnvironment } from './lock.ts';
import { pastApplies } from './results.ts';
import { recentWrites, type Tenant } from './tenant.ts';

export interface ApplyOptions {
  /** Stops the apply: requests in flight finish, nothing new starts. */
  readonly signal?: AbortSignal;
  readonly failFast?: boolean;
  readonly onEvent?: (event: ApplyEvent) => void;
  /** A file for the result, absolute, in addition to the one in the project. */
  readonly resultFile?: string;
  /** Called with the result when every change is done, before that is forgotten: see the applier's option. */
  readonly onDone?: (result: Result) => Promise<void>;
  /** Called with the result files when they are written, while the locks are still held. */
  readonly onSaved?: (files: readonly SavedResult[], result: Result) => void;
  /** The environment variables that name the user's folder for locks. Left out: those of the process. */
  readonly env?: NodeJS.ProcessEnv;
}

interface SavedResult {
  readonly file: string;
  /** Why it could not be written; `null` if it was. */
  readonly failure: Failure | null;
}

/**
 * Applies a plan, new or saved, with the locks of its environment and the project's journal. A plan that is stale or that
 * a guard refused gives a result with the outcome `refused`, and nothing was written. Errors of single changes are in
 * the result, which is also written to `.tenantctl/ENVIRONMENT/results` as the run goes. Throws a Failure if a secret is not
 * set, another apply is running, the result cannot be written, the tenant cannot be read before the first write, or the
 * project's `.tenantctl` leads out of it.
 *
 * @example
 * const result = await applyPlan(project, tenant, plan, { onEvent: (event) => console.error(event.type) });
 * for (const { address, error } of result.changes) if (error) console.error(address, error);
 */
export async function applyPlan(
  { root, secrets }: Pick<Project, 'root' | 'secrets'>,
  tenant: Tenant,
  plan: Plan,
  options: ApplyOptions = {},
): Promise<Result> {
  requireWritable(tenant.environment);
  requireSecrets(plan, secrets);
  const { env = process.env, resultFile = null, failFast = false } = options;
  const { onEvent = () => {}, onSaved = () => {}, onDone = async () => {} } = options;
  const { environment, clock } = tenant;
  requireOwnFolder(root);
  const lost = new AbortController();
  const lock = await lockEnvironment(root, environment, {
    env,
    onLost: () => lost.abort(),
    onWarning: (message) => onEvent({ type: 'warning', message }),
  });
  let results: Awaited<ReturnType<typeof openResults>> | null = null;
  try {
    const sources = plan.changes.flatMap(({ source }) => source?.file ?? []);
    const commit = await headCommit(root, sources);
    const { undoes } = plan;
    const origin = { ...(commit && { revision: commit.id }), ...(undoes && { undoes }) };
    const now = () => new Date(clock.now()).toISOString();
    results = await openResults(root, plan, { asked: resultFile, now, origin });
    const applied = await applyChanges(plan, portOf(tenant), {
      ...(await conditionsOf({ root, secrets }, tenant, plan)),
      failFast,
      onEvent,
      signal: options.signal ? AbortSignal.any([options.signal, lost.signal]) : lost.signal,
      record: results,
      onDone: (done) => onDone({ ...done, ...origin }),
    });
    const isCut = lost.signal.aborted && applied.outcome === 'interrupted';
    const result = { ...applied, ...origin, ...(isCut && { diagnostics: [lockLost] }) };
    onSaved(await results.end(result), result);
    return result;
  } finally {
    await results?.close();
    await lock.release();
  }
}

/** Throws a Failure for secrets of the plan that are not set, before an apply would miss them halfway. */
function requireSecrets({ changes }: Plan, secrets: Pick<Secrets, 'problem'>): void {
  const unset = [...new Set(changes.flatMap(secretsSentBy))].flatMap((name): Diagnostic[] => {
    const problem = secrets.problem(name);
    return problem ? [{ ...problem, severity: 'error' }] : [];
  });
  if (unset.length > 0) throw new Failure(unset);
}

/**
 * Opens the result files of a run: one of the environment, which is kept if anything was sent, and the one that was
 * asked for. Throws a Failure if the folder cannot be written.
 */
async function openResults(
  root: string,
  plan: Plan,
  how: { asked: string | null; now: () => string; origin: Pick<Result, 'revision' | 'undoes'> },
) {
  const { asked, now, origin } = how;
  const folder = environmentFolder(root, plan.environment, 'results');
  try {
    makeFolder(folder);
    await access(folder, constants.W_OK);
  } catch (error) {
    throw unwritableFile(folder, error);
  }
  const stamp = now().replaceAll(/[:.]/g, '-');
  const kept = openResultFile(join(folder, `${stamp}-${plan.environment}.json`), plan, now, origin);
  const other = asked === null ? null : openResultFile(asked, plan, now, origin);
  // A pipe gets the whole result, once.
  const recorded = other && (await isRegular(other.file)) ? [kept, other] : [kept];
  return {
    async start(changes: Parameters<ResultRecorder['start']>[0]) {
      for (const file of recorded) await file.start(changes);
    },
    finish(change: ChangeResult) {
      for (const file of recorded) file.finish(change);
    },
    /** Writes the whole result. Returns the files, the one that was asked for first. */
    async end(result: Result): Promise<SavedResult[]> {
      const { done, failed, unknown } = result.summary;
      const isOfUse = done + failed + unknown > 0;
      if (!isOfUse) await kept.discard();
      const files = [...(other ? [other] : []), ...(isOfUse ? [kept] : [])];
      return Promise.all(
        files.map(async (each) => {
          const ended = each.end(result).then(() => null);
          return { file: each.file, failure: await ended.catch(onFailure((error) => error)) };
        }),
      );
    },
    /** Releases the files of a run that did not end. Their records stay. */
    async close() {
      for (const file of recorded) await file.close();
    },
  };
}

async function conditionsOf(
  { root, secrets }: Pick<Project, 'root' | 'secrets'>,
  tenant: Tenant,
  plan: Plan,
) {
  const { clock, environment } = tenant;
  const { name, kinds, settings, limits, policy } = environment;
  const journal = await openJournal(environmentFolder(root, name, 'journal'), plan);
  const isBegun = existsSync(journal.file);
  if (isBegun) await requireUncommitted(root, journal.file);
  const applies = isBegun ? await pastApplies(root, [name]) : [];
  // What the plan's runs recorded about changes that they began, latest first.
  const begun = applies
    .flatMap((past) =>
      'result' in past && past.result.planDigest === plan.digest ? past.result.changes : [],
    )
    .filter(({ outcome }) => outcome !== 'notAttempted' && outcome !== 'skipped');
  return {
    environment: name,
    kinds,
    protect: policy.protect,
    settings,
    secrets,
    journal,
    ...(isBegun && { earlier: new Map(groupBy(begun, ({ address }) => address)) }),
    recent: await recentWrites(root, tenant),
    concurrency: limits.concurrency,
    settle: limits.settle,
    clock,
    describe,
  };
}

/** Throws a Failure (exit 4) for a journal that came with the repository: it proves nothing. */
export async function requireUncommitted(root: string, file: string): Promise<void> {
  if (!(await isInRepository(root, file))) return;
  throw fail(
    'committed-journal',
    `The journal ${file} is tracked by git, so it does not show what an earlier run did.`,
    { hint: 'Remove it with `git rm`, and make a new plan. `.gitignore` must list `.tenantctl/*`.' },
    ExitCode.refused,
  );
}

/** The tenant's own message about an error, and a hint, as sentences. */
function describe(sent: Sent): string {
  const { text, hint } = describeAnswer(sent);
  const ended = /[.!?]$/.test(text) ? text : `${text}.`;
  const sentence = ended.charAt(0).toUpperCase() + ended.slice(1);
  return hint === null ? sentence : `${sentence} ${hint}`;
}

function portOf({ client }: Tenant): TenantPort {
  return {
    tenant: client.tenant,
    send: (request, options) => client.send(request, options),
    read: (requests) => readState(client, requests),
    lookUp: (lookups) => resolveLookups(client, lookups, { mayFail: true }),
  };
}

const lockLost: Diagnostic = {
  code: 'lock-lost',
  severity: 'error',
  message:
    'The run was stopped: its lock was removed, or another run took it over because it had not been renewed for a minute.',
  hint: 'Check whether another apply is running, then apply again to finish.',
};

/** Throws a Failure (exit 4) if a saved plan is stale, or its requests are not what it shows. Writes nothing. */
export async function requireApplicable(
  project: Pick<Project, 'root' | 'secrets'>,
  tenant: Tenant,
  plan: Plan,
): Promise<void> {
  const { signal } = tenant;
  const conditions = await conditionsOf(project, tenant, plan);
  const reasons = await findPlanRefusals(plan, portOf(tenant), { ...conditions, signal });
  if (reasons.length > 0) throw new Failure(reasons, ExitCode.refused);
}

export function requireWritable({ name, policy }: Environment): void {
  if (!policy.readOnly) return;
  throw fail(
    'read-only-environment',
    `The environment ${name} is read-only: \`readOnly: true\` in the project file. Nothing was sent.`,
    { hint: 'Plans, exports and diffs work. To change the tenant, remove `readOnly` in a reviewed commit.' },
    ExitCode.refused,
  );
}

/**
 * Throws a Failure (exit 4) for a plan that a guard refused, for a plan whose digest is not the approved one, and for a
 * saved plan with deletes that neither the environment nor the approval allows.
 */
export function requireApproved(
  plan: Plan,
  environment: Environment,
  approval: Parameters<typeof findLaterRefusals>[2],
): void {
  requireWritable(environment);
  const { policy } = environment;
  if (isRefused(plan)) throw new Failure(plan.diagnostics.filter(isError), ExitCode.refused);
  if (approval.digest !== undefined && approval.digest !== plan.digest) {
    throw fail(
      'digest-mismatch',
      `The plan's digest is ${plan.digest}, not the approved ${approval.digest}: its changes, tenant or options are different.`,
      { hint: 'Plan again with the same options, review it, and approve the new digest.' },
      ExitCode.refused,
    );
  }
  const refusals = findLaterRefusals(plan, policy, approval);
  if (refusals.length > 0) throw new Failure(refusals, ExitCode.refused);
}

/**
 * Throws a Failure (exit 4) that names the changes of a plan which no result proves: no run has seen another tenant, or this one,
 * match the object's declaration in the repository. The delete of an object that is not declared is also proven by a run that
 * deleted it.
 */
export function requireProven(plan: Plan, results: readonly Result[]): void {
  const proven = new Set(results.flatMap((result) => Object.values(result.proven ?? {})));
  const deleted = new Set(
    results
      .flatMap(({ changes }) => changes)
      .filter(({ action, outcome }) => action === 'delete' && outcome === 'done')
      .map(({ address }) => address),
  );
  const unproven = plan.changes.filter(({ address, action, source }) => {
    // A step by hand is not made by the apply.
    if (action === 'manual') return false;
    const digest = get(plan.desired, address);
    if (digest !== undefined && proven.has(digest)) return false;
    return action !== 'delete' || source !== null || !deleted.has(address);
  });
  if (unproven.length === 0) return;
  throw new Failure(
    unproven.map(({ address, source }) => ({
      code: 'unproven',
      severity: 'error',
      message: `${address} is not proven: none of the results of --proven-by shows a tenant in the state that is declared now.`,
      hint: 'Apply the same manifests to the environment that proves them, and pass the result of that apply. Or leave the object out with --except.',
      address,
      ...(source ? { source: { ...source, column: 1 } } : {}),
    })),
    ExitCode.refused,
  );
}

/**
 * The values that a proof does not cover: those in changed objects that variables, secrets, lookups or overlays decide, here or
 * in the proving environments. Manifests that have changed since the plan do not count.
 */
export function differencesHere(
  plan: Plan,
  resources: readonly Resource[],
  proving: ReadonlyMap<string, readonly Resource[]>,
): Diagnostic[] {
  const changes = plan.changes.filter(({ action }) => action !== 'manual');
  const changed = new Set(changes.map(({ address }) => address));
  // As in a proof, an object is the same by its digest: a variable may give it another name in each environment.
  const planned = new Map(
    resources
      .filter((each) => changed.has(each.address) && digestOf(each) === plan.desired[each.address])
      .map((each) => [digestOf(each), each]),
  );
  return [
    ...[...planned.values()].flatMap((each) => differs(each, 'here', 'this environment', placesOf(each))),
    ...[...proving].flatMap(([name, declared]) =>
      declared.flatMap((other) => {
        const there = placesOf(other);
        const resource = there.length > 0 && planned.get(digestOf(other));
        if (!resource) return [];
        const here = placesOf(resource);
        const alone = there.filter((place) => !here.includes(place));
        return differs(resource, `in ${name}, which proves it`, name, alone);
      }),
    ),
  ];
}

const digestOf = ({ declaration }: Resource) => declaration?.digest() ?? '';

const placesOf = ({ declaration }: Resource) => declaration?.differsHere() ?? [];

function differs(
  { address, source }: Resource,
  where: string,
  environment: string,
  places: readonly Pointer[],
): Diagnostic[] {
  if (places.length === 0) return [];
  const message = `${address} differs ${where}: variables, secrets, lookups or overlays of ${environment} decide ${places.join(', ')}.`;
  return [{ code: 'differs-here', severity: 'info', message, address, source: source() }];
}
