import fc from 'fast-check';
import type { JsonObject } from '../../src/model/json.ts';
import type { TenantState } from '../../src/sandbox/index.ts';

/**
 * Text of any characters, up to this length. The unit `binary` of fast-check has the same ones, and takes a second and a
 * half to prepare each time.
 */
export const anyText = (maxLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.integer({ min: 0, max: 0x10_f7ff }).map(characterAt), maxLength });

/** Half of a pair is no character, so the numbers of those are passed over. */
const characterAt = (at: number) => String.fromCodePoint(at < 0xd8_00 ? at : at + 0x8_00);

/** Text that YAML, JSON, terminals and Velocity could each take for something else. */
export const trickyText = fc.oneof(
  { weight: 3, arbitrary: fc.string({ maxLength: 12 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 8 }) },
  fc.constantFrom(
    '',
    ' lead and trail ',
    'line\r\nline\r\n',
    'line\n\n\n',
    'one\ntwo\nthree\nfour\nno end of line',
    'yes',
    'null',
    '~',
    '0x1F',
    '1e3',
    '2024-01-01',
    ': # - ? {}[]!&*|>@`',
    '${name} $x #if($a) b #end %{v} !var x',
    'Grüße, 你好, 👩‍💻',
    'tab\tand\u0007bell',
    '---\n...\n',
  ),
);

/**
 * Often a usual one, so that manifests are of objects that are there; and what files, globs, addresses, filters, YAML or other
 * objects could take for something of theirs, such as the id of another object.
 */
const name = fc.oneof(
  fc.constantFrom('Desk', 'Staff'),
  fc.constantFrom(
    ...['i0', 'i1', 'profile-0', 'q0', '0', '1', '-1', '1e3', 'null', 'yes', '~', '__proto__', 'constructor'],
    ...[
      'Sales/EMEA',
      'a%2Fb',
      '100 %',
      'a*',
      '**',
      '[a]{b,c}',
      '!a',
      '#a',
      '@a',
      '- a',
      'a: b',
      '..',
      '.',
      'CON',
    ],
    ...[
      "it's",
      '"a"',
      'a\\b',
      '$name',
      '${name}',
      '%{name}',
      'Grüße',
      'e\u0301',
      '\u00e9',
      '👩‍💻',
      '<b>',
      'a|b',
      '`a`',
    ],
  ),
  fc.stringMatching(/^[A-Za-z][A-Za-z0-9 ._-]{0,14}[A-Za-z0-9]$/),
);
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const language = fc.constantFrom('en', 'de', 'fr');
const medium = fc.constantFrom('EMAIL', 'SLACK', 'TEAMS');
const email = fc
  .tuple(
    fc.stringMatching(/^[a-z][a-z0-9.]{0,6}[a-z0-9]$/),
    fc.constantFrom('acme.example', 'mail.acme.example'),
  )
  .map(([local, domain]) => `${local.replaceAll('..', '.')}@${domain}`);
const jsonObject = fc.dictionary(
  fc
    .oneof(
      { weight: 4, arbitrary: fc.stringMatching(/^[a-z][a-zA-Z]{0,8}$/) },
      fc.constantFrom('password', 'apiToken'),
    )
    .filter((key) => !['statusMap', 'request'].includes(key)),
  fc.oneof(trickyText, fc.integer().map(String), fc.boolean()),
  { maxKeys: 4 },
);

export const templateKeys = ['welcome', 'reminder', 'escalation'] as const;

/** The texts of a template that has none. */
export const emptyTexts = {
  name: null,
  description: null,
  subject: null,
  header: null,
  body: null,
  footer: null,
  from: null,
  replyTo: null,
  slackTemplate: null,
  teamsTemplate: null,
};

const texts = fc.record({
  name: optional(trickyText),
  description: optional(trickyText),
  subject: optional(trickyText),
  header: optional(trickyText),
  body: optional(trickyText),
  footer: optional(trickyText),
  from: optional(email),
  replyTo: optional(email),
  slackTemplate: optional(jsonObject),
  teamsTemplate: optional(jsonObject),
});

const rule = fc.oneof(
  fc.record({
    type: fc.constant('ProfileStatusRule'),
    comparison_operator: fc.constantFrom('==', '!='),
    value: fc.constantFrom('Active', 'Inactive', 'Leave of absence', 'Terminated'),
  }),
  fc.record({
    type: fc.constant('ProfileTypeRule'),
    comparison_operator: fc.constantFrom('==', '!='),
    value: fc.constantFrom('t1', 't2'),
  }),
  fc.record({
    type: fc.constant('ProfileAttributeRule'),
    object_type: fc.constant('NeAttribute'),
    condition_object_id: fc.constantFrom('a1', 'a2'),
    comparison_operator: fc.constantFrom('==', '!=', 'start_with?', 'include?'),
    value: fc.string({ minLength: 1, maxLength: 6 }),
  }),
);

const authFields = fc.record({
  offNetwork: fc.boolean(),
  untrustedGeography: fc.boolean(),
  applicationId: optional(fc.constantFrom('app1', 'app2')),
  applicationName: optional(name),
  type: fc.constantFrom('BLOCK', 'MFA', 'NON_PTA', 'PTA'),
});

const simFields = fc.record({
  description: optional(trickyText),
  type: fc.constantFrom('ServiceNow Service Desk', 'Jira'),
  cluster: optional(fc.constantFrom('c1', 'c2')),
  sources: fc.uniqueArray(fc.constantFrom('s1', 's2', 's3')),
  attributes: optional(jsonObject),
  request: optional(jsonObject),
  statusMap: optional(jsonObject),
  beforeProvisioningRule: optional(
    fc.record({ type: fc.constant('RULE'), id: fc.constantFrom('r1', 'r2'), name: name }),
  ),
});

const unique = <T>(items: fc.Arbitrary<T>, key: (item: T) => string, maxLength = 4) =>
  fc.uniqueArray(items, { selector: (item) => key(item).toLowerCase(), maxLength });

/** A part of a value's members, each kept, left out or cleared. */
function partly(fields: fc.Arbitrary<JsonObject>, clearable: readonly string[]): fc.Arbitrary<JsonObject> {
  return fc
    .tuple(
      fields,
      fc.array(fc.constantFrom('keep', 'keep', 'omit', 'clear'), { minLength: 12, maxLength: 12 }),
    )
    .map(([all, fates]) =>
      Object.fromEntries(
        Object.entries(all).flatMap(([member, value], at) => {
          if (fates[at] === 'omit') return [];
          return [[member, fates[at] === 'clear' && clearable.includes(member) ? null : value]];
        }),
      ),
    );
}

const templateKey = { key: fc.constantFrom(...templateKeys), medium, locale: language };
const keyText = (item: Record<'key' | 'medium' | 'locale', string>) =>
  `${item.key}/${item.medium}/${item.locale}`;
const templates = unique(fc.record({ ...templateKey, texts }), keyText);

const mailObjects = {
  senders: unique(email, (item) => item),
  domains: unique(fc.constantFrom('acme.example', 'mail.acme.example', 'other.example'), (item) => item),
  mailFrom: unique(fc.tuple(email, fc.constantFrom('bounce', 'mail')), ([item]) => item),
};

/** What a tenant may hold, as changes to an empty one. */
export const tenantContent = fc.record({
  authProfiles: unique(fc.record({ name, fields: authFields }), (item) => item.name),
  integrations: unique(fc.record({ name, fields: simFields }), (item) => item.name),
  defaults: templates,
  templates,
  ...mailObjects,
  searches: unique(fc.record({ label: name, rules: fc.array(rule, { maxLength: 3 }) }), (item) => item.label),
});

/** Manifests of every kind that the tenants of {@link tenantContent} accept. */
export const manifests = fc
  .record({
    authProfiles: unique(
      fc.record({ name, fields: partly(authFields, ['applicationId', 'applicationName']) }),
      (item) => item.name,
    ),
    integrations: unique(fc.record({ name, fields: simFields }), (item) => item.name),
    templates: unique(fc.record({ ...templateKey, fields: partly(texts, Object.keys(emptyTexts)) }), keyText),
    ...mailObjects,
    searches: unique(
      fc.record({ label: name, rules: fc.array(rule, { minLength: 1, maxLength: 3 }) }),
      (item) => item.label,
    ),
    preferences: unique(
      fc.record({ key: fc.constantFrom(...templateKeys), mediums: fc.uniqueArray(medium) }),
      (item) => item.key,
    ),
  })
  .map((all) => [
    ...all.authProfiles.map(({ name, fields }) => ({
      kind: 'AuthProfile',
      name,
      ...fields,
      lifecycle: { allowLockout: true },
    })),
    ...all.integrations.map(({ name, fields }) => ({ kind: 'SimIntegration', name, ...fields })),
    ...all.templates.map(({ fields, ...key }) => ({ kind: 'NotificationTemplate', ...key, ...fields })),
    ...all.senders.map((address) => ({ kind: 'SenderAddress', email: address })),
    ...all.domains.map((domain) => ({ kind: 'VerifiedDomain', domain })),
    ...all.mailFrom.map(([identity, label]) => mailFromOf(identity, label)),
    ...all.searches.map((search) => ({ kind: 'ProfileSearch', ...search })),
    ...all.preferences.map((preference) => ({ kind: 'NotificationPreference', ...preference })),
  ]);

function mailFromOf(identity: string, label: string) {
  return { kind: 'MailFrom', identity, mailFromDomain: `${label}.${identity.split('@')[1]}` };
}

export type Content = typeof tenantContent extends fc.Arbitrary<infer T> ? T : never;

/** Puts the content into an embedded tenant. */
export function fill(state: TenantState, content: Content): void {
  const time = '2025-01-01T00:00:00.000Z';
  const text = (value: JsonObject | null) => (value === null ? null : JSON.stringify(value));
  const asTexts = (value: Content['templates'][number]['texts']) => ({
    ...value,
    slackTemplate: text(value.slackTemplate),
    teamsTemplate: text(value.teamsTemplate),
  });
  state.profileTypes.push(
    { id: 't1', uid: 'employee', name: 'Employee', category: null },
    { id: 't2', uid: 'contractor', name: 'Contractor', category: null },
  );
  state.neAttributes.push(
    { id: 'a1', uid: 'department', label: 'Department', data_type: 'text', date_format: null },
    { id: 'a2', uid: 'location', label: 'Location', data_type: 'text', date_format: null },
  );
  content.authProfiles.forEach(({ name, fields }, at) => {
    state.authProfiles.push({ id: idBeside(name, `profile-${at}`), name, ...fields, strongAuthLogin: false });
  });
  content.integrations.forEach(({ name, fields }, at) => {
    const times = { created: time, modified: time };
    state.simIntegrations.push({ id: idBeside(name, `i${at}`), name, ...fields, ...times });
  });
  // Every key has a default somewhere: without one no template of it can be made.
  const seeded = templateKeys.map((key) => ({ key, medium: 'EMAIL', locale: 'en', texts: null }) as const);
  for (const { texts: values, ...key } of [...content.defaults, ...seeded]) {
    if (!state.templateDefaults.some((known) => keyText(known) === keyText(key)))
      state.templateDefaults.push({ ...emptyTexts, ...(values ? asTexts(values) : {}), ...key });
  }
  content.templates.forEach(({ texts: values, ...key }, at) => {
    state.templates.push({ id: `n${at}`, ...key, ...asTexts(values), created: time, modified: time });
  });
  content.senders.forEach((address, at) => {
    state.senders.push({
      id: `e${at}`,
      email: address,
      isVerifiedByDomain: false,
      verificationStatus: 'SUCCESS',
      region: null,
    });
  });
  content.domains.forEach((address, at) => {
    state.identities.push({
      id: `d${at}`,
      address,
      dkimEnabled: true,
      dkimTokens: ['x', 'y', 'z'],
      dkimVerificationStatus: 'SUCCESS',
      region: null,
    });
  });
  for (const [identity, label] of content.mailFrom) {
    const { mailFromDomain } = mailFromOf(identity, label);
    state.mailFrom.push({ identity, mailFromDomain, mailFromDomainStatus: 'SUCCESS' });
  }
  content.searches.forEach(({ label, rules }, at) => {
    const rows = rules.map((one, index) => ({ condition_object_id: null, ...one, id: `${at}-${index}` }));
    state.profileSearches.push({
      id: `q${at}`,
      uid: `u${at}`,
      label,
      rules: rows.map(({ object_type: _, ...row }: (typeof rows)[number] & { object_type?: string }) => row),
    });
  });
  for (const key of templateKeys)
    state.preferences.push({ key, mediums: ['EMAIL'], ccList: [], bccList: [], modified: time });
}

/** A name may be the id of another object. One that is its own id counts as no name. */
const idBeside = (own: string, id: string) => (own === id ? `${id}-own` : id);
