import { builtInKinds } from '../../src/kinds/index.ts';
import { isOnlyReferredTo } from '../../src/kinds/kind.ts';
import type { TenantState } from '../../src/sandbox/index.ts';
import { type Content, emptyTexts, fill } from './arbitraries.ts';
import { type Variations, ways } from './sandbox.ts';
import type { WorldOptions } from './world.ts';

/** How a host departs from the contract. */
export type Host = Partial<Variations>;

/** What the environment of a host has to say, where that cannot be detected. */
type Settings = Pick<WorldOptions, 'identity' | 'profiles'>;

/** Some ways of hosts need a setting: by the variation as `sandbox --vary` takes it. */
const settings: Readonly<Record<string, Settings>> = {
  'jsonText=object': { identity: { jsonText: 'object' } },
  'simPatchBody=array': { identity: { simPatchBody: 'array' } },
  'simPatchOps=replace': { identity: { simPatchOps: 'replace' } },
  'ruleObjectType=condition_object_type': { profiles: { profileSearchObjectType: 'condition_object_type' } },
  'ruleObjectType=attribute_class': { profiles: { profileSearchObjectType: 'attribute_class' } },
  'collectionQuery=named': { profiles: { collectionQuery: 'named' } },
  'mailFromQuery=path': { identity: { mailFrom: 'path' } },
  'preferences=written': { identity: { preferences: 'write' } },
  'templateVariables=listed': { identity: { templateVariables: 'listed' } },
  'sendTest=extended': { identity: { sendTest: 'extended' } },
  'identityPaths=own': {
    identity: {
      paths: {
        AuthProfile: '/auth-profiles/v1',
        SimIntegration: '/sim-integrations/v1',
        NotificationTemplate: '/notification-templates/v1',
        NotificationTemplateDefault: '/notification-template-defaults/v1',
        NotificationTemplateContext: '/notification-template-context/v1',
        TestNotification: '/send-test-notification/v1',
        NotificationPreference: '/notification-preferences/v1',
        SenderAddress: '/verified-from-addresses/v1',
        VerifiedDomain: '/verified-domains/v1',
        MailFrom: '/mail-from-attributes/v1',
        ServiceDeskIntegration: '/service-desk-integrations/v1',
      },
    },
  },
  'profileSearchDelete=true': { profiles: { profileSearchDelete: true } },
};

/** Every way of a host that departs from the contract, alone. */
export const hosts: readonly (readonly [name: string, Host])[] = Object.entries(ways).flatMap(
  ([name, [, ...others]]) =>
    others.map((value) => [`${name}=${value}`, { [name]: value }] as readonly [string, Host]),
);

/** The host that takes the way with this number, or the one after the last, of everything at once. */
export function hostOf(number: number): Host {
  const chosen = Object.entries(ways).map(([name, values], at) => {
    // Another pace for each, so that other ways come together each time.
    return [name, values[(number * (1 + (at % 3)) + at) % values.length]];
  });
  return Object.fromEntries(chosen);
}

/** Hosts may not have what is only read, and nobody deletes it. */
const isReadOnly = (name: string): boolean =>
  builtInKinds.all.some((kind) => kind.name === name && isOnlyReferredTo(kind));

/** The embedded tenant that plays the host, and the environment that it needs. */
export function worldOf(host: Host): WorldOptions {
  const needed = Object.entries(host).flatMap(([name, value]) => settings[`${name}=${value}`] ?? []);
  return {
    sandbox: { variations: host },
    environment: {
      prune: { kinds: builtInKinds.all.map(({ name }) => name).filter((name) => !isReadOnly(name)) },
    },
    identity: Object.assign({}, ...needed.map(({ identity }) => identity)),
    profiles: Object.assign({}, ...needed.map(({ profiles }) => profiles)),
  };
}

const open = { offNetwork: false, untrustedGeography: false };

type Templates = Content['templates'];

const template = (
  key: Templates[number]['key'],
  medium: Templates[number]['medium'],
  locale: Templates[number]['locale'],
  texts: Partial<Templates[number]['texts']>,
) => ({ key, medium, locale, texts: { ...emptyTexts, ...texts } });

const ofEngineers = {
  type: 'ProfileAttributeRule',
  object_type: 'NeAttribute',
  condition_object_id: 'a1',
  comparison_operator: 'include?',
  value: 'Eng',
} as const;

/** What each host has at first: some of every kind. */
const held: Content = {
  authProfiles: [
    { name: 'Employees', fields: { ...open, applicationId: 'app1', applicationName: 'Portal', type: 'PTA' } },
    { name: 'Contractors', fields: { ...open, applicationId: null, applicationName: null, type: 'MFA' } },
  ],
  integrations: [
    {
      name: 'Tickets',
      fields: {
        description: 'Manual work',
        type: 'ServiceNow Service Desk',
        cluster: 'c1',
        sources: ['s1', 's2'],
        attributes: { url: 'https://tickets.acme.example', retries: '3', apiToken: 'A-12' },
        request: { assignment: 'iga' },
        statusMap: { closed: 'Committed' },
        beforeProvisioningRule: { type: 'RULE', id: 'r1', name: 'Expand groups' },
      },
    },
    {
      name: 'Bare',
      fields: {
        description: null,
        type: 'Jira',
        cluster: null,
        sources: [],
        attributes: null,
        request: null,
        statusMap: null,
        beforeProvisioningRule: null,
      },
    },
  ],
  defaults: [
    template('welcome', 'EMAIL', 'en', { subject: 'Welcome', body: 'Hi' }),
    template('reminder', 'SLACK', 'en', { slackTemplate: { text: 'Do it', blocks: '[]' } }),
  ],
  templates: [
    template('welcome', 'EMAIL', 'en', { name: 'Welcome', subject: 'Hello $name', from: 'iga@acme.example' }),
    template('reminder', 'SLACK', 'en', {
      slackTemplate: { text: 'Please do it', notificationType: 'reminder' },
    }),
    template('escalation', 'TEAMS', 'de', { teamsTemplate: { title: 'Dringend', text: 'Bitte' } }),
  ],
  senders: ['iga@acme.example', 'help@acme.example'],
  domains: ['acme.example', 'other.example'],
  mailFrom: [['iga@acme.example', 'bounce']],
  searches: [
    {
      label: 'Engineers',
      rules: [{ type: 'ProfileStatusRule', comparison_operator: '==', value: 'Active' }, ofEngineers],
    },
  ],
};

/** Puts it into an embedded tenant. */
export function fillHost(state: TenantState): void {
  fill(state, held);
  state.references.push(
    { id: 'c1', type: 'CLUSTER', name: 'Cluster one' },
    { id: 'c2', type: 'CLUSTER', name: 'Cluster two' },
    { id: 's1', type: 'SOURCE', name: 'Source one' },
    { id: 'r1', type: 'RULE', name: 'Expand groups' },
    { id: 'app1', type: 'APPLICATION', name: 'The portal' },
  );
}

/** Manifests that change some of it, and add to every kind that the API can create. */
export function findWanted({ twinProfiles = false }: Host): readonly object[] {
  // Of two profiles with one name, each is declared by its id.
  const profile = twinProfiles ? { id: 'profile-0' } : { name: 'Employees' };
  return [
    { kind: 'AuthProfile', ...profile, type: 'MFA', applicationId: null, applicationName: null },
    ...wanted,
  ];
}

const wanted: readonly object[] = [
  {
    kind: 'SimIntegration',
    name: 'Tickets',
    description: 'Manual work of all regions',
    cluster: 'c2',
    sources: ['s2', 's3'],
    attributes: { retries: '5', proxy: { host: 'proxy.acme.example', port: '3128' } },
    request: { assignment: 'iga', urgency: '2' },
    beforeProvisioningRule: { type: 'RULE', id: 'r2', name: 'Split groups' },
  },
  { kind: 'SimIntegration', name: 'Bare', attributes: { url: 'https://jira.acme.example' }, sources: ['s1'] },
  {
    kind: 'SimIntegration',
    name: 'New desk',
    type: 'Jira',
    cluster: 'c1',
    sources: ['s3'],
    attributes: { url: 'https://new.acme.example' },
    statusMap: { done: 'Committed' },
  },
  { kind: 'NotificationTemplate', key: 'welcome', medium: 'EMAIL', locale: 'en', subject: 'Good day $name' },
  { kind: 'NotificationTemplate', key: 'welcome', medium: 'EMAIL', locale: 'de', subject: 'Guten Tag $name' },
  {
    kind: 'NotificationTemplate',
    key: 'reminder',
    medium: 'SLACK',
    locale: 'en',
    slackTemplate: { text: 'Please do it today', blocks: [{ type: 'divider' }] },
  },
  {
    kind: 'NotificationTemplate',
    key: 'reminder',
    medium: 'TEAMS',
    locale: 'en',
    teamsTemplate: { title: 'Reminder', text: 'Please do it' },
  },
  { kind: 'SenderAddress', email: 'iga@acme.example' },
  { kind: 'SenderAddress', email: 'New.Desk@acme.example' },
  { kind: 'VerifiedDomain', domain: 'acme.example' },
  { kind: 'VerifiedDomain', domain: 'mail.acme.example' },
  { kind: 'MailFrom', identity: 'iga@acme.example', mailFromDomain: 'mail.acme.example' },
  { kind: 'MailFrom', identity: 'acme.example', mailFromDomain: 'bounce.acme.example' },
  {
    kind: 'ProfileSearch',
    label: 'Engineers',
    rules: [{ type: 'ProfileStatusRule', comparison_operator: '!=', value: 'Terminated' }, ofEngineers],
  },
  {
    kind: 'ProfileSearch',
    label: 'Contractors',
    rules: [{ type: 'ProfileTypeRule', comparison_operator: '==', value: 't2' }],
  },
  { kind: 'NotificationPreference', key: 'welcome', mediums: ['EMAIL', 'SLACK'] },
];
