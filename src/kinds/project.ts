import { addressGlob, slowGlob } from '../model/address.ts';
import type { Diagnostic } from '../model/failure.ts';
import type { Json } from '../model/json.ts';
import type { LintLevels } from '../model/lint.ts';
import type { ApiSettings, Network, TenantName } from '../model/tenant.ts';
import { didYouMean } from '../model/words.ts';
import type { Service } from './http.ts';
import type { Kind } from './kind.ts';
import type { Resource } from './resource.ts';

/** The values of `!secret NAME`: nothing else in the program holds them. */
export interface Secrets {
  /** The text of the secret. Throws a Failure that names the variable if it is not set. */
  reveal(name: string): string;
  /** Whether the secret's text passes the test; `false` if the secret is not set. */
  matches(name: string, test: (text: string) => boolean): boolean;
  /** Reads a secret again that comes from a file, and returns its text; `null` for any other. */
  renew?(name: string): string | null;
  /** Why there is no such secret: not set, empty, or in a file that cannot be read. `null` if there is one. */
  problem(name: string): Pick<Diagnostic, 'code' | 'message' | 'hint'> | null;
}

/** A setting of the project file that an address comes from, for messages. */
export interface Setting extends Required<Pick<Diagnostic, 'source' | 'excerpt'>> {
  /** `identity.baseUrl`. */
  readonly name: string;
}

/** How to authenticate. The functions throw a Failure at the place of an unset credential. */
export type Auth =
  | {
      readonly by: 'token';
      readonly token: () => string;
      /** Reads the token again, which may have been rotated; `null` if it comes from no file. */
      readonly renew?: () => string | null;
      readonly setting?: Pick<Setting, 'name' | 'source'>;
    }
  | {
      readonly by: 'client-credentials';
      readonly tokenUrl: string;
      /** The setting of the token URL, or of the base URL that it is made from. */
      readonly setting?: Setting;
      readonly clientId: () => string;
      readonly clientSecret: () => string;
    };

/** The TLS material for connections to a host, in PEM. The functions throw a Failure at a file or secret that cannot be read. */
interface ClientCertificate {
  readonly cert?: () => string;
  readonly key?: () => string;
  readonly ca?: () => string;
}

export interface Endpoint {
  readonly baseUrl: string;
  readonly setting?: Setting;
  readonly auth: Auth;
  /** `null` or left out: the project file names none. */
  readonly preset?: PresetName | null;
  readonly tls?: ClientCertificate;
}

interface EmbeddedTenant {
  readonly seed: string | null;
  readonly data: string | null;
  readonly kinds: string | null;
  /** The products whose hosts it imitates. */
  readonly presets?: readonly PresetName[];
}

export interface RateLimit {
  readonly requests: number;
  readonly per: number;
  readonly concurrency: number;
}

/** Times are in milliseconds. */
interface Limits extends RateLimit {
  /** Bytes kept of the tenant's answers in a run; `null`: as much as the memory of the process allows. */
  readonly answers: number | null;
  readonly timeout: number | null;
  readonly settle: number;
}

type Connection =
  | {
      readonly to: 'tenant';
      readonly identity: Endpoint | null;
      readonly profiles: Endpoint | null;
      readonly network: Network;
    }
  | { readonly to: 'sandbox'; readonly sandbox: EmbeddedTenant };

export interface Policy {
  readonly protect: readonly string[];
  readonly prune: { readonly kinds: readonly string[]; readonly keep: readonly string[] };
  readonly maxDeletes: number;
  /** Nothing is sent that could change the tenant. */
  readonly readOnly: boolean;
}

export interface Environment {
  readonly name: string;
  readonly kinds: Kinds;
  readonly tenant: TenantName;
  readonly connection: Connection;
  readonly settings: ApiSettings;
  readonly limits: Limits;
  readonly policy: Policy;
  readonly variables: Readonly<Record<string, Json>>;
}

/** A project without its manifests, for commands that only need the tenant. */
export interface ProjectEnvironment {
  readonly root: string;
  readonly configFile: string;
  readonly environment: Environment;
  readonly secrets: Secrets;
  /** Warnings and information; errors are thrown as a Failure. */
  readonly diagnostics: readonly Diagnostic[];
}

export interface Project extends ProjectEnvironment {
  readonly resources: readonly Resource[];
  readonly credentials: ReadonlySet<string>;
  readonly lint: LintLevels;
}

/** The kinds of one project. Projects may have different ones, so they belong to the project. */
export type Kinds = Readonly<ReturnType<typeof catalogOf>>;

export function catalogOf(all: readonly Kind[]) {
  const byName = new Map(all.map((kind) => [kind.name, kind]));
  return {
    /** In the order in which an apply writes them; deletes go the other way. */
    all,
    find: (name: string) => byName.get(name),
    get(name: string): Kind {
      const kind = byName.get(name);
      if (!kind) throw new TypeError(`"${name}" is not in the list of kinds.`);
      return kind;
    },
  };
}

type GlobProblem = Required<Pick<Diagnostic, 'code' | 'message' | 'hint'>>;

/** Why an address glob can never match, or takes too long to; `null` if it is usable. */
export function globProblem(glob: string, kinds: Kinds): GlobProblem | null {
  const slow = slowGlob(glob, addressGlob(glob));
  if (slow) return slow;
  // They are not split there, since a key may have commas.
  const several = glob.includes('{') ? [glob] : glob.split(/,\s*(?=\w+\/)/);
  if (several.slice(1).some((each) => kinds.find(each.split('/')[0] ?? ''))) {
    return {
      code: 'address-glob',
      message: `\`${glob}\` is a single address, since keys may have commas, and looks like several.`,
      hint: `Name each by itself: ${several.map((each) => `\`${each}\``).join(' and ')}. Write a comma in a key as \`%2C\`.`,
    };
  }
  const [name = '', ...parts] = glob.split('/');
  if (/[*{}]/.test(name)) return null;
  const kind = kinds.find(name);
  if (!kind) return unknownKind(name, kinds);
  // `**` matches any number of parts, and braces may contain some.
  if (parts.length >= kind.keyFields.length || /\*\*|\{/.test(glob)) return null;
  const shape = [name, ...kind.keyFields.map((field) => field.name.toUpperCase())].join('/');
  return {
    code: 'address-glob',
    message: `\`${glob}\` cannot be an address: addresses of this kind are ${shape}.`,
    hint: `Write \`${name}/**\` for all of them.`,
  };
}

export function unknownKind(name: string, kinds: Kinds): GlobProblem {
  const names = kinds.all.map((kind) => kind.name);
  const others = 'A project describes others in `kinds/NAME.kind.yaml`: see `tenantctl kind --help`.';
  const hint = didYouMean(name, names) ?? `The kinds are ${names.join(', ')}. ${others}`;
  return { code: 'unknown-kind', message: `There is no kind \`${name || '""'}\`.`, hint };
}

/** The known settings for the hosts of a product, under one name in the project file (api-notes, "Presets"). */
interface Preset {
  readonly service: Service;
  readonly product: string;
  /** The ends of the names of its hosts. A tenant may also have a domain of its own. */
  readonly hosts: readonly string[];
  readonly settings: Partial<ApiSettings>;
}

export const presets = {
  'sailpoint-isc': {
    service: 'identity',
    product: 'SailPoint Identity Security Cloud',
    hosts: ['.api.identitynow.com', '.api.identitynow-demo.com'],
    settings: {
      experimentalHeader: 'X-SailPoint-Experimental',
      jsonText: 'object',
      sendTest: 'extended',
      mailFrom: 'path',
      preferences: 'write',
      templateVariables: 'listed',
    },
  },
  'sailpoint-nerm': {
    service: 'profiles',
    product: 'SailPoint Non-Employee Risk Management',
    hosts: ['.nonemployee.com'],
    settings: { profileSearchObjectType: 'attribute_class', collectionQuery: 'named' },
  },
} as const satisfies Readonly<Record<string, Preset>>;

type PresetName = keyof typeof presets;

export const presetNames: readonly PresetName[] = ['sailpoint-isc', 'sailpoint-nerm'];
