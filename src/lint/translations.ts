import type { LintCode } from '../model/lint.ts';
import { pointer } from '../model/pointer.ts';
import type { Resource } from '../model/resource.ts';
import { brief, type Finding, listed } from './finding.ts';

/** Locales and media that some declared templates have and others lack: one finding for a key and medium. */
export function translationFindings(templates: readonly Resource[]): Finding[] {
  const media = groupBy(templates, ({ key: [, medium = ''] }) => medium);
  const locales = [...media].flatMap(([medium, group]) =>
    missing(group, ({ key: [, , locale = ''] }) => locale, 'missing-locale', 'locale', `for ${medium} in`),
  );
  return [
    ...locales,
    ...missing(templates, ({ key: [, medium = ''] }) => medium, 'missing-medium', 'medium', 'for'),
  ];
}

function missing(
  templates: readonly Resource[],
  variantOf: (template: Resource) => string,
  code: LintCode,
  field: string,
  where: string,
): Finding[] {
  const all = [...new Set(templates.map(variantOf))].sort();
  return [...groupBy(templates, ({ key: [key = ''] }) => key)].flatMap(([key, group]): Finding[] => {
    const has = new Set(group.map(variantOf));
    const lacks = all.filter((variant) => !has.has(variant));
    const [resource] = group;
    if (!resource || lacks.length === 0) return [];
    const message = `\`${brief(key)}\` is not declared ${where} ${listed(lacks)}, as other notifications are`;
    return [{ code, message, resource, at: pointer(field) }];
  });
}

function groupBy<T>(items: readonly T[], nameOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const name = nameOf(item);
    const group = groups.get(name);
    if (group) group.push(item);
    else groups.set(name, [item]);
  }
  return groups;
}
