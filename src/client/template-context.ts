import { apiRequest } from '../kinds/http.ts';
import { isObject, type JsonObject, own } from '../model/json.ts';
import type { ApiSettings } from '../model/settings.ts';
import { isSuccess } from './answer.ts';
import type { Client } from './client.ts';
import { readFailure } from './read-failure.ts';

/** The tenant's own attributes for templates (seed 001, get-notifications-template-context). Throws a Failure. */
export async function readTemplateContext(
  client: Pick<Client, 'send'>,
  settings: ApiSettings,
): Promise<JsonObject> {
  const request = apiRequest('GET', '/v2025/notification-template-context', settings);
  const sent = await client.send(request);
  if (!isSuccess(sent) || !isObject(sent.body)) throw readFailure('the template context', request, sent);
  const attributes = own(sent.body, 'attributes');
  return isObject(attributes) ? attributes : {};
}
