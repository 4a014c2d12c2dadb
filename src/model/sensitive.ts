/** Whether a field of this name probably holds a credential: password, secret, token, key, credential. */
export function looksSecret(name: string): boolean {
  return /pass(word|wd|phrase)?$|password|secret|token|credential|(api|access|private|auth|encryption|client|shared)[-_]?key|^key$/i.test(
    name,
  );
}

/** Whether a text has a value for such a name: a credential in a URL's query, or among settings in text. */
export function namesSecret(text: string): boolean {
  if (!/pass|secret|token|credential|key/i.test(text)) return false;
  const names = [...text.matchAll(/(?<![\w-])([\w-]{1,64})["']?\s{0,9}[=:]\s{0,9}[^\s=:]/g)];
  return names.some(([, name = '']) => looksSecret(name));
}

/** Whether a text is an encrypted (`1:ACP:…`, `{AES}…`) or masked credential. */
export function isConcealed(text: string): boolean {
  return isMasked(text) || /^(\d+:AC[A-Z]:|\{(AES|RSA|ENC)[^}]*\})/.test(text);
}

/** Whether a text is asterisks or bullets instead of a credential. */
export function isMasked(text: string): boolean {
  return /^[*•●]{3,}$/.test(text);
}

/** Replaces sensitive values inside larger ones in plans. */
export const redacted = '(sensitive)';
