import type { ApiSettings } from '../model/settings.ts';
import type { ApplyEvent } from './events.ts';
import type { Journal } from './journal.ts';
import type { Sent, TenantPort } from './port.ts';

/** What every step of one run shares. */
export interface Room {
  readonly port: TenantPort;
  readonly journal: Journal;
  readonly settings: ApiSettings;
  readonly signal: AbortSignal;
  readonly describe: (sent: Sent) => string;
  readonly onEvent: (event: ApplyEvent) => void;
  /** The time, as ISO text. */
  readonly now: () => string;
  /** Whether nothing new may start: interrupted, or something failed that stops the run. */
  readonly isStopped: () => boolean;
}
