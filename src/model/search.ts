import type { JsonObject } from './json.ts';

export interface FoundProfiles {
  readonly label: string;
  /** The rules of the manifest, or those saved in the tenant. */
  readonly rules: 'declared' | 'saved';
  /** In the tenant's order. */
  readonly profiles: readonly JsonObject[];
  /** True when there are more than the limit. */
  readonly more: boolean;
}
