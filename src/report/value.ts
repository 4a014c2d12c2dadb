import { isArray, isObject, type Json, mapJson } from '../model/json.ts';
import { renderBody, secretName } from '../model/marker.ts';
import { type Pointer, segmentsOf } from '../model/pointer.ts';
import { unicodeEscape } from './safe.ts';

/** How a secret stands in anything that is shown. */
const secretWords = (name: string): string => `(secret ${name})`;

/** A value as lines of text: text as it is, everything else as indented JSON; secrets by name. */
export function valueText(value: Json): string {
  if (typeof value === 'string') return value;
  return JSON.stringify(nameSecrets(value), null, 2);
}

/** A value on one line, as JSON; blanks that look like a space but are none are escaped. */
export function valueInline(value: Json): string {
  const name = secretName(value);
  if (name !== null) return secretWords(name);
  return spaced(nameSecrets(value)).replace(/(?! )\p{Zs}/gu, unicodeEscape);
}

/** A request's body as it will be sent, but for secrets. */
export function bodyText(body: Json): string {
  return JSON.stringify(renderBody(body, secretWords), null, 2);
}

/** A pointer as people read it: `attributes/url`. */
export function pathWords(path: Pointer): string {
  const words = segmentsOf(path).join('/');
  return words === '' ? '(all)' : words;
}

function nameSecrets(value: Json): Json {
  return mapJson(value, (item) => {
    const name = secretName(item);
    return name === null ? item : secretWords(name);
  });
}

/** JSON on one line with room to breathe: `{"a": [1, 2]}`. */
function spaced(value: Json): string {
  if (isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${spaced(item)}`);
  return `{${members.join(', ')}}`;
}
