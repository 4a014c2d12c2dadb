import type { Client } from '../client/client.ts';
import { type LookupAnswers, resolveLookups } from '../client/lookups.ts';
import { readDefaults } from '../client/read.ts';
import type { Records } from '../exporter/reference-lookups.ts';
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
import { type KindsRead, readSettledKinds } from './recent.ts';
import { type ReferenceNames, readReferenceNames } from './reference-names.ts';
import { readOnlyTenant, type Tenant } from './tenant.ts';

/** A tenant as a side of a diff. */
export interface TenantSource {
  readonly is: 'tenant';
  readonly name: string;
  readonly tenant: Tenant;
  /** The folder of the project: what an apply from there has just written is waited for. */
  readonly root: string;
  readonly secrets: Secrets;
  /** What manifests declare of its objects: other settings are not shown. */
  readonly declarations: Pick<Declarations, 'fieldsOf'>;
}

/** Manifests as a side of a diff. */
export interface ManifestSource {
  readonly is: 'manifests';
  readonly name: string;
  /** The environment that they were loaded for. */
  readonly environment: Environment;
  readonly resources: readonly Resource[];
  readonly secrets: Secrets;
  /** Whether they are the manifests of the project, as opposed to a folder of anybody. */
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

/** A side as reports name it. */
export function sideOf(source: DiffSource): DiffSide {
  const { name, is } = source;
  return { name, is, tenant: source.is === 'tenant' ? source.tenant.client.tenant : null };
}

export const environmentOf = (source: DiffSource): Environment =>
  source.is === 'tenant' ? source.tenant.environment : source.environment;

/** One tenant that is read, whose equal requests are sent once. */
export interface SideReader {
  /** All objects of these kinds, and those that `declared` names. */
  read(kinds: readonly Kind[], declared: readonly Resource[]): Promise<KindsRead>;
  /** The vendor's defaults of these keys. */
  defaults(missing: readonly Pick<LiveObject, 'kind' | 'key'>[]): Promise<LiveIndex>;
  /** The records that ids in these objects may refer to. */
  records(objects: readonly Pick<LiveObject, 'kind' | 'fields'>[]): Promise<Records>;
  /** The names of what ids in these objects belong to. */
  names(objects: readonly LiveObject[]): Promise<ReferenceNames>;
  /** Answers the lookups in these manifests. One that finds nothing stays as it is. */
  lookups(resources: readonly Resource[]): Promise<LookupAnswers>;
}

/** Reads the tenant of a side. Each function throws a Failure that names the side. */
function readerOf({ tenant, root, name }: TenantSource): SideReader {
  const reader = readOnlyTenant(tenant);
  const { client } = reader;
  const { settings, kinds } = tenant.environment;
  const whose = { kinds, settings, called: `the tenant of ${name}` };
  return {
    read: (all, declared) => nameSide(name, readSettledKinds(root, reader, all, { declared })),
    defaults: async (missing) =>
      new LiveIndex(await nameSide(name, readDefaults(client, defaultsOf(missing), settings))),
    records: (objects) => nameSide(name, readReferencedRecords(client, objects, settings)),
    names: (objects) => nameSide(name, readReferenceNames(client, objects, whose)),
    lookups: (resources) => nameSide(name, answersOf(client, lookupsIn(resources))),
  };
}

/** Problems of lookups that say that a tenant has no such record. */
const unanswered = ['lookup-none', 'lookup-ambiguous', 'lookup-no-field'];

async function answersOf(client: Client, lookups: readonly Lookup[]): Promise<LookupAnswers> {
  try {
    return await resolveLookups(client, lookups);
  } catch (error) {
    if (!isUnanswered(error)) throw error;
    // One by one, to know which of them have an answer.
    const answers = await Promise.all(
      lookups.map(async (lookup) => [lookupKey(lookup), await answerOf(client, lookup)] as const),
    );
    const known = new Map(answers);
    return (lookup) => known.get(lookupKey(lookup)) ?? lookupMarker(lookup);
  }
}

async function answerOf(client: Client, lookup: Lookup) {
  try {
    return (await resolveLookups(client, [lookup]))(lookup);
  } catch (error) {
    if (!isUnanswered(error)) throw error;
    return lookupMarker(lookup);
  }
}

const isUnanswered = (error: unknown): boolean =>
  error instanceof Failure && error.diagnostics.every(({ code }) => unanswered.includes(code));

/** Says in a Failure which side it is about. */
function nameSide<T>(name: string, work: Promise<T>): Promise<T> {
  return work.catch(
    ifFailure(({ diagnostics, exitCode }) => {
      const ofSide = diagnostics.map((each) => ({ ...each, message: `${name}: ${each.message}` }));
      throw new Failure(ofSide, exitCode);
    }),
  );
}

/** The results of both sides, or one Failure with what has stopped each of them. */
export async function onBothSides<T>(first: Promise<T>, second: Promise<T>): Promise<[T, T]> {
  const settled = await Promise.allSettled([first, second]);
  const errors = settled.flatMap((each): unknown[] => (each.status === 'rejected' ? [each.reason] : []));
  const failures = errors.filter((error) => error instanceof Failure);
  if (errors.length === 0) return Promise.all([first, second]);
  // Any other error is a bug in the program, and must show as one.
  if (failures.length < errors.length) throw errors.find((error) => !(error instanceof Failure));
  throw new Failure(
    failures.flatMap(({ diagnostics }) => diagnostics),
    worstExitCode(failures.map(({ exitCode }) => exitCode)) || ExitCode.couldNotRun,
  );
}

/** A side, and what reads it where it is a tenant. */
export type OpenSide =
  | { readonly source: TenantSource; readonly reader: SideReader }
  | { readonly source: ManifestSource; readonly reader: null };

export const openSide = (source: DiffSource): OpenSide =>
  source.is === 'tenant' ? { source, reader: readerOf(source) } : { source, reader: null };

export type Sides = readonly [OpenSide, OpenSide];
