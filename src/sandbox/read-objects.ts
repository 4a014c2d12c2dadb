import { type Fields, objectReader, type Read, ShapeError } from './fields.ts';
import {
  type AuthProfile,
  attributeKinds,
  authTypes,
  type ConditionRule,
  type DkimIdentity,
  dkimTokens,
  type MailFrom,
  mediums,
  type NeAttribute,
  type Preference,
  type Profile,
  type ProfileSearch,
  type ProfileType,
  type ProvisioningRule,
  profileStates,
  type Reference,
  ruleTypes,
  type Sender,
  type SentNotification,
  type SimIntegration,
  seedTime,
  type Template,
  type TemplateContext,
  type TemplateDefault,
  type TemplateTexts,
  type User,
  uuid,
  verificationStates,
} from './state.ts';

/** One text for the three parts of a template's key. */
export function templateKey({
  key,
  medium,
  locale,
}: Pick<TemplateDefault, 'key' | 'medium' | 'locale'>): string {
  return JSON.stringify([key, medium, locale]);
}

// Readers of the objects in a seed or data file. What a seed leaves out gets a default.

export const readReference = objectReader<Reference>((fields) => ({
  id: fields.text('id'),
  type: fields.text('type'),
  name: fields.text('name'),
}));

export const readAuthProfile = objectReader<AuthProfile>((fields) => {
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

export const readProvisioningRule = objectReader<ProvisioningRule>((fields) => ({
  type: fields.textOrNull('type'),
  id: fields.textOrNull('id'),
  name: fields.textOrNull('name'),
}));

export const readSimIntegration = objectReader<SimIntegration>((fields, at) => {
  const name = fields.text('name');
  const created = fields.textOr('created', seedTime);
  const rule = fields.json('beforeProvisioningRule');
  return {
    id: fields.textOr('id', uuid('SimIntegration', name)),
    name,
    description: fields.textOrNull('description'),
    type: fields.text('type'),
    cluster: fields.textOrNull('cluster'),
    sources: fields.texts('sources'),
    attributes: fields.objectOrNull('attributes'),
    request: fields.objectOrNull('request'),
    statusMap: fields.objectOrNull('statusMap'),
    beforeProvisioningRule: rule === null ? null : readProvisioningRule(rule, `${at}.beforeProvisioningRule`),
    created,
    modified: fields.textOr('modified', created),
  };
});

/** The texts of a template; those that are absent come from `base`. */
export function readTexts(fields: Fields, base: TemplateTexts | null): TemplateTexts {
  const text = (name: keyof TemplateTexts): string | null =>
    fields.includes(name) || base === null ? fields.textOrNull(name) : base[name];
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

export const readTemplateDefault = objectReader<TemplateDefault>((fields) => ({
  key: fields.text('key'),
  medium: fields.choice('medium', mediums, 'EMAIL'),
  locale: fields.textOr('locale', 'en'),
  ...readTexts(fields, null),
}));

/** A reader of templates that takes absent texts from `defaults`, which are keyed by {@link templateKey}. */
export const templateReader = (defaults: ReadonlyMap<string, TemplateDefault>): Read<Template> =>
  objectReader((fields) => {
    const key = fields.text('key');
    const medium = fields.choice('medium', mediums, 'EMAIL');
    const locale = fields.textOr('locale', 'en');
    const created = fields.textOr('created', seedTime);
    const base = defaults.get(templateKey({ key, medium, locale })) ?? null;
    return {
      id: fields.textOr('id', uuid('NotificationTemplate', key, medium, locale)),
      key,
      medium,
      locale,
      ...readTexts(fields, base),
      created,
      modified: fields.textOr('modified', created),
    };
  });

export const readContext = objectReader<TemplateContext>((fields) => {
  const created = fields.textOr('created', seedTime);
  return {
    attributes: fields.objectOrNull('attributes') ?? {},
    created,
    modified: fields.textOr('modified', created),
  };
});

export const readPreference = objectReader<Preference>((fields) => ({
  key: fields.text('key'),
  mediums: fields.list('mediums', (item, at) => {
    const medium = mediums.find((candidate) => candidate === item);
    if (medium === undefined) throw new ShapeError(`${at} must be one of ${mediums.join(', ')}`);
    return medium;
  }),
  modified: fields.textOr('modified', seedTime),
}));

export const readSender = objectReader<Sender>((fields) => {
  const email = fields.text('email');
  return {
    id: fields.includes('id') ? fields.textOrNull('id') : uuid('SenderAddress', email),
    email,
    isVerifiedByDomain: fields.bool('isVerifiedByDomain', false),
    verificationStatus: fields.choice('verificationStatus', verificationStates, 'PENDING'),
    region: fields.textOrNull('region'),
    readsLeft: fields.numberOrNull('readsLeft'),
  };
});

export const readIdentity = objectReader<DkimIdentity>((fields) => {
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

export const readMailFrom = objectReader<MailFrom>((fields) => ({
  identity: fields.text('identity'),
  mailFromDomain: fields.text('mailFromDomain'),
  mailFromDomainStatus: fields.choice('mailFromDomainStatus', verificationStates, 'PENDING'),
  readsLeft: fields.numberOrNull('readsLeft'),
}));

export const readSentNotification = objectReader<SentNotification>((fields) => ({
  key: fields.text('key'),
  medium: fields.choice('medium', mediums),
  context: fields.objectOrNull('context') ?? {},
  sent: fields.text('sent'),
}));

export const readUser = objectReader<User>((fields) => {
  const login = fields.text('login');
  return {
    id: fields.textOr('id', uuid('User', login)),
    uid: fields.textOr('uid', login),
    name: fields.text('name'),
    login,
    email: fields.text('email'),
    status: fields.textOr('status', 'Active'),
  };
});

export const readProfileType = objectReader<ProfileType>((fields) => {
  const uid = fields.text('uid');
  return {
    id: fields.textOr('id', uuid('ProfileType', uid)),
    uid,
    name: fields.text('name'),
    category: fields.textOrNull('category'),
  };
});

export const readNeAttribute = objectReader<NeAttribute>((fields) => {
  const uid = fields.text('uid');
  return {
    id: fields.textOr('id', uuid('NeAttribute', uid)),
    uid,
    label: fields.text('label'),
    data_type: fields.choice('data_type', attributeKinds, 'text'),
    date_format: fields.textOrNull('date_format'),
  };
});

export const readProfile = objectReader<Profile>((fields) => {
  const uid = fields.text('uid');
  return {
    id: fields.textOr('id', uuid('Profile', uid)),
    uid,
    name: fields.text('name'),
    status: fields.choice('status', profileStates, 'Active'),
    profile_type_id: fields.text('profile_type_id'),
    attributes: { ...fields.objectOrNull('attributes') },
  };
});

export const readProfileSearch = objectReader<ProfileSearch>((fields) => {
  const label = fields.text('label');
  const id = fields.textOr('id', uuid('ProfileSearch', label));
  let number = 0;
  const readRule = objectReader<ConditionRule>((rule) => {
    number += 1;
    return {
      id: rule.textOr('id', uuid('ConditionRule', id, String(number))),
      type: rule.choice('type', ruleTypes),
      comparison_operator: rule.text('comparison_operator'),
      value: rule.text('value'),
      condition_object_id: rule.textOrNull('condition_object_id'),
    };
  });
  return {
    id,
    uid: fields.textOr('uid', uidOf(label)),
    label,
    rules: fields.list('rules', readRule),
  };
});

/** The uid that a tenant makes from a label. */
export function uidOf(label: string): string {
  return label
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');
}
