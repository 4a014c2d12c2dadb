import { readBaseUrl } from '../../loader/connection.ts';
import { failure } from '../../model/failure.ts';

/** What the first manifests come from. */
export const starts = ['examples', 'export'] as const;

/** The CI systems that a pipeline can be written for. */
export const pipelines = ['github', 'gitlab', 'both', 'none'] as const;

/** The tenant of a new project. */
export interface NewTenant {
  /** The base URLs of its services. */
  readonly identity: string;
  readonly profiles: string | null;
  /** The environment variables with the id and the secret of a client. */
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Everything that decides what a new project contains. */
export interface Choices {
  /** `null`: only an embedded tenant. */
  readonly tenant: NewTenant | null;
  readonly from: (typeof starts)[number];
  readonly pipelines: (typeof pipelines)[number];
}

/** The choices made by options. */
export interface Given {
  readonly identity: string | undefined;
  readonly profiles: string | undefined;
  readonly from: Choices['from'] | undefined;
  readonly pipelines: Choices['pipelines'] | undefined;
}

/** Throws a Failure for base URLs that a project cannot have. */
export function checkGiven({ identity, profiles }: Given): void {
  if (identity !== undefined) baseUrl(identity, '--identity');
  if (profiles !== undefined) baseUrl(profiles, '--profiles');
  if (profiles !== undefined && identity === undefined) {
    throw failure('usage', 'A tenant needs the base URL of its identity service.', {
      hint: 'Add it with --identity.',
    });
  }
}

/** The names of the variables with the credentials, where nobody chooses others. */
export const usualNames = { clientId: 'TENANT_CLIENT_ID', clientSecret: 'TENANT_CLIENT_SECRET' };

/** The choices with defaults for what the options leave open. */
export function chooseDefaults(given: Given): Choices {
  const { identity, profiles = null, pipelines = 'both' } = given;
  const tenant = identity === undefined ? null : { identity, profiles, ...usualNames };
  return { tenant, from: given.from ?? startFor(tenant), pipelines };
}

/** A tenant has objects of its own; the examples are about those of the embedded one. */
export const startFor = (tenant: NewTenant | null): Choices['from'] =>
  tenant === null ? 'examples' : 'export';

/** Checks the base URL of a service. The Failure does not contain the text, which may hold a password. */
export function baseUrl(text: string, name = 'The address'): string {
  const read = readBaseUrl(text);
  if ('url' in read) return text;
  throw failure('invalid-url', `${name} cannot be used: ${read.problem}.`, {
    hint: 'For example: https://acme.api.example.com',
  });
}
