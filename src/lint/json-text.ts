import { isSentAsText } from '../kinds/field.ts';
import { readJsonText } from '../kinds/jsontext.ts';
import type { Resource } from '../kinds/resource.ts';
import { own, parseJson } from '../model/json.ts';
import { pointer } from '../model/pointer.ts';
import { contractSettings } from '../model/settings.ts';
import type { Finding } from './finding.ts';

/**
 * Text in a field that the API keeps as JSON in text, where it is not JSON: tenants refuse it. Such text may come from a
 * tenant, whose export must stay valid. It may hold a credential, so it is not shown.
 */
export function lintJsonText(resource: Resource): Finding[] {
  return Object.entries(resource.kind.fields).flatMap(([name, field]): Finding[] => {
    const text = own(resource.fields, name);
    if (typeof text !== 'string' || text === '' || !isSentAsText(field, contractSettings)) return [];
    if (parseJson(text) !== undefined || readJsonText(text) !== text) return [];
    const message = `The text of \`${name}\` is not valid JSON, which the tenant expects`;
    const hint = `Write the members as YAML: \`${name}: { name: value }\`.`;
    return [{ code: 'json-text', message, hint, resource, at: pointer(name), isUnshown: true }];
  });
}
