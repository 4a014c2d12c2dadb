/** The two base URLs that identify a tenant; an embedded tenant is named by its data file. */
export interface TenantName {
  readonly identity: string;
  readonly profiles: string;
}
