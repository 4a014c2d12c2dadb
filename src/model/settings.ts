/** How one tenant differs from the contract, as its environment declares it (api-notes; docs/environments.md). */
export interface ApiSettings {
  /** The header that unlocks experimental operations. */
  readonly experimentalHeader: string;
  /** Whether JSON-in-text fields are written as text (the contract) or as objects. */
  readonly jsonText: 'text' | 'object';
  /** Whether an integration is changed by JSON Patch or written whole. */
  readonly simUpdate: 'patch' | 'put';
  /** The body of an integration's patch: `{operations: […]}` (the contract) or the bare array. */
  readonly simPatchBody: 'operations' | 'array';
  /** Whether an integration's patch may use every op, or `replace` only. */
  readonly simPatchOps: 'all' | 'replace';
  /** Where saved profile searches live. */
  readonly profileSearchPath: string;
  /** Whether the host can delete a saved profile search. */
  readonly profileSearchDelete: boolean;
  /** What a rule's `object_type` is called on the wire. */
  readonly profileSearchObjectType: 'object_type' | 'condition_object_type';
  /** The mail provider's suffix of DKIM records. */
  readonly dkimSuffix: string;
}

/** The contract itself: what an environment that says nothing gets. */
export const contractSettings: ApiSettings = {
  experimentalHeader: 'X-Service-Experimental',
  jsonText: 'text',
  simUpdate: 'patch',
  simPatchBody: 'operations',
  simPatchOps: 'all',
  profileSearchPath: '/api/advanced_search',
  profileSearchDelete: false,
  profileSearchObjectType: 'object_type',
  dkimSuffix: 'dkim.amazonses.com',
};
