import { join } from 'node:path';
import { openPageCache, type PageCache } from '../client/page-cache.ts';
import { sha256 } from '../model/hash.ts';
import { canonicalJson } from '../model/json.ts';
import type { Project } from '../model/project.ts';
import { version } from './version.ts';

/**
 * What earlier plans know of the tenant's lists. Like the cache of manifests it is no better protected than the folder
 * it lies in, so that nothing which writes should use it.
 */
export function knownPages({ root, environment }: Project): PageCache {
  const tenant = sha256(environment.tenant).slice('sha256:'.length, 'sha256:'.length + 16);
  const basis = `${version} ${canonicalJson(environment.settings)}`;
  return openPageCache(join(root, '.tenantctl/cache', `pages-${tenant}`), basis);
}
