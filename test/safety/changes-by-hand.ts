import { formatAddress, parseAddress } from '../../src/model/address.ts';
import type { TenantState } from '../../src/sandbox/index.ts';
import { addObjects } from '../support/tenant-objects.ts';

type AuthProfile = TenantState['authProfiles'][number];

/** Somebody changes things in the tenant, behind tenantctl's back. */
const words = 'changed by hand';

/** What somebody may change in an object, one thing at a time; each gives another value than the object has. */
const edits = {
  AuthProfile: [
    { applicationName: words },
    { applicationId: words },
    (row: AuthProfile) => ({ offNetwork: !row.offNetwork }),
    (row: AuthProfile) => ({ untrustedGeography: !row.untrustedGeography }),
    (row: AuthProfile) => ({ type: row.type === 'MFA' ? 'PTA' : 'MFA' }) as const,
  ],
  SimIntegration: [
    { description: words },
    { type: words },
    { cluster: words },
    { sources: [words] },
    { attributes: { words } },
    { request: { words } },
    { statusMap: { words } },
    { beforeProvisioningRule: { type: 'RULE', id: words, name: words } },
  ],
  NotificationTemplate: [
    ...['name', 'description', 'subject', 'header', 'body', 'footer'].map((name) => ({ [name]: words })),
    { from: 'by-hand@acme.example' },
    { replyTo: 'by-hand@acme.example' },
    { slackTemplate: JSON.stringify({ words }) },
    { teamsTemplate: JSON.stringify({ words }) },
    // What tenantctl does not know: a write of the whole template carries it.
    { aMemberOfTheFuture: words },
  ],
} as const;

/** The same for the kinds that a project describes. */
const describedEdits: Readonly<Record<string, readonly object[]>> = {
  AccessProfile: [
    { description: words },
    { source: words },
    { above: { type: 'ACCESS_PROFILE', id: words } },
    { settings: { words } },
  ],
  Role: [
    { description: words },
    { enabled: words },
    { labels: [words] },
    { accessProfiles: [{ id: words }] },
    { membership: { words } },
  ],
  // What no descriptor names goes back with a PUT.
  Transform: [{ description: words }, { attributes: { words } }, { weight: words }],
};

/**
 * Changes the object at `address`, which is there; `false` where nothing of that kind can be changed.
 *
 * @param pick which of its fields
 */
export function changeByHand(state: TenantState, address: string, pick = 0): boolean {
  const { kind, key } = keyOf(address);
  switch (kind) {
    case 'AuthProfile':
      return change(state.authProfiles, ({ name }) => name === key[0], edits.AuthProfile, pick);
    case 'SimIntegration':
      return change(state.simIntegrations, ({ name }) => name === key[0], edits.SimIntegration, pick);
    case 'NotificationTemplate':
      return change(state.templates, (row) => sameKey(row, key), edits.NotificationTemplate, pick);
    case 'SenderAddress':
      // An address has no fields: one that was taken away and added again is another one.
      return change(state.senders, ({ email }) => sameText(email, key[0]), [{ id: words }], pick);
    case 'VerifiedDomain':
      return change(
        state.identities,
        ({ address: domain }) => sameText(domain, key[0]),
        [{ id: words }],
        pick,
      );
    case 'MailFrom': {
      const mailFromDomain = 'by-hand.acme.example';
      return change(state.mailFrom, ({ identity }) => sameText(identity, key[0]), [{ mailFromDomain }], pick);
    }
    case 'ProfileSearch':
      return change(state.profileSearches, ({ label }) => label === key[0], [addRule, changeRule], pick);
    default:
      return change(rowsOf(state, kind), ({ name }) => name === key[0], describedEdits[kind] ?? [], pick);
  }
}

/** The objects of a kind that a project describes. */
const rowsOf = ({ objects }: TenantState, kind: string): TenantState['objects'][string] =>
  objects[kind] ?? [];

const addRule = ({ rules }: TenantState['profileSearches'][number]) => ({
  rules: [
    ...rules,
    {
      id: 'by-hand',
      type: 'ProfileAttributeRule' as const,
      comparison_operator: '==',
      value: words,
      condition_object_id: 'a1',
    },
  ],
});

/** Another value in the first rule, or a rule where there is none. */
function changeRule(search: TenantState['profileSearches'][number]) {
  const [first, ...others] = search.rules;
  return first ? { rules: [{ ...first, value: words }, ...others] } : addRule(search);
}

/** Makes the object at `address`, which is not there. */
export function createByHand(state: TenantState, address: string): void {
  const { kind, key } = keyOf(address);
  const [name = '', medium = '', locale = ''] = key;
  const made: Readonly<Record<string, Parameters<typeof addObjects>[1]>> = {
    SimIntegration: { simIntegrations: [{ id: 'by-hand', name, description: words, type: 'Jira' }] },
    NotificationTemplate: {
      templates: [{ id: 'by-hand', key: name, medium, locale, subject: words, body: words }],
    },
    SenderAddress: { senders: [{ id: 'by-hand', email: name }] },
    VerifiedDomain: { identities: [{ id: 'by-hand', address: name }] },
    MailFrom: { mailFrom: [{ identity: name, mailFromDomain: 'by-hand.acme.example' }] },
    ProfileSearch: { profileSearches: [{ id: 'by-hand', label: name }] },
  };
  if (made[kind]) addObjects(state, made[kind]);
  else if (kind in describedEdits) rowsOf(state, kind).push({ id: 'by-hand', name });
  else throw new Error(`Nobody can make ${address} by hand.`);
}

/** Takes the object at `address` away. */
export function deleteByHand(state: TenantState, address: string): void {
  const { kind, key } = keyOf(address);
  if (kind === 'SimIntegration') remove(state.simIntegrations, ({ name }) => name === key[0]);
  if (kind === 'NotificationTemplate') remove(state.templates, (row) => sameKey(row, key));
  if (kind === 'SenderAddress') remove(state.senders, ({ email }) => sameText(email, key[0]));
  if (kind === 'MailFrom') remove(state.mailFrom, ({ identity }) => sameText(identity, key[0]));
  if (kind === 'ProfileSearch') remove(state.profileSearches, ({ label }) => label === key[0]);
  if (kind === 'AuthProfile') remove(state.authProfiles, ({ name }) => name === key[0]);
  remove(rowsOf(state, kind), ({ name }) => name === key[0]);
}

/** The addresses of what the tenant holds. */
export function addressesIn(state: TenantState): string[] {
  const at = (kind: string, ...key: readonly string[]) => formatAddress(kind, key);
  return [
    ...state.authProfiles.map(({ name }) => at('AuthProfile', name)),
    ...state.simIntegrations.map(({ name }) => at('SimIntegration', name)),
    ...state.templates.map(({ key, medium, locale }) => at('NotificationTemplate', key, medium, locale)),
    ...state.senders.map(({ email }) => at('SenderAddress', email)),
    ...state.identities.map(({ address }) => at('VerifiedDomain', address)),
    ...state.mailFrom.map(({ identity }) => at('MailFrom', identity)),
    ...state.profileSearches.map(({ label }) => at('ProfileSearch', label)),
    ...Object.keys(describedEdits).flatMap((kind) =>
      rowsOf(state, kind).map(({ name }) => at(kind, String(name))),
    ),
  ];
}

function keyOf(address: string) {
  const parsed = parseAddress(address);
  if (!parsed) throw new Error(`${address} is no address.`);
  return parsed;
}

type Edit<T> = object | ((row: T) => object);

function change<T extends object>(
  rows: T[],
  isMeant: (row: T) => boolean,
  all: readonly Edit<T>[],
  pick: number,
): boolean {
  const row = rows.find(isMeant);
  const edit = all[pick % all.length];
  if (row && edit) Object.assign(row, typeof edit === 'function' ? edit(row) : edit);
  return row !== undefined;
}

function remove<T>(rows: T[], isMeant: (row: T) => boolean): void {
  const at = rows.findIndex(isMeant);
  if (at >= 0) rows.splice(at, 1);
}

const sameKey = (row: { key: string; medium: string; locale: string }, key: readonly string[]): boolean =>
  row.key === key[0] && row.medium === key[1] && row.locale === key[2];

const sameText = (a: string, b = '') => a.toLowerCase() === b.toLowerCase();
