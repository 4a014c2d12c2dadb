import type { Plan } from '../generated/schemas/plan.ts';

/** The two base URLs that identify a tenant; an embedded tenant is named by its data file. */
export type TenantName = Plan['tenant'];

/** Whether two names are those of one tenant. */
export function isSameTenant(one: TenantName, other: TenantName): boolean {
  return one.identity === other.identity && one.profiles === other.profiles;
}
