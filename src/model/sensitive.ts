import { type Pointer, segmentsOf } from './pointer.ts';

/** Whether a field of this name probably holds a credential: password, secret, token, key, credential. */
export function looksSecret(name: string): boolean {
  return /pass(word|wd|phrase)?$|password|secret|token|credential|(api|access|private|auth|encryption|client|shared)[-_]?key|^key$/i.test(
    name,
  );
}

/** Whether one of the names on the way to `at` looks like a credential's. */
export function looksSecretAt(at: Pointer): boolean {
  return segmentsOf(at).some(looksSecret);
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
