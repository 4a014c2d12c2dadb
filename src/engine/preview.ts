import { readDefaults, readObjects, readTemplateContext } from '../client/read.ts';
import { someOf } from '../kinds/kind.ts';
import { notificationTemplate } from '../kinds/notification-template.ts';
import type { JsonObject } from '../model/json.ts';
import type { TenantState } from '../model/live.ts';
import type { Resource } from '../model/resource.ts';
import { readOnlyTenant, type Tenant } from './tenant.ts';

/** What the tenant has of the declared templates. */
export interface LiveTemplates extends Pick<TenantState, 'objects' | 'defaults'> {
  /** The attributes of the template context. */
  readonly attributes: JsonObject;
}

/** Reads the declared templates, the vendor's defaults of all of them, and the template context. */
export async function readTemplates(resources: readonly Resource[], tenant: Tenant): Promise<LiveTemplates> {
  const { client, environment } = readOnlyTenant(tenant);
  const { settings } = environment;
  const keys = resources.filter(({ kind }) => kind === notificationTemplate.name).map(({ key }) => key);
  const wanted = [someOf(notificationTemplate, keys)];
  const [objects, defaults, attributes] = await Promise.all([
    readObjects(client, wanted, settings),
    readDefaults(client, wanted, settings),
    readTemplateContext(client, settings),
  ]);
  return { objects, defaults, attributes };
}
