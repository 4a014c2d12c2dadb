import type { Environment, Policy, Project } from '../kinds/project.ts';
import { noticesOf, type Resource } from '../kinds/resource.ts';
import { lint } from '../lint/index.ts';
import { matchAddresses } from '../model/address.ts';
import { groupBy } from '../model/basics.ts';
import { type Scope, shareDiagnostics, worstExitCode } from '../model/documents.ts';
import { type Diagnostic, ExitCode, Failure, hasErrors, noteOverlay } from '../model/failure.ts';
import { get } from '../model/json.ts';
import { findAbsentTargets, lookupsIn, referencesIn } from '../planner/references.ts';
import { checkScope, selectionOf } from './choices.ts';

/**
 * Loads a project and lints it, without asking the tenant. Problems are returned, not thrown. Those of resources out of
 * scope are left out, unless they are errors: an error anywhere stops every other command. Throws a Failure for globs
 * that can match nothing. `resources`: how many are in scope; 0 if the project could not be loaded.
 */
export function validateProject(load: () => Project, scope: Pick<Scope, 'only' | 'except'>) {
  const selection = selectionOf(scope);
  const isShown = ({ address, severity }: Diagnostic) =>
    severity === 'error' || address === undefined || selection.includes(address);
  try {
    const { diagnostics: problems, environment, resources, lint: levels } = load();
    checkScope(scope, environment.kinds);
    const selected = resources.filter(({ address }) => selection.includes(address));
    const findings = lint({ resources, known: null, levels });
    const refused = [
      ...findUnserved(selected, environment),
      ...findProtectedAbsences(selected, environment.policy),
      ...findAbsentTargets(referencesIn(selected, environment.kinds), resources),
      ...selected.flatMap(findLacking),
    ];
    const notices = noticesOf(selected);
    const diagnostics = [
      ...selection.findUnmatched(),
      ...problems,
      ...notices,
      ...refused,
      ...findings,
    ].filter(isShown);
    return {
      diagnostics,
      exitCode: hasErrors(diagnostics) ? ExitCode.couldNotRun : ExitCode.done,
      resources: selected.length,
    };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { diagnostics: error.diagnostics.filter(isShown), exitCode: error.exitCode, resources: 0 };
  }
}

/** Finds what needs a service that the environment lacks: each such kind at its first object, and the first lookup. */
function findUnserved(resources: readonly Resource[], { name, tenant }: Environment): Diagnostic[] {
  const objects = groupBy(resources, ({ kind }) => kind).map(([kind, [resource]]) => {
    return { resource, at: '', what: kind.name, service: kind.resource.service };
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
      message: `${what} needs the \`${service}\` service, but the environment ${name} does not have it.`,
      hint: `Add \`${service}: { baseUrl: … }\` to the environment, or leave out what needs it with --except.`,
      address: resource.address,
      ...resource.point(at),
    }));
}

/** Finds manifests with `ensure: absent` that are protected. While the tenant has the object, plans refuse to delete it. */
function findProtectedAbsences(resources: readonly Resource[], { protect }: Policy): Diagnostic[] {
  const isProtected = matchAddresses(protect, { isGuard: true });
  const at = '/lifecycle/protect';
  return resources.flatMap((resource): Diagnostic[] => {
    const { ensure, address, lifecycle } = resource;
    const isByItself = lifecycle.protect;
    if (ensure !== 'absent' || !(isByItself || isProtected(address))) return [];
    const by = isByItself ? '`protect`' : "the environment's `protect` list";
    const contradiction = `${address} is declared with \`ensure: absent\`, and ${by} refuses to delete it.`;
    const message = noteOverlay(contradiction, isByItself && resource.overlayAt(at) !== null);
    const place = isByItself ? resource.point(at) : { source: resource.source() };
    // By the environment: the manifest may stay when the object is gone.
    const severity = isByItself ? 'error' : 'warning';
    return [{ code: 'protected', severity, message, hint: 'Remove one of the two.', address, ...place }];
  });
}

/** Reports missing fields that a create needs. If the object exists, omitted fields keep their values. */
function findLacking({ kind, ensure, fields, address, source }: Resource): Diagnostic[] {
  const { required = [] } = kind.described ?? {};
  const lacking = required.filter((name) => (get(fields, name) ?? null) === null);
  if (ensure === 'absent' || lacking.length === 0) return [];
  const names = lacking.map((name) => `\`${name}\``).join(', ');
  const message = `${address} can be changed, but not created: the API creates no ${kind.name} without ${names}.`;
  const hint = 'Declare it, so that the manifest works in a tenant without the object.';
  return [{ code: 'required-field', severity: 'info', message, hint, address, source: source() }];
}

/** Joins the problems of several environments of a project: those that all of them have are reported once. */
export function joinValidations(
  all: readonly (ReturnType<typeof validateProject> & { readonly name: string })[],
) {
  return {
    diagnostics: shareDiagnostics(all, (names) => names.join(', ')),
    exitCode: worstExitCode(all.map(({ exitCode }) => exitCode)),
    resources: Math.max(0, ...all.map(({ resources }) => resources)),
  };
}
