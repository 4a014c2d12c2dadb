import { readDefaults, readTemplateContext } from '../client/read.ts';
import { readableFields } from '../kinds/field.ts';
import { someOf } from '../kinds/kind.ts';
import { notificationTemplate } from '../kinds/notification-template.ts';
import type { Address } from '../model/address.ts';
import type { JsonObject } from '../model/json.ts';
import type { Plan } from '../model/plan.ts';
import type { Tenant } from './tenant.ts';

/** What a tenant has for a page that shows the templates of a plan as recipients see them. */
export interface TemplateSetting {
  /** The attributes of the template context. */
  readonly attributes?: JsonObject;
  /** The fields of the vendor's templates that deletes go back to. */
  readonly defaults?: ReadonlyMap<Address, JsonObject>;
}

/** Reads what a page of the plan shows templates with; nothing where the plan changes no template. */
export async function readTemplateSetting(
  plan: Plan,
  { client, environment: { settings } }: Tenant,
): Promise<TemplateSetting> {
  const changes = plan.changes.filter(({ kind }) => kind === notificationTemplate.name);
  if (changes.length === 0) return {};
  const keys = changes.flatMap(({ action, key }) => (action === 'delete' ? [key] : []));
  const [attributes, defaults] = await Promise.all([
    readTemplateContext(client, settings),
    readDefaults(client, [someOf(notificationTemplate, keys)], settings),
  ]);
  return {
    attributes,
    defaults: new Map(
      defaults.map(({ address, fields }) => [address, readableFields(notificationTemplate, fields)]),
    ),
  };
}
