import type { Survey } from '../../engine/detect.ts';
import { readBaseUrl } from '../../loader/connection.ts';
import { failure } from '../../model/failure.ts';

/** What the first manifests come from. */
export const starts = ['examples', 'export'] as const;

/** The CI systems that a pipeline can be written for. */
export const pipelines = ['github', 'gitlab', 'both', 'none'] as const;

/** A tenant of a new project, and the environment that it becomes. */
export interface NewTenant {
  /** The name of the environment. */
  readonly name: string;
  /** The base URLs of its services. */
  readonly identity: string;
  readonly profiles: string | null;
  /** The environment variables with the id and the secret of a client. */
  readonly clientId: string;
  readonly clientSecret: string;
  /** What reading it has shown; `null`: it was not read. */
  readonly survey: Survey | null;
}

/** Everything that decides what a new project contains. */
export interface Choices {
  /** In the order in which changes go to them; none: only an embedded tenant. */
  readonly tenants: readonly NewTenant[];
  readonly from: (typeof starts)[number];
  readonly pipelines: (typeof pipelines)[number];
}

/** The choices made by options. */
export interface Given {
  /** A base URL, or several as `NAME=URL`. */
  readonly identity: readonly string[];
  readonly profiles: readonly string[];
  readonly from: Choices['from'] | undefined;
  readonly pipelines: Choices['pipelines'] | undefined;
}

/** The environment of the only tenant in a new project, which the pipelines work on. */
export const environmentName = 'production';

/** The tenants that options name, without the names of their variables. Throws a Failure for what a project cannot have. */
export function givenTenants({ identity, profiles }: Given): readonly GivenTenant[] {
  const services = identity.map((text) => namedUrl(text, '--identity'));
  const others = profiles.map((text) => namedUrl(text, '--profiles'));
  const isOne = services.length === 1;
  const names = services.map(({ name }) => name ?? (isOne ? environmentName : ''));
  if (services.length === 0 && others.length > 0) {
    throw failure('usage', 'A tenant needs the base URL of its identity service.', {
      hint: 'Add it with --identity.',
    });
  }
  if (new Set(names).size < names.length || names.includes('')) {
    throw failure('usage', 'Several tenants need names of their own.', { hint: namesHint });
  }
  const stray = others.find(({ name }) => !names.includes(name ?? (isOne ? (names[0] ?? '') : '')));
  if (stray) {
    throw failure('usage', `--profiles ${stray.name ?? ''} has no --identity of that name.`, {
      hint: namesHint,
    });
  }
  return services.map(({ url }, at) => {
    const name = names[at] ?? '';
    const own = others.find((other) => other.name === name || (isOne && other.name === null));
    return { name, identity: url, profiles: own?.url ?? null };
  });
}

const namesHint = 'For example: --identity test=https://… --identity production=https://…';

/** What options say about a tenant. */
export type GivenTenant = Pick<NewTenant, 'name' | 'identity' | 'profiles'>;

/** Reads `URL` or `NAME=URL`. */
function namedUrl(text: string, option: string): { readonly name: string | null; readonly url: string } {
  const [, name, url] = /^([A-Za-z0-9][A-Za-z0-9._-]{0,63})=(.*)$/s.exec(text) ?? [];
  return { name: name ?? null, url: baseUrl(url ?? text, option) };
}

/** The names of the variables with the credentials of a tenant, where nobody chooses others. */
export function usualNames(prefix = 'TENANT'): Pick<NewTenant, 'clientId' | 'clientSecret'> {
  const words = prefix.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_');
  const start = /^[A-Z]/.test(words) ? words : `TENANT_${words}`;
  return { clientId: `${start}_CLIENT_ID`, clientSecret: `${start}_CLIENT_SECRET` };
}

/** The choices with defaults for what the options leave open. */
export function chooseDefaults(given: Given): Choices {
  const all = givenTenants(given);
  const tenants = all.map((each) => {
    return { ...each, ...usualNames(all.length > 1 ? each.name : undefined), survey: null };
  });
  return { tenants, from: given.from ?? startFor(tenants), pipelines: given.pipelines ?? 'both' };
}

/** A tenant has objects of its own; the examples are about those of the embedded one. */
export const startFor = (tenants: readonly NewTenant[]): Choices['from'] =>
  tenants.length === 0 ? 'examples' : 'export';

/** Checks the base URL of a service. The Failure does not contain the text, which may hold a password. */
export function baseUrl(text: string, name = 'The address'): string {
  const read = readBaseUrl(text);
  if ('url' in read) return text;
  throw failure('invalid-url', `${name} cannot be used: ${read.problem}.`, {
    hint: 'For example: https://acme.api.example.com',
  });
}
