import type { Address } from '../model/address.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { LintLevels } from '../model/lint.ts';
import type { Resource } from '../model/resource.ts';
import { credentialFindings } from './credentials.ts';
import { diagnosticsOf, type Finding } from './finding.ts';
import type { LintKnowledge } from './knowledge.ts';
import { mailFromFindings } from './mail-from.ts';
import { searchFindings } from './searches.ts';
import { sendersOf } from './senders.ts';
import { templateFindings } from './templates.ts';
import { translationFindings } from './translations.ts';

export { type LintKnowledge, recordsIn, sendersIn } from './knowledge.ts';
export { needsContext, questionsOf } from './questions.ts';

export interface LintInput {
  /** Every resource of the project: senders and locales are judged by what others declare. */
  readonly resources: readonly Resource[];
  /** What the tenant was asked; `null` offline. */
  readonly known: LintKnowledge | null;
  readonly levels: LintLevels;
  /** Only these are judged; left out: all. */
  readonly about?: ReadonlySet<Address>;
}

/**
 * Findings about declared objects that are valid and still may not be what was meant, by resource and rule (see
 * `lintRules`). Pure: the same input gives the same findings.
 */
export function lint({ resources, known, levels, about }: LintInput): Diagnostic[] {
  const present = resources.filter(({ ensure }) => ensure === 'present');
  const templates = present.filter(({ kind }) => kind === 'NotificationTemplate');
  const isAbout = ({ address }: Resource) => about === undefined || about.has(address);
  const findings: Finding[] = [
    ...templateFindings(templates.filter(isAbout), sendersOf(present, known), known),
    ...translationFindings(templates).filter(({ resource }) => isAbout(resource)),
    ...present
      .filter((resource) => resource.kind === 'ProfileSearch' && isAbout(resource))
      .flatMap((resource) => searchFindings(resource, known)),
    ...present
      .filter((resource) => resource.kind === 'MailFrom' && isAbout(resource))
      .flatMap(mailFromFindings),
    ...present.filter(isAbout).flatMap(credentialFindings),
  ];
  return findings.flatMap((finding) => diagnosticsOf(finding, levels));
}
