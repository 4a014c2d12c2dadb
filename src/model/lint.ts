import type { Severity } from './failure.ts';
import type { Pointer } from './pointer.ts';

type LintLevel = Severity | 'off';

interface LintRule {
  readonly level: LintLevel;
  /** The level for an embedded tenant, if it is different there. */
  readonly embedded?: LintLevel;
  readonly means: string;
}

/** Only what the tenant would refuse is an error. The rest are warnings: an exported tenant must give an empty plan. */
export const lintRules = {
  'velocity-unclosed': { level: 'warning', means: 'A block such as `#if` or `#foreach` has no `#end`.' },
  'velocity-unopened': {
    level: 'warning',
    means: 'An `#end`, `#else`, `#elseif`, `#stop` or `#break` has no open block.',
  },
  'velocity-syntax': {
    level: 'warning',
    means: 'A directive, reference or comment in a notification text is incomplete, or cannot be read.',
  },
  'unknown-variable': {
    level: 'warning',
    means:
      "A notification text uses a variable that neither the vendor's default nor the tenant's template context has.",
  },
  'unknown-sender': {
    level: 'warning',
    means: '`from` or `replyTo` is neither a declared or live sender address nor in a verified domain.',
  },
  'chat-json': {
    level: 'warning',
    means: 'Text in `slackTemplate` or `teamsTemplate`, or in one of their members, is not valid JSON.',
  },
  'json-text': {
    level: 'warning',
    means: 'Text in a field that holds JSON, such as `attributes` of a SimIntegration, is not valid JSON.',
  },
  'equals-default': {
    level: 'warning',
    means:
      "A manifest only repeats the vendor's default, and would stop the template from following its changes.",
  },
  'missing-locale': {
    level: 'info',
    means:
      'A notification has no text in a locale in which at least half of the notifications of that medium have one.',
  },
  'missing-medium': {
    level: 'info',
    means: 'A notification has no text for a medium for which at least half of the notifications have one.',
  },
  'rule-operator': { level: 'error', means: "A search rule's operator does not exist for its type." },
  'rule-value': {
    level: 'error',
    means: 'The value of a search rule is not a status, or not a date where a date is needed.',
  },
  'rule-distance': {
    level: 'warning',
    means: 'The value of a search rule looks like a number of days, but is not `X before` or `X after`.',
  },
  'rule-attribute': {
    level: 'warning',
    means: 'The operator or value of a search rule does not fit the attribute, as the tenant describes it.',
  },
  'rule-member': {
    level: 'warning',
    means: 'A search rule has a member that tenantctl does not know. It is compared and sent as it is.',
  },
  'unknown-attribute': {
    level: 'error',
    means: 'A search rule names an attribute that the tenant does not have.',
  },
  'unknown-profile-type': {
    level: 'error',
    means: 'A search rule names a profile type that the tenant does not have.',
  },
  'mail-from-domain': {
    level: 'error',
    means: "A MAIL FROM domain is not a subdomain of its identity's domain.",
  },
  'plain-credential': {
    level: 'warning',
    // Its credentials protect nothing.
    embedded: 'off',
    means:
      'A setting with the name of a credential is not a secret, so plans contain its value. Off for an embedded tenant.',
  },
} as const satisfies Readonly<Record<string, LintRule>>;

type LintCode = keyof typeof lintRules;

export type LintLevels = Readonly<Partial<Record<LintCode, LintLevel>>>;

export interface Finding {
  readonly code: LintCode;
  readonly at: Pointer;
  readonly message: string;
  readonly hint?: string | null;
  /** Characters from the start of the text at `at`. */
  readonly offset?: number;
  /** Its line is not shown, because it may contain a credential. */
  readonly isUnshown?: true;
}
