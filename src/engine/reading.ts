import { join } from 'node:path';
import type { RecentWrite } from '../applier/journal.ts';
import { type Client, readAgain } from '../client/client.ts';
import { type ReadAllOptions, readAll } from '../client/read.ts';
import { serviceOf } from '../kinds/http.ts';
import type { Kind, LiveObject } from '../kinds/kind.ts';
import { allOf, identityOf, type ReadRequest } from '../kinds/live-objects.ts';
import type { Environment } from '../kinds/project.ts';
import { environmentFolder } from '../loader/paths.ts';
import { type Address, formatAddress } from '../model/address.ts';
import type { Diagnostic } from '../model/failure.ts';
import type { Tenant } from './tenant.ts';

export function journalFolder(root: string, environment: string): string {
  return join(environmentFolder(root, environment), 'journal');
}

/** The writes of the last runs from this folder that the tenant may not show yet. Throws a Failure for a damaged journal. */
export async function recentWrites(root: string, tenant: Tenant): Promise<readonly RecentWrite[]> {
  const { client, clock, environment } = tenant;
  const { settle } = environment.limits;
  if (settle === 0) return [];
  const { readRecentWrites } = await import('../applier/journal.ts');
  return readRecentWrites(journalFolder(root, environment.name), client.tenant, clock.now() - settle);
}

/** Reads until the tenant shows the writes of the last runs, or has had the time to: `read` gets a client that repeats requests. */
export async function readSettledObjects<T extends { readonly objects: readonly LiveObject[] }>(
  root: string,
  tenant: Tenant,
  requests: readonly ReadRequest[],
  read: (client: Client) => Promise<T>,
): Promise<T> {
  const { client, environment } = tenant;
  const recent = await recentWrites(root, tenant);
  if (recent.length === 0) return read(client);
  const { readSettled } = await import('../applier/find.ts');
  let reader = client;
  return readSettled(
    requests,
    async () => {
      const found = await read(reader);
      reader = readAgain(client);
      return found;
    },
    { ...tenant, recent, settle: environment.limits.settle },
  );
}

/** Reads all objects of these kinds, and those that manifests declare. Waits for the last writes of the project, if any. */
export async function readSettledKinds(
  root: string | undefined,
  tenant: Tenant,
  kinds: readonly Kind[],
  { declared, mayLack }: Pick<ReadAllOptions, 'declared'> & { readonly mayLack: (kind: Kind) => boolean },
) {
  const refused = new Map<string, Diagnostic>();
  // By identity, objects that a tenant does not answer correctly. They are left out with a remark, and never count as absent.
  const unusable = new Map<string, { readonly address: Address; readonly why: string }>();
  const read = async (client: Client) => ({
    objects: await readAll(client, kinds, {
      ...(declared && { declared }),
      onRefused(kind, refusal) {
        if (!mayLack(kind)) throw refusal;
        const why = refusal.diagnostics.map(({ message }) => message).join(' ');
        const hint = refusal.diagnostics.find((each) => each.hint)?.hint;
        const message = `${kind.name} is left out: ${tenant.called ?? 'the tenant'} does not show it. ${why}`;
        refused.set(kind.name, {
          code: 'kind-left-out',
          severity: 'warning',
          message,
          ...(hint && { hint }),
        });
      },
      onUnusable: ({ kind, key }, why) =>
        void unusable.set(identityOf(kind, key), { address: formatAddress(kind.name, key), why }),
    }),
  });
  const found =
    root === undefined
      ? await read(tenant.client)
      : await readSettledObjects(root, tenant, kinds.map(allOf), read);
  return { ...found, unusable, refused };
}

/**
 * The kinds whose service all of these environments have, and a remark on each other one: an environment may have no base URL for
 * one of the two services. If that leaves nothing, all are read: the errors then say what is missing.
 */
export function servedKinds(wanted: readonly Kind[], environments: readonly Environment[]) {
  const lacking = (kind: Kind) => environments.filter(({ tenant }) => tenant[serviceOf(kind)] === '');
  const served = wanted.filter((kind) => lacking(kind).length === 0);
  if (served.length === 0) return { served: wanted, skipped: [] };
  const left = wanted.filter((kind) => !served.includes(kind));
  const skipped = left.map((kind) => {
    const service = serviceOf(kind);
    const where = lacking(kind).map(({ name }) => name);
    const message = `${kind.name} is left out: the \`${service}\` service is missing in ${where.join(' and ')}.`;
    const hint = `Add \`${service}: { baseUrl: … }\` there to read this kind.`;
    const problem: Diagnostic = { code: 'kind-left-out', severity: 'info', message, hint };
    return { kind, problem };
  });
  return { served, skipped };
}
