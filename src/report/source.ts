import type { Change } from '../model/plan.ts';
import { uriPath } from './safe.ts';

/**
 * Where a manifest line can be read on the web, from a template such as `https://host/blob/REV/{file}#L{line}`;
 * `null` where there is no template or it is no web address.
 */
export function sourceLink(source: Change['source'], template: string | undefined): string | null {
  if (source === null || template === undefined || !/^https?:\/\//.test(template)) return null;
  const path = uriPath(source.file);
  return template.replaceAll('{file}', () => path).replaceAll('{line}', String(source.line));
}
