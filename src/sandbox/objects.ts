import type { JsonObject } from '../model/json.ts';
import { type Fields, objectReader, type Read, ShapeError } from './fields.ts';
import { dkimTokens, uidOf, uuid } from './ids.ts';

// The objects of a tenant: the type of each, and how it is read from a seed or data file. What a seed leaves out gets a
// default.

export const authTypes = ['BLOCK', 'MFA', 'NON_PTA', 'PTA'] as const;
export const mediums = ['EMAIL', 'SLACK', 'TEAMS'] as const;
export const verificationStates = ['PENDING', 'SUCCESS', 'FAILED', 'NA'] as const;
export const profileStates = ['Active', 'Inactive', 'Leave of absence', 'Terminated'] as const;
export const ruleTypes = [
  'ProfileStatusRule',
  'ProfileTypeRule',
  'ProfileAttributeRule',
  'RiskRule',
] as const;
const attributeKinds = [
  'text',
  'number',
  'date',
  'profile_select',
  'profile_search',
  'user_select',
  'user_search',
] as const;

/** When the objects of a seed were created, if it does not say. */
export const seedTime = '2025-01-15T08:00:00.000Z';

function readTimes(fields: Fields): { created: string; modified: string } {
  const created = fields.textOr('created', seedTime);
  return { created, modified: fields.textOr('modified', created) };
}

/** The id in a seed, else one that depends on the kind and the member `key` only. */
function readId(fields: Fields, kind: string, key: string): string {
  return fields.textOr('id', uuid(kind, fields.text(key)));
}

/** An object that others refer to by id: a source, cluster, rule, application or identity. */
export const readReference = objectReader((fields) => ({
  id: fields.text('id'),
  type: fields.text('type'),
  name: fields.text('name'),
}));

/** An authentication profile (seed 000). */
export type AuthProfile = ReturnType<typeof readAuthProfile>;
export const readAuthProfile = objectReader((fields) => ({
  id: readId(fields, 'AuthProfile', 'name'),
  name: fields.text('name'),
  offNetwork: fields.bool('offNetwork', false),
  untrustedGeography: fields.bool('untrustedGeography', false),
  applicationId: fields.textOrNull('applicationId'),
  applicationName: fields.textOrNull('applicationName'),
  type: fields.choice('type', authTypes),
  strongAuthLogin: fields.bool('strongAuthLogin', false),
}));

/** The rule that runs before an integration provisions. */
export type ProvisioningRule = ReturnType<typeof readProvisioningRule>;
export const readProvisioningRule = objectReader((fields) => ({
  type: fields.textOrNull('type'),
  id: fields.textOrNull('id'),
  name: fields.textOrNull('name'),
}));

/** A service desk integration (seed 000). */
export type SimIntegration = ReturnType<typeof readSimIntegration>;
export const readSimIntegration = objectReader((fields, at) => {
  const rule = fields.json('beforeProvisioningRule');
  return {
    id: readId(fields, 'SimIntegration', 'name'),
    name: fields.text('name'),
    description: fields.textOrNull('description'),
    type: fields.text('type'),
    cluster: fields.textOrNull('cluster'),
    sources: fields.texts('sources'),
    attributes: fields.objectOrNull('attributes'),
    request: fields.objectOrNull('request'),
    statusMap: fields.objectOrNull('statusMap'),
    beforeProvisioningRule: rule === null ? null : readProvisioningRule(rule, `${at}.beforeProvisioningRule`),
    ...readTimes(fields),
  };
});

/** The texts that a customised template and a default have in common; those that are absent come from `defaults`. */
export function readTexts(fields: Fields, defaults?: Readonly<Record<string, string | null>>) {
  const text = (name: string): string | null =>
    fields.includes(name) ? fields.textOrNull(name) : (defaults?.[name] ?? null);
  return {
    name: text('name'),
    description: text('description'),
    subject: text('subject'),
    header: text('header'),
    body: text('body'),
    footer: text('footer'),
    from: text('from'),
    replyTo: text('replyTo'),
    slackTemplate: text('slackTemplate'),
    teamsTemplate: text('teamsTemplate'),
  };
}

function readKey(fields: Fields) {
  return {
    key: fields.text('key'),
    medium: fields.choice('medium', mediums, 'EMAIL'),
    locale: fields.textOr('locale', 'en'),
  };
}

/** One text for the three parts of a template's key. */
export function templateKey({ key, medium, locale }: ReturnType<typeof readKey>): string {
  return JSON.stringify([key, medium, locale]);
}

/** The vendor's default for a key, medium and locale (seed 001). */
export type TemplateDefault = ReturnType<typeof readTemplateDefault>;
export const readTemplateDefault = objectReader((fields) => ({ ...readKey(fields), ...readTexts(fields) }));

/** A customised notification template (seed 001). */
export type Template = TemplateDefault & { id: string; created: string; modified: string };

/** A reader of templates that takes absent texts from `defaults`. */
export function templateReader(defaults: readonly TemplateDefault[]): Read<Template> {
  const byKey = new Map(defaults.map((item) => [templateKey(item), item]));
  return objectReader((fields) => {
    const parts = readKey(fields);
    return {
      id: fields.textOr('id', uuid('NotificationTemplate', parts.key, parts.medium, parts.locale)),
      ...parts,
      ...readTexts(fields, byKey.get(templateKey(parts))),
      ...readTimes(fields),
    };
  });
}

/** The global variables of notification templates (seed 001). */
export const readContext = objectReader((fields) => ({
  attributes: fields.objectOrNull('attributes') ?? {},
  ...readTimes(fields),
}));

/** The media of a notification (seed 001). */
export const readPreference = objectReader((fields) => ({
  key: fields.text('key'),
  mediums: fields.list('mediums', (item, at) => {
    const medium = mediums.find((candidate) => candidate === item);
    if (medium === undefined) throw new ShapeError(`${at} must be one of ${mediums.join(', ')}`);
    return medium;
  }),
  modified: fields.textOr('modified', seedTime),
}));

/** A sender address (seed 001). */
export type Sender = ReturnType<typeof readSender>;
export const readSender = objectReader((fields) => ({
  // null for an address that the tenant lists but cannot delete.
  id: fields.includes('id') ? fields.textOrNull('id') : readId(fields, 'SenderAddress', 'email'),
  email: fields.text('email'),
  isVerifiedByDomain: fields.bool('isVerifiedByDomain', false),
  verificationStatus: fields.choice('verificationStatus', verificationStates, 'PENDING'),
  region: fields.textOrNull('region'),
  // Reads until PENDING becomes SUCCESS; null: it stays pending.
  readsLeft: fields.numberOrNull('readsLeft'),
}));

/** A domain, or an e-mail identity, at the mail provider. */
export type DkimIdentity = ReturnType<typeof readIdentity>;
export const readIdentity = objectReader((fields) => ({
  id: readId(fields, 'VerifiedDomain', 'address'),
  address: fields.text('address'),
  dkimEnabled: fields.bool('dkimEnabled', true),
  dkimTokens: fields.has('dkimTokens') ? fields.texts('dkimTokens') : dkimTokens(fields.text('address')),
  dkimVerificationStatus: fields.choice('dkimVerificationStatus', verificationStates, 'PENDING'),
  region: fields.textOrNull('region'),
  readsLeft: fields.numberOrNull('readsLeft'),
}));

/** The MAIL FROM domain of an e-mail identity (seed 001). */
export type MailFrom = ReturnType<typeof readMailFrom>;
export const readMailFrom = objectReader((fields) => ({
  identity: fields.text('identity'),
  mailFromDomain: fields.text('mailFromDomain'),
  mailFromDomainStatus: fields.choice('mailFromDomainStatus', verificationStates, 'PENDING'),
  readsLeft: fields.numberOrNull('readsLeft'),
}));

/** A test notification that the tenant has sent. */
export const readSentNotification = objectReader((fields) => ({
  key: fields.text('key'),
  medium: fields.choice('medium', mediums),
  context: fields.objectOrNull('context') ?? {},
  sent: fields.text('sent'),
  // Only where the tenant takes them; null: the tenant decides.
  locale: fields.textOrNull('locale'),
  recipients: fields.has('recipients') ? fields.texts('recipients') : null,
}));

/** A user (seed 002). */
export const readUser = objectReader((fields) => ({
  id: readId(fields, 'User', 'login'),
  uid: fields.textOr('uid', fields.text('login')),
  name: fields.text('name'),
  login: fields.text('login'),
  email: fields.text('email'),
  status: fields.textOr('status', 'Active'),
}));

/** A profile type (seed 002). */
export const readProfileType = objectReader((fields) => ({
  id: readId(fields, 'ProfileType', 'uid'),
  uid: fields.text('uid'),
  name: fields.text('name'),
  category: fields.textOrNull('category'),
}));

/** An attribute of profiles (seed 002). */
export type NeAttribute = ReturnType<typeof readNeAttribute>;
export const readNeAttribute = objectReader((fields) => ({
  id: readId(fields, 'NeAttribute', 'uid'),
  uid: fields.text('uid'),
  label: fields.text('label'),
  data_type: fields.choice('data_type', attributeKinds, 'text'),
  // For dates only: `YYYY-MM-DD`, `MM/DD/YYYY`, `DD.MM.YYYY`, …
  date_format: fields.textOrNull('date_format'),
}));

/** The class of an attribute, as hosts name it that know more than `NeAttribute`: `TextFieldAttribute`. */
export function attributeClass({ data_type }: Pick<NeAttribute, 'data_type'>): string {
  if (data_type === 'text') return 'TextFieldAttribute';
  const words = data_type.split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join('')}Attribute`;
}

/** A profile (seed 002). */
export type Profile = ReturnType<typeof readProfile>;
export const readProfile = objectReader((fields) => ({
  id: readId(fields, 'Profile', 'uid'),
  uid: fields.text('uid'),
  name: fields.text('name'),
  status: fields.choice('status', profileStates, 'Active'),
  profile_type_id: fields.text('profile_type_id'),
  // Keyed by the uid of the attribute.
  attributes: { ...fields.objectOrNull('attributes') },
}));

/** A rule of a saved search (seed 002). */
export interface ConditionRule {
  id: string;
  type: (typeof ruleTypes)[number];
  comparison_operator: string;
  value: string;
  /** For a ProfileAttributeRule only. */
  condition_object_id: string | null;
  /** Members that the API documents do not know. */
  more?: JsonObject | null;
}

/** A saved search (api-notes). */
export type ProfileSearch = ReturnType<typeof readProfileSearch>;
export const readProfileSearch = objectReader((fields) => {
  const label = fields.text('label');
  const id = readId(fields, 'ProfileSearch', 'label');
  let number = 0;
  const readRule = objectReader<ConditionRule>((rule) => {
    number += 1;
    return {
      id: rule.textOr('id', uuid('ConditionRule', id, String(number))),
      type: rule.choice('type', ruleTypes),
      comparison_operator: rule.text('comparison_operator'),
      value: rule.text('value'),
      condition_object_id: rule.textOrNull('condition_object_id'),
      more: rule.objectOrNull('more'),
    };
  });
  return { id, uid: fields.textOr('uid', uidOf(label)), label, rules: fields.list('rules', readRule) };
});
