import type { Kind } from '../kinds/kind.ts';
import { mailFrom } from '../kinds/mail-from.ts';
import { notificationTemplate } from '../kinds/notification-template.ts';
import { profileSearch } from '../kinds/profile-search.ts';
import type { Resource } from '../kinds/resource.ts';
import type { Address } from '../model/address.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { LintLevels } from '../model/lint.ts';
import { type Finding, toDiagnostics } from './finding.ts';
import type { LintKnowledge } from './knowledge.ts';
import { lintSearch } from './searches.ts';
import { collectSenders, lintMailFrom } from './senders.ts';
import { lintTemplates, lintTranslations } from './templates.ts';
import { lintCredentials, lintJsonText } from './values.ts';

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
