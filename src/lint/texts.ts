import { kindNamed } from '../kinds/index.ts';
import { isArray, isObject, type Json, type JsonObject, own } from '../model/json.ts';
import { type Pointer, pointer } from '../model/pointer.ts';
import { scanVelocity, type VelocityScan } from './velocity.ts';

interface Part {
  readonly at: Pointer;
  readonly text: string;
}

/** A field of a template as Velocity reads it: one text, or all texts inside a message that is written as an object. */
export interface TemplateText {
  readonly parts: readonly Part[];
  readonly scan: VelocityScan;
}

const { fields } = kindNamed('NotificationTemplate');

/** What was scanned already: what to ask before judging, and the judging itself, look at the same texts. */
const scanned = new WeakMap<JsonObject, readonly TemplateText[]>();

/** Every text of a template's fields, scanned. */
export function textsOf(declared: JsonObject): readonly TemplateText[] {
  const known = scanned.get(declared);
  if (known) return known;
  const texts = scan(declared);
  scanned.set(declared, texts);
  return texts;
}

function scan(declared: JsonObject): TemplateText[] {
  return Object.keys(fields).flatMap((name) => {
    const parts = [...partsOf(own(declared, name), [name])];
    return parts.length === 0
      ? []
      : [{ parts, scan: scanVelocity(parts.map(({ text }) => text).join('\n')) }];
  });
}

function* partsOf(value: Json | undefined, at: readonly (string | number)[]): Generator<Part> {
  if (typeof value === 'string') yield { at: pointer(...at), text: value };
  else if (isArray(value)) for (const [index, item] of value.entries()) yield* partsOf(item, [...at, index]);
  else if (isObject(value)) {
    for (const [name, item] of Object.entries(value)) yield* partsOf(item, [...at, name]);
  }
}

/** Where a character of the joined parts stands. */
export function placeIn({ parts }: TemplateText, offset: number): { at: Pointer; offset: number } {
  let start = 0;
  for (const { at, text } of parts) {
    if (offset <= start + text.length) return { at, offset: offset - start };
    start += text.length + 1;
  }
  return { at: parts[0]?.at ?? '', offset: 0 };
}
