/** `password`, `dbPwd`, `api_key`, …, but not names that only describe one: `tokenUrl`, `passwordPolicies`, `adPwdLastSet`. */
export function namesCredential(name: string): boolean {
  return /^jdbc[-_]?url$/i.test(name) || (credentialName.test(name) && !describes.test(name));
}

/** The separators between the words of a name: `api_key`, `pass phrase`, `Client.Secret`. */
const gap = '[-_. ]';

const credentialName = new RegExp(
  [
    'passw|passwort|kennwort|passcode|pwd|secret|token|credential|authorization|bearer|jwt',
    `pass${gap}?(word|phrase)`,
    // `bypass` and `compass` are ordinary words.
    '(?<!by|com|sur|over|tres)pass$',
    `(api|access|private|auth|encryption|client|shared|signing|account|storage|ssh|service|master|license|hmac|deploy)${gap}?key`,
    // One-time passwords, shared access signatures, and addresses with a login in them.
    `^(otp|totp|pin|sas|dsn|kubeconfig)$|${gap}(otp|pin|sas|dsn)$`,
    `^key$|^sig$|(?:^|${gap})pat$|^(set${gap}?)?cookie$`,
    `basic${gap}?auth$|session${gap}?(id|key)$|connection${gap}?string`,
  ].join('|'),
  'i',
);

const describes = new RegExp(
  [
    '(url|uri|endpoint|type|policy|policies|expiry|expires|expiration|ttl|timeout|lifetime|length|days|algorithm|enabled|required',
    'location|attribute|attributename|format|encoding|status|method|prefix|history|count|age',
    `last${gap}?(set|change|changed|reset)|${gap}?set${gap}?date)$`,
  ].join('|'),
  'i',
);

/** A reference to a credential in another system: expressions (`{{…}}`, `$.step.key`), or a path into a vault. */
export function isPlaceOfCredential(text: string): boolean {
  const rest = text.replaceAll(/\{\{[^{}]*\}\}/g, '');
  const isFilled = rest !== text && /^\s*(?:basic|bearer|token)?[\s:]*$/i.test(rest);
  return (
    isFilled ||
    /^\s*\$\.[\w.[\]()?@='"*$-]+(?:\s[\w.[\]()?@='"*$&|-]+)*\s*$/.test(text) ||
    vaultPath.test(text)
  );
}

const vaultPath =
  /^\s*(?:(?:[a-z]*vault|op|ssm|secretsmanager|conjur):\/{0,2}[\w.@-]+\/[\w./@#-]+|arn:aws:(?:secretsmanager|ssm):\S+|projects\/[\w-]+\/secrets\/\S+|https:\/\/[\w-]+\.vault\.azure\.net\/secrets\/[\w/-]+)\s*$/i;

/** Text that is recognized as a credential wherever it stands among settings, each by its own form. */
const credentialForms: readonly RegExp[] = [
  // https://user:password@host, and a long user name without a password, which is a token.
  /[a-z][a-z0-9+.-]{1,30}:\/\/(?:[^\s/?#@:"'<>]{0,256}:(?!\$?\{)[^\s/?#"'<>]{1,512}|[^\s/?#@:"'<>$]{16,512})@/i,
  /-----BEGIN (?![A-Z0-9 ]{0,40}(?:CERTIFICATE|PUBLIC KEY|X509 CRL|PARAMETERS))[A-Z0-9 ]{1,40}-----/,
  /(?<![A-Za-z0-9])(?:gh[opsur]_|github_pat_|gl[a-z]{2,5}-|xox[a-z]-|xapp-|[sr]k_(?:live|test)_|npm_|pypi-|hv[sbr]\.|shp[a-z]{2}_|dop_v1_|ATATT3|AIza)[\w.-]{6,}/,
  /(?<![A-Za-z0-9])(?:sk-|SG\.|ya29\.)[\w.-]{16,}/,
  /(?<![A-Za-z0-9])A(?:KI|SI)A[A-Z0-9]{12,}(?![A-Za-z0-9])/,
  // The URL of an incoming webhook is enough to use it.
  /hooks\.slack\.com\/services\/\w+\/\w+\/\w{8,}|webhook\.office\.com\/webhookb2\/[^\s/]+\/|discord(?:app)?\.com\/api\/webhooks\/\d+\/[\w-]{8,}/i,
  // A JSON Web Token, and values of `Authorization`: not the words "Basic authentication".
  /(?<![\w-])eyJ[\w-]{5,}\.[\w-]{5,}/,
  /(?<![\w-])(?:[Bb]asic|BASIC|[Bb]earer|BEARER|[Aa]pi[Kk]ey|[Tt]oken)\s+(?=[^\s,;"']*(?:[0-9._~+/=-]|[a-z][A-Z]))[\w.~+/=-]{8,}/,
];

/** By its form (`https://user:password@host`, `ghp_…`), or because it gives a value to the name of one (`?token=…`). */
export function looksLikeCredential(text: string): boolean {
  if (text.length <= 3) return false;
  if (credentialForms.some((form) => form.test(text)) || givesCredential(text)) return true;
  // A user and a password in base64. Other values of `auth` are names of methods.
  return [...text.matchAll(login)].some(([, value = '']) =>
    /^[\x20-\x7e]+:[\x20-\x7e]+$/.test(atob(value.slice(0, value.length - (value.length % 4)))),
  );
}

/** The beginning of a registry login, in JSON or in `.npmrc`. */
const login = /(?<![A-Za-z0-9-])auth["']?\s{0,9}[=:]\s{0,9}["']?([A-Za-z0-9+/]{8,400})/gi;

/** A name and the beginning of its value: in the query of a URL, in JSON, or among settings in text. */
const assignment =
  /(?<![\w-])([\w-]{1,64})["']?\s{0,9}[=:]\s{0,9}["']?(?:(?:basic|bearer|token)\s+)?([^\s=:"',;&][^\s"',;&]{0,2})/gi;

function givesCredential(text: string): boolean {
  if (!/pass|pwd|kennwort|secret|token|cred|key|auth|bearer|sig|cookie|session|connection/i.test(text))
    return false;
  // A value that is filled in later (`${token}`, `{{token}}`), or masked, is no credential.
  return [...text.matchAll(assignment)].some(
    ([, name = '', value = '']) => namesCredential(name) && !/^(\$?\{|\$\.|[*•●]{3})/.test(value),
  );
}

/** Whether a text is an encrypted (`1:ACP:…`, `{AES}…`) or masked credential. */
export function isConcealed(text: string): boolean {
  return isMasked(text) || /^(\d+:AC[A-Z]:|\{(AES|RSA|ENC)[^}]*\})/.test(text);
}

export function isMasked(text: string): boolean {
  return /^[*•●]{3,}$/.test(text);
}

/** Replaces sensitive values inside larger ones in plans. */
export const redacted = '(sensitive)';
