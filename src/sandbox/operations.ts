/** What the documents say about one operation: the sandbox checks every request against its row. */
export interface Operation {
  /** The documented name; those that the documents leave unnamed have one of the same form. */
  readonly name: string;
  /** `seed 000`, `seed 001`, `seed 002`, or `api-notes` for what only the notes describe. */
  readonly document: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With `{name}` for a segment that varies. */
  readonly path: string;
  /** The type of the body; null where none is sent. */
  readonly contentType: string | null;
  /** The query parameters; `*` stands for the attributes that a collection filters by. */
  readonly query: readonly string[];
}

const json = 'application/json';
const patch = 'application/json-patch+json';
const page = ['limit', 'offset', 'filters'] as const;
const collection = ['limit', 'offset', 'order', 'metadata', '*'] as const;
const run = ['limit', 'offset', 'order', 'metadata'] as const;

/** Every operation of the three API documents and of api-notes. */
export const operations = [
  row('issue-token', 'api-notes', 'POST', '/oauth/token', 'application/x-www-form-urlencoded'),

  row('get-profile-config-list', 'seed 000', 'GET', '/v2024/auth-profiles'),
  row('get-profile-config', 'seed 000', 'GET', '/v2024/auth-profiles/{id}'),
  row('patch-profile-config', 'seed 000', 'PATCH', '/v2024/auth-profiles/{id}', patch),

  row('get-sim-integrations', 'seed 000', 'GET', '/v2024/sim-integrations'),
  row('create-sim-integration', 'seed 000', 'POST', '/v2024/sim-integrations', json),
  row('get-sim-integration', 'seed 000', 'GET', '/v2024/sim-integrations/{id}'),
  row('put-sim-integration', 'seed 000', 'PUT', '/v2024/sim-integrations/{id}', json),
  row('patch-sim-attributes', 'seed 000', 'PATCH', '/v2024/sim-integrations/{id}', patch),
  row('delete-sim-integration', 'seed 000', 'DELETE', '/v2024/sim-integrations/{id}'),
  row(
    'patch-before-provisioning-rule',
    'seed 000',
    'PATCH',
    '/v2024/sim-integrations/{id}/beforeProvisioningRule',
    patch,
  ),

  row('list-notification-templates', 'seed 001', 'GET', '/v2025/notification-templates', null, page),
  row('create-notification-template', 'seed 001', 'POST', '/v2025/notification-templates', json),
  row('get-notification-template', 'seed 001', 'GET', '/v2025/notification-templates/{id}'),
  row(
    'delete-notification-templates-in-bulk',
    'seed 001',
    'POST',
    '/v2025/notification-templates/bulk-delete',
    json,
  ),
  row(
    'list-notification-template-defaults',
    'seed 001',
    'GET',
    '/v2025/notification-template-defaults',
    null,
    page,
  ),
  row('get-notifications-template-context', 'seed 001', 'GET', '/v2025/notification-template-context'),
  row('list-notification-preferences', 'seed 001', 'GET', '/v2025/notification-preferences/{key}'),
  row('send-test-notification', 'seed 001', 'POST', '/v2025/send-test-notification', json),

  row('list-from-addresses', 'seed 001', 'GET', '/v2025/verified-from-addresses', null, [
    ...page,
    'count',
    'sorters',
  ]),
  row('create-verified-from-address', 'seed 001', 'POST', '/v2025/verified-from-addresses', json),
  row('delete-verified-from-address', 'seed 001', 'DELETE', '/v2025/verified-from-addresses/{id}'),

  row('get-dkim-attributes', 'seed 001', 'GET', '/v2025/verified-domains'),
  row('create-domain-dkim', 'seed 001', 'POST', '/v2025/verified-domains', json),
  row('get-mail-from-attributes', 'seed 001', 'GET', '/v2025/mail-from-attributes/{identity}', null, ['id']),
  row('put-mail-from-attributes', 'seed 001', 'PUT', '/v2025/mail-from-attributes', json),

  row('list-users', 'seed 002', 'GET', '/api/users', null, collection),
  row('list-profiles', 'seed 002', 'GET', '/api/profiles', null, collection),
  row('list-profile-types', 'seed 002', 'GET', '/api/profile_types', null, collection),
  row('list-ne-attributes', 'seed 002', 'GET', '/api/ne_attributes', null, collection),

  row('list-profile-searches', 'api-notes', 'GET', '/api/advanced_search'),
  row('create-profile-search', 'api-notes', 'POST', '/api/advanced_search', json),
  row('patch-profile-search', 'api-notes', 'PATCH', '/api/advanced_search/{id}', json),
  row('delete-profile-search', 'api-notes', 'DELETE', '/api/advanced_search/{id}'),
  row('run-profile-search', 'api-notes', 'POST', '/api/advanced_search/run', json, run),
  row('run-saved-profile-search', 'api-notes', 'GET', '/api/advanced_search/{id}/run', null, run),
] as const satisfies readonly Operation[];

export type OperationName = (typeof operations)[number]['name'];

function row<const Name extends string>(
  name: Name,
  document: string,
  method: Operation['method'],
  path: string,
  contentType: string | null = null,
  query: readonly string[] = [],
): Operation & { readonly name: Name } {
  return { name, document, method, path, contentType, query };
}

/** Whether seeds 000 and 001 ask for the experimental header and for `Accept: application/json`. */
export function isExperimental({ path }: Pick<Operation, 'path'>): boolean {
  return path.startsWith('/v20');
}
