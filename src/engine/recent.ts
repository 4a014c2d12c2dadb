import { join } from 'node:path';
import { type RecentWrite, readRecentWrites, readSettled } from '../applier/recent-writes.ts';
import type { Client } from '../client/client.ts';
import { type ReadAllOptions, readAgain, readAll } from '../client/read.ts';
import type { Kind, LiveObject } from '../kinds/kind.ts';
import { allOf, type ReadRequest } from '../kinds/read-request.ts';
import type { Resource } from '../kinds/resource.ts';
import { isInRepository } from '../loader/checkout.ts';
import { environmentFolder } from '../loader/own-folder.ts';
import { ExitCode, failure } from '../model/failure.ts';
import type { Tenant } from './tenant.ts';
import { Unusable } from './unusable.ts';

/** The folder of the journals of an environment. */
export function journalFolder(root: string, environment: string): string {
  return join(environmentFolder(root, environment), 'journal');
}

/**
 * Throws a Failure (exit 4) for a journal that came with the repository: what it calls done, nobody has done. Not all of that
 * shows in the tenant, such as a secret.
 */
export async function requireUncommitted(root: string, file: string): Promise<void> {
  if (!(await isInRepository(root, file))) return;
  throw failure(
    'committed-journal',
    `The journal ${file} is a file of the git repository, so it does not show what an earlier run did.`,
    { hint: 'Remove it with `git rm`, and make a new plan. `.gitignore` has to list `.tenantctl/*`.' },
    ExitCode.refused,
  );
}

/** The writes of the last runs from this folder that the tenant may not show yet. Throws a Failure for a damaged journal. */
export async function recentWrites(root: string, tenant: Tenant): Promise<readonly RecentWrite[]> {
  const { client, clock, environment } = tenant;
  const { settle } = environment.limits;
  if (settle === 0) return [];
  return readRecentWrites(journalFolder(root, environment.name), client.tenant, clock.now() - settle);
}

/**
 * What `read` reads, once the tenant shows the writes of the last runs or has had the time to. Throws a Failure where the
 * tenant cannot be read.
 *
 * @param requests what is read
 * @param read gets a client that asks the tenant again where it has been asked before
 */
export async function readSettledObjects<T extends { readonly objects: readonly LiveObject[] }>(
  root: string,
  tenant: Tenant,
  requests: readonly ReadRequest[],
  read: (client: Client) => Promise<T>,
): Promise<T> {
  const { client, clock, signal, onEvent, environment } = tenant;
  let reader = client;
  const readNow = async () => {
    const found = await read(reader);
    reader = readAgain(client);
    return found;
  };
  return readSettled(requests, readNow, {
    writes: await recentWrites(root, tenant),
    settle: environment.limits.settle,
    clock,
    signal,
    onWait: (addresses, ms) => onEvent({ type: 'settling', addresses, ms }),
  });
}

/** The objects of whole kinds. */
export interface KindsRead {
  readonly objects: readonly LiveObject[];
  /** Objects that the tenant does not answer soundly, and why. */
  readonly unusable: Unusable;
}

/**
 * All objects of these kinds, and those that manifests declare. Throws a Failure where they cannot be read.
 *
 * @param root the project, whose last writes are waited for; `undefined`: none are
 */
export async function readSettledKinds(
  root: string | undefined,
  tenant: Tenant,
  kinds: readonly Kind[],
  {
    declared = [],
    onRefused,
  }: { readonly declared?: readonly Resource[] } & Pick<ReadAllOptions, 'onRefused'> = {},
): Promise<KindsRead> {
  const unusable = new Unusable();
  const { settings } = tenant.environment;
  const read = async (client: Client) => ({
    objects: await readAll(client, kinds, settings, {
      declared,
      onUnusable: unusable.add,
      ...(onRefused && { onRefused }),
    }),
  });
  const { objects } =
    root === undefined
      ? await read(tenant.client)
      : await readSettledObjects(root, tenant, kinds.map(allOf), read);
  return { objects, unusable };
}
