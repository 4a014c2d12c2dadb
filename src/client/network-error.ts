import type { Lost, Unsent } from './answer.ts';

/** What an error on a request that was on its way means: it may have been carried out. */
export function lostBy(error: unknown, answerBegan: boolean): Lost {
  const code = codeOf(error);
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') {
    return { outcome: 'lost', reason: 'too-large', detail: 'the answer is larger than tenantctl reads' };
  }
  if (['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'TOTAL_TIMEOUT', 'ETIMEDOUT'].includes(code)) {
    return { outcome: 'lost', reason: 'timeout', detail: 'no whole answer came within the time limit' };
  }
  if (answerBegan) {
    return { outcome: 'lost', reason: 'cut', detail: `the answer broke off (${code})` };
  }
  return { outcome: 'lost', reason: 'reset', detail: `the connection ended before an answer came (${code})` };
}

/** What an error before the request was on its way means: it was not carried out. */
export function unsentBy(error: unknown): Unsent {
  const code = codeOf(error);
  if (code === 'UND_ERR_INVALID_ARG') {
    return {
      outcome: 'unsent',
      reason: 'unsafe',
      detail: 'the request cannot be put in HTTP (header or path)',
    };
  }
  if (/CERT|TLS|SSL|SIGNATURE|EPROTO/.test(code)) {
    return {
      outcome: 'unsent',
      reason: 'untrusted',
      detail: `no trusted connection to the host (${code})`,
      hint: 'If a company proxy signs the certificate, name its CA in NODE_EXTRA_CA_CERTS.',
    };
  }
  return {
    outcome: 'unsent',
    reason: 'unreachable',
    detail: `${unreachable[code] ?? 'the host cannot be reached'} (${code})`,
    hint: 'Check the base URL in the project file, the network, and whether the host is up.',
  };
}

const unreachable: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the host refuses the connection',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name cannot be resolved now',
  UND_ERR_CONNECT_TIMEOUT: 'the host did not accept the connection in time',
  TOTAL_TIMEOUT: 'no connection was free within the time limit',
};

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'no code';
}
