import type { JsonObject } from '../model/json.ts';
import type { Request } from '../model/plan.ts';
import type { ApiSettings } from '../model/settings.ts';
import { apiRequest, pathOf } from './http.ts';
import { declaredRules, wireRule } from './profile-search.ts';

/** Runs a declared search, lookups filled, without saving it (api-notes, "ProfileSearch"). */
export function runRules(fields: JsonObject, settings: ApiSettings): Request {
  const rules = declaredRules(fields).map((rule) => wireRule(rule, settings));
  const body = { advanced_search: { condition_rules_attributes: rules } };
  return apiRequest('POST', pathOf(settings.profileSearchPath, 'run'), settings, { body });
}

/** Runs a saved search by its id. */
export function runSaved(id: string, settings: ApiSettings): Request {
  return apiRequest('GET', pathOf(settings.profileSearchPath, id, 'run'), settings);
}
