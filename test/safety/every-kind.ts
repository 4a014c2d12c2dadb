import { canonicalJson, type JsonObject } from '../../src/model/json.ts';
import type { TenantState } from '../../src/sandbox/index.ts';
import { type Content, fill } from '../support/arbitraries.ts';
import type { WorldOptions } from '../support/world.ts';

/** Requests come one at a time, so that the nth of them is always the same. */
export const oneAtATime: WorldOptions = {
  sandbox: { variations: { profileSearchDelete: true } },
  profiles: { profileSearchDelete: true },
  environment: { limits: { concurrency: 1, timeout: '2s' } },
  env: { DESK_PASSWORD: 'new-password' },
};

const texts = {
  name: null,
  description: null,
  header: null,
  footer: null,
  from: null,
  replyTo: null,
  slackTemplate: null,
  teamsTemplate: null,
};
const desk: Pick<
  Content['integrations'][number]['fields'],
  'type' | 'cluster' | 'sources' | 'request' | 'statusMap' | 'beforeProvisioningRule'
> = {
  type: 'ServiceNow Service Desk',
  cluster: 'c1',
  sources: ['s1'],
  request: null,
  statusMap: { closed: 'Committed' },
  beforeProvisioningRule: { type: 'RULE', id: 'r1', name: 'Expand' },
};
type Status = 'Active' | 'Inactive' | 'Leave of absence' | 'Terminated';
const status = (value: Status) => ({ type: 'ProfileStatusRule', comparison_operator: '==', value }) as const;

/** A tenant before the apply. */
const content: Content = {
  authProfiles: [
    {
      name: 'Employees',
      fields: {
        offNetwork: false,
        untrustedGeography: false,
        applicationId: null,
        applicationName: null,
        type: 'NON_PTA',
      },
    },
  ],
  integrations: [
    {
      name: 'Desk',
      fields: { ...desk, description: 'Old', attributes: { url: 'u1', user: 'x', password: 'old-password' } },
    },
    { name: 'Old desk', fields: { ...desk, description: null, attributes: { url: 'u2' } } },
  ],
  defaults: [],
  templates: [
    { key: 'welcome', medium: 'EMAIL', locale: 'en', texts: { ...texts, subject: 'Hi', body: 'Old' } },
    { key: 'reminder', medium: 'EMAIL', locale: 'en', texts: { ...texts, subject: 'Now', body: 'Custom' } },
  ],
  senders: ['kept@acme.example', 'gone@acme.example'],
  domains: ['acme.example'],
  mailFrom: [['kept@acme.example', 'bounce']],
  searches: [
    { label: 'Staff', rules: [status('Active')] },
    { label: 'Left over', rules: [status('Terminated')] },
  ],
};

export function fillTenant(state: TenantState): void {
  fill(state, content);
}

/** Manifests that create, change and delete objects of every kind that has such a call. */
export const everything: readonly JsonObject[] = [
  { kind: 'VerifiedDomain', domain: 'mail.acme.example' },
  { kind: 'MailFrom', identity: 'kept@acme.example', mailFromDomain: 'mail.acme.example' },
  { kind: 'MailFrom', identity: 'new@acme.example', mailFromDomain: 'bounce.acme.example' },
  { kind: 'SenderAddress', email: 'new@acme.example' },
  { kind: 'SenderAddress', email: 'gone@acme.example', ensure: 'absent' },
  { kind: 'NotificationTemplate', key: 'welcome', medium: 'EMAIL', locale: 'en', body: 'New' },
  { kind: 'NotificationTemplate', key: 'escalation', medium: 'EMAIL', locale: 'de', subject: 'Hallo' },
  { kind: 'NotificationTemplate', key: 'reminder', medium: 'EMAIL', locale: 'en', ensure: 'absent' },
  { kind: 'NotificationPreference', key: 'welcome', mediums: ['SLACK'] },
  {
    kind: 'SimIntegration',
    name: 'Desk',
    description: 'New',
    attributes: { url: 'u9' },
    beforeProvisioningRule: { type: 'RULE', id: 'r2', name: 'Other' },
  },
  { kind: 'SimIntegration', name: 'New desk', ...desk, attributes: { url: 'u3' } },
  { kind: 'SimIntegration', name: 'Old desk', ensure: 'absent' },
  { kind: 'ProfileSearch', label: 'Staff', rules: [status('Active'), status('Inactive')] },
  { kind: 'ProfileSearch', label: 'New staff', rules: [status('Leave of absence')] },
  { kind: 'ProfileSearch', label: 'Left over', ensure: 'absent' },
  { kind: 'AuthProfile', name: 'Employees', type: 'MFA' },
];

/** The tenant as its users see it: without ids, times, verification and the order of lists. */
export function visible(state: TenantState): JsonObject {
  const all = [...Object.entries(state), ...Object.entries(state.objects)];
  const lists = all.filter(([, value]) => Array.isArray(value));
  return Object.fromEntries(
    lists.map(([name, list]) => {
      const rows: readonly unknown[] = Array.isArray(list) ? list : [];
      return [name, rows.map(essence).sort()];
    }),
  );
}

const serverFields = [
  'id',
  'uid',
  'created',
  'modified',
  'dkimTokens',
  'isVerifiedByDomain',
  'verificationStatus',
  'dkimVerificationStatus',
  'mailFromDomainStatus',
];

function essence(row: unknown): string {
  const plain = JSON.stringify(row, (key, value) => (serverFields.includes(key) ? undefined : value));
  return canonicalJson(JSON.parse(plain));
}
