import { sameValue } from '../kinds/field.ts';
import type { LiveObject } from '../kinds/kind.ts';
import { notificationTemplate } from '../kinds/notification-template.ts';
import type { Resource } from '../kinds/resource.ts';
import { groupBy } from '../model/basics.ts';
import { isObject, type Json, type JsonObject, own, parseJson } from '../model/json.ts';
import { type Pointer, pointer } from '../model/pointer.ts';
import { didYouMean, joinWords } from '../model/words.ts';
import { type Finding, shorten } from './finding.ts';
import type { LintKnowledge } from './knowledge.ts';
import { lintSenders, type Senders } from './senders.ts';
import {
  type DefaultVariables,
  locate,
  type TemplateText,
  textsOf,
  type Use,
  usesOf,
  variablesOf,
} from './texts.ts';
import { scanVelocity } from './velocity.ts';

/** Findings about templates, each judged by itself. */
export function lintTemplates(
  templates: readonly Resource[],
  senders: Senders,
  known: LintKnowledge | null,
): Finding[] {
  const defaults = known?.defaults ?? [];
  const variables = variablesOf(defaults);
  const byAddress = new Map(defaults.map((each) => [each.address, each]));
  return templates.flatMap((resource) => {
    const texts = textsOf(resource.fields);
    return [
      ...texts.flatMap((text) => lintVelocity(resource, text)),
      ...(known?.context ? lintVariables(resource, texts, variables, known.context) : []),
      ...lintSenders(resource, senders),
      ...lintChat(resource),
      ...lintDefault(resource, byAddress.get(resource.address), known?.customised?.has(resource.address)),
    ];
  });
}

function lintVelocity(resource: Resource, text: TemplateText): Finding[] {
  return text.scan.problems.map(({ offset, ...problem }) => ({
    ...problem,
    resource,
    ...locate(text, offset),
  }));
}

/** More findings than these have a common cause. */
const maxVariables = 20;

/** Variables that are neither in the vendor's default nor in the template context. */
function lintVariables(
  resource: Resource,
  texts: readonly TemplateText[],
  defaults: DefaultVariables,
  context: readonly string[],
): Finding[] {
  const { variables, globals } = usesOf(texts);
  const finding = ({ text, offset }: Use, message: string, hint: string | null): Finding => ({
    code: 'unknown-variable',
    message,
    hint,
    resource,
    ...locate(text, offset),
  });
  const ofDefault = defaults.get(resource.key[0] ?? '');
  const names = new Set([...(ofDefault ?? []), ...context]);
  const attributes = new Set(context);
  return [
    // Without the default of this key, its variables are not known.
    ...(ofDefault ? variables : [])
      .filter(({ name }) => !names.has(name))
      .map((use) => {
        const message = `Neither the vendor's default nor the template context has \`$${shorten(use.name)}\``;
        return finding(use, message, didYouMean(use.name, names));
      }),
    ...globals
      .filter(({ member }) => !attributes.has(member ?? ''))
      .map((use) => {
        const message = `The template context has no \`${shorten(use.member ?? '')}\``;
        return finding(use, message, didYouMean(use.member ?? '', context));
      }),
  ].slice(0, maxVariables);
}

/** The fields that hold JSON, each with those of its members that hold JSON text themselves. */
const chatFields = Object.entries(notificationTemplate.fields).flatMap(([name, field]) =>
  field.is === 'json' ? [{ name, nested: field.nested ?? [] }] : [],
);

/** Findings about invalid JSON in chat messages. Text with directives is not judged: rendering changes it. */
function lintChat(resource: Resource): Finding[] {
  return chatFields.flatMap(({ name, nested }) => {
    const value = own(resource.fields, name);
    if (isObject(value)) {
      return findNestedProblems(value, nested).map(({ member, problem }) =>
        toFinding(resource, `${name}.${member}`, pointer(name, member), problem),
      );
    }
    if (typeof value !== 'string' || !canJudge(value)) return [];
    const problem = findProblem(value, isObject, 'is not a JSON object');
    if (problem) return [toFinding(resource, name, pointer(name), problem)];
    const message = parseJson(value);
    if (!isObject(message)) return [];
    return findNestedProblems(message, nested).map(({ member, problem }) => {
      const offset = Math.max(0, value.indexOf(`"${member}"`));
      return toFinding(resource, `${name}.${member}`, pointer(name), { ...problem, offset });
    });
  });
}

function findNestedProblems(
  message: JsonObject,
  nested: readonly string[],
): { member: string; problem: Problem }[] {
  return nested.flatMap((member) => {
    const value = own(message, member);
    if (typeof value !== 'string' || !canJudge(value)) return [];
    const isContainer = (parsed: Json) => typeof parsed === 'object' && parsed !== null;
    const problem = findProblem(value, isContainer, 'is neither a JSON object nor a list');
    return problem ? [{ member, problem }] : [];
  });
}

interface Problem {
  readonly what: string;
  readonly hint: string | null;
  readonly offset: number;
}

function canJudge(text: string): boolean {
  return text !== '' && !scanVelocity(text).hasDirectives;
}

function findProblem(text: string, accepts: (parsed: Json) => boolean, otherwise: string): Problem | null {
  const parsed = parseJson(text);
  if (parsed === undefined) return describeSyntaxError(text);
  return accepts(parsed) ? null : { what: otherwise, hint: null, offset: 0 };
}

/** Describes text that is not JSON by the parser's message, and the place if the parser gives one. */
function describeSyntaxError(text: string): Problem {
  const what = 'is not valid JSON';
  try {
    JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : '';
    const end = reason.includes('end of JSON') ? text.trimEnd().length : 0;
    const offset = Math.min(Number(/position (\d+)/.exec(reason)?.[1] ?? end), text.length);
    return { what, hint: `The parser says: ${reason.replaceAll(/\s+/g, ' ')}.`, offset };
  }
  return { what, hint: null, offset: 0 };
}

function toFinding(resource: Resource, name: string, at: Pointer, { what, hint, offset }: Problem): Finding {
  return { code: 'chat-json', message: `The text of \`${name}\` ${what}`, hint, resource, at, offset };
}

function lintDefault(resource: Resource, base: LiveObject | undefined, isCustomised = false): Finding[] {
  const { fields } = resource.kind;
  const isSame = (name: string) => {
    const field = fields[name];
    return field !== undefined && sameValue(field, own(resource.fields, name), own(base?.fields ?? {}, name));
  };
  if (!base || !Object.keys(resource.fields).every(isSame)) return [];
  return [
    {
      code: 'equals-default',
      message: `${resource.address} only repeats the vendor's default`,
      // Without its manifest, a customised copy would stay as it is.
      hint: isCustomised
        ? "Declare it with `ensure: absent`, and the template follows the vendor's changes."
        : "Remove the manifest, and the template follows the vendor's changes.",
      resource,
      at: '',
    },
  ];
}

/** Locales and media that some templates have and others lack: one finding for each key and medium. */
export function lintTranslations(templates: readonly Resource[]): Finding[] {
  const locales = groupBy(templates, mediumOf).flatMap(([medium, group]) =>
    findMissing(group, localeOf, (key, missing) => ({
      code: 'missing-locale',
      message: `${key} is not declared for ${medium} in ${missing}, as other notifications are`,
      at: '/locale',
    })),
  );
  const media = findMissing(templates, mediumOf, (key, missing) => ({
    code: 'missing-medium',
    message: `${key} is not declared for ${missing}, as other notifications are`,
    at: '/medium',
  }));
  return [...locales, ...media];
}

const keyOf = ({ key: [key = ''] }: Resource) => key;
const mediumOf = ({ key: [, medium = ''] }: Resource) => medium;
const localeOf = ({ key: [, , locale = ''] }: Resource) => locale;

/** One finding for each key that lacks a variant which another key has; `describe` gets the key and what it lacks. */
function findMissing(
  templates: readonly Resource[],
  variantOf: (template: Resource) => string,
  describe: (key: string, missing: string) => Omit<Finding, 'resource'>,
): Finding[] {
  const all = [...new Set(templates.map(variantOf))].sort();
  return groupBy(templates, keyOf).flatMap(([key, group]): Finding[] => {
    const present = new Set(group.map(variantOf));
    const missing = all.filter((variant) => !present.has(variant));
    const [resource] = group;
    if (missing.length === 0) return [];
    return [{ ...describe(`\`${shorten(key)}\``, joinWords('and', shortenList(missing))), resource }];
  });
}

/** Only the first ten of many. */
function shortenList(words: readonly string[]): readonly string[] {
  return words.length > 10 ? [...words.slice(0, 10), `${words.length - 10} more`] : words;
}
