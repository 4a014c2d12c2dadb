/**
 * Filter expressions of list operations (api-notes, "filter grammar"): SCIM-like, text in double quotes with
 * `\"` and `\\`. Everything that goes into a filter goes through here, so that no value can break out of it.
 */
export const eq = (field: string, value: string): string => `${field} eq ${quoted(value)}`;

export const isIn = (field: string, values: readonly string[]): string =>
  `${field} in (${values.map(quoted).join(',')})`;

export const or = (expressions: readonly string[]): string => expressions.join(' or ');

function quoted(value: string): string {
  return `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
