import { apiRequest, identityResource } from '../kinds/http.ts';
import { listedFor, parseVariables, type VariableLists } from '../kinds/template-variables.ts';
import type { Key } from '../model/address.ts';
import { getObject, isObject, type JsonObject } from '../model/json.ts';
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
