/** The differences between a tenant and the documented API, as its environment declares them (docs/environments.md). */
export interface ApiSettings {
  /** The header that unlocks experimental operations. */
  readonly experimentalHeader: string;
  /** The paths of resources that the host serves under their own path and version, by name. */
  readonly paths: Readonly<Record<string, string>>;
  /** JSON-in-text fields are written as text (documented) or as objects. */
  readonly jsonText: 'text' | 'object';
  /** An integration is changed by JSON Patch or replaced. */
  readonly simUpdate: 'patch' | 'put';
  /** The body of an integration's patch: `{operations: […]}` (documented) or the bare array. */
  readonly simPatchBody: 'operations' | 'array';
  /** An integration's patch may use every op, or `replace` only. */
  readonly simPatchOps: 'all' | 'replace';
  /** A test notification may choose nothing (documented), or its locale and recipients. */
  readonly sendTest: 'documented' | 'extended';
  readonly profileSearchPath: string;
  readonly profileSearchDelete: boolean;
  /**
   * The name of a rule's `object_type` on the wire. With `attribute_class` it is `condition_object_type`, and new rules
   * name the class of their attribute there.
   */
  readonly profileSearchObjectType: 'object_type' | 'condition_object_type' | 'attribute_class';
  readonly dkimSuffix: string;
}

/** The documented API: the default of every environment. */
export const contractSettings: ApiSettings = {
  experimentalHeader: 'X-Service-Experimental',
  paths: {},
  jsonText: 'text',
  simUpdate: 'patch',
  simPatchBody: 'operations',
  simPatchOps: 'all',
  sendTest: 'documented',
  profileSearchPath: '/api/advanced_search',
  profileSearchDelete: false,
  profileSearchObjectType: 'object_type',
  dkimSuffix: 'dkim.amazonses.com',
};
