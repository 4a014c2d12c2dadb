import { readDefaults, readObjects } from '../client/read.ts';
import { readTemplateContext, readVariables } from '../client/template-variables.ts';
import { readableFields } from '../kinds/field.ts';
import { LiveIndex, someOf } from '../kinds/live-objects.ts';
import { notificationTemplate, type VariableLists } from '../kinds/notifications.ts';
import type { Project } from '../kinds/project.ts';
import type { Address } from '../model/address.ts';
import type { Plan } from '../model/documents.ts';
import type { JsonObject } from '../model/json.ts';
import { readMovedDefaults } from './review.ts';
import { readOnlyTenant, type Tenant } from './tenant.ts';

/**
 * Reads the declared templates, the vendor's defaults for all of them, the template context, and listed variables. `moved`: the
 * defaults that have changed since templates were customised (`lifecycle.basedOn`), by address; before is `null` if no manifest
 * has it, now or earlier.
 */
export async function readTemplates(project: Project, tenant: Tenant, env: NodeJS.ProcessEnv) {
  const { client } = readOnlyTenant(tenant);
  const templates = project.resources.filter(({ kind }) => kind === notificationTemplate);
  const keys = templates.map(({ key }) => key);
  const requests = [someOf(notificationTemplate, keys)];
  const [objects, defaults, attributes, listed] = await Promise.all([
    readObjects(client, requests),
    readDefaults(client, requests),
    readTemplateContext(client),
    readVariables(client, keys),
  ]);
  const live = new LiveIndex(objects);
  const matches = templates.map((resource) => {
    const { kind, key } = resource;
    return { kind, resource, live: live.findByKey(kind, key) };
  });
  const moved = await readMovedDefaults(matches, defaults, project, env);
  const sides = moved.map(({ match, standard, earlier }) => {
    return [match.resource.address, { before: earlier, after: standard.fields }] as const;
  });
  return { objects, defaults, attributes, listed, moved: new Map(sides) };
}

export interface TemplateSetting {
  readonly attributes?: JsonObject;
  readonly listed?: VariableLists;
  /** The fields of the vendor's defaults that deletes revert to. */
  readonly defaults?: ReadonlyMap<Address, JsonObject>;
}

export async function readTemplateSetting(plan: Plan, { client }: Tenant): Promise<TemplateSetting> {
  const changes = plan.changes.filter(({ kind }) => kind === notificationTemplate.name);
  if (changes.length === 0) return {};
  const keys = changes.flatMap(({ action, key }) => (action === 'delete' ? [key] : []));
  const [attributes, listed, defaults] = await Promise.all([
    readTemplateContext(client),
    readVariables(
      client,
      changes.map(({ key }) => key),
    ),
    readDefaults(client, [someOf(notificationTemplate, keys)]),
  ]);
  return {
    attributes,
    listed,
    defaults: new Map(
      defaults.map(({ address, fields }) => [address, readableFields(notificationTemplate, fields)]),
    ),
  };
}
