import { foldName, sameValue } from '../kinds/field.ts';
import type { LiveObject } from '../kinds/kind.ts';
import { allOf, someOf } from '../kinds/live-objects.ts';
import { listedFor, notificationTemplate, type VariableLists } from '../kinds/notifications.ts';
import type { Resource } from '../kinds/resource.ts';
import { senderAddress } from '../kinds/sender-address.ts';
import { domainOf, verifiedDomain } from '../kinds/verified-domain.ts';
import type { Address, Key } from '../model/address.ts';
import { groupBy } from '../model/basics.ts';
import type { Change } from '../model/documents.ts';
import { messageOf } from '../model/failure.ts';
import { get, getText, isObject, type Json, type JsonObject, parseJson } from '../model/json.ts';
import type { Finding } from '../model/lint.ts';
import { type Pointer, placesOf, pointer, valueAt } from '../model/pointer.ts';
import { cutShort, didYouMean, joinWords } from '../model/words.ts';
import { builtIn, type Reference, scanVelocity } from './velocity.ts';

/** Answers of the tenant. A part that was not asked is absent, and rules that depend on it find nothing. */
interface TemplateKnowledge {
  /** The vendor's default templates: for each key to be judged, those of all media and locales. */
  readonly defaults?: readonly LiveObject[];
  readonly customised?: ReadonlySet<Address>;
  /** The names of the attributes in the notification template context (seed 001). */
  readonly context?: readonly string[];
  readonly listed?: VariableLists;
  readonly senders?: readonly LiveObject[];
  /** The addresses of senders that the plan deletes, in one form. */
  readonly deleted?: ReadonlySet<string>;
}

/** Returns a function that finds mistakes in a declared template. */
export function templateLinter(declared: readonly Resource[], knowledge: TemplateKnowledge) {
  const variables = variablesOf(knowledge.defaults ?? []);
  const known = collectSenders(declared, knowledge);
  const untranslated = findUntranslated(declared.filter(isTemplate));
  return (template: Resource): readonly Finding[] => {
    const texts = scannedTexts(template.fields);
    const syntax = texts.flatMap((text) =>
      text.scan.problems.map(({ offset, ...problem }) => ({ ...problem, ...locate(text, offset) })),
    );
    return [
      ...syntax,
      ...lintVariables(template.key, texts, variables, knowledge),
      ...lintSenders(template, known, knowledge.senders !== undefined),
      ...lintChat(template),
      ...lintDefault(template, knowledge),
      ...(untranslated.get(template) ?? []),
    ];
  };
}

/**
 * The questions to the tenant that have to be answered to judge changed templates, among all that the project declares: the
 * vendor's defaults of a key, in every medium and locale, and the senders.
 */
export function templateQuestions(changed: readonly Resource[], declared: readonly Resource[]) {
  const templates = changed.filter(isTemplate);
  const using = templates.filter(({ fields }) => usesOf(scannedTexts(fields)).variables.length > 0);
  const names = new Set(using.map(({ key: [name] }) => name));
  // The defaults of a key are listed for all media and locales. The declarations suggest how many.
  const keys = [...templates, ...declared.filter(isTemplate)]
    .filter(({ key: [name] }) => names.has(name))
    .map(({ key }) => key);
  const known = collectSenders(declared, {});
  const needsSenders = templates.some((template) => findUnknownSenders(template, known).length > 0);
  return {
    defaults: keys.length === 0 ? [] : [someOf(notificationTemplate, keys)],
    senders: needsSenders ? [allOf(senderAddress), allOf(verifiedDomain)] : [],
  };
}

/** The templates with a variable that their default lacks: the context and the host's list of variables have to be read. */
export function withOtherVariables(changed: readonly Resource[], defaults: readonly LiveObject[]) {
  const names = variablesOf(defaults);
  return changed.filter(isTemplate).filter(({ key: [key = ''], fields }) => {
    const { variables, globals } = usesOf(scannedTexts(fields));
    return globals.length > 0 || variables.some(({ name }) => !names.get(key)?.has(name));
  });
}

const isTemplate = ({ kind }: Resource) => kind === notificationTemplate;

/** A field of a template as Velocity reads it: one text, or all texts of a message that is written as an object. */
interface TemplateText {
  readonly parts: readonly { readonly at: Pointer; readonly text: string }[];
  readonly scan: ReturnType<typeof scanVelocity>;
}

function scannedTexts(declared: JsonObject): readonly TemplateText[] {
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

function variablesOf(defaults: readonly LiveObject[]) {
  const byKey = groupBy(defaults, ({ key: [key = ''] }) => key).map(([key, group]) => {
    const scans = group.flatMap(({ fields }) => scannedTexts(fields)).map(({ scan }) => scan);
    return [key, new Set(scans.flatMap(({ references }) => references).map(({ name }) => name))] as const;
  });
  return new Map(byKey);
}

interface VariableUse extends Reference {
  readonly text: TemplateText;
}

/** The variables that are not set in the texts, and the members of the template context: each where it first occurs. */
function usesOf(texts: readonly TemplateText[]) {
  const defined = new Set([...builtIn, ...texts.flatMap(({ scan }) => [...scan.defined])]);
  const variables = new Map<string, VariableUse>();
  const globals = new Map<string, VariableUse>();
  for (const text of texts)
    for (const reference of text.scan.references) {
      const { name, member } = reference;
      const use = { ...reference, text };
      if (defined.has(name)) continue;
      if (!name.startsWith('__')) variables.set(name, variables.get(name) ?? use);
      else if (name === '__global' && member !== null) globals.set(member, globals.get(member) ?? use);
    }
  return { variables: [...variables.values()], globals: [...globals.values()] };
}

/** More findings than these have a common cause. */
const maxVariables = 20;

/**
 * Variables that are neither in the vendor's default nor in the template context, nor listed by the host. Without the
 * default and a list, only members of the context are judged.
 */
function lintVariables(
  key: Key,
  texts: readonly TemplateText[],
  ofDefaults: ReturnType<typeof variablesOf>,
  { context, listed: lists }: TemplateKnowledge,
): Finding[] {
  if (!context) return [];
  const ofDefault = ofDefaults.get(key[0] ?? '');
  const listed = lists?.get(listedFor(key));
  const { variables, globals } = usesOf(texts);
  const names = new Set([...(ofDefault ?? []), ...context, ...(listed?.names ?? [])]);
  const unknown = (ofDefault || listed ? variables : []).map((use) => {
    const variable = `\`$${cutShort(use.name)}\``;
    const message = listed
      ? `The tenant lists no variable ${variable} for this template.`
      : `Neither the vendor's default nor the template context has ${variable}.`;
    return { use, name: use.name, known: names, message };
  });
  const members = new Set([...context, ...(listed?.globals ?? [])]);
  const missing = globals.map((use) => {
    const name = use.member ?? '';
    return { use, name, known: members, message: `The template context has no \`${cutShort(name)}\`.` };
  });
  return [...unknown, ...missing]
    .filter(({ name, known }) => !known.has(name))
    .slice(0, maxVariables)
    .map(({ use: { text, offset }, name, known, message }) => {
      return { code: 'unknown-variable', message, hint: didYouMean(name, known), ...locate(text, offset) };
    });
}

/** The fields that hold JSON, each with those of its members that hold JSON text themselves. */
const chatFields = Object.entries(notificationTemplate.fields).flatMap(([name, field]) =>
  field.is === 'json' ? [{ name, nested: field.nested ?? [] }] : [],
);

/** Findings about invalid JSON in chat messages. Text with directives is not judged: rendering changes it. */
function lintChat({ fields }: Resource): Finding[] {
  return chatFields.flatMap(({ name, nested }): Finding[] => {
    const value = get(fields, name) ?? null;
    const isText = typeof value === 'string';
    const problems = isText ? judgeChat(name, value, pointer(name)) : [];
    const message = (isText && scanVelocity(value).directives.size === 0 ? parseJson(value) : value) ?? null;
    if (problems.length > 0 || !isObject(message)) return problems;
    return nested.flatMap((member) => {
      const part = get(message, member);
      if (typeof part !== 'string') return [];
      const found = judgeChat(`${name}.${member}`, part, isText ? pointer(name) : pointer(name, member));
      // Inside a text, only the text has a place.
      return isText ? found.map((each) => ({ ...each, offset: 0 })) : found;
    });
  });
}

function judgeChat(name: string, text: string, at: Pointer): Finding[] {
  if (text === '' || scanVelocity(text).directives.size > 0) return [];
  const finding = { code: 'chat-json', at, offset: 0 } as const;
  try {
    const parsed: Json = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null) return [];
    return [{ ...finding, message: `The text of \`${name}\` is neither a JSON object nor a list.` }];
  } catch (error) {
    const reason = messageOf(error);
    const end = reason.includes('end of JSON') ? text.trimEnd().length : 0;
    const offset = Math.min(Number(/position (\d+)/.exec(reason)?.[1] ?? end), text.length);
    const hint = `The parser says: ${reason.replaceAll(/\s+/g, ' ')}.`;
    return [{ ...finding, message: `The text of \`${name}\` is not valid JSON.`, hint, offset }];
  }
}

function lintDefault(
  { kind, address, fields }: Resource,
  { defaults, customised }: TemplateKnowledge,
): Finding[] {
  const base = defaults?.findLast((each) => each.address === address);
  const isSame = Object.entries(fields).every(([name, value]) => {
    const field = kind.fields[name];
    return field !== undefined && sameValue(field, value, get(base?.fields ?? {}, name));
  });
  if (!base || !isSame) return [];
  // Without its manifest, a customised copy would stay as it is.
  const hint = customised?.has(address)
    ? "Declare it with `ensure: absent`, and the template follows the vendor's changes."
    : "Remove the manifest, and the template follows the vendor's changes.";
  return [{ code: 'equals-default', at: '', message: `${address} only repeats the vendor's default.`, hint }];
}

/** Locales and media that a notification lacks, and at least half of all have: one finding for each key and medium, at its first template. */
function findUntranslated(templates: readonly Resource[]): ReadonlyMap<Resource, readonly Finding[]> {
  const locales = groupBy(templates, ({ key: [, medium = ''] }) => medium).flatMap(([medium, group]) =>
    findMissing(group, 2).map(([first, missing]) => ({
      first,
      at: '/locale',
      lack: `${medium} in ${missing}`,
    })),
  );
  const media = findMissing(templates, 1).map(([first, lack]) => ({ first, at: '/medium', lack }));
  const byTemplate = groupBy([...locales, ...media], ({ first }) => first);
  const findings = byTemplate.map(([first, group]) => {
    const key = cutShort(first.key[0] ?? '');
    const found = group.map(({ at, lack }): Finding => {
      const message = `\`${key}\` is not declared for ${lack}, although other notifications are.`;
      return { code: at === '/locale' ? 'missing-locale' : 'missing-medium', message, at };
    });
    return [first, found] as const;
  });
  return new Map(findings);
}

/** The first template of each notification that lacks a medium (part 1 of keys) or locale (2) which others have, and what it lacks. */
function findMissing(templates: readonly Resource[], part: 1 | 2): [Resource, string][] {
  const byKey = groupBy(templates, ({ key: [name = ''] }) => name);
  const usual = groupBy(templates, ({ key }) => key[part] ?? '').filter(
    ([, group]) => 2 * new Set(group.map(({ key: [name] }) => name)).size >= byKey.length,
  );
  const all = usual.map(([variant]) => variant).sort();
  return byKey.flatMap(([, group]): [Resource, string][] => {
    const present = new Set(group.map(({ key }) => key[part]));
    const missing = all.filter((variant) => !present.has(variant));
    if (missing.length === 0) return [];
    const shown = missing.length > 10 ? [...missing.slice(0, 10), `${missing.length - 10} more`] : missing;
    return [[group[0], joinWords('and', shown)]];
  });
}

/**
 * The addresses and domains that notifications may come from, in one form: declared ones; and of the tenant, verified domains, and
 * senders that stay and whose verification has not failed.
 */
function collectSenders(
  declared: readonly Resource[],
  { senders = [], deleted = new Set() }: TemplateKnowledge,
) {
  const addresses = new Set<string>();
  const domains: string[] = [];
  for (const { kind, key, ensure } of declared) {
    if (kind === senderAddress && ensure === 'present') addresses.add(foldName(key[0] ?? ''));
    if (kind === verifiedDomain && ensure === 'present') domains.push(foldName(key[0] ?? ''));
  }
  for (const { kind, key, raw } of senders) {
    const name = foldName(key[0] ?? '');
    const isUsable = getText(raw, 'verificationStatus') !== 'FAILED' && !deleted.has(name);
    if (kind === senderAddress && isUsable) addresses.add(name);
    if (kind === verifiedDomain && getText(raw, 'dkimVerificationStatus') === 'SUCCESS') domains.push(name);
  }
  return { addresses, domains };
}

type Senders = ReturnType<typeof collectSenders>;

/** The addresses of a template that are neither a sender nor in one of the domains, with their fields. */
function findUnknownSenders(resource: Resource, { addresses, domains }: Senders) {
  return addressesIn(resource).filter(({ address }) => {
    const domain = domainOf(address);
    return (
      !addresses.has(address) &&
      !(address.includes('@') && domains.some((each) => domain === each || domain.endsWith(`.${each}`)))
    );
  });
}

/** The senders that a plan deletes, and the declared templates that are sent from one of them, or replied to there. */
export function findOrphaned(changes: readonly Change[], resources: readonly Resource[]) {
  const deleted = new Set(
    changes
      .filter(({ kind, action }) => kind === senderAddress.name && action === 'delete')
      .map(({ key: [name = ''] }) => foldName(name)),
  );
  const templates = deleted.size === 0 ? [] : resources.filter(isTemplate);
  const orphaned = templates.filter((template) =>
    addressesIn(template).some(({ address }) => deleted.has(address)),
  );
  return { deleted, orphaned };
}

function addressesIn({ fields }: Resource) {
  return ['from', 'replyTo'].flatMap((field) => {
    const value = get(fields, field);
    if (typeof value !== 'string' || value === '') return [];
    const { references, directives } = scanVelocity(value);
    // The value of a variable is only known when the notification is sent.
    if (references.length > 0 || directives.size > 0) return [];
    return [{ field, address: foldName((/<([^<>]*)>\s*$/.exec(value)?.[1] ?? value).trim()) }];
  });
}

function lintSenders(resource: Resource, known: Senders, isAsked: boolean): Finding[] {
  // Without the senders of the tenant, only projects that declare some can be judged.
  if (!isAsked && known.addresses.size === 0) return [];
  const unknown = `not a declared sender${isAsked ? ', nor a usable one of the tenant' : ''}`;
  return findUnknownSenders(resource, known).map(({ field, address }) => ({
    code: 'unknown-sender',
    message: `\`${field}\`: ${cutShort(address)} is ${unknown}, and its domain is not verified.`,
    hint: didYouMean(address, known.addresses) ?? 'Declare it as a SenderAddress, or verify its domain.',
    at: pointer(field),
  }));
}
