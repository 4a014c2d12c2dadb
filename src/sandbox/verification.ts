import type { VerificationState } from './state.ts';

/** Something whose verification is under way. */
interface Verified {
  readsLeft: number | null;
}

/**
 * Counts one read of `item`, and makes it `success` when its time has come. Returns whether anything changed.
 * Counting reads instead of time keeps every run the same.
 */
export function moveOn(item: Verified, state: VerificationState, success: () => void): boolean {
  if (state !== 'PENDING' || item.readsLeft === null) return false;
  if (item.readsLeft > 0) {
    item.readsLeft -= 1;
    return true;
  }
  item.readsLeft = null;
  success();
  return true;
}

/** Whether `text` is a domain name of at least two labels. */
export function isDomain(text: string): boolean {
  return (
    text.length <= 253 && /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/i.test(text)
  );
}

/** Whether `text` is an e-mail address at a domain name. */
export function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@');
  return (
    at > 0 && at <= 64 && /^[^\s@"<>(),:;[\]\\]+$/.test(text.slice(0, at)) && isDomain(text.slice(at + 1))
  );
}

/** The domain of an e-mail address, or the domain itself; in lower case. */
export function domainOf(identity: string): string {
  return identity.slice(identity.lastIndexOf('@') + 1).toLowerCase();
}
