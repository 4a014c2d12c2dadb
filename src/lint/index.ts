import { credentialPlaces } from '../kinds/credentials.ts';
import { foldName, isSentAsText, readableFields } from '../kinds/field.ts';
import { readJsonText } from '../kinds/jsontext.ts';
import type { Kind, LiveObject } from '../kinds/kind.ts';
import { mailFrom } from '../kinds/mail-from.ts';
import { notificationTemplate } from '../kinds/notifications.ts';
import { profileSearch } from '../kinds/profile-search.ts';
import { allOf, type ReadRequest, someOf } from '../kinds/read-request.ts';
import type { Resource } from '../kinds/resource.ts';
import { senderAddress } from '../kinds/sender-address.ts';
import type { VariableLists } from '../kinds/template-variables.ts';
import { verifiedDomain } from '../kinds/verified-domain.ts';
import type { Address } from '../model/address.ts';
import { type Diagnostic, noteOverlay } from '../model/diagnostic.ts';
import { get, getText, parseJson } from '../model/json.ts';
import { type Finding, type LintLevels, lintRules } from '../model/lint.ts';
import { pointer, segmentsOf, valueAt } from '../model/pointer.ts';
import { isConcealed, looksLikeCredential } from '../model/sensitive.ts';
import { contractSettings } from '../model/settings.ts';
import { domainOf } from '../model/status.ts';
import { type KnownRecords, lintSearch, rulesOf } from './searches.ts';
import {
  collectSenders,
  findUnknownSenders,
  findUntranslated,
  type KnownSenders,
  type KnownTemplates,
  lintChat,
  lintDefault,
  lintSenders,
  lintTexts,
  type Senders,
  scannedTexts,
  usesOf,
  variablesOf,
} from './templates.ts';

export { recordsIn } from './searches.ts';
export { deletedSenders, findSentFrom, sendersIn } from './templates.ts';

/** Answers of the tenant. A part that was not asked is absent, and rules that depend on it find nothing. */
export interface LintKnowledge extends KnownSenders, KnownRecords {
  /** The vendor's default templates: for each key to be judged, those of all media and locales. */
  readonly defaults?: readonly LiveObject[];
  readonly customised?: ReadonlySet<Address>;
  /** The names of the attributes in the notification template context (seed 001). */
  readonly context?: readonly string[];
  readonly listed?: VariableLists;
}

interface LintInput {
  /** Every resource of the project: senders and locales are judged by what other resources declare. */
  readonly resources: readonly Resource[];
  /** `null` offline. */
  readonly known: LintKnowledge | null;
  readonly levels: LintLevels;
  /** The resources to judge (default: all). */
  readonly about?: ReadonlySet<Address>;
}

interface Rule {
  /** `null`: every kind. */
  readonly kind: Kind | null;
  find(resource: Resource, setting: Setting): readonly Finding[];
}

interface Setting {
  readonly known: LintKnowledge | null;
  readonly templates: KnownTemplates;
  readonly senders: Senders;
  /** By the first template of a key. */
  readonly untranslated: ReadonlyMap<Resource, readonly Finding[]>;
}

const rules: readonly Rule[] = [
  { kind: notificationTemplate, find: (template, { templates }) => lintTexts(template, templates) },
  { kind: notificationTemplate, find: (template, { senders }) => lintSenders(template, senders) },
  { kind: notificationTemplate, find: lintChat },
  { kind: notificationTemplate, find: (template, { templates }) => lintDefault(template, templates) },
  { kind: notificationTemplate, find: (template, { untranslated }) => untranslated.get(template) ?? [] },
  { kind: profileSearch, find: (search, { known }) => lintSearch(search, known) },
  { kind: mailFrom, find: lintMailFrom },
  { kind: null, find: lintCredentials },
  { kind: null, find: lintJsonText },
];

/** Findings about declared objects that are valid but may not be what was intended (see `lintRules`). Pure. */
export function lint({ resources, known, levels, about }: LintInput): Diagnostic[] {
  const present = resources.filter(({ ensure }) => ensure === 'present');
  const judged = present.filter(({ address }) => about === undefined || about.has(address));
  const defaults = known?.defaults ?? [];
  const setting: Setting = {
    known,
    templates: {
      variables: variablesOf(defaults),
      defaults: new Map(defaults.map((each) => [each.address, each])),
      customised: known?.customised ?? new Set(),
      context: known?.context ?? null,
      listed: known?.listed ?? new Map(),
    },
    senders: collectSenders(present, known),
    untranslated: findUntranslated(present.filter(({ kind }) => kind === notificationTemplate)),
  };
  return rules.flatMap(({ kind, find }) =>
    judged
      .filter((resource) => kind === null || kind === resource.kind)
      .flatMap((resource) => find(resource, setting).flatMap((each) => toDiagnostic(each, resource, levels))),
  );
}

function toDiagnostic(finding: Finding, resource: Resource, levels: LintLevels): Diagnostic[] {
  const { code, message, hint, at, offset, isUnshown } = finding;
  const severity = levels[code] ?? lintRules[code].level;
  if (severity === 'off') return [];
  const { source, excerpt } = resource.point(at, offset);
  return [
    {
      code,
      severity,
      message: noteOverlay(message, resource.overlayAt(at) !== null),
      source,
      ...(excerpt === '' || isUnshown ? {} : { excerpt }),
      ...(hint ? { hint } : {}),
      address: resource.address,
    },
  ];
}

/** A MAIL FROM domain that the tenant would refuse: it must be a subdomain of the identity's domain (api-notes). */
function lintMailFrom(resource: Resource): Finding[] {
  const domain = domainOf(resource.key[0] ?? '');
  const declared = getText(resource.fields, 'mailFromDomain');
  if (!declared || foldName(declared).endsWith(`.${foldName(domain)}`)) return [];
  const message = `The MAIL FROM domain ${declared} is not a subdomain of ${domain}.`;
  const hint = `Use a subdomain, such as \`bounce.${domain}\`.`;
  return [{ code: 'mail-from-domain', message, hint, at: '/mailFromDomain' }];
}

/** Settings that look like credentials but are not secrets: a plan hides them, but its requests contain them. */
function lintCredentials(resource: Resource): Finding[] {
  const { kind } = resource;
  const fields = readableFields(kind, resource.fields);
  return credentialPlaces(kind, fields).flatMap((at): Finding[] => {
    const value = valueAt(fields, at);
    if (value === '') return [];
    // A value that the tenant has masked is not a credential.
    if (typeof value === 'string' && isConcealed(value)) return [];
    // These are fields of JSON text that could not be parsed: they count only if they name a secret.
    if (typeof value === 'string' && segmentsOf(at).length === 1 && !looksLikeCredential(value)) return [];
    const message = `\`${at}\` looks like a credential, and plans would contain it in clear text.`;
    const hint =
      'Store it as a secret and write `!secret NAME`. If it is not a credential, write `lint: { plain-credential: off }` in the project file.';
    return [{ code: 'plain-credential', message, hint, at, isUnshown: true }];
  });
}

/**
 * Text in a field that the API keeps as JSON in text, where it is not JSON: tenants refuse it. Such text may come from a
 * tenant, whose export must stay valid. It may hold a credential, so it is not shown. The text of chat messages may be a
 * template, and has a rule of its own.
 */
function lintJsonText(resource: Resource): Finding[] {
  if (resource.kind === notificationTemplate) return [];
  return Object.entries(resource.kind.fields).flatMap(([name, field]): Finding[] => {
    const text = get(resource.fields, name);
    if (typeof text !== 'string' || text === '' || !isSentAsText(field, contractSettings)) return [];
    if (parseJson(text) !== undefined || readJsonText(text) !== text) return [];
    const message = `The text of \`${name}\` is not valid JSON, but the tenant expects JSON.`;
    const hint = `Write the members as YAML: \`${name}: { name: value }\`.`;
    return [{ code: 'json-text', message, hint, at: pointer(name), isUnshown: true }];
  });
}

interface LintQuestions {
  /** The vendor's defaults of a key, in every medium and locale. */
  readonly defaults: readonly ReadRequest[];
  readonly objects: readonly ReadRequest[];
  /** Collections of the profile-management interface. */
  readonly collections: readonly string[];
}

/**
 * The questions to the tenant that have to be answered to judge resources.
 *
 * @param changed the resources to judge
 * @param declared every resource of the project, lookups not yet filled
 */
export function questionsOf(changed: readonly Resource[], declared: readonly Resource[]): LintQuestions {
  const templates = changed.filter(isTemplate);
  const usesVariables = ({ fields }: Resource) => usesOf(scannedTexts(fields)).variables.length > 0;
  const names = new Set(templates.filter(usesVariables).map(({ key: [name] }) => name));
  // The defaults of a name are listed for all its media and locales. What is declared says how many that may be.
  const keys = [...templates, ...declared.filter(isTemplate)]
    .filter(({ key: [name] }) => names.has(name))
    .map(({ key }) => key);
  const senders = collectSenders(declared, null);
  const needsSenders = templates.some((template) => findUnknownSenders(template, senders).length > 0);
  const rules = changed.filter(({ kind }) => kind === profileSearch).flatMap(rulesOf);
  const namesAttribute = rules.some(({ type }) => type === 'ProfileAttributeRule');
  // An id that comes from a lookup exists in the tenant.
  const namesType = rules.some(({ type, value }) => type === 'ProfileTypeRule' && value !== null);
  return {
    defaults: keys.length === 0 ? [] : [someOf(notificationTemplate, keys)],
    objects: needsSenders ? [senderAddress, verifiedDomain].map(allOf) : [],
    collections: [...(namesAttribute ? ['ne_attributes'] : []), ...(namesType ? ['profile_types'] : [])],
  };
}

/**
 * The templates that use a variable which their default does not: the template context has to be read as well, and what the host
 * lists for them.
 *
 * @param changed the resources to judge
 * @param defaults all vendor's defaults that are known
 */
export function withOtherVariables(
  changed: readonly Resource[],
  defaults: readonly LiveObject[],
): readonly Resource[] {
  const names = variablesOf(defaults);
  return changed.filter(isTemplate).filter(({ key: [key = ''], fields }) => {
    const { variables, globals } = usesOf(scannedTexts(fields));
    return globals.length > 0 || variables.some(({ name }) => !names.get(key)?.has(name));
  });
}

const isTemplate = ({ kind }: Resource) => kind === notificationTemplate;
