import { credentialPlaces } from '../kinds/credentials.ts';
import { foldName, isSentAsText, readableFields } from '../kinds/field.ts';
import { readJsonText } from '../kinds/jsontext.ts';
import { mailFrom } from '../kinds/mail-from.ts';
import { notificationTemplate } from '../kinds/notifications.ts';
import { profileSearch } from '../kinds/profile-search.ts';
import type { Resource } from '../kinds/resource.ts';
import { domainOf } from '../kinds/verified-domain.ts';
import type { Address } from '../model/address.ts';
import { type Diagnostic, noteOverlay } from '../model/failure.ts';
import { get, getText, itemsOf, type Json, parseJson } from '../model/json.ts';
import { type Finding, type LintLevels, lintRules } from '../model/lint.ts';
import { isFilledInLater } from '../model/marker.ts';
import { pointer, segmentsOf, valueAt } from '../model/pointer.ts';
import { isConcealed, looksLikeCredential } from '../model/sensitive.ts';
import { contractSettings } from '../model/tenant.ts';
import { lintSearch } from './searches.ts';
import { templateLinter } from './templates.ts';

/** Answers of the tenant. A part that was not asked is absent, and rules that depend on it find nothing. */
export type LintKnowledge = Parameters<typeof templateLinter>[1] & {
  readonly records?: Parameters<typeof lintSearch>[1];
};

interface LintInput {
  /** Every resource of the project: senders and locales are judged by what other resources declare. */
  readonly resources: readonly Resource[];
  /** `null` offline. */
  readonly known: LintKnowledge | null;
  readonly levels: LintLevels;
  /** The resources to judge (default: all). */
  readonly about?: ReadonlySet<Address>;
}

/** Findings about declared objects that are valid but may not be what was intended (see `lintRules`). Pure. */
export function lint({ resources, known, levels, about }: LintInput): Diagnostic[] {
  const present = resources.filter(({ ensure }) => ensure === 'present');
  const lintTemplate = templateLinter(present, known ?? {});
  return present.flatMap((resource) => {
    const { kind, address } = resource;
    if (about?.has(address) === false) return [];
    const found = [
      ...(kind === notificationTemplate ? lintTemplate(resource) : lintJsonText(resource)),
      ...(kind === profileSearch ? lintSearch(resource, known?.records) : []),
      ...(kind === mailFrom ? lintMailFrom(resource) : []),
      ...lintCredentials(resource),
    ];
    return found.flatMap(({ code, message, hint, at, offset, isUnshown }): Diagnostic | [] => {
      const severity = levels[code] ?? lintRules[code].level;
      if (severity === 'off') return [];
      const { source, excerpt } = resource.point(at, offset);
      return {
        code,
        severity,
        message: noteOverlay(message, resource.overlayAt(at) !== null),
        source,
        ...(excerpt === '' || isUnshown ? {} : { excerpt }),
        ...(hint ? { hint } : {}),
        address,
      };
    });
  });
}

/** A MAIL FROM domain that the tenant would refuse: it must be a subdomain of the identity's domain (api-notes). */
function lintMailFrom(resource: Resource): Finding[] {
  const domain = domainOf(resource.key[0] ?? '');
  const declared = getText(resource.fields, 'mailFromDomain');
  if (!declared || foldName(declared).endsWith(`.${foldName(domain)}`)) return [];
  const message = `The MAIL FROM domain ${declared} is not a subdomain of ${domain}.`;
  const hint = `Use a subdomain, such as \`bounce.${domain}\`.`;
  return [{ code: 'mail-from-domain', message, hint, at: '/mailFromDomain' }];
}

/** Settings that look like credentials but are not secrets: a plan hides them, but its requests contain them. */
function lintCredentials(resource: Resource): Finding[] {
  const { kind } = resource;
  const fields = readableFields(kind, resource.fields);
  return credentialPlaces(kind, fields).flatMap((at): Finding[] => {
    const value = valueAt(fields, at);
    if (!holdsClear(value ?? null)) return [];
    // A value that the tenant has masked is not a credential.
    if (typeof value === 'string' && isConcealed(value)) return [];
    // These are fields of JSON text that could not be parsed: they count only if they name a secret.
    if (typeof value === 'string' && segmentsOf(at).length === 1 && !looksLikeCredential(value)) return [];
    const message = `\`${at}\` looks like a credential, and plans would contain it in clear text.`;
    const hint =
      'Store it as a secret and write `!secret NAME`. If it is not a credential, write `lint: { plain-credential: off }` in the project file.';
    return [{ code: 'plain-credential', message, hint, at, isUnshown: true }];
  });
}

const holdsClear = (value: Json): boolean =>
  !isFilledInLater(value) && (typeof value === 'object' ? itemsOf(value).some(holdsClear) : value !== '');

/**
 * Text that is not JSON, in a field that the API stores as JSON in text: tenants refuse it. Such text may come from a tenant,
 * whose export must stay valid. It may hold a credential, so it is not shown.
 */
function lintJsonText(resource: Resource): Finding[] {
  return Object.entries(resource.kind.fields).flatMap(([name, field]): Finding[] => {
    const text = get(resource.fields, name);
    if (typeof text !== 'string' || text === '' || !isSentAsText(field, contractSettings)) return [];
    if (parseJson(text) !== undefined || readJsonText(text) !== text) return [];
    const message = `The text of \`${name}\` is not valid JSON, but the tenant expects JSON.`;
    const hint = `Write the members as YAML: \`${name}: { name: value }\`.`;
    return [{ code: 'json-text', message, hint, at: pointer(name), isUnshown: true }];
  });
}
