import { openTenant, type Tenant } from '../engine/tenant.ts';
import type { Environment, Secrets } from '../model/project.ts';
import type { Io } from './io.ts';
import type { Progress } from './progress.ts';

/** Runs `use` with the environment's tenant, open for the time it takes. */
export async function withTenant<T>(
  project: { readonly environment: Environment; readonly secrets: Secrets },
  { signal }: Io,
  progress: Progress,
  use: (tenant: Tenant) => Promise<T>,
): Promise<T> {
  const tenant = await openTenant(project, { signal, onEvent: progress.onClient });
  try {
    return await use(tenant);
  } finally {
    progress.end();
    await tenant.close();
  }
}
