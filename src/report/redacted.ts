import type { Address } from '../model/address.ts';
import type { Diagnostic, Versions } from '../model/diagnostic.ts';
import type { Diff, DiffSide, SideDifference } from '../model/diff.ts';
import type { Fleet } from '../model/fleet.ts';
import { isObject, type Json, type JsonObject, mapJson, mapMembers, objectFrom } from '../model/json.ts';
import type { TenantName } from '../model/network.ts';
import type { Change, Difference, Impact, Moved, Plan, Request } from '../model/plan.ts';
import { type Pointer, pointer, segmentsOf } from '../model/pointer.ts';
import type { ChangeResult, Result } from '../model/result.ts';
import type { Document, Redact, ReportOptions } from './options.ts';
import type { MailHead, Rendered, RenderedSide } from './rendered.ts';

/**
 * A document, and what a report shows in addition to it, without secrets in what comes from a tenant, a manifest or a file. The
 * words of the program itself (actions, risks, codes) stay. Reports are made of what is clean already: what escapes or wraps
 * a text may change a secret in it, and the script of a page may hold one by chance.
 */
export function withoutSecrets(
  document: Document,
  { redact, ...options }: ReportOptions,
): readonly [Document, ReportOptions] {
  if (!redact) return [document, options];
  const redactOnce = remember(redact);
  return [redactDocument(document, redactOnce), redactOptions(options, redactOnce)];
}

/** Plans hold the same texts many times: before, after and in requests. */
function remember(redact: Redact): Redact {
  const known = new Map<string, string>();
  return (text) => {
    const clean = known.get(text) ?? redact(text);
    known.set(text, clean);
    return clean;
  };
}

function redactDocument(document: Document, redact: Redact): Document {
  switch (document.is) {
    case 'plan':
      return { is: 'plan', plan: redactPlan(document.plan, redact) };
    case 'result':
      return { is: 'result', result: redactResult(document.result, redact) };
    case 'fleet':
      return { is: 'fleet', fleet: redactFleet(document.fleet, redact) };
    case 'diff':
      return { is: 'diff', diff: redactDiff(document.diff, redact) };
    case 'diagnostics':
      return {
        is: 'diagnostics',
        diagnostics: document.diagnostics.map((each) => redactDiagnostic(each, redact)),
      };
  }
}

function redactPlan(plan: Plan, redact: Redact): Plan {
  const { undeclared } = plan;
  return {
    ...plan,
    environment: redact(plan.environment),
    tenant: redactTenant(plan.tenant, redact),
    scope: {
      ...plan.scope,
      only: plan.scope.only.map(redact),
      except: plan.scope.except.map(redact),
      since: redactOrNull(plan.scope.since, redact),
    },
    changes: plan.changes.map((change) => redactChange(change, redact)),
    diagnostics: plan.diagnostics.map((each) => redactDiagnostic(each, redact)),
    ...(undeclared ? { undeclared: undeclared.map((address) => redactAddress(address, redact)) } : {}),
  };
}

function redactResult(result: Result, redact: Redact): Result {
  const { diagnostics } = result;
  return {
    ...result,
    environment: redact(result.environment),
    tenant: redactTenant(result.tenant, redact),
    changes: result.changes.map((change) => redactOutcome(change, redact)),
    ...(diagnostics ? { diagnostics: diagnostics.map((each) => redactDiagnostic(each, redact)) } : {}),
  };
}

function redactFleet(fleet: Fleet, redact: Redact): Fleet {
  const environments = fleet.environments.map(({ name, plan, result, error }) => ({
    name: redact(name),
    plan: plan && redactPlan(plan, redact),
    ...(result === undefined ? {} : { result: result && redactResult(result, redact) }),
    error: error && {
      ...error,
      diagnostics: error.diagnostics.map((each) => redactDiagnostic(each, redact)),
    },
  }));
  return { ...fleet, environments };
}

function redactDiff(diff: Diff, redact: Redact): Diff {
  const { scope } = diff;
  const redactSide = (side: DiffSide): DiffSide => ({
    ...side,
    name: redact(side.name),
    tenant: side.tenant && redactTenant(side.tenant, redact),
  });
  return {
    ...diff,
    sides: [redactSide(diff.sides[0]), redactSide(diff.sides[1])],
    scope: { only: scope.only.map(redact), except: scope.except.map(redact), kinds: scope.kinds },
    objects: diff.objects.map((object) => ({
      ...object,
      address: redactAddress(object.address, redact),
      key: object.key.map(redact),
      source: object.source && { ...object.source, file: redact(object.source.file) },
      diff: object.diff.map((each) => redactValues(each, redact)),
    })),
    notComparable: diff.notComparable.map(({ address, paths }) => ({
      address: redactAddress(address, redact),
      paths: paths.map((path) => redactPointer(path, redact)),
    })),
    diagnostics: diff.diagnostics.map((each) => redactDiagnostic(each, redact)),
  };
}

function redactOptions(options: ReportOptions, redact: Redact): ReportOptions {
  const { rendered, sourceUrl, reportUrl, applyWith } = options;
  const templates = Object.entries(rendered ?? {}).map(
    ([address, sides]) => [redactAddress(address, redact), redactRendered(sides, redact)] as const,
  );
  return {
    ...options,
    ...(rendered ? { rendered: Object.fromEntries(templates) } : {}),
    ...(sourceUrl === undefined ? {} : { sourceUrl: redact(sourceUrl) }),
    ...(reportUrl === undefined ? {} : { reportUrl: redact(reportUrl) }),
    ...(applyWith === undefined ? {} : { applyWith: applyWith.map(redact) }),
  };
}

function redactChange(change: Change, redact: Redact): Change {
  const { source, impact } = change;
  return {
    ...change,
    address: redactAddress(change.address, redact),
    key: change.key.map(redact),
    source: source && { ...source, file: redact(source.file) },
    id: redactOrNull(change.id, redact),
    diff: change.diff.map((each) => redactDifference(each, redact)),
    requests: change.requests.map((request) => redactRequest(request, redact)),
    warnings: change.warnings.map(redact),
    ...(impact ? { impact: redactImpact(impact, redact) } : {}),
  };
}

function redactDifference(difference: Difference, redact: Redact): Difference {
  const { overlay } = difference;
  return {
    ...redactValues(difference, redact),
    ...(overlay ? { overlay: { ...overlay, file: redact(overlay.file) } } : {}),
  };
}

function redactValues<T extends SideDifference>(difference: T, redact: Redact): T {
  const { path, before, after, named } = difference;
  return {
    ...difference,
    path: redactPointer(path, redact),
    before: redactJson(before, redact),
    after: redactJson(after, redact),
    ...(named ? { named: redactNames(named, redact) } : {}),
  };
}

function redactNames(named: Readonly<Record<string, string>>, redact: Redact): Record<string, string> {
  const entries = Object.entries(named).map(
    ([id, name]) => [redact(id), name.startsWith('!') ? redact(name) : redactAddress(name, redact)] as const,
  );
  return Object.fromEntries(entries);
}

function redactRequest(request: Request, redact: Redact): Request {
  return {
    ...request,
    path: redact(request.path),
    query: textsIn(request.query, redact),
    headers: textsIn(request.headers, redact),
    body: redactJson(request.body, redact),
  };
}

function redactImpact(impact: Impact, redact: Redact): Impact {
  if ('notRun' in impact) return { notRun: redact(impact.notRun) };
  const redactMoved = ({ count, first }: Moved) => ({ count, first: first.map(redact) });
  return { ...impact, enter: redactMoved(impact.enter), leave: redactMoved(impact.leave) };
}

function redactOutcome(change: ChangeResult, redact: Redact): ChangeResult {
  return {
    ...change,
    address: redactAddress(change.address, redact),
    before: change.before && redactMembers(change.before, redact),
    after: change.after && redactMembers(change.after, redact),
    requests: change.requests.map((request) => ({
      ...request,
      path: redact(request.path),
      trackingId: redactOrNull(request.trackingId, redact),
    })),
    error: redactOrNull(change.error, redact),
    warnings: change.warnings.map(redact),
  };
}

/** A diagnostic without secrets. */
export function redactDiagnostic(diagnostic: Diagnostic, redact: Redact): Diagnostic {
  const { message, excerpt, hint, source, address, versions } = diagnostic;
  return {
    ...diagnostic,
    message: redact(message),
    ...(excerpt === undefined ? {} : { excerpt: redact(excerpt) }),
    ...(hint === undefined ? {} : { hint: redact(hint) }),
    ...(source === undefined ? {} : { source: { ...source, file: redact(source.file) } }),
    ...(address === undefined ? {} : { address: redactAddress(address, redact) }),
    ...(versions === undefined ? {} : { versions: versions.map((each) => redactVersions(each, redact)) }),
  };
}

function redactVersions({ name, ours, theirs, old }: Versions, redact: Redact): Versions {
  return {
    name: redact(name),
    ours: redactOrNull(ours, redact),
    theirs: redactOrNull(theirs, redact),
    ...(old === undefined ? {} : { old: redactOrNull(old, redact) }),
  };
}

function redactRendered({ before, after, further = [], remark = '' }: Rendered, redact: Redact): Rendered {
  const side = (one: RenderedSide | null): RenderedSide | null =>
    one && { document: redact(one.document), head: one.head && redactHead(one.head, redact) };
  return {
    before: side(before),
    after: side(after),
    further: further.map((each) => ({
      ...each,
      title: redact(each.title),
      before: side(each.before),
      after: side(each.after),
    })),
    remark: redact(remark),
  };
}

function redactHead({ subject, from, replyTo, preheader }: MailHead, redact: Redact): MailHead {
  return {
    subject: redact(subject),
    from: redact(from),
    replyTo: redact(replyTo),
    preheader: redact(preheader),
  };
}

/** The name of the kind is a word of the program. */
function redactAddress(address: Address, redact: Redact): Address {
  const [kind = '', ...key] = address.split('/');
  return [kind, ...key.map(redact)].join('/');
}

/** Part by part, since a pointer has escapes of its own. */
function redactPointer(at: Pointer, redact: Redact): Pointer {
  return pointer(...segmentsOf(at).map(redact));
}

/** Texts, names of members and numbers. */
function redactJson(value: Json, redact: Redact): Json {
  return mapJson(value, (item) => {
    if (typeof item === 'string') return redact(item);
    if (typeof item === 'number') return redact(String(item)) === String(item) ? item : redact(String(item));
    return isObject(item) ? redactKeys(item, redact) : item;
  });
}

/** The fields of an object without secrets, in their names too. */
export function redactMembers(fields: JsonObject, redact: Redact): JsonObject {
  return redactKeys(
    mapMembers(fields, (value) => redactJson(value, redact)),
    redact,
  );
}

function redactKeys(object: JsonObject, redact: Redact): JsonObject {
  return objectFrom(Object.entries(object).map(([name, value]) => [redact(name), value]));
}

function textsIn(texts: Readonly<Record<string, string>>, redact: Redact): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, redact(text)]));
}

function redactTenant({ identity, profiles }: TenantName, redact: Redact): TenantName {
  return { identity: redact(identity), profiles: redact(profiles) };
}

function redactOrNull(text: string | null, redact: Redact): string | null {
  return text === null ? null : redact(text);
}
