import type { Severity } from './diagnostic.ts';

/** How a finding of one rule counts; `off` leaves it out. */
type LintLevel = Severity | 'off';

export interface LintRule {
  readonly level: LintLevel;
  /** The same where the tenant is an embedded one, if it differs there. */
  readonly embedded?: LintLevel;
  /** One line for people. */
  readonly means: string;
}

/**
 * Every rule of the lint. A finding is an error only where the tenant would refuse the object; what the tenant takes and
 * recipients suffer from is a warning, since an exported tenant must plan empty whatever it holds.
 */
export const lintRules = {
  'velocity-unclosed': { level: 'warning', means: 'A block such as `#if` or `#foreach` has no `#end`.' },
  'velocity-unopened': {
    level: 'warning',
    means: 'An `#end`, `#else` or `#elseif` belongs to no open block.',
  },
  'velocity-syntax': {
    level: 'warning',
    means: 'A directive, reference or comment of a notification text is not finished.',
  },
  'unknown-variable': {
    level: 'warning',
    means:
      "A notification text uses a variable that neither the vendor's default nor the tenant's template context has.",
  },
  'unknown-sender': {
    level: 'warning',
    means: '`from` or `replyTo` is no sender address, declared or live, and of no verified domain.',
  },
  'chat-json': {
    level: 'warning',
    means: 'Text in `slackTemplate` or `teamsTemplate`, or in a member of it, is not the JSON it should be.',
  },
  'equals-default': {
    level: 'warning',
    means: "A manifest only repeats the vendor's default, and would stop the template from following it.",
  },
  'missing-locale': {
    level: 'info',
    means: 'A notification has no text in a locale in which other notifications of that medium have one.',
  },
  'missing-medium': {
    level: 'info',
    means: 'A notification has no text for a medium for which other notifications have one.',
  },
  'rule-operator': { level: 'error', means: "A search rule's operator does not exist for its type." },
  'rule-value': {
    level: 'error',
    means: 'The value of a search rule is no status, or no date where only a date can be.',
  },
  'rule-distance': {
    level: 'warning',
    means: 'The value of a search rule looks like a number of days, and is not `X before` or `X after`.',
  },
  'rule-attribute': {
    level: 'warning',
    means: 'Operator or value of a search rule do not suit the attribute as the tenant describes it.',
  },
  'unknown-attribute': { level: 'error', means: 'A search rule names an attribute that the tenant has not.' },
  'unknown-profile-type': {
    level: 'error',
    means: 'A search rule names a profile type that the tenant has not.',
  },
  'mail-from-domain': {
    level: 'error',
    means: "A MAIL FROM domain is no subdomain of its identity's domain.",
  },
  'plain-credential': {
    level: 'warning',
    // What it is given opens nothing, and has to stand somewhere.
    embedded: 'off',
    means:
      'A setting that goes by the name of a credential is no secret, so that plans hold its value. Off for an embedded tenant.',
  },
} as const satisfies Readonly<Record<string, LintRule>>;

export type LintCode = keyof typeof lintRules;

/** The levels that a project sets for itself. */
export type LintLevels = Readonly<Partial<Record<LintCode, LintLevel>>>;
