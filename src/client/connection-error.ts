import { systemCode } from '../model/failure.ts';
import { type Lost, lostAnswer, type Unsent, unsentAnswer } from './answer.ts';
import { ProxyError } from './proxy.ts';

/** The outcome of a request that failed on its way: it may have been carried out. */
export function toLostAnswer(error: unknown, answerBegan: boolean): Lost {
  const code = systemCode(error) ?? 'no code';
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') {
    return lostAnswer('too-large', 'the answer is larger than tenantctl reads');
  }
  if (['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'TOTAL_TIMEOUT', 'ETIMEDOUT'].includes(code)) {
    return lostAnswer('timeout', 'no complete answer came within the time limit');
  }
  if (answerBegan) return lostAnswer('cut', `the answer broke off (${code})`);
  return lostAnswer('reset', `the connection ended before an answer came (${code})`);
}

/** The outcome of a request that failed before it was sent: it was not carried out. */
export function toUnsentAnswer(error: unknown, origin: string): Unsent {
  if (error instanceof ProxyError) {
    const hint = 'Check HTTPS_PROXY and HTTP_PROXY, or list the host in NO_PROXY if it is reached directly.';
    const detail = `the host ${hostOf(origin)} cannot be reached: ${error.message}`;
    return unsentAnswer(error.isTransient ? 'unreachable' : 'refused-by-proxy', detail, hint);
  }
  // An error without a code is a fault of the program: its name says at least that.
  const code = systemCode(error) ?? (error instanceof Error ? error.name : 'no code');
  if (code === 'UND_ERR_INVALID_ARG') {
    return unsentAnswer('unsafe', 'the request cannot be sent over HTTP (header or path)');
  }
  if (/CERT|TLS|SSL|SIGNATURE|EPROTO/.test(code)) {
    const hint = untrusted.find(({ codes }) => codes.test(code))?.hint;
    return unsentAnswer('untrusted', `no trusted connection to the host ${hostOf(origin)} (${code})`, hint);
  }
  const hint = 'Check the base URL, the network, and whether the host is up.';
  const what = unreachable[code] ?? 'cannot be reached';
  return unsentAnswer('unreachable', `the host ${hostOf(origin)} ${what} (${code})`, hint);
}

const hostOf = (origin: string): string => new URL(origin).host;

const unreachable: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses the connection',
  ENOTFOUND: 'does not exist: its name is unknown',
  EAI_AGAIN: 'cannot be found: its name cannot be resolved now',
  UND_ERR_CONNECT_TIMEOUT: 'did not accept the connection in time',
  TOTAL_TIMEOUT: 'had no free connection within the time limit',
};

const untrusted: readonly { readonly codes: RegExp; readonly hint: string }[] = [
  { codes: /ALTNAME/, hint: 'The certificate is for another host: check the host in the URL.' },
  {
    codes: /EXPIRED|NOT_YET_VALID/,
    hint: 'The certificate is not valid now: check the clock of this machine, or have the certificate renewed.',
  },
  {
    codes: /CERT|SIGNATURE/,
    hint: 'If a company proxy signs the certificate, name its CA in NODE_EXTRA_CA_CERTS.',
  },
  { codes: /./, hint: 'The host offers no TLS 1.2 or later at this port: check the URL and its port.' },
];
