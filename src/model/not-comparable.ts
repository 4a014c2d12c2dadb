import type { Diagnostic } from './diagnostic.ts';
import type { Pointer } from './pointer.ts';

/** What a plan says of places that it cannot compare. */
export function notComparableWords(address: string, places: readonly Pointer[]): string {
  return `${address}: the tenant does not show ${places.join(', ')}, so it cannot be compared.`;
}

/** Whether a remark says so of a place, to the person who reads the plan. */
export function isSaidOf(at: Pointer, { code, message }: Pick<Diagnostic, 'code' | 'message'>): boolean {
  return code === 'not-comparable' && message.includes(` ${at},`);
}
