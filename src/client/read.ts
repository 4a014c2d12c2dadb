import type { Wanted } from '../kinds/wanted.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { Failure } from '../model/failure.ts';
import type { LiveName, LiveObject, TenantState } from '../model/live.ts';
import type { ApiSettings } from '../model/settings.ts';
import type { Client } from './client.ts';
import { rememberReads } from './memo.ts';
import { readKind, readMissing } from './read-kind.ts';
import type { ReaderFor } from './read-list.ts';

/**
 * Reads what is wanted of a tenant, all kinds side by side, with as few requests as that takes.
 *
 * Throws a Failure with everything that went wrong: a read that failed or is incomplete is never taken for "absent".
 */
export async function readTenant(
  client: Client,
  wanted: readonly Wanted[],
  settings: ApiSettings,
): Promise<TenantState> {
  const keepOf = (object: LiveObject) => object;
  const reader = { client: rememberReads(client), settings, pages: null, keepOf };
  const read = await allOrFailure(
    wanted.map(async (one) => {
      const objects = await readKind(reader, one);
      return { objects, defaults: await readMissing(reader, one, objects) };
    }),
  );
  return {
    tenant: client.tenant,
    objects: read.flatMap(({ objects }) => objects),
    defaults: read.flatMap(({ defaults }) => defaults),
  };
}

/** The same without defaults, for a reader that need not keep every object whole. */
export async function readKept<Kept extends LiveName>(
  reader: ReaderFor<Kept>,
  wanted: readonly Wanted[],
): Promise<readonly Kept[]> {
  const remembering = { ...reader, client: rememberReads(reader.client) };
  return (await allOrFailure(wanted.map((one) => readKind(remembering, one)))).flat();
}

/** All results, or one Failure with the diagnostics of all that failed. Waits for every one. */
export async function allOrFailure<T>(work: readonly Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(work);
  const errors = settled.flatMap((result): unknown[] =>
    result.status === 'rejected' ? [result.reason] : [],
  );
  if (errors.length === 0) {
    return settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  }
  const failures = errors.filter((error) => error instanceof Failure);
  const first = failures[0];
  // Anything but a Failure is a mistake in the program, and must show as one.
  if (!first || failures.length < errors.length) throw errors.find((error) => !(error instanceof Failure));
  throw new Failure(withoutRepeats(failures.flatMap(({ diagnostics }) => diagnostics)), first.exitCode);
}

/** What holds for every kind alike is said once. */
const saidOnce = new Set([
  'interrupted',
  'tenant-unauthorized',
  'tenant-unreachable',
  'tenant-redirect',
  'tenant-rate-limit',
  'no-endpoint',
]);

function withoutRepeats(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const said = new Set<string>();
  return diagnostics.filter(({ code, message, hint }) => {
    const name = saidOnce.has(code) ? `${code} ${hint ?? ''}` : `${code} ${message}`;
    if (said.has(name)) return false;
    said.add(name);
    return true;
  });
}
