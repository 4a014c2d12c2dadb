import { foldName, sameValue } from '../kinds/field.ts';
import type { Kind, LiveObject } from '../kinds/kind.ts';
import { notificationTemplate } from '../kinds/notifications.ts';
import type { Resource } from '../kinds/resource.ts';
import { senderAddress } from '../kinds/sender-address.ts';
import { listedFor, type VariableLists } from '../kinds/template-variables.ts';
import { verifiedDomain } from '../kinds/verified-domain.ts';
import type { Address, Key } from '../model/address.ts';
import { groupBy } from '../model/basics.ts';
import { get, getText, isObject, type Json, type JsonObject, parseJson } from '../model/json.ts';
import type { Finding } from '../model/lint.ts';
import type { Change } from '../model/plan.ts';
import { type Pointer, placesOf, pointer, valueAt } from '../model/pointer.ts';
import { domainOf } from '../model/status.ts';
import { cutShort, didYouMean, joinWords } from '../model/words.ts';
import { builtIn, type Reference, scanVelocity, type VelocityScan } from './velocity.ts';

/** A field of a template as Velocity reads it: one text, or all texts of a message that is written as an object. */
interface TemplateText {
  readonly parts: readonly { readonly at: Pointer; readonly text: string }[];
  readonly scan: VelocityScan;
}

/** Every text of a template's fields, scanned. */
export function scannedTexts(declared: JsonObject): readonly TemplateText[] {
  return Object.keys(notificationTemplate.fields).flatMap((name) => {
    const value = get(declared, name) ?? null;
    const places = placesOf(value, (part) => typeof part === 'string');
    if (places.length === 0) return [];
    const parts = places.map((at) => ({ at: pointer(name) + at, text: String(valueAt(value, at)) }));
    return [{ parts, scan: scanVelocity(parts.map(({ text }) => text).join('\n')) }];
  });
}

/** Finds the part of a text, and the place in it, for an offset into all parts. */
function locate({ parts }: TemplateText, offset: number): { at: Pointer; offset: number } {
  let start = 0;
  for (const { at, text } of parts) {
    if (offset <= start + text.length) return { at, offset: offset - start };
    start += text.length + 1;
  }
  return { at: parts[0]?.at ?? '', offset: 0 };
}

const tenantPrefix = '__';
const globals = '__global';

type DefaultVariables = ReadonlyMap<string, ReadonlySet<string>>;

export function variablesOf(defaults: readonly LiveObject[]): DefaultVariables {
  const byKey = new Map<string, Set<string>>();
  for (const { key, fields: declared } of defaults) {
    const [name = ''] = key;
    const names = byKey.get(name) ?? new Set();
    for (const { scan } of scannedTexts(declared))
      for (const reference of scan.references) names.add(reference.name);
    byKey.set(name, names);
  }
  return byKey;
}

interface Uses {
  readonly variables: readonly VariableUse[];
  readonly globals: readonly VariableUse[];
}

interface VariableUse extends Reference {
  readonly text: TemplateText;
}

export function usesOf(texts: readonly TemplateText[]): Uses {
  const defined = new Set([...builtIn, ...texts.flatMap(({ scan }) => [...scan.defined])]);
  const all = texts.flatMap((text) => text.scan.references.map((reference) => ({ ...reference, text })));
  const foreign = all.filter(({ name }) => !defined.has(name));
  return {
    variables: groupBy(
      foreign.filter(({ name }) => !name.startsWith(tenantPrefix)),
      ({ name }) => name,
    ).map(([, [first]]) => first),
    globals: groupBy(
      foreign.filter(({ name, member }) => name === globals && member !== null),
      ({ member }) => member,
    ).map(([, [first]]) => first),
  };
}

/** The vendor's and the tenant's versions of the templates that are judged. */
export interface KnownTemplates {
  readonly variables: DefaultVariables;
  readonly defaults: ReadonlyMap<Address, LiveObject>;
  readonly customised: ReadonlySet<Address>;
  /** The names of the attributes in the notification template context; `null` where they are not known. */
  readonly context: readonly string[] | null;
  readonly listed: VariableLists;
}

export function lintTexts({ key, fields }: Resource, known: KnownTemplates): Finding[] {
  const texts = scannedTexts(fields);
  const syntax = texts.flatMap((text) =>
    text.scan.problems.map(({ offset, ...problem }) => ({ ...problem, ...locate(text, offset) })),
  );
  return [...syntax, ...lintVariables(key, texts, known)];
}

/** More findings than these have a common cause. */
const maxVariables = 20;

/**
 * Variables that are neither in the vendor's default nor in the template context, nor listed by the host. Without the
 * default and a list, only members of the context are judged.
 */
function lintVariables(key: Key, texts: readonly TemplateText[], known: KnownTemplates): Finding[] {
  const { context } = known;
  if (!context) return [];
  const ofDefault = known.variables.get(key[0] ?? '');
  const listed = known.listed.get(listedFor(key));
  const { variables, globals } = usesOf(texts);
  const finding = ({ text, offset }: VariableUse, message: string, hint: string | null): Finding => ({
    code: 'unknown-variable',
    message,
    hint,
    ...locate(text, offset),
  });
  const names = new Set([...(ofDefault ?? []), ...context, ...(listed?.names ?? [])]);
  const unknown = (ofDefault || listed ? variables : []).filter(({ name }) => !names.has(name));
  const members = new Set([...context, ...(listed?.globals ?? [])]);
  const missing = globals.filter(({ member }) => !members.has(member ?? ''));
  return [
    ...unknown.map((use) => {
      const variable = `\`$${cutShort(use.name)}\``;
      const message = listed
        ? `The tenant lists no variable ${variable} for this template.`
        : `Neither the vendor's default nor the template context has ${variable}.`;
      return finding(use, message, didYouMean(use.name, names));
    }),
    ...missing.map((use) => {
      const message = `The template context has no \`${cutShort(use.member ?? '')}\`.`;
      return finding(use, message, didYouMean(use.member ?? '', members));
    }),
  ].slice(0, maxVariables);
}

/** The fields that hold JSON, each with those of its members that hold JSON text themselves. */
const chatFields = Object.entries(notificationTemplate.fields).flatMap(([name, field]) =>
  field.is === 'json' ? [{ name, nested: field.nested ?? [] }] : [],
);

/** Text of a chat message that should be JSON. */
interface ChatText {
  readonly name: string;
  readonly at: Pointer;
  readonly text: string;
  /** Where it is part of another text, the place of that part. */
  readonly offset?: number;
  readonly isObject?: true;
}

/** Findings about invalid JSON in chat messages. Text with directives is not judged: rendering changes it. */
export function lintChat({ fields }: Resource): Finding[] {
  return chatFields.flatMap(({ name, nested }): Finding[] => {
    const value = get(fields, name) ?? null;
    const text = typeof value === 'string' ? value : null;
    const whole = text === null ? [] : judgeChat({ name, at: pointer(name), text, isObject: true });
    const parsed = text !== null && canJudge(text) ? parseJson(text) : null;
    const message = text === null ? value : parsed;
    if (whole.length > 0 || !isObject(message)) return whole;
    return nested.flatMap((member) => {
      const part = get(message, member);
      if (typeof part !== 'string') return [];
      const inText = text === null ? null : Math.max(0, text.indexOf(`"${member}"`));
      const place = inText === null ? { at: pointer(name, member) } : { at: pointer(name), offset: inText };
      return judgeChat({ name: `${name}.${member}`, text: part, ...place });
    });
  });
}

function canJudge(text: string): boolean {
  return text !== '' && !scanVelocity(text).hasDirectives;
}

function judgeChat({ name, at, text, offset, isObject: mustBeObject }: ChatText): Finding[] {
  if (!canJudge(text)) return [];
  const finding = (what: string, more: Partial<Finding> = {}): Finding[] => [
    {
      code: 'chat-json',
      at,
      message: `The text of \`${name}\` ${what}.`,
      offset: 0,
      ...more,
      ...(offset !== undefined && { offset }),
    },
  ];
  const parsed = parseJson(text);
  if (parsed === undefined) return finding('is not valid JSON', describeSyntaxError(text));
  if (mustBeObject) return isObject(parsed) ? [] : finding('is not a JSON object');
  return typeof parsed === 'object' && parsed !== null ? [] : finding('is neither a JSON object nor a list');
}

function describeSyntaxError(text: string): Pick<Finding, 'hint' | 'offset'> {
  try {
    JSON.parse(text);
    return {};
  } catch (error) {
    const reason = error instanceof Error ? error.message : '';
    const end = reason.includes('end of JSON') ? text.trimEnd().length : 0;
    const offset = Math.min(Number(/position (\d+)/.exec(reason)?.[1] ?? end), text.length);
    return { hint: `The parser says: ${reason.replaceAll(/\s+/g, ' ')}.`, offset };
  }
}

/** Declares nothing but the vendor's default. */
export function lintDefault(resource: Resource, { defaults, customised }: KnownTemplates): Finding[] {
  const { kind, address, fields } = resource;
  const base = defaults.get(address);
  const isSame = ([name, value]: [string, Json]) => {
    const field = kind.fields[name];
    return field !== undefined && sameValue(field, value, get(base?.fields ?? {}, name));
  };
  if (!base || !Object.entries(fields).every(isSame)) return [];
  // Without its manifest, a customised copy would stay as it is.
  const hint = customised.has(address)
    ? "Declare it with `ensure: absent`, and the template follows the vendor's changes."
    : "Remove the manifest, and the template follows the vendor's changes.";
  return [{ code: 'equals-default', at: '', message: `${address} only repeats the vendor's default.`, hint }];
}

/** Locales and media that a notification lacks, and at least half of all have: one finding for each key and medium, at its first template. */
export function findUntranslated(templates: readonly Resource[]): ReadonlyMap<Resource, readonly Finding[]> {
  const locales = groupBy(templates, mediumOf).flatMap(([medium, group]) =>
    findMissing(group, localeOf, (key, missing) => ({
      code: 'missing-locale',
      message: `${key} is not declared for ${medium} in ${missing}, although other notifications are.`,
      at: '/locale',
    })),
  );
  const media = findMissing(templates, mediumOf, (key, missing) => ({
    code: 'missing-medium',
    message: `${key} is not declared for ${missing}, although other notifications are.`,
    at: '/medium',
  }));
  const grouped = groupBy([...locales, ...media], ([resource]) => resource);
  return new Map(grouped.map(([resource, found]) => [resource, found.map(([, finding]) => finding)]));
}

const keyOf = ({ key: [key = ''] }: Resource) => key;
const mediumOf = ({ key: [, medium = ''] }: Resource) => medium;
const localeOf = ({ key: [, , locale = ''] }: Resource) => locale;

/** One finding for each key that lacks a variant which another key has; `describe` gets the key and what it lacks. */
function findMissing(
  templates: readonly Resource[],
  variantOf: (template: Resource) => string,
  describe: (key: string, missing: string) => Finding,
): [Resource, Finding][] {
  const byKey = groupBy(templates, keyOf);
  const usual = groupBy(templates, variantOf).filter(
    ([, group]) => 2 * new Set(group.map(keyOf)).size >= byKey.length,
  );
  const all = usual.map(([variant]) => variant).sort();
  return byKey.flatMap(([key, group]): [Resource, Finding][] => {
    const present = new Set(group.map(variantOf));
    const missing = all.filter((variant) => !present.has(variant));
    if (missing.length === 0) return [];
    const shown = missing.length > 10 ? [...missing.slice(0, 10), `${missing.length - 10} more`] : missing;
    return [[group[0], describe(`\`${cutShort(key)}\``, joinWords('and', shown))]];
  });
}

export interface KnownSenders {
  readonly senders?: readonly string[];
  readonly verifiedDomains?: readonly string[];
  /** Reasons against other senders of the tenant, by their addresses in one form. */
  readonly unusable?: ReadonlyMap<string, string>;
}

/** The addresses and domains that notifications may come from, in one form. */
export interface Senders {
  readonly addresses: ReadonlySet<string>;
  readonly domains: readonly string[];
  readonly unusable: ReadonlyMap<string, string>;
  readonly isAsked: boolean;
}

/**
 * The senders among live objects: addresses whose verification has not failed, and verified domains.
 *
 * @param deleted the addresses of senders that the plan deletes, in one form
 */
export function sendersIn(objects: readonly LiveObject[], deleted: ReadonlySet<string>): KnownSenders {
  const unusable = new Map<string, string>();
  const senders: string[] = [];
  for (const { key, raw } of objects.filter(({ kind }) => kind === senderAddress)) {
    const address = nameIn(key);
    if (deleted.has(address)) unusable.set(address, 'a sender that this plan deletes');
    else if (getText(raw, 'verificationStatus') === 'FAILED')
      unusable.set(address, 'a sender of the tenant whose verification has failed');
    else senders.push(address);
  }
  const verified = objects.filter(
    ({ kind, raw }) => kind === verifiedDomain && getText(raw, 'dkimVerificationStatus') === 'SUCCESS',
  );
  return { senders, unusable, verifiedDomains: verified.map(({ key }) => nameIn(key)) };
}

export function collectSenders(resources: readonly Resource[], known: KnownSenders | null): Senders {
  const { senders, verifiedDomains = [], unusable = new Map() } = known ?? {};
  const namesOf = (wanted: Kind) =>
    resources
      .filter(({ kind, ensure }) => kind === wanted && ensure === 'present')
      .map(({ key }) => nameIn(key));
  return {
    addresses: new Set([...namesOf(senderAddress), ...(senders ?? []).map(foldName)]),
    domains: [...namesOf(verifiedDomain), ...verifiedDomains.map(foldName)],
    unusable,
    isAsked: senders !== undefined,
  };
}

const nameIn = ([name = '']: Key) => foldName(name);

interface NamedAddress {
  readonly field: string;
  readonly address: string;
}

/** The addresses of a template that are neither a sender nor in one of the domains, with their fields. */
export function findUnknownSenders(
  resource: Resource,
  { addresses, domains }: Pick<Senders, 'addresses' | 'domains'>,
): NamedAddress[] {
  return addressesIn(resource).filter(({ address }) => {
    const domain = domainOf(address);
    return (
      !addresses.has(address) &&
      !(address.includes('@') && domains.some((each) => domain === each || domain.endsWith(`.${each}`)))
    );
  });
}

export function deletedSenders(changes: readonly Change[]): ReadonlySet<string> {
  const deleted = changes.filter(({ kind, action }) => kind === senderAddress.name && action === 'delete');
  return new Set(deleted.map(({ key }) => nameIn(key)));
}

/** The declared templates that are sent from one of these addresses, or replied to there. */
export function findSentFrom(senders: ReadonlySet<string>, resources: readonly Resource[]): Resource[] {
  if (senders.size === 0) return [];
  return resources.filter(
    (resource) =>
      resource.kind === notificationTemplate &&
      resource.ensure === 'present' &&
      addressesIn(resource).some(({ address }) => senders.has(address)),
  );
}

function addressesIn({ fields }: Resource): NamedAddress[] {
  return ['from', 'replyTo'].flatMap((field) => {
    const value = get(fields, field);
    if (typeof value !== 'string' || value === '') return [];
    const { references, hasDirectives } = scanVelocity(value);
    // The value of a variable is only known when the notification is sent.
    if (references.length > 0 || hasDirectives) return [];
    return [{ field, address: foldName((/<([^<>]*)>\s*$/.exec(value)?.[1] ?? value).trim()) }];
  });
}

export function lintSenders(resource: Resource, senders: Senders): Finding[] {
  // Without the senders of the tenant, only projects that declare some can be judged.
  if (!senders.isAsked && senders.addresses.size === 0) return [];
  return findUnknownSenders(resource, senders).map(({ field, address }) => {
    const why = senders.unusable.get(address);
    const unknown = senders.isAsked
      ? 'neither a declared sender nor one of the tenant'
      : 'not a declared sender';
    const problem = why ?? unknown;
    const hint = why
      ? 'Notifications may not be delivered. Use another sender, or verify its domain.'
      : (didYouMean(address, senders.addresses) ?? 'Declare it as a SenderAddress, or verify its domain.');
    const message = `\`${field}\`: ${cutShort(address)} is ${problem}, and its domain is not verified.`;
    return { code: 'unknown-sender', message, hint, at: pointer(field) };
  });
}
