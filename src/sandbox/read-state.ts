import type { Json } from '../model/json.ts';
import {
  readNeAttribute,
  readProfile,
  readProfileSearch,
  readProfileType,
  readUser,
} from './read-profiles.ts';
import { Fields, type Read, reader, ShapeError } from './shape.ts';
import {
  type AuthProfile,
  authTypes,
  type DkimIdentity,
  dkimTokens,
  type MailFrom,
  mediums,
  type Preference,
  type ProvisioningRule,
  type Reference,
  type Sender,
  type SentNotification,
  type SimIntegration,
  seedTime,
  type Template,
  type TemplateContext,
  type TemplateDefault,
  type TemplateTexts,
  type TenantState,
  uuid,
  verificationStates,
} from './state.ts';

/**
 * The tenant that a seed or a data file describes. What a seed leaves out (ids, times, the texts in which a
 * customised template does not differ from its default) is filled in. Throws `ShapeError` for anything unknown.
 */
export function readState(value: Json | undefined): TenantState {
  const fields = new Fields(value, 'seed');
  const templateDefaults = fields.list('templateDefaults', readTemplateDefault);
  const defaults = new Map(templateDefaults.map((item) => [templateKey(item), item]));
  const state: TenantState = {
    tenant: fields.textOr('tenant', 'sandbox'),
    generation: fields.numberOrNull('generation') ?? 0,
    references: fields.list('references', readReference),
    authProfiles: fields.list('authProfiles', readAuthProfile),
    simIntegrations: fields.list('simIntegrations', readSimIntegration),
    templateDefaults,
    templates: fields.list('templates', (item, at) => readTemplate(item, at, defaults)),
    templateContext: readContext(fields.json('templateContext')),
    preferences: fields.list('preferences', readPreference),
    senders: fields.list('senders', readSender),
    identities: fields.list('identities', readIdentity),
    mailFrom: fields.list('mailFrom', readMailFrom),
    sentNotifications: fields.list('sentNotifications', readSentNotification),
    users: fields.lines('users', readUser),
    profileTypes: fields.list('profileTypes', readProfileType),
    neAttributes: fields.list('neAttributes', readNeAttribute),
    profiles: fields.lines('profiles', readProfile),
    profileSearches: fields.list('profileSearches', readProfileSearch),
  };
  fields.done();
  return state;
}

/** One text for the three parts of a template's key. */
export function templateKey({ key, medium, locale }: TemplateDefault): string {
  return JSON.stringify([key, medium, locale]);
}

const readReference = reader<Reference>((fields) => ({
  id: fields.text('id'),
  type: fields.text('type'),
  name: fields.text('name'),
}));

const readAuthProfile = reader<AuthProfile>((fields) => {
  const name = fields.text('name');
  return {
    id: fields.textOr('id', uuid('AuthProfile', name)),
    name,
    offNetwork: fields.bool('offNetwork', false),
    untrustedGeography: fields.bool('untrustedGeography', false),
    applicationId: fields.textOrNull('applicationId'),
    applicationName: fields.textOrNull('applicationName'),
    type: fields.choice('type', authTypes),
    strongAuthLogin: fields.bool('strongAuthLogin', false),
  };
});

const readRule = reader<ProvisioningRule>((fields) => ({
  type: fields.textOrNull('type'),
  id: fields.textOrNull('id'),
  name: fields.textOrNull('name'),
}));

const readSimIntegration: Read<SimIntegration> = (value, at) => {
  const fields = new Fields(value, at);
  const name = fields.text('name');
  const created = fields.textOr('created', seedTime);
  const rule = fields.json('beforeProvisioningRule');
  const integration: SimIntegration = {
    id: fields.textOr('id', uuid('SimIntegration', name)),
    name,
    description: fields.textOrNull('description'),
    type: fields.text('type'),
    cluster: fields.textOrNull('cluster'),
    sources: fields.texts('sources'),
    attributes: fields.objectOrNull('attributes'),
    request: fields.objectOrNull('request'),
    statusMap: fields.objectOrNull('statusMap'),
    beforeProvisioningRule: rule === null ? null : readRule(rule, `${at}.beforeProvisioningRule`),
    created,
    modified: fields.textOr('modified', created),
  };
  fields.done();
  return integration;
};

/** The texts of a template; those that are not named come from `base`. */
export function readTexts(fields: Fields, base: TemplateTexts | null): TemplateTexts {
  const text = (name: keyof TemplateTexts): string | null =>
    fields.names(name) || base === null ? fields.textOrNull(name) : base[name];
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

const readTemplateDefault = reader<TemplateDefault>((fields) => ({
  key: fields.text('key'),
  medium: fields.choice('medium', mediums, 'EMAIL'),
  locale: fields.textOr('locale', 'en'),
  ...readTexts(fields, null),
}));

function readTemplate(value: Json, at: string, defaults: ReadonlyMap<string, TemplateDefault>): Template {
  const fields = new Fields(value, at);
  const key = fields.text('key');
  const medium = fields.choice('medium', mediums, 'EMAIL');
  const locale = fields.textOr('locale', 'en');
  const created = fields.textOr('created', seedTime);
  const base = defaults.get(JSON.stringify([key, medium, locale])) ?? null;
  const template: Template = {
    id: fields.textOr('id', uuid('NotificationTemplate', key, medium, locale)),
    key,
    medium,
    locale,
    ...readTexts(fields, base),
    created,
    modified: fields.textOr('modified', created),
  };
  fields.done();
  return template;
}

function readContext(value: Json): TemplateContext {
  const fields = new Fields(value ?? {}, 'seed.templateContext');
  const created = fields.textOr('created', seedTime);
  const context: TemplateContext = {
    attributes: fields.objectOrNull('attributes') ?? {},
    created,
    modified: fields.textOr('modified', created),
  };
  fields.done();
  return context;
}

const readPreference = reader<Preference>((fields) => ({
  key: fields.text('key'),
  mediums: fields.list('mediums', (item, at) => {
    const medium = mediums.find((candidate) => candidate === item);
    if (medium === undefined) throw new ShapeError(`${at} must be one of ${mediums.join(', ')}`);
    return medium;
  }),
  modified: fields.textOr('modified', seedTime),
}));

const readSender = reader<Sender>((fields) => {
  const email = fields.text('email');
  return {
    id: fields.names('id') ? fields.textOrNull('id') : uuid('SenderAddress', email),
    email,
    isVerifiedByDomain: fields.bool('isVerifiedByDomain', false),
    verificationStatus: fields.choice('verificationStatus', verificationStates, 'PENDING'),
    region: fields.textOrNull('region'),
    readsLeft: fields.numberOrNull('readsLeft'),
  };
});

const readIdentity = reader<DkimIdentity>((fields) => {
  const address = fields.text('address');
  return {
    id: fields.textOr('id', uuid('VerifiedDomain', address)),
    address,
    dkimEnabled: fields.bool('dkimEnabled', true),
    dkimTokens: fields.has('dkimTokens') ? fields.texts('dkimTokens') : dkimTokens(address),
    dkimVerificationStatus: fields.choice('dkimVerificationStatus', verificationStates, 'PENDING'),
    region: fields.textOrNull('region'),
    readsLeft: fields.numberOrNull('readsLeft'),
  };
});

const readMailFrom = reader<MailFrom>((fields) => ({
  identity: fields.text('identity'),
  mailFromDomain: fields.text('mailFromDomain'),
  mailFromDomainStatus: fields.choice('mailFromDomainStatus', verificationStates, 'PENDING'),
  readsLeft: fields.numberOrNull('readsLeft'),
}));

const readSentNotification = reader<SentNotification>((fields) => ({
  key: fields.text('key'),
  medium: fields.choice('medium', mediums),
  context: fields.objectOrNull('context') ?? {},
  sent: fields.text('sent'),
}));
