import type { JsonObject } from './json.ts';

/** The profiles that a search finds. */
export interface FoundProfiles {
  readonly label: string;
  /** Whether the manifest's rules were run, or those saved in the tenant. */
  readonly rules: 'declared' | 'saved';
  /** In the tenant's order. */
  readonly profiles: readonly JsonObject[];
  /** Whether there are more than the limit. */
  readonly more: boolean;
}
