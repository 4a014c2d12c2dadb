import { sameValue } from '../kinds/field.ts';
import type { LiveObject } from '../kinds/kind.ts';
import type { Resource } from '../kinds/resource.ts';
import { groupBy } from '../model/group.ts';
import { own } from '../model/json.ts';
import { didYouMean } from '../model/suggest.ts';
import { joinWords } from '../model/words.ts';
import { lintChat } from './chat-json.ts';
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
