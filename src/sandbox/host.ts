import { isArray, isObject, type Json, type JsonObject, mapMembers, parseJson } from '../model/json.ts';
import { ApiError, badRequest, type Operation } from './operations.ts';
import { refuse } from './shape.ts';
import type { Variations } from './ways.ts';

// How the ways of hosts (ways.ts) change what all operations take and answer. What they change of one resource is in its handler.

/**
 * Reads an object that the contract sends as text, and that tenants with `jsonText: object` take as an object.
 * Throws `ShapeError` for the other form, and for text that is not a JSON object. `at` names the place in the message.
 */
export function readJsonText(
  value: Json,
  at: string,
  { jsonText }: Pick<Variations, 'jsonText'>,
): JsonObject | null {
  if (value === null) return null;
  if (jsonText === 'object') return isObject(value) ? value : refuse(at, 'must be an object');
  const parsed = typeof value === 'string' ? parseJson(value) : undefined;
  return isObject(parsed) ? parsed : refuse(at, 'must be text that holds a JSON object');
}

/** An object in the form in which the tenant answers it. Other values are answered as they are. */
export function writeJsonText(value: Json, { jsonText }: Pick<Variations, 'jsonText'>): Json {
  if (!isObject(value) || jsonText === 'object') return value;
  return jsonText === 'text' ? JSON.stringify(value) : writeMap(value);
}

/** An object in the form in which a client sends it: no tenant takes the form of a map. */
export function writeSentJson(value: Json, { jsonText }: Pick<Variations, 'jsonText'>): Json {
  return writeJsonText(value, { jsonText: jsonText === 'map' ? 'text' : jsonText });
}

/** `{a=b, c=d}`, as some servers print a map. */
function writeMap(value: Json): string {
  if (isArray(value)) return `[${value.map(writeMap).join(', ')}]`;
  if (!isObject(value)) return String(value);
  const members = Object.entries(value).map(([key, item]) => `${key}=${writeMap(item)}`);
  return `{${members.join(', ')}}`;
}

const unnamedHeader = 'Experimental Header is missing or invalid.';

/** Throws a 400 or 403 for an experimental operation without the header that the host wants. */
export function checkExperimental(
  { path, isExperimental }: Pick<Operation, 'path' | 'isExperimental'>,
  headerOf: (name: string) => unknown,
  { experimentalHeader, experimentalFor, headerMissing }: Variations,
): void {
  const isWanted = experimentalFor === 'all' ? isExperimental : path.includes('/sim-integrations');
  if (!isWanted || headerOf(experimentalHeader.toLowerCase()) === 'true') return;
  const message = `The header ${experimentalHeader}: true is required for this experimental operation`;
  if (headerMissing === 'forbidden') throw new ApiError(403, message);
  throw badRequest(headerMissing === 'unnamed' ? unnamedHeader : message);
}

/** The body of an error where it is not as documented; else null. */
export function showError(
  path: string,
  status: number,
  message: string,
  { profileErrors }: Variations,
): JsonObject | null {
  if (message === unnamedHeader) return { error: message };
  if (profileErrors === 'documented' || status === 401 || !path.startsWith('/api/')) return null;
  const [, field = 'base', text = message] = /^"?(?:\S*\.)?(\w+)(?:\[\d+\])?"?:? (.+)$/s.exec(message) ?? [];
  return { error: message, errors: { [field]: text } };
}

/** The members of each resource that may be null, where hosts say so. */
const nullable: readonly (readonly [path: string, names: readonly string[]])[] = [
  ['/v2024/auth-profiles', ['applicationId', 'applicationName']],
  ['/v2024/sim-integrations', ['cluster']],
  ['/v2025/notification-templates', ['header', 'footer', 'slackTemplate', 'teamsTemplate']],
  [
    '/v2025/notification-template-defaults',
    ['subject', 'header', 'footer', 'from', 'replyTo', 'description', 'slackTemplate', 'teamsTemplate'],
  ],
  ['/v2025/verified-from-addresses', ['id', 'region']],
  ['/v2025/verified-domains', []],
];

/** An answer without the nulls that a host does not have. */
export function showAnswer(
  { path }: Pick<Operation, 'path'>,
  body: Json | undefined,
  { nulls, profileWords }: Variations,
): Json | undefined {
  if (body === undefined) return body;
  if (path.startsWith('/api/')) return profileWords === 'product' ? withoutAnyNull(body) : body;
  const [, names] = nullable.find(([start]) => path === start || path.startsWith(`${start}/`)) ?? [];
  if (nulls === 'all' || !names) return body;
  const show = (row: Json) =>
    isObject(row)
      ? mapMembers(row, (value, name) => (value === null && !names.includes(name) ? undefined : value))
      : row;
  return isArray(body) ? body.map(show) : show(body);
}

function withoutAnyNull(value: Json): Json {
  if (isArray(value)) return value.map(withoutAnyNull);
  if (!isObject(value)) return value;
  return mapMembers(value, (member) => (member === null ? undefined : withoutAnyNull(member)));
}
