import type { LiveObject } from '../model/live.ts';
import type { Resource } from '../model/resource.ts';
import { didYouMean } from '../model/suggest.ts';
import type { Reference } from './brackets.ts';
import { brief, type Finding } from './finding.ts';
import type { LintKnowledge } from './knowledge.ts';
import { placeIn, type TemplateText, textsOf } from './texts.ts';

/** What Velocity and its tools bring along; the tenant's own begin with `__`. */
const builtIn = [
  'foreach',
  'velocityCount',
  'velocityHasNext',
  'bodyContent',
  'macro',
  'define',
  'esc',
  'math',
];
const tenantsOwn = '__';
const globals = '__global';

/** The variables that the vendor's default templates use, by the key of the template. */
export type DefaultVariables = ReadonlyMap<string, ReadonlySet<string>>;

export function variablesOf(defaults: readonly LiveObject[]): DefaultVariables {
  const byKey = new Map<string, Set<string>>();
  for (const {
    key: [key = ''],
    fields,
  } of defaults) {
    const names = byKey.get(key) ?? new Set();
    for (const { scan } of textsOf(fields)) for (const { name } of scan.references) names.add(name);
    byKey.set(key, names);
  }
  return byKey;
}

/** What a template's texts take from the tenant. */
export interface Uses {
  /** Variables that the template does not set itself. */
  readonly variables: readonly Use[];
  /** Members of `$__global`. */
  readonly globals: readonly Use[];
}

interface Use extends Reference {
  readonly text: TemplateText;
}

export function usesOf(texts: readonly TemplateText[]): Uses {
  const own = new Set([...builtIn, ...texts.flatMap(({ scan }) => [...scan.defined])]);
  const all = texts.flatMap((text) => text.scan.references.map((reference) => ({ ...reference, text })));
  const foreign = all.filter(({ name }) => !own.has(name));
  return {
    variables: distinct(foreign.filter(({ name }) => !name.startsWith(tenantsOwn))),
    globals: foreign.filter(({ name, member }) => name === globals && member !== null),
  };
}

function distinct(uses: readonly Use[]): Use[] {
  const first = new Map<string, Use>();
  for (const use of uses) if (!first.has(use.name)) first.set(use.name, use);
  return [...first.values()];
}

/** Names that are wrong again and again are one mistake. */
const most = 20;

/** Variables that neither default nor context knows; judged only as far as the tenant was asked for both. */
export function unknownVariables(
  resource: Resource,
  texts: readonly TemplateText[],
  { context }: LintKnowledge,
  defaults: DefaultVariables,
): Finding[] {
  if (!context) return [];
  const { variables, globals: members } = usesOf(texts);
  const known = defaults.get(resource.key[0] ?? '');
  const names = [...(known ?? []), ...context];
  const isKnown = new Set(names);
  const isAttribute = new Set(context);
  return [
    ...(known ? variables : [])
      .filter(({ name }) => !isKnown.has(name))
      .map((use) => {
        const message = `Neither the vendor's default nor the template context has \`$${brief(use.name)}\``;
        return finding(resource, use, message, didYouMean(use.name, names));
      }),
    ...members
      .filter(({ member }) => !isAttribute.has(member ?? ''))
      .map((use) => {
        const message = `The template context has no \`${brief(use.member ?? '')}\``;
        return finding(resource, use, message, didYouMean(use.member ?? '', context));
      }),
  ].slice(0, most);
}

function finding(resource: Resource, { text, offset }: Use, message: string, hint: string | null): Finding {
  return { code: 'unknown-variable', message, hint, resource, ...placeIn(text, offset) };
}
