import type { LiveObject } from '../kinds/kind.ts';
import { notificationTemplate } from '../kinds/notification-template.ts';
import { groupBy } from '../model/basics.ts';
import { type Json, type JsonObject, own } from '../model/json.ts';
import { type Pointer, placesOf, pointer, valueAt } from '../model/pointer.ts';
import type { Reference } from './brackets.ts';
import { scanVelocity, type VelocityScan } from './velocity.ts';

interface Part {
  readonly at: Pointer;
  readonly text: string;
}

/** A field of a template as Velocity reads it: one text, or all texts of a message that is written as an object. */
export interface TemplateText {
  readonly parts: readonly Part[];
  readonly scan: VelocityScan;
}

const { fields } = notificationTemplate;

/** Scans of this run: the questions to the tenant and the rules need the same texts. */
const scans = new WeakMap<JsonObject, readonly TemplateText[]>();

/** Every text of a template's fields, scanned. */
export function textsOf(declared: JsonObject): readonly TemplateText[] {
  const known = scans.get(declared);
  if (known) return known;
  const texts = scanFields(declared);
  scans.set(declared, texts);
  return texts;
}

function scanFields(declared: JsonObject): TemplateText[] {
  return Object.keys(fields).flatMap((name) => {
    const parts = partsOf(own(declared, name) ?? null, name);
    const whole = parts.map(({ text }) => text).join('\n');
    return parts.length === 0 ? [] : [{ parts, scan: scanVelocity(whole) }];
  });
}

function partsOf(value: Json, name: string): Part[] {
  const places = placesOf(value, (part) => typeof part === 'string');
  return places.map((at) => ({ at: pointer(name) + at, text: String(valueAt(value, at)) }));
}

/** Finds the part of a text, and the place in it, for an offset into all parts. */
export function locate({ parts }: TemplateText, offset: number): { at: Pointer; offset: number } {
  let start = 0;
  for (const { at, text } of parts) {
    if (offset <= start + text.length) return { at, offset: offset - start };
    start += text.length + 1;
  }
  return { at: parts[0]?.at ?? '', offset: 0 };
}

/** Variables of Velocity and its tools. */
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
/** The prefix of the tenant's own variables. */
const tenantPrefix = '__';
const globals = '__global';

/** The variables that the vendor's default templates use, by the key of the template. */
export type DefaultVariables = ReadonlyMap<string, ReadonlySet<string>>;

/** Collects the variables of the vendor's default templates. */
export function variablesOf(defaults: readonly LiveObject[]): DefaultVariables {
  const byKey = new Map<string, Set<string>>();
  for (const { key, fields: declared } of defaults) {
    const [name = ''] = key;
    const names = byKey.get(name) ?? new Set();
    for (const { scan } of textsOf(declared))
      for (const reference of scan.references) names.add(reference.name);
    byKey.set(name, names);
  }
  return byKey;
}

/** What the texts of a template use that they do not define. */
export interface Uses {
  /** Each variable once. */
  readonly variables: readonly Use[];
  /** Members of `$__global`. */
  readonly globals: readonly Use[];
}

export interface Use extends Reference {
  readonly text: TemplateText;
}

/** Collects what the texts of a template use. */
export function usesOf(texts: readonly TemplateText[]): Uses {
  const defined = new Set([...builtIn, ...texts.flatMap(({ scan }) => [...scan.defined])]);
  const all = texts.flatMap((text) => text.scan.references.map((reference) => ({ ...reference, text })));
  const foreign = all.filter(({ name }) => !defined.has(name));
  return {
    variables: groupBy(
      foreign.filter(({ name }) => !name.startsWith(tenantPrefix)),
      ({ name }) => name,
    ).map(([, [first]]) => first),
    globals: foreign.filter(({ name, member }) => name === globals && member !== null),
  };
}
