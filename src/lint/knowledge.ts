import type { JsonObject } from '../model/json.ts';
import type { LiveObject } from '../model/live.ts';

/** What the tenant was asked; a part that is left out was not, and what depends on it is not judged. */
export interface LintKnowledge {
  /** The vendor's default templates: all of each key that is to be judged. */
  readonly defaults?: readonly LiveObject[];
  /** The names of the attributes in the notification template context (seed 001). */
  readonly context?: readonly string[];
  /** Addresses that notifications may come from. */
  readonly senders?: readonly string[];
  readonly verifiedDomains?: readonly string[];
  /** The rows of `ne_attributes` and `profile_types` (seed 002). */
  readonly attributes?: readonly JsonObject[];
  readonly profileTypes?: readonly JsonObject[];
}
