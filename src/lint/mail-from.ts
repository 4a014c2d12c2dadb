import { textOf } from '../model/json.ts';
import type { Resource } from '../model/resource.ts';
import type { Finding } from './finding.ts';

/** A MAIL FROM domain that the tenant would refuse: it must be below the identity's own (api-notes, "MailFrom"). */
export function mailFromFindings(resource: Resource): Finding[] {
  const identity = resource.key[0]?.toLowerCase() ?? '';
  const domain = identity.slice(identity.lastIndexOf('@') + 1);
  const declared = textOf(resource.fields, 'mailFromDomain');
  if (!declared || declared.toLowerCase().endsWith(`.${domain}`)) return [];
  const message = `The MAIL FROM domain ${declared} is no subdomain of ${domain}`;
  const hint = `Take one below it, such as \`bounce.${domain}\`.`;
  return [{ code: 'mail-from-domain', message, hint, resource, at: '/mailFromDomain' }];
}
