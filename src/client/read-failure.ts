import { ExitCode } from '../model/exit.ts';
import { type Failure, failure } from '../model/failure.ts';
import type { Request } from '../model/plan.ts';
import { type Answer, isSuccess, type Sent } from './answer.ts';
import { describeAnswer } from './describe.ts';

/**
 * Why a read came to nothing: code, the tenant's words, the tracking id and a hint. A read that failed is never
 * "absent" (design, section 1).
 *
 * @param what what was being read, for people: `SimIntegration`
 */
export function readFailure(what: string, request: Request, sent: Sent): Failure {
  if (sent.outcome !== 'answered' && sent.reason === 'interrupted') {
    return failure(
      'interrupted',
      `Reading ${what} was interrupted; nothing was written.`,
      {},
      ExitCode.interrupted,
    );
  }
  const { text, hint, trackingId } = describeAnswer(sent);
  const times = sent.attempts > 1 ? ` after ${sent.attempts} attempts` : '';
  const tracking = trackingId === null ? '' : ` (tracking id ${trackingId})`;
  const message = isSuccess(sent)
    ? `Reading ${what}: ${request.method} ${request.path} answered ${text}, which is not what the API answers${tracking}.`
    : `Reading ${what}: ${request.method} ${request.path} failed${times}: ${text}${tracking}.`;
  return failure(codeOf(sent), message, hint === null ? {} : { hint });
}

/** A read whose answer came whole but cannot be right. */
export function badList(code: string, what: string, request: Request, problem: string): Failure {
  return failure(code, `Reading ${what}: ${request.method} ${request.path} ${problem}.`, {
    hint: 'Nothing was written. The list may have changed while it was read: run again; if it stays, the tenant pages differently than documented.',
  });
}

function codeOf(answer: Answer): string {
  switch (answer.outcome) {
    case 'answered':
      if (answer.status < 300) return 'bad-answer';
      return codes[answer.status] ?? (answer.status < 400 ? 'tenant-redirect' : 'tenant-error');
    case 'lost':
      return 'answer-lost';
    case 'unsent':
      return unsentCodes[answer.reason] ?? 'tenant-unreachable';
  }
}

const codes: Readonly<Record<number, string>> = {
  400: 'tenant-bad-request',
  401: 'tenant-unauthorized',
  403: 'tenant-forbidden',
  404: 'tenant-not-found',
  429: 'tenant-rate-limit',
};

const unsentCodes: Readonly<Record<string, string>> = {
  'no-token': 'tenant-unauthorized',
  'no-endpoint': 'no-endpoint',
  'no-secret': 'secret-unset',
  'rate-limited': 'tenant-rate-limit',
  unsafe: 'unsafe-request',
};
