import { createHash } from 'node:crypto';
import { getText, isObject, type JsonObject } from '../model/json.ts';
import {
  bool,
  choice,
  lines,
  list,
  object,
  objectOrEmpty,
  orNull,
  type Read,
  records,
  text,
  textOr,
  textOrNull,
  texts,
} from './shape.ts';

// The objects of a tenant: the type of each, and how it is read from a seed or data file. What a seed leaves out gets a
// default.

/** The values of members that take no others. */
export const words = {
  authType: ['BLOCK', 'MFA', 'NON_PTA', 'PTA'],
  medium: ['EMAIL', 'SLACK', 'TEAMS'],
  verification: ['PENDING', 'SUCCESS', 'FAILED', 'NA'],
  profileStatus: ['Active', 'Inactive', 'Leave of absence', 'Terminated'],
  rule: ['ProfileStatusRule', 'ProfileTypeRule', 'ProfileAttributeRule', 'RiskRule'],
  attribute: ['text', 'number', 'date', 'profile_select', 'profile_search', 'user_select', 'user_search'],
} as const;

/** When the objects of a seed were created, if it does not say. */
export const seedTime = '2025-01-15T08:00:00.000Z';

const times = {
  created: textOr(seedTime),
  modified: (value, at, { created = null } = {}) => textOrNull(value, at) ?? textOr(seedTime)(created, at),
} satisfies Record<string, Read<string>>;

/** The id in a seed, else one that depends on the kind and the members of the key only. */
const idOf =
  (kind: string, ...key: readonly string[]): Read<string> =>
  (value, at, whole = {}) =>
    textOrNull(value, at) ?? uuid(kind, ...key.map((name) => getText(whole, name) ?? ''));

/** The members that requests and stored objects have in common. */
export const commonMembers = {
  /** Of a service desk integration (seed 000). */
  integration: {
    name: text,
    description: textOrNull,
    type: text,
    cluster: textOrNull,
    sources: texts,
    beforeProvisioningRule: orNull(object({ type: textOrNull, id: textOrNull, name: textOrNull })),
  },
  /** Of customised templates and their defaults (seed 001). */
  template: {
    name: textOrNull,
    description: textOrNull,
    subject: textOrNull,
    header: textOrNull,
    body: textOrNull,
    footer: textOrNull,
    from: textOrNull,
    replyTo: textOrNull,
    slackTemplate: textOrNull,
    teamsTemplate: textOrNull,
  },
  /** The media of a notification (seed 001), and the recipients of copies if the host accepts changes. */
  preference: {
    key: text,
    // Newer hosts also show notifications in the product itself.
    mediums: list(choice([...words.medium, 'INBOX'])),
    ccList: list(text),
    bccList: list(text),
  },
  /** Of a rule of a saved search (seed 002). */
  rule: {
    id: textOr(''),
    type: choice(words.rule),
    comparison_operator: text,
    value: text,
    // For a ProfileAttributeRule only.
    condition_object_id: textOrNull,
  },
};

const keyParts = { key: text, medium: choice(words.medium, 'EMAIL'), locale: textOr('en') };

/** One text for the three parts of a template's key. */
export function templateKeyText({ key = null, medium = 'EMAIL', locale = 'en' }: JsonObject): string {
  return JSON.stringify([key, medium, locale]);
}

/** The vendor's default for a key, medium and locale (seed 001). */
const readTemplateDefault = object({ ...keyParts, ...commonMembers.template });

/** A customised notification template (seed 001). */
const readTemplate = object({
  id: idOf('NotificationTemplate', 'key', 'medium', 'locale'),
  ...keyParts,
  ...commonMembers.template,
  ...times,
});

/** A domain, or an e-mail identity, at the mail provider. */
export const readIdentity = object({
  id: idOf('VerifiedDomain', 'address'),
  address: text,
  dkimEnabled: bool(true),
  dkimTokens: (value, at, whole = {}) =>
    orNull(texts)(value, at) ??
    ['1', '2', '3'].map((number) => digest(['dkim', getText(whole, 'address') ?? '', number])),
  dkimVerificationStatus: choice(words.verification, 'PENDING'),
  region: textOrNull,
});

/** A rule of a saved search (seed 002). */
export type ConditionRule = Omit<ReturnType<typeof readRule>, 'more'> & { more?: JsonObject | null };
// Those that the API documents do not know are in `more`.
const readRule = object({ ...commonMembers.rule, more: orNull(objectOrEmpty) });

/** What the operations of the API documents answer, and what it refers to, as the members of a seed or data file. */
export const storedObjects = {
  /** What others refer to by id: sources, clusters, rules, applications and identities. */
  references: records({ id: text, type: text, name: text }),
  /** Authentication profiles (seed 000). */
  authProfiles: records({
    id: idOf('AuthProfile', 'name'),
    name: text,
    offNetwork: bool(false),
    untrustedGeography: bool(false),
    applicationId: textOrNull,
    applicationName: textOrNull,
    type: choice(words.authType),
    strongAuthLogin: bool(false),
  }),
  simIntegrations: records({
    id: idOf('SimIntegration', 'name'),
    ...commonMembers.integration,
    attributes: orNull(objectOrEmpty),
    request: orNull(objectOrEmpty),
    statusMap: orNull(objectOrEmpty),
    ...times,
  }),
  templateDefaults: list(readTemplateDefault),
  templates: (given, at, whole = {}) => {
    const defaults = list(readTemplateDefault)(whole.templateDefaults, at);
    const byKey = new Map(defaults.map((item) => [templateKeyText(item), item]));
    return list((value, at) => {
      // Texts that are not there are those of the default.
      const standard = isObject(value) ? byKey.get(templateKeyText(value)) : undefined;
      return readTemplate(isObject(value) ? { ...standard, ...value } : value, at);
    })(given, at);
  },
  /** The global variables of notification templates (seed 001). */
  templateContext: (given, at) => object({ attributes: objectOrEmpty, ...times })(given ?? {}, at),
  /** The variables of the templates of a notification, on hosts that list them. */
  templateVariables: records({
    template: text,
    key: text,
    type: textOr('string'),
    description: textOrNull,
    example: textOrNull,
  }),
  preferences: records({ ...commonMembers.preference, modified: textOr(seedTime) }),
  senders: records({
    // null for an address that the tenant lists but cannot delete.
    id: (value, at, whole = {}) => (value === null ? null : idOf('SenderAddress', 'email')(value, at, whole)),
    email: text,
    isVerifiedByDomain: bool(false),
    verificationStatus: choice(words.verification, 'PENDING'),
    region: textOrNull,
  }),
  identities: list(readIdentity),
  /** The MAIL FROM domains of identities (seed 001). */
  mailFrom: records({
    identity: text,
    mailFromDomain: text,
    mailFromDomainStatus: choice(words.verification, 'PENDING'),
  }),
  sentNotifications: records({
    key: text,
    medium: choice(words.medium),
    context: objectOrEmpty,
    sent: text,
    // Only if the tenant takes them; null: the tenant decides.
    locale: textOrNull,
    recipients: orNull(texts),
  }),
  users: lines(
    object({
      id: idOf('User', 'login'),
      uid: (value, at, whole = {}) => textOrNull(value, at) ?? getText(whole, 'login') ?? '',
      name: text,
      login: text,
      email: text,
      status: textOr('Active'),
    }),
  ),
  profileTypes: records({ id: idOf('ProfileType', 'uid'), uid: text, name: text, category: textOrNull }),
  /** The attributes of profiles (seed 002). */
  neAttributes: records({
    id: idOf('NeAttribute', 'uid'),
    uid: text,
    label: text,
    data_type: choice(words.attribute, 'text'),
    // For dates only: `YYYY-MM-DD`, `MM/DD/YYYY`, `DD.MM.YYYY`, …
    date_format: textOrNull,
  }),
  profiles: lines(
    object({
      id: idOf('Profile', 'uid'),
      uid: text,
      name: text,
      status: choice(words.profileStatus, 'Active'),
      profile_type_id: text,
      // Keyed by the uid of the attribute.
      attributes: objectOrEmpty,
    }),
  ),
  /** Saved searches (api-notes). */
  profileSearches: records({
    id: idOf('ProfileSearch', 'label'),
    uid: (value, at, whole = {}) => textOrNull(value, at) ?? uidOf(getText(whole, 'label') ?? ''),
    label: text,
    rules: (value, at, whole = {}): ConditionRule[] => {
      const search = idOf('ProfileSearch', 'label')(whole.id, at, whole);
      return list(readRule)(value, at).map((rule, index) => ({
        ...rule,
        id: rule.id || uuid('ConditionRule', search, String(index + 1)),
      }));
    },
  }),
} satisfies Record<string, Read<unknown>>;

/** Hexadecimal digits that depend on `parts` only. */
function digest(parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\u0000')).digest('hex').slice(0, 32);
}

/** An id in the form of a UUID that depends on `parts` only. */
export function uuid(...parts: string[]): string {
  const hex = digest(parts);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** An unused id for a new object. Equal keys get equal ids in equal tenants, in any order of creation. */
export function newId(
  { generation }: { readonly generation: number },
  kind: string,
  key: string,
  taken: readonly { id: string | null }[],
): string {
  const used = new Set(taken.map(({ id }) => id));
  for (let copy = 0; ; copy += 1) {
    const id = uuid(kind, key, String(generation), String(copy));
    if (!used.has(id)) return id;
  }
}

export function uidOf(label: string): string {
  return label
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');
}
