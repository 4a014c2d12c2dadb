/** How a tenant differs from the documented API, as its environment declares it (api-notes; docs/environments.md). */
export interface ApiSettings {
  /** The header that unlocks experimental operations. */
  readonly experimentalHeader: string;
  /** The paths of resources that the host serves under their own path and version, by name. */
  readonly paths: Readonly<Record<string, string>>;
  /** Whether JSON-in-text fields are written as text (documented) or as objects. */
  readonly jsonText: 'text' | 'object';
  /** Whether an integration is changed by JSON Patch or replaced. */
  readonly simUpdate: 'patch' | 'put';
  /** The body of an integration's patch: `{operations: […]}` (documented) or the bare array. */
  readonly simPatchBody: 'operations' | 'array';
  /** Whether an integration's patch may use every op, or `replace` only. */
  readonly simPatchOps: 'all' | 'replace';
  /** What a test notification may choose: nothing (documented), or its locale and recipients. */
  readonly sendTest: 'documented' | 'extended';
  /** Where saved profile searches live. */
  readonly profileSearchPath: string;
  /** Whether the host can delete a saved profile search. */
  readonly profileSearchDelete: boolean;
  /**
   * What a rule's `object_type` is called on the wire. With `attribute_class` it is `condition_object_type`, and new rules
   * name the class of their attribute there.
   */
  readonly profileSearchObjectType: 'object_type' | 'condition_object_type' | 'attribute_class';
  /** The mail provider's suffix of DKIM records. */
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
