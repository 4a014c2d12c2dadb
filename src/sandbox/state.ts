import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '../model/json.ts';

export const authTypes = ['BLOCK', 'MFA', 'NON_PTA', 'PTA'] as const;
export const mediums = ['EMAIL', 'SLACK', 'TEAMS'] as const;
export const verificationStates = ['PENDING', 'SUCCESS', 'FAILED', 'NA'] as const;
export const profileStates = ['Active', 'Inactive', 'Leave of absence', 'Terminated'] as const;
export const ruleTypes = ['ProfileStatusRule', 'ProfileTypeRule', 'ProfileAttributeRule'] as const;
export const attributeKinds = [
  'text',
  'number',
  'date',
  'profile_select',
  'profile_search',
  'user_select',
  'user_search',
] as const;

export type Medium = (typeof mediums)[number];
export type VerificationState = (typeof verificationStates)[number];

/** An authentication profile (seed 000). */
export interface AuthProfile {
  id: string;
  name: string;
  offNetwork: boolean;
  untrustedGeography: boolean;
  applicationId: string | null;
  applicationName: string | null;
  type: (typeof authTypes)[number];
  strongAuthLogin: boolean;
}

/** The rule that runs before an integration provisions. */
export interface ProvisioningRule {
  type: string | null;
  id: string | null;
  name: string | null;
}

/** A service desk integration (seed 000). */
export interface SimIntegration {
  id: string;
  name: string;
  description: string | null;
  type: string;
  cluster: string | null;
  sources: string[];
  attributes: JsonObject | null;
  request: JsonObject | null;
  statusMap: JsonObject | null;
  beforeProvisioningRule: ProvisioningRule | null;
  created: string;
  modified: string;
}

/** The texts that a customised template and a default have in common. */
export interface TemplateTexts {
  name: string | null;
  description: string | null;
  subject: string | null;
  header: string | null;
  body: string | null;
  footer: string | null;
  from: string | null;
  replyTo: string | null;
  slackTemplate: string | null;
  teamsTemplate: string | null;
}

/** The vendor's default for a key, medium and locale (seed 001). */
export interface TemplateDefault extends TemplateTexts {
  key: string;
  medium: Medium;
  locale: string;
}

/** A customised notification template (seed 001). */
export interface Template extends TemplateDefault {
  id: string;
  created: string;
  modified: string;
}

/** A sender address (seed 001). */
export interface Sender {
  /** null for an address that the tenant lists but cannot delete. */
  id: string | null;
  email: string;
  isVerifiedByDomain: boolean;
  verificationStatus: VerificationState;
  region: string | null;
  /** Reads until PENDING becomes SUCCESS; null: it stays pending. */
  readsLeft: number | null;
}

/** A domain, or an e-mail identity, at the mail provider. */
export interface DkimIdentity {
  id: string;
  address: string;
  dkimEnabled: boolean;
  dkimTokens: string[];
  dkimVerificationStatus: VerificationState;
  region: string | null;
  readsLeft: number | null;
}

/** The MAIL FROM domain of an e-mail identity (seed 001). */
export interface MailFrom {
  identity: string;
  mailFromDomain: string;
  mailFromDomainStatus: VerificationState;
  readsLeft: number | null;
}

/** The media of a notification (seed 001). */
export interface Preference {
  key: string;
  mediums: Medium[];
  modified: string;
}

/** The global variables of notification templates (seed 001). */
export interface TemplateContext {
  attributes: JsonObject;
  created: string;
  modified: string;
}

/** A test notification that the tenant has sent. */
export interface SentNotification {
  key: string;
  medium: Medium;
  context: JsonObject;
  sent: string;
}

/** An object that others refer to by id: a source, cluster, rule, application or identity. */
export interface Reference {
  id: string;
  type: string;
  name: string;
}

/** A user (seed 002). */
export interface User {
  id: string;
  uid: string;
  name: string;
  login: string;
  email: string;
  status: string;
}

/** A profile type (seed 002). */
export interface ProfileType {
  id: string;
  uid: string;
  name: string;
  category: string | null;
}

/** An attribute of profiles (seed 002). */
export interface NeAttribute {
  id: string;
  uid: string;
  label: string;
  data_type: (typeof attributeKinds)[number];
  /** For dates only: `YYYY-MM-DD`, `MM/DD/YYYY`, `DD.MM.YYYY`, … */
  date_format: string | null;
}

/** A profile (seed 002). */
export interface Profile {
  id: string;
  uid: string;
  name: string;
  status: (typeof profileStates)[number];
  profile_type_id: string;
  /** Keyed by the uid of the attribute. */
  attributes: { [uid: string]: Json };
}

/** A rule of a saved search (seed 002). */
export interface ConditionRule {
  id: string;
  type: (typeof ruleTypes)[number];
  comparison_operator: string;
  value: string;
  /** For a ProfileAttributeRule only. */
  condition_object_id: string | null;
}

/** A saved search (api-notes). */
export interface ProfileSearch {
  id: string;
  uid: string;
  label: string;
  rules: ConditionRule[];
}

/** Everything a tenant holds. Tests change it directly, as a person does in the tenant's own interface. */
export interface TenantState {
  tenant: string;
  /** Counts deletions, so that an object created again with its old key gets another id. */
  generation: number;
  references: Reference[];
  authProfiles: AuthProfile[];
  simIntegrations: SimIntegration[];
  templateDefaults: TemplateDefault[];
  templates: Template[];
  templateContext: TemplateContext;
  preferences: Preference[];
  senders: Sender[];
  identities: DkimIdentity[];
  mailFrom: MailFrom[];
  sentNotifications: SentNotification[];
  users: User[];
  profileTypes: ProfileType[];
  neAttributes: NeAttribute[];
  profiles: Profile[];
  profileSearches: ProfileSearch[];
}

/** When the objects of a seed were created, if it does not say. */
export const seedTime = '2025-01-15T08:00:00.000Z';

/** `length` hexadecimal digits that depend on `parts` only. */
function digest(parts: readonly string[], length: number): string {
  return createHash('sha256').update(parts.join('\u0000')).digest('hex').slice(0, length);
}

/** An id in the form of a UUID that depends on `parts` only. */
export function uuid(...parts: string[]): string {
  const hex = digest(parts, 32);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** An unused id for a new object. Equal keys get equal ids in equal tenants, in any order of creation. */
export function newId(
  state: TenantState,
  kind: string,
  key: string,
  taken: readonly { id: string | null }[],
): string {
  const used = new Set(taken.map(({ id }) => id));
  for (let copy = 0; ; copy += 1) {
    const id = uuid(kind, key, String(state.generation), String(copy));
    if (!used.has(id)) return id;
  }
}

/** The three DKIM tokens of an address. */
export function dkimTokens(address: string): string[] {
  return ['1', '2', '3'].map((number) => digest(['dkim', address, number], 32));
}
