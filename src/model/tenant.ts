/** The two base URLs that identify a tenant; an embedded tenant is named by its data file. */
export interface TenantName {
  readonly identity: string;
  readonly profiles: string;
}

/** True for two names of one tenant. */
export function isSameTenant(one: TenantName, other: TenantName): boolean {
  return one.identity === other.identity && one.profiles === other.profiles;
}
