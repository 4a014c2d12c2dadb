import type { Project } from '../kinds/project.ts';
import type { Resource } from '../kinds/resource.ts';
import { commitsWith } from '../loader/git.ts';
import type { Address } from '../model/address.ts';
import { onFailure } from '../model/failure.ts';
import type { JsonObject } from '../model/json.ts';
import { type MovedDefault, provenDefault } from '../planner/moved-defaults.ts';
import { withPast } from './since.ts';

/** A project is checked out and loaded for each. */
const maxCommits = 8;

/**
 * The vendor's defaults that objects were customised from, by address: as the manifests hold them now, or as the commits
 * of the project did that first recorded their digests. Left out is what neither proves; also where there is no git.
 */
export async function findEarlierDefaults(
  moved: readonly MovedDefault[],
  project: Project,
  env: NodeJS.ProcessEnv,
): Promise<ReadonlyMap<Address, JsonObject>> {
  const found = new Map<Address, JsonObject>();
  const note = (each: MovedDefault, declared: JsonObject) => {
    const fields = provenDefault(each, declared);
    if (fields) found.set(each.match.resource.address, fields);
  };
  for (const each of moved) note(each, each.match.resource.fields);
  const missing = () => moved.filter(({ match }) => !found.has(match.resource.address));
  const digests = [...new Set(missing().map(({ basedOn }) => basedOn))];
  // Without git, a clone or its history, none: a plan is made without what only helps to compare.
  const commits = digests.length === 0 ? [] : await commitsWith(project, digests).catch(onFailure(() => []));
  for (const name of commits.slice(0, maxCommits)) {
    const read = withPast(project, { name, env }, (revision) => revision.read(project).resources);
    const past: readonly Resource[] = await read.catch(onFailure(() => []));
    for (const each of missing()) {
      const resource = past.find(({ address }) => address === each.match.resource.address);
      if (resource) note(each, resource.fields);
    }
    if (missing().length === 0) break;
  }
  return found;
}
