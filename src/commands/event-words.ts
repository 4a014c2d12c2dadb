import type { ApplyEvent } from '../applier/run-context.ts';
import type { TenantEvent } from '../engine/tenant.ts';
import { namesAndMore } from '../model/words.ts';
import { outcomeWords } from '../report/result.ts';
import { joinParts, requestTarget } from '../report/words.ts';

/** What happens while a command works with a tenant. */
export type RunEvent = TenantEvent | ApplyEvent;

/** An event as a line of a log, which has every request; `null` for what is not worth one. */
export function logLine(event: RunEvent): string | null {
  if (event.type !== 'request-finished') return eventWords(event);
  const { request, result, ms, detail, trackingId } = event;
  const more = joinParts([detail, trackingId && `tracking id ${trackingId}`], ', ');
  return `${request.method} ${requestTarget(request)} ${result} ${ms} ms${more && ` (${more})`}`;
}

/** What a run does at this moment; `null` for single requests, of which there are many. */
export function eventWords(event: RunEvent): string | null {
  switch (event.type) {
    case 'request-started':
    case 'request-finished':
      return null;
    case 'rate-limit-wait':
      return `limit reached, going on in ${Math.max(1, Math.round(event.ms / 1000))} s`;
    case 'retrying':
      return `trying ${event.request.method} ${event.request.path} again in ${seconds(event.ms)}: ${event.reason}`;
    case 'token-fetched':
      return 'signed in';
    case 'warning':
      return event.message;
    case 'checking':
      return `checking ${event.objects} objects against the plan …`;
    case 'checked':
      return event.resumed > 0 ? `resuming an earlier run: it had started ${event.resumed} changes` : null;
    case 'started':
      return `${event.action} ${event.address} …`;
    case 'waiting':
      return `${event.address}: ${event.why}`;
    case 'settling':
      return settlingWords(event);
    case 'finished':
      return `${event.finished}/${event.total} ${event.result.address} ${outcomeWords[event.result.outcome]}`;
  }
}

/** What a run waits for. */
export function settlingWords({
  addresses: [first = '', ...others],
  ms,
}: Extract<RunEvent, { type: 'settling' }>): string {
  const what = namesAndMore([first], others.length);
  return `waiting up to ${seconds(ms)} for the tenant to show its last writes: ${what}`;
}

function seconds(ms: number): string {
  return `${Math.max(0.1, Math.round(ms / 100) / 10)} s`;
}
