import { credentialPlaces } from '../kinds/credentials.ts';
import { isSentAsText, readableFields } from '../kinds/field.ts';
import { readJsonText } from '../kinds/jsontext.ts';
import type { Kind } from '../kinds/kind.ts';
import { mailFrom } from '../kinds/mail-from.ts';
import { notificationTemplate } from '../kinds/notification-template.ts';
import { profileSearch } from '../kinds/profile-search.ts';
import type { Resource } from '../kinds/resource.ts';
import type { Address } from '../model/address.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { own, parseJson } from '../model/json.ts';
import type { LintLevels } from '../model/lint.ts';
import { pointer, segmentsOf, valueAt } from '../model/pointer.ts';
import { isConcealed, looksLikeCredential } from '../model/sensitive.ts';
import { contractSettings } from '../model/settings.ts';
import { type Finding, toDiagnostics } from './finding.ts';
import type { LintKnowledge } from './knowledge.ts';
import { lintSearch } from './searches.ts';
import { collectSenders, lintMailFrom } from './senders.ts';
import { lintTemplates, lintTranslations } from './templates.ts';

export { type LintKnowledge, needsContext, questionsOf } from './knowledge.ts';
export { recordsIn } from './searches.ts';
export { deletedSenders, findSentFrom, sendersIn } from './senders.ts';

/** What to judge, and by what. */
export interface LintInput {
  /** Every resource of the project: senders and locales are judged by what other resources declare. */
  readonly resources: readonly Resource[];
  /** What the tenant has answered; `null` offline. */
  readonly known: LintKnowledge | null;
  readonly levels: LintLevels;
  /** The resources to judge (default: all). */
  readonly about?: ReadonlySet<Address>;
}

/**
 * Findings about declared objects that are valid but may not be what was intended (see `lintRules`), grouped by rule.
 * Pure: the same input gives the same findings.
 */
export function lint({ resources, known, levels, about }: LintInput): Diagnostic[] {
  const present = resources.filter(({ ensure }) => ensure === 'present');
  const isTemplate = ({ kind }: Resource) => kind === notificationTemplate;
  const isAbout = ({ address }: Resource) => about === undefined || about.has(address);
  const judged = present.filter(isAbout);
  const ofKind = (wanted: Kind) => judged.filter(({ kind }) => kind === wanted);
  const findings: Finding[] = [
    ...lintTemplates(judged.filter(isTemplate), collectSenders(present, known), known),
    ...lintTranslations(present.filter(isTemplate)).filter(({ resource }) => isAbout(resource)),
    ...ofKind(profileSearch).flatMap((resource) => lintSearch(resource, known)),
    ...ofKind(mailFrom).flatMap(lintMailFrom),
    ...judged.flatMap(lintCredentials),
    // The text of chat messages may be a template, and has a rule of its own.
    ...judged.filter((each) => !isTemplate(each)).flatMap(lintJsonText),
  ];
  return findings.flatMap((finding) => toDiagnostics(finding, levels));
}

/**
 * Settings that look like credentials but are not secrets. A plan hides them in its differences, but its requests
 * contain them: only a secret can be filled in later.
 */
function lintCredentials(resource: Resource): Finding[] {
  const { kind } = resource;
  const fields = readableFields(kind, resource.fields);
  return credentialPlaces(kind, fields).flatMap((at): Finding[] => {
    const value = valueAt(fields, at);
    if (value === '') return [];
    // A value that the tenant has masked is not a credential.
    if (typeof value === 'string' && isConcealed(value)) return [];
    // These are fields of JSON text that could not be parsed: they count only if they name a secret.
    if (typeof value === 'string' && segmentsOf(at).length === 1 && !looksLikeCredential(value)) return [];
    const message = `\`${at}\` looks like a credential, and plans would contain it in clear text`;
    const hint =
      'Store it as a secret and write `!secret NAME`. If it is not a credential, write `lint: { plain-credential: off }` in the project file.';
    return [{ code: 'plain-credential', message, hint, resource, at, isUnshown: true }];
  });
}

/**
 * Text in a field that the API keeps as JSON in text, where it is not JSON: tenants refuse it. Such text may come from a
 * tenant, whose export must stay valid. It may hold a credential, so it is not shown.
 */
function lintJsonText(resource: Resource): Finding[] {
  return Object.entries(resource.kind.fields).flatMap(([name, field]): Finding[] => {
    const text = own(resource.fields, name);
    if (typeof text !== 'string' || text === '' || !isSentAsText(field, contractSettings)) return [];
    if (parseJson(text) !== undefined || readJsonText(text) !== text) return [];
    const message = `The text of \`${name}\` is not valid JSON, which the tenant expects`;
    const hint = `Write the members as YAML: \`${name}: { name: value }\`.`;
    return [{ code: 'json-text', message, hint, resource, at: pointer(name), isUnshown: true }];
  });
}
