/** Whether a field of this name probably holds a credential: password, secret, token, key, credential. */
export function looksSecret(name: string): boolean {
  return /pass(word|wd|phrase)?$|password|secret|token|credential|(api|access|private|auth|encryption|client|shared)[-_]?key|^key$/i.test(
    name,
  );
}

/** Whether a text gives a value to such a name: a credential in a URL's query, or among settings written as text. */
export function namesSecret(text: string): boolean {
  if (!/pass|secret|token|credential|key/i.test(text)) return false;
  const names = [...text.matchAll(/(?<![\w-])([\w-]{1,64})["']?\s{0,9}[=:]\s{0,9}[^\s=:]/g)];
  return names.some(([, name = '']) => looksSecret(name));
}

/** Text that stands for a credential which the tenant keeps: encrypted (`1:ACP:…`, `{AES}…`) or masked. */
export function isConcealed(text: string): boolean {
  return isMasked(text) || /^(\d+:AC[A-Z]:|\{(AES|RSA|ENC)[^}]*\})/.test(text);
}

/** Asterisks or bullets in the place of a credential. */
export function isMasked(text: string): boolean {
  return /^[*•●]{3,}$/.test(text);
}

/** Stands in a plan for a value inside a larger one that must not be shown. */
export const concealed = '(sensitive)';
