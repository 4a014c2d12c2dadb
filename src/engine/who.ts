/** With `--since`: who changed what a plan is about, in the repository and by earlier applies. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Project } from '../kinds/project.ts';
import type { Resource } from '../kinds/resource.ts';
import { type FileCommit, findUncommitted } from '../loader/git.ts';
import type { Address } from '../model/address.ts';
import type { DraftPlan } from '../model/digest.ts';
import { type JsonObject, sameJson } from '../model/json.ts';
import type { Change } from '../model/plan.ts';
import type { PlanInput } from '../planner/input.ts';
import { findLaterResults } from './results.ts';
import type { Past } from './since.ts';

/** What applies of this checkout wrote after the revision: nobody else has to be told of it. */
export async function writtenSince(
  past: Past | null,
  { root, environment }: Project,
): Promise<NonNullable<PlanInput['written']>> {
  const written = new Map<Address, JsonObject | null>();
  if (past === null) return written;
  for (const later of await findLaterResults(root, environment.name, past.committedAt)) {
    if ('unreadable' in later || !sameJson({ ...later.result.tenant }, { ...environment.tenant })) continue;
    for (const { address, action, outcome, after } of later.result.changes) {
      if (outcome !== 'done') continue;
      if (action === 'delete') written.set(address, null);
      else if (after) written.set(address, { ...written.get(address), ...after });
    }
  }
  return written;
}

/** Adds to each change that the repository asks for the commit that last changed its files after the revision. */
export async function nameCommits(
  plan: DraftPlan,
  { resources, previous }: Pick<PlanInput, 'resources' | 'previous'>,
  past: Past | null,
  root: string,
): Promise<DraftPlan> {
  if (past === null || past.commits.size === 0) return plan;
  const declared = new Map([...(previous ?? []), ...resources].map((each) => [each.address, each]));
  const filesOf = new Map(
    plan.changes.map((change) => [change, filesBehind(change, declared.get(change.address))]),
  );
  const named = [...new Set([...filesOf.values()].flat())].filter((file) => past.commits.has(file));
  // Whoever changed a file and did not commit it is in no log.
  const open = new Set(
    await findUncommitted(named.map((file) => join(root, file)).filter((file) => existsSync(file))),
  );
  const changes = plan.changes.map((change) => {
    const files = (filesOf.get(change) ?? []).filter((file) => !open.has(join(root, file)));
    const commit = latest(files.flatMap((file) => past.commits.get(file) ?? []));
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

function latest(commits: readonly FileCommit[]): FileCommit | undefined {
  return commits.toSorted((one, other) => (one.at < other.at ? 1 : -1))[0];
}
