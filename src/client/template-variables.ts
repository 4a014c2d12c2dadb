import { apiRequest, identityResource } from '../kinds/http.ts';
import { listedFor, type VariableLists } from '../kinds/notifications.ts';
import type { Key } from '../model/address.ts';
import {
  get,
  getObject,
  getText,
  isObject,
  type Json,
  type JsonObject,
  objectsIn,
  parseJson,
} from '../model/json.ts';
import { pointer, setMember } from '../model/pointer.ts';
import { isWhole } from './answer.ts';
import type { Client } from './client.ts';
import { allOrFailure, readFailure } from './describe.ts';

export const templateContext = identityResource(
  'NotificationTemplateContext',
  'v2025',
  'notification-template-context',
);

/** The tenant's own attributes for templates (seed 001, get-notifications-template-context). Throws a Failure. */
export async function readTemplateContext(client: Pick<Client, 'send' | 'settings'>): Promise<JsonObject> {
  const request = apiRequest('GET', templateContext, client.settings);
  const sent = await client.send(request);
  if (!isWhole(sent) || !isObject(sent.body)) throw readFailure('the template context', request, sent);
  return getObject(sent.body, 'attributes');
}

const templateVariables = identityResource(
  'NotificationTemplateVariables',
  'v2026',
  'notification-template-variables',
);

/** The variables of these templates, if the host lists them and has such a template. Throws a Failure. */
export async function readVariables(
  client: Pick<Client, 'send' | 'settings'>,
  keys: readonly Key[],
): Promise<VariableLists> {
  const { settings } = client;
  if (settings.templateVariables === 'none') return new Map();
  const distinct = new Map(keys.map((key) => [listedFor(key), key]));
  const found = await allOrFailure(
    [...distinct].map(async ([name, [key = '', medium = '']]) => {
      const request = apiRequest('GET', templateVariables, settings, { below: [key, medium] });
      const sent = await client.send(request);
      if (sent.outcome === 'answered' && sent.status === 404) return [];
      if (!isWhole(sent) || !isObject(sent.body))
        throw readFailure('the variables of a template', request, sent);
      return [[name, parseVariables(sent.body)] as const];
    }),
  );
  return new Map(found.flat());
}

function parseVariables(answer: JsonObject) {
  const rows = ['globalVariables', 'templateVariables'].flatMap((name) => objectsIn(get(answer, name)));
  const listed = rows.flatMap((row) => {
    // Written as in a text, or bare: `${requester.name}`.
    const path = /^\$?!?\{?([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)/.exec(getText(row, 'key') ?? '')?.[1];
    return path === undefined ? [] : [{ path: path.split('.'), example: exampleOf(row) }];
  });
  const examples = listed.reduce<JsonObject>(
    (all, { path, example }) => (example === null ? all : setMember(all, pointer(...path), example)),
    {},
  );
  return {
    names: new Set(listed.map(({ path: [name = ''] }) => name)),
    globals: new Set(
      listed.flatMap(({ path: [name, member] }) => (name === '__global' && member ? [member] : [])),
    ),
    examples,
  };
}

/** The example as a value of its type, or else any such value. `null` for functions and for examples that do not fit. */
function exampleOf(row: JsonObject): Json {
  const type = getText(row, 'type')?.toLowerCase() ?? '';
  const example = get(row, 'example') ?? null;
  if (type.includes('function')) return null;
  if (/bool/.test(type)) return String(example ?? true) === 'true';
  if (/int|long|number|double|float/.test(type))
    return Number.isFinite(Number(example ?? 3)) ? Number(example ?? 3) : 3;
  if (typeof example !== 'string' || !/list|array|map|object/.test(type))
    return example === '' ? null : example;
  const parsed = parseJson(example);
  return typeof parsed === 'object' ? parsed : null;
}
