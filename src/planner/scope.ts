import { type Address, matchAddresses } from '../model/address.ts';
import type { Scope } from '../model/plan.ts';

/** Whether an address is among those that somebody chose. */
export function scopeFilter({ only, except }: Pick<Scope, 'only' | 'except'>): (address: Address) => boolean {
  const included = matchAddresses(only);
  const excluded = matchAddresses(except);
  return (address) => (only.length === 0 || included(address)) && !excluded(address);
}
