import type { Kind } from '../kinds/kind.ts';
import type { Environment } from '../kinds/project.ts';
import type { Resource } from '../kinds/resource.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { groupBy } from '../model/group.ts';
import { contractSettings } from '../model/settings.ts';
import { lookupsIn } from '../planner/fill-lookups.ts';

/** A kind that cannot be read, and why. */
export interface LeftOut {
  readonly kind: Kind;
  readonly problem: Diagnostic;
}

/**
 * The kinds whose service all of these environments have, and each other one with a remark: an environment may have no base
 * URL for one of the two services. Where none is left, none is left out: reading them then says what is missing.
 */
export function servedKinds(wanted: readonly Kind[], environments: readonly Environment[]) {
  const lacking = (kind: Kind) => environments.filter(({ tenant }) => tenant[serviceOf(kind)] === '');
  const served = wanted.filter((kind) => lacking(kind).length === 0);
  if (served.length === 0) return { served: wanted, skipped: [] };
  const skipped = wanted
    .filter((kind) => !served.includes(kind))
    .map((kind): LeftOut => ({ kind, problem: leftOut(kind, lacking(kind)) }));
  return { served, skipped };
}

/** The service that a kind is read from. */
export const serviceOf = ({ resource }: Kind) => resource.lane(contractSettings).service;

/** The remark that a kind is left out, once for all environments that do not have its service. */
function leftOut(kind: Kind, lacking: readonly Environment[]): Diagnostic {
  const service = serviceOf(kind);
  const names = lacking.map(({ name }) => name).join(' and ');
  const [who, where] =
    lacking.length === 1
      ? [`the environment ${names} has`, 'the environment']
      : [`the environments ${names} have`, 'them'];
  return {
    code: 'kind-left-out',
    severity: 'info',
    message: `${kind.name} is left out: ${who} no \`${service}\` service.`,
    hint: `Add \`${service}: { baseUrl: … }\` to ${where} to read this kind.`,
  };
}

/** What an environment cannot read as it lacks the service: each such kind at its first object, and the first lookup. */
export function findUnserved(resources: readonly Resource[], { name, tenant }: Environment): Diagnostic[] {
  const objects = groupBy(resources, ({ kind }) => kind).map(([kind, [resource]]) => {
    return { resource, at: '', what: kind.name, service: serviceOf(kind) };
  });
  const lookups = lookupsIn(resources)
    .flatMap(({ uses = [] }) => uses)
    .slice(0, 1)
    .map((use) => ({ ...use, what: '`!lookup`', service: 'profiles' as const }));
  return [...objects, ...lookups]
    .filter(({ service }) => tenant[service] === '')
    .map(({ resource, at, what, service }) => ({
      code: 'no-endpoint',
      severity: 'error',
      message: `${what} needs the \`${service}\` service, which the environment ${name} does not have`,
      hint: `Add \`${service}: { baseUrl: … }\` to the environment, or leave out what needs it with --except.`,
      address: resource.address,
      ...resource.point(at),
    }));
}
