import { kindNamed } from '../kinds/index.ts';
import { isObject, type JsonObject, own, parseJson } from '../model/json.ts';
import { type Pointer, pointer } from '../model/pointer.ts';
import type { Resource } from '../model/resource.ts';
import type { Finding } from './finding.ts';
import { scanVelocity } from './velocity.ts';

/** Fields that hold JSON, and their members that hold JSON text of their own. */
const chatFields = Object.entries(kindNamed('NotificationTemplate').fields).flatMap(([name, field]) =>
  field.is === 'json' ? [{ name, nested: field.nested ?? [] }] : [],
);

/** JSON in text that is none. Text with directives is another one once it is rendered, and so not judged. */
export function chatFindings(resource: Resource): Finding[] {
  return chatFields.flatMap(({ name, nested }) => {
    const value = own(resource.fields, name);
    if (isObject(value)) return nestedFindings(resource, name, value, nested, null);
    if (typeof value !== 'string' || !isJudged(value)) return [];
    const parsed = parseJson(value);
    if (isObject(parsed)) return nestedFindings(resource, name, parsed, nested, value);
    const problem =
      parsed === undefined ? faultOf(value) : { what: 'is no JSON object', hint: null, offset: 0 };
    return [finding(resource, name, pointer(name), problem)];
  });
}

function nestedFindings(
  resource: Resource,
  field: string,
  message: JsonObject,
  nested: readonly string[],
  text: string | null,
): Finding[] {
  return nested.flatMap((name): Finding[] => {
    const value = own(message, name);
    if (typeof value !== 'string' || !isJudged(value)) return [];
    const parsed = parseJson(value);
    if (typeof parsed === 'object' && parsed !== null) return [];
    const problem =
      parsed === undefined
        ? faultOf(value)
        : { what: 'is neither a JSON object nor a list', hint: null, offset: 0 };
    if (text === null) return [finding(resource, `${field}.${name}`, pointer(field, name), problem)];
    const offset = Math.max(0, text.indexOf(`"${name}"`));
    return [finding(resource, `${field}.${name}`, pointer(field), { ...problem, offset })];
  });
}

function isJudged(text: string): boolean {
  return text !== '' && !scanVelocity(text).hasDirectives;
}

interface Fault {
  readonly what: string;
  readonly hint: string | null;
  readonly offset: number;
}

/** What the parser says of a text that is not JSON, and where it gave up as far as it says so. */
function faultOf(text: string): Fault {
  const what = 'is not valid JSON';
  try {
    JSON.parse(text);
  } catch (error) {
    const said = error instanceof Error ? error.message : '';
    const end = said.includes('end of JSON') ? text.trimEnd().length : 0;
    const offset = Math.min(Number(/position (\d+)/.exec(said)?.[1] ?? end), text.length);
    return { what, hint: `The parser says: ${said.replaceAll(/\s+/g, ' ')}.`, offset };
  }
  return { what, hint: null, offset: 0 };
}

function finding(resource: Resource, name: string, at: Pointer, { what, hint, offset }: Fault): Finding {
  return { code: 'chat-json', message: `The text of \`${name}\` ${what}`, hint, resource, at, offset };
}
