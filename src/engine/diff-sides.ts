import type { Client } from '../client/client.ts';
import { type LookupAnswers, resolveLookups } from '../client/lookups.ts';
import { readDefaults } from '../client/read.ts';
import type { Kind, LiveObject } from '../kinds/kind.ts';
import { LiveIndex } from '../kinds/live-objects.ts';
import type { Environment, Project, Secrets } from '../kinds/project.ts';
import { defaultsOf } from '../kinds/read-request.ts';
import type { Resource } from '../kinds/resource.ts';
import { declarerOf, identitiesOf } from '../loader/identities.ts';
import type { Declarations } from '../loader/index.ts';
import type { DiffSide } from '../model/diff.ts';
import { ExitCode, Failure, ifFailure } from '../model/failure.ts';
import { worstExitCode } from '../model/fleet.ts';
import { type Lookup, lookupKey, lookupMarker } from '../model/marker.ts';
import { lookupsIn } from '../planner/fill-lookups.ts';
import { readReferencedRecords } from './export.ts';
import { readReferenceNames } from './names.ts';
import { readSettledKinds } from './reading.ts';
import { readOnlyTenant, type Tenant } from './tenant.ts';

export interface TenantSource {
  readonly is: 'tenant';
  readonly name: string;
  readonly tenant: Tenant;
  /** The folder of the project. Reads wait until recent writes of an apply from there show. */
  readonly root: string;
  readonly secrets: Secrets;
  /** Settings that no manifest declares are not shown. */
  readonly declarations: Pick<Declarations, 'fieldsOf'>;
}

export interface ManifestSource {
  readonly is: 'manifests';
  readonly name: string;
  /** The environment that they were loaded for. */
  readonly environment: Environment;
  readonly resources: readonly Resource[];
  readonly secrets: Secrets;
  /** False for a folder outside the project. */
  readonly isProject: boolean;
}

export type DiffSource = TenantSource | ManifestSource;

/** The tenant of a project as a side of a diff. Settings of an object that the project does not declare are not shown. */
export function tenantSide({ root, environment, resources, secrets }: Project, tenant: Tenant): TenantSource {
  const byIdentity = new Map(
    resources.flatMap((resource) => identitiesOf(resource).map(({ identity }) => [identity, resource])),
  );
  const declarations: TenantSource['declarations'] = {
    fieldsOf: (object) => declarerOf(byIdentity, object)?.fields ?? {},
  };
  return { is: 'tenant', name: environment.name, tenant, root, secrets, declarations };
}

/** The manifests of a project as a side of a diff: what they declare for its environment. */
export function manifestSide({ environment, resources, secrets }: Project): ManifestSource {
  const name = `manifests of ${environment.name}`;
  return { is: 'manifests', name, resources, secrets, environment, isProject: true };
}

export function sideOf(source: DiffSource): DiffSide {
  const { name, is } = source;
  return { name, is, tenant: source.is === 'tenant' ? source.tenant.client.tenant : null };
}

export const environmentOf = (source: DiffSource): Environment =>
  source.is === 'tenant' ? source.tenant.environment : source.environment;

/** Reads the tenant of a side; equal requests are sent once. Each function throws a Failure that names the side. */
function readerOf({ tenant, root, name }: TenantSource) {
  const reader = readOnlyTenant(tenant);
  const { client } = reader;
  const { settings, kinds } = tenant.environment;
  const whose = { kinds, settings, called: `the tenant of ${name}` };
  return {
    /** All objects of these kinds, and those that are declared. */
    read: (all: readonly Kind[], declared: readonly Resource[]) =>
      nameSide(name, readSettledKinds(root, reader, all, declared)),
    /** The vendor's defaults of these keys. */
    defaults: async (missing: readonly Pick<LiveObject, 'kind' | 'key'>[]) =>
      new LiveIndex(await nameSide(name, readDefaults(client, defaultsOf(missing), settings))),
    /** The records that ids in these objects may refer to. */
    records: (objects: readonly Pick<LiveObject, 'kind' | 'fields'>[]) =>
      nameSide(name, readReferencedRecords(client, objects, settings)),
    names: (objects: readonly LiveObject[]) => nameSide(name, readReferenceNames(client, objects, whose)),
    /** A lookup that finds nothing stays as it is. */
    lookups: (resources: readonly Resource[]) => nameSide(name, answersOf(client, lookupsIn(resources))),
  };
}

export type SideReader = ReturnType<typeof readerOf>;

/** Codes of lookups for which a tenant has no record. */
const unanswered = ['lookup-none', 'lookup-ambiguous', 'lookup-no-field'];

async function answersOf(client: Client, lookups: readonly Lookup[]): Promise<LookupAnswers> {
  try {
    return await resolveLookups(client, lookups);
  } catch (error) {
    if (!(error instanceof Failure) || !error.diagnostics.every(({ code }) => unanswered.includes(code)))
      throw error;
    if (lookups.length < 2) return lookupMarker;
    // One by one, to know which of them have an answer.
    const answers = await Promise.all(
      lookups.map(async (lookup) => {
        return [lookupKey(lookup), (await answersOf(client, [lookup]))(lookup)] as const;
      }),
    );
    const known = new Map(answers);
    return (lookup) => known.get(lookupKey(lookup)) ?? lookupMarker(lookup);
  }
}

function nameSide<T>(name: string, work: Promise<T>): Promise<T> {
  return work.catch(
    ifFailure(({ diagnostics, exitCode }) => {
      const ofSide = diagnostics.map((each) => ({ ...each, message: `${name}: ${each.message}` }));
      throw new Failure(ofSide, exitCode);
    }),
  );
}

/** Returns the results of both sides. Throws one Failure with the problems of each. */
export async function onBothSides<T>(first: Promise<T>, second: Promise<T>): Promise<[T, T]> {
  const settled = await Promise.allSettled([first, second]);
  const errors = settled.flatMap((each): unknown[] => (each.status === 'rejected' ? [each.reason] : []));
  if (errors.length === 0) return Promise.all([first, second]);
  const failures = errors.map((error) => {
    // Any other error is a bug in the program, and must show as one.
    if (!(error instanceof Failure)) throw error;
    return error;
  });
  throw new Failure(
    failures.flatMap(({ diagnostics }) => diagnostics),
    worstExitCode(failures.map(({ exitCode }) => exitCode)) || ExitCode.couldNotRun,
  );
}

export type OpenSide =
  | { readonly source: TenantSource; readonly reader: SideReader }
  | { readonly source: ManifestSource; readonly reader: null };

export const openSide = (source: DiffSource): OpenSide =>
  source.is === 'tenant' ? { source, reader: readerOf(source) } : { source, reader: null };

export type Sides = readonly [OpenSide, OpenSide];
