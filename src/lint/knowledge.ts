import { type JsonObject, textOf } from '../model/json.ts';
import type { LiveObject } from '../model/live.ts';

/** What is known of the tenant; a part that is left out was not asked for, and what depends on it is not judged. */
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

/** What live objects say about senders: one counts until its verification has failed, a domain once it is verified. */
export function sendersIn(objects: readonly LiveObject[]): LintKnowledge {
  const keys = (kind: string, counts: (object: LiveObject) => boolean) =>
    objects.filter((object) => object.kind === kind && counts(object)).map(({ key: [first = ''] }) => first);
  return {
    senders: keys('SenderAddress', ({ raw }) => textOf(raw, 'verificationStatus') !== 'FAILED'),
    verifiedDomains: keys('VerifiedDomain', ({ raw }) => textOf(raw, 'dkimVerificationStatus') === 'SUCCESS'),
  };
}

/** What collections of the profile-management interface say about search rules. */
export function recordsIn(records: ReadonlyMap<string, readonly JsonObject[]>): LintKnowledge {
  const [attributes, profileTypes] = [records.get('ne_attributes'), records.get('profile_types')];
  return { ...(attributes && { attributes }), ...(profileTypes && { profileTypes }) };
}
