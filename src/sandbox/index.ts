import { once } from 'node:events';
import { createSandbox, type SandboxOptions } from './server.ts';
import type { TenantState } from './state.ts';

export type { Fault } from './faults.ts';
export { FaultSyntaxError, faultWords, parseFaults } from './faults.ts';
export type { Operation } from './operations.ts';
export { operations } from './routes.ts';
export type { SandboxOptions } from './server.ts';
export { referenceName, SandboxFileError, type TenantState } from './state.ts';
export { parseVariations, presets, VariationSyntaxError, type Variations, ways } from './ways.ts';

type Parts = ReturnType<typeof createSandbox>;

export interface Sandbox {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  token(): string;
  /** The tenant. Changes to it are like changes that a person makes in the tenant's own interface. */
  readonly state: TenantState;
  readonly log: Readonly<Parts['log']['entries']>;
  readonly faults: Pick<Parts['faults'], 'add' | 'clear'>;
  /** Resolves when everything that a fault made late is done. Then reads no longer lag. */
  settle(): Promise<void>;
  readonly metrics: Readonly<Parts['log']['metrics']>;
  /** Writes the data file, as every write does. Does nothing without a data file. */
  save(): void;
  close(): Promise<void>;
}

/**
 * Starts the embedded tenant on the loopback address: a server that follows the API documents and refuses what they do
 * not allow. Throws `SandboxFileError` for an unusable seed or data file, `FaultSyntaxError` for a fault of an operation
 * that it does not have, and Node's error for a port that is in use.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { tenant, faults, tokens, late, history, save, server, log } = createSandbox(options);
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    clientId: tokens.clientId,
    clientSecret: tokens.clientSecret,
    token: () => tokens.issue(),
    state: tenant.state,
    log: log.entries,
    faults,
    settle: async () => {
      await late.idle();
      history.clear();
    },
    metrics: log.metrics,
    save: () => save(true),
    close: async () => {
      if (!server.listening) return;
      late.stop();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
