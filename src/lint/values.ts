import { credentialPlaces } from '../kinds/credentials.ts';
import { isSentAsText, readableFields } from '../kinds/field.ts';
import { readJsonText } from '../kinds/jsontext.ts';
import type { Resource } from '../kinds/resource.ts';
import { own, parseJson } from '../model/json.ts';
import { pointer, segmentsOf, valueAt } from '../model/pointer.ts';
import { isConcealed, looksLikeCredential } from '../model/sensitive.ts';
import { contractSettings } from '../model/settings.ts';
import type { Finding } from './finding.ts';

/**
 * Settings that look like credentials but are not secrets. A plan hides them in its differences, but its requests
 * contain them: only a secret can be filled in later.
 */
export function lintCredentials(resource: Resource): Finding[] {
  const { kind } = resource;
  const fields = readableFields(kind, resource.fields);
  return credentialPlaces(kind, fields).flatMap((at): Finding[] => {
    const value = valueAt(fields, at);
    if (value === '') return [];
    // A value that the tenant has masked is not a credential.
    if (typeof value === 'string' && isConcealed(value)) return [];
    // These are fields of JSON text that could not be parsed: they count only if they name a secret.
    if (typeof value === 'string' && segmentsOf(at).length === 1 && !looksLikeCredential(value)) return [];
    const message = `\`${at}\` looks like a credential, and plans would contain it in clear text`;
    const hint =
      'Store it as a secret and write `!secret NAME`. If it is not a credential, write `lint: { plain-credential: off }` in the project file.';
    return [{ code: 'plain-credential', message, hint, resource, at, isUnshown: true }];
  });
}

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
