/** How a tenant departs from the contract, in ways that api-notes describes. The defaults are the contract. */
export interface Variations {
  /** How `attributes`, `request`, `statusMap` are answered; with `object` also taken, and `context` too. */
  readonly jsonText: 'text' | 'object' | 'map';
  /** How `slackTemplate` and `teamsTemplate` are answered; with `object` they are taken in both forms. */
  readonly slackTeams: 'text' | 'object';
  /** Where an integration's `statusMap` and `request` come back. */
  readonly simStatusMap: 'top' | 'attributes' | 'hidden';
  /** How credentials inside an integration's `attributes` come back. */
  readonly simSecrets: 'clear' | 'encrypted' | 'masked' | 'absent';
  readonly simPatchBody: 'operations' | 'array';
  readonly simPatchOps: 'all' | 'replace';
  /** `metadata`: bare, and wrapped with `metadata=true`; else always one of them. */
  readonly collections: 'metadata' | 'wrapped' | 'bare';
  /** What a collection does with a filter it does not know. */
  readonly unknownFilter: 'refused' | 'ignored';
  readonly offsetZero: 'taken' | 'refused';
  /** What an offset behind the last record of a collection gets. */
  readonly offsetBeyondEnd: 'empty' | 'refused';
  readonly ruleObjectType: 'object_type' | 'condition_object_type';
  readonly profileSearchPath: string;
  readonly profileSearchDelete: boolean;
  /** Whether a header or footer other than null is refused. */
  readonly refuseHeaderFooter: boolean;
  readonly bulkDelete: 'enabled' | 'forbidden' | 'refused';
  /** What the MAIL FROM of an identity that has none is: a 400, a 404, or an answer without a domain. */
  readonly mailFromMissing: 'badRequest' | 'notFound' | 'empty';
  /** Reads after which a new verification succeeds; null: it waits for someone to change the state. */
  readonly verifyAfterReads: number | null;
  /** Whether `[]` inside an object comes back as null. */
  readonly emptyAsNull: boolean;
  /** Whether lists whose order means nothing come back in another order. */
  readonly shuffleLists: boolean;
  /** Whether addresses are stored in lower case. */
  readonly emailLowerCase: boolean;
  /** Whether the name beside an id comes from what the id refers to. */
  readonly resolveNames: boolean;
  /** Whether the lists of the notification interface answer every page with the first (a broken tenant). */
  readonly repeatPages: boolean;
  readonly experimentalHeader: string;
  readonly retryAfter: 'seconds' | 'date';
}

export const contract: Variations = {
  jsonText: 'text',
  slackTeams: 'text',
  simStatusMap: 'top',
  simSecrets: 'clear',
  simPatchBody: 'operations',
  simPatchOps: 'all',
  collections: 'metadata',
  unknownFilter: 'refused',
  offsetZero: 'taken',
  offsetBeyondEnd: 'empty',
  ruleObjectType: 'object_type',
  profileSearchPath: '/api/advanced_search',
  profileSearchDelete: false,
  refuseHeaderFooter: false,
  bulkDelete: 'enabled',
  mailFromMissing: 'badRequest',
  verifyAfterReads: null,
  emptyAsNull: false,
  shuffleLists: false,
  emailLowerCase: false,
  resolveNames: false,
  repeatPages: false,
  experimentalHeader: 'X-Service-Experimental',
  retryAfter: 'seconds',
};
