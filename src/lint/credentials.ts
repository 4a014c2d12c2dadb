import { readableFields } from '../kinds/field.ts';
import { kindNamed } from '../kinds/index.ts';
import { unmarkedSecrets } from '../kinds/redact.ts';
import { segmentsOf, valueAt } from '../model/pointer.ts';
import type { Resource } from '../model/resource.ts';
import { isConcealed, namesSecret } from '../model/sensitive.ts';
import type { Finding } from './finding.ts';

/**
 * Settings that a plan conceals in its differences and holds in its requests all the same: exactly these are sent, and
 * only a secret can be filled in later.
 */
export function credentialFindings(resource: Resource): Finding[] {
  const kind = kindNamed(resource.kind);
  const fields = readableFields(kind, resource.fields);
  return unmarkedSecrets(kind, fields).flatMap((at): Finding[] => {
    const value = valueAt(fields, at);
    if (typeof value === 'boolean' || value === '') return [];
    // What the tenant masks opens nothing.
    if (typeof value === 'string' && isConcealed(value)) return [];
    // Settings that cannot be read are redacted whatever they hold.
    if (typeof value === 'string' && segmentsOf(at).length === 1 && !namesSecret(value)) return [];
    const message = `\`${at}\` looks like a credential, and plans that write it hold it in clear`;
    const hint = 'Keep it in a secret, and write `!secret NAME`. If it is none, set the rule to `off`.';
    return [{ code: 'plain-credential', message, hint, resource, at, isUnshown: true }];
  });
}
