/** One operation as the documents describe it. The sandbox checks every request against it. */
export interface Operation {
  /** The documented name; operations that the documents do not name have one of the same form. */
  readonly name: string;
  /** `seed 000`, `seed 001`, `seed 002`, `api-notes` for operations that only the notes describe, or `descriptor`. */
  readonly document: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With `{name}` for a segment that varies. */
  readonly path: string;
  /** Null if it has no body. */
  readonly contentType: string | null;
  /** The query parameters; `*` stands for the attributes that a collection filters by. */
  readonly query: readonly string[];
  /** True when it requires the experimental header and `Accept: application/json` (seeds 000 and 001). */
  readonly isExperimental: boolean;
}

const json = 'application/json';
const jsonPatch = 'application/json-patch+json';
const form = 'application/x-www-form-urlencoded';

const page = ['limit', 'offset', 'filters'];
const run = ['limit', 'offset', 'order', 'metadata'];
const collection = [...run, '*'];

/** Every operation of the three API documents and of api-notes. */
export const operations = [
  row('issue-token', 'api-notes', post('/oauth/token', form)),

  row('get-profile-config-list', 'seed 000', get('/v2024/auth-profiles')),
  row('get-profile-config', 'seed 000', get('/v2024/auth-profiles/{id}')),
  row('patch-profile-config', 'seed 000', patch('/v2024/auth-profiles/{id}')),

  row('get-sim-integrations', 'seed 000', get('/v2024/sim-integrations')),
  row('create-sim-integration', 'seed 000', post('/v2024/sim-integrations')),
  row('get-sim-integration', 'seed 000', get('/v2024/sim-integrations/{id}')),
  row('put-sim-integration', 'seed 000', put('/v2024/sim-integrations/{id}')),
  row('patch-sim-attributes', 'seed 000', patch('/v2024/sim-integrations/{id}')),
  row('delete-sim-integration', 'seed 000', remove('/v2024/sim-integrations/{id}')),
  row(
    'patch-before-provisioning-rule',
    'seed 000',
    patch('/v2024/sim-integrations/{id}/beforeProvisioningRule'),
  ),

  row('list-notification-templates', 'seed 001', get('/v2025/notification-templates', page)),
  row('create-notification-template', 'seed 001', post('/v2025/notification-templates')),
  row('get-notification-template', 'seed 001', get('/v2025/notification-templates/{id}')),
  row('delete-notification-templates-in-bulk', 'seed 001', post('/v2025/notification-templates/bulk-delete')),
  row('list-notification-template-defaults', 'seed 001', get('/v2025/notification-template-defaults', page)),
  row('get-notifications-template-context', 'seed 001', get('/v2025/notification-template-context')),
  row('list-notification-preferences', 'seed 001', get('/v2025/notification-preferences/{key}')),
  row('send-test-notification', 'seed 001', post('/v2025/send-test-notification')),

  row(
    'list-from-addresses',
    'seed 001',
    get('/v2025/verified-from-addresses', [...page, 'count', 'sorters']),
  ),
  row('create-verified-from-address', 'seed 001', post('/v2025/verified-from-addresses')),
  row('delete-verified-from-address', 'seed 001', remove('/v2025/verified-from-addresses/{id}')),

  row('get-dkim-attributes', 'seed 001', get('/v2025/verified-domains')),
  row('create-domain-dkim', 'seed 001', post('/v2025/verified-domains')),
  row('get-mail-from-attributes', 'seed 001', get('/v2025/mail-from-attributes/{identity}', ['id'])),
  row('put-mail-from-attributes', 'seed 001', put('/v2025/mail-from-attributes')),

  row('list-users', 'seed 002', get('/api/users', collection)),
  row('list-profiles', 'seed 002', get('/api/profiles', collection)),
  row('list-profile-types', 'seed 002', get('/api/profile_types', collection)),
  row('list-ne-attributes', 'seed 002', get('/api/ne_attributes', collection)),

  row('list-profile-searches', 'api-notes', get('/api/advanced_search')),
  row('create-profile-search', 'api-notes', post('/api/advanced_search')),
  row('patch-profile-search', 'api-notes', patch('/api/advanced_search/{id}', json)),
  row('delete-profile-search', 'api-notes', remove('/api/advanced_search/{id}')),
  row('run-profile-search', 'api-notes', post('/api/advanced_search/run', json, run)),
  row('run-saved-profile-search', 'api-notes', get('/api/advanced_search/{id}/run', run)),
] as const satisfies readonly Operation[];

export type OperationName = (typeof operations)[number]['name'];

export type Request = Omit<Operation, 'name' | 'document' | 'isExperimental'>;

function row<const Name extends string>(
  name: Name,
  document: string,
  sent: Request,
): Operation & { readonly name: Name } {
  return { name, document, ...sent, isExperimental: sent.path.startsWith('/v20') };
}

export function get(path: string, query: readonly string[] = []): Request {
  return { method: 'GET', path, contentType: null, query };
}

export function post(path: string, contentType = json, query: readonly string[] = []): Request {
  return { method: 'POST', path, contentType, query };
}

export function put(path: string): Request {
  return { method: 'PUT', path, contentType: json, query: [] };
}

export function patch(path: string, contentType = jsonPatch): Request {
  return { method: 'PATCH', path, contentType, query: [] };
}

export function remove(path: string): Request {
  return { method: 'DELETE', path, contentType: null, query: [] };
}
