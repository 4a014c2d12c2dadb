import { kindNamed } from '../kinds/index.ts';
import { isObject, type Json, own, parseJson } from '../model/json.ts';
import { pointer } from '../model/pointer.ts';
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
    if (typeof value !== 'string') return isObject(value) ? inside(resource, name, value, nested, null) : [];
    if (value === '' || scanVelocity(value).hasDirectives) return [];
    const parsed = parseJson(value);
    if (isObject(parsed)) return inside(resource, name, parsed, nested, value);
    const message =
      parsed === undefined
        ? `The text of \`${name}\` is not valid JSON`
        : `The text of \`${name}\` is no JSON object`;
    return [
      {
        code: 'chat-json',
        message,
        resource,
        at: pointer(name),
        offset: parsed === undefined ? fault(value) : 0,
      },
    ];
  });
}

function inside(
  resource: Resource,
  field: string,
  message: Readonly<Record<string, Json>>,
  nested: readonly string[],
  text: string | null,
): Finding[] {
  return nested.flatMap((name): Finding[] => {
    const value = own(message, name);
    if (typeof value !== 'string' || value === '' || scanVelocity(value).hasDirectives) return [];
    const parsed = parseJson(value);
    if (typeof parsed === 'object' && parsed !== null) return [];
    const problem = parsed === undefined ? 'is not valid JSON' : 'is neither a JSON object nor a list';
    const place =
      text === null
        ? { at: pointer(field, name), offset: parsed === undefined ? fault(value) : 0 }
        : { at: pointer(field), offset: Math.max(0, text.indexOf(`"${name}"`)) };
    return [
      { code: 'chat-json', message: `The text of \`${field}.${name}\` ${problem}`, resource, ...place },
    ];
  });
}

/** Where the parser gave up, as far as it says so. */
function fault(text: string): number {
  try {
    JSON.parse(text);
  } catch (error) {
    const said = error instanceof Error ? error.message : '';
    if (said.includes('end of JSON')) return text.trimEnd().length;
    return Math.min(Number(/position (\d+)/.exec(said)?.[1] ?? 0), text.length);
  }
  return 0;
}
