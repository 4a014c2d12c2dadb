import type { Wanted } from '../kinds/wanted.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { Failure } from '../model/failure.ts';
import type { LiveName, TenantState } from '../model/live.ts';
import type { ApiSettings } from '../model/settings.ts';
import type { Client } from './client.ts';
import { rememberReads } from './memo.ts';
import { type ReaderFor, readKind } from './read-kind.ts';

/**
 * Reads what is wanted of a tenant, all kinds side by side, with as few requests as that takes.
 *
 * Throws a Failure with everything that went wrong: a read that failed or is incomplete is never taken for "absent".
 */
export function readTenant(
  client: Client,
  wanted: readonly Wanted[],
  settings: ApiSettings,
): Promise<TenantState> {
  return readTenantFor({ client, settings, pages: null, keepOf: (object) => object }, wanted);
}

/** The same for a reader that need not keep every object whole. */
export async function readTenantFor<Kept extends LiveName>(
  reader: ReaderFor<Kept>,
  wanted: readonly Wanted[],
): Promise<TenantState<Kept>> {
  const remembering = { ...reader, client: rememberReads(reader.client) };
  const read = await allOrFailure(wanted.map((one) => readKind(remembering, one)));
  return {
    tenant: reader.client.tenant,
    objects: read.flatMap(({ objects }) => objects),
    defaults: read.flatMap(({ defaults }) => defaults),
  };
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
