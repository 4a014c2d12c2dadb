import type { Diff } from '../generated/schemas/diff.ts';
import type { Fleet } from '../generated/schemas/fleet.ts';
import type { Change, Plan, Request } from '../generated/schemas/plan.ts';
import type { Change as ChangeResult, Result } from '../generated/schemas/result.ts';
import type { Address } from './address.ts';
import { groupBy } from './basics.ts';
import { checkoutDigest, sha256 } from './digest.ts';
import { type Diagnostic, ExitCode, hasErrors, version } from './failure.ts';
import { get, isArray, isObject, type Json } from './json.ts';
import { markersIn } from './marker.ts';
import type { TenantName } from './tenant.ts';

export type { Diff } from '../generated/schemas/diff.ts';
export type { Fleet } from '../generated/schemas/fleet.ts';
export type { Change, Difference, Moved, Plan, Request } from '../generated/schemas/plan.ts';
export type { Change as ChangeResult, Request as SentRequest, Result } from '../generated/schemas/result.ts';

export const tool: Plan['tool'] = { name: 'tenantctl', version };

/** The versions of the formats that files are written in. */
export const formats = { plan: 2, result: 1, fleet: 1 } as const;

export type Action = Change['action'];
export const actions = ['create', 'update', 'delete', 'manual'] as const satisfies readonly Action[];

export type Risk = Change['risk'][number];

/** How many profiles a changed search finds before and after, or why it was not run. */
export type Impact = NonNullable<Change['impact']>;
export type Scope = Plan['scope'];

export type Summary = Plan['summary'];

export function isRefused(plan: Pick<Plan, 'diagnostics'>): boolean {
  return hasErrors(plan.diagnostics);
}

export function hasChanges(plan: Pick<Plan, 'changes'>): boolean {
  return plan.changes.length > 0;
}

export function secretsSentBy({ requests }: Pick<Change, 'requests'>): string[] {
  return [...new Set(requests.flatMap(({ body }) => markersIn(body, '$secret')))];
}

/**
 * True when carrying it out twice has the same effect: never a POST, and a PATCH only when it sets values: `replace` or `add` to
 * members in a JSON Patch (seed 000, JsonPatch), or nested records that have their ids (seed 002, condition rules).
 */
export function isRepeatable({ method, body }: Pick<Request, 'method' | 'body'>): boolean {
  if (method !== 'PATCH') return method !== 'POST';
  const operations = isObject(body) ? get(body, 'operations') : body;
  if (operations === undefined) return hasOnlyIds(body);
  if (!isArray(operations)) return false;
  return operations.every((operation) => {
    const { op = null, path = null } = isObject(operation) ? operation : {};
    // `add` at an index moves the rest of an array; a numeric name could be one.
    return typeof path === 'string' && (op === 'replace' || (op === 'add' && !/\/(-|\d+)$/.test(path)));
  });
}

/** Without an id, a record in a list would be created. */
function hasOnlyIds(value: Json): boolean {
  if (!isArray(value)) return !isObject(value) || Object.values(value).every(hasOnlyIds);
  return value.every((item) => {
    if (!isObject(item)) return true;
    const hasId = (get(item, 'id') ?? null) !== null && get(item, '_destroy') !== true;
    return hasId && hasOnlyIds(item);
  });
}

export type DraftPlan = Omit<Plan, 'digest'>;

/**
 * The digest of everything in a plan that an approval covers: tenant, scope, all differences and all requests. It leaves out the
 * tool and time of the plan, the digest itself, the `impact` of searches, which changes as people come and go, the time and
 * author of changes, undeclared objects, which no request touches, the apply that it undoes, and earlier defaults of the vendor,
 * which only some clones know.
 */
export function planDigest(plan: DraftPlan & { readonly digest?: string }): string {
  const {
    tool: _tool,
    createdAt: _createdAt,
    digest: _digest,
    undeclared: _undeclared,
    undoes: _undoes,
    ...rest
  } = plan;
  const summary = { ...plan.summary, undeclared: undefined };
  const changes = plan.changes.map(
    ({ impact: _impact, modified: _modified, commit: _commit, ...change }) => change,
  );
  const diagnostics = plan.diagnostics.map((each) => ({
    ...each,
    versions: each.versions?.map((versions) => ({ ...versions, old: undefined })),
  }));
  return checkoutDigest({ ...rest, summary, changes, diagnostics });
}

export function withDigest(plan: DraftPlan): Plan {
  return { ...plan, digest: planDigest(plan) };
}

/** `unknown` was sent, but no answer shows its effect; `skipped` depends on a failed change; `notAttempted` was not started. */
export type ChangeOutcome = ChangeResult['outcome'];
export const changeOutcomes = [
  'done',
  'failed',
  'skipped',
  'notAttempted',
  'unknown',
] as const satisfies readonly ChangeOutcome[];

export function mayHaveFailed({ outcome }: Pick<ChangeResult, 'outcome'>): boolean {
  return outcome === 'failed' || outcome === 'unknown';
}

export function countOutcomes(
  changes: readonly Pick<ChangeResult, 'outcome'>[],
): Readonly<Record<ChangeOutcome, number>> {
  const counts = { done: 0, failed: 0, skipped: 0, notAttempted: 0, unknown: 0 };
  for (const { outcome } of changes) counts[outcome] += 1;
  return counts;
}

const exitCodes: Readonly<Record<Result['outcome'], ExitCode>> = {
  done: ExitCode.done,
  partial: ExitCode.incomplete,
  interrupted: ExitCode.interrupted,
  refused: ExitCode.refused,
};

/** The exit code of a run: from the same value as the printed summary. */
export function exitCodeOf({ outcome }: Pick<Result, 'outcome'>): ExitCode {
  return exitCodes[outcome];
}

export type DiffSide = Diff['sides'][number];

/** An object that differs, or that only one of the sides has. */
export type DiffObject = Diff['objects'][number];

export type SideDifference = DiffObject['diff'][number];

/** Values that could not be compared do not count. */
export function differs({ objects }: Pick<Diff, 'objects'>): boolean {
  return objects.length > 0;
}

export type FleetMember = Fleet['environments'][number];

export const notRun: NonNullable<FleetMember['error']> = {
  exitCode: ExitCode.interrupted,
  diagnostics: [
    {
      code: 'not-run',
      severity: 'error',
      message: 'The command was interrupted before it got here, so nothing was written there.',
      hint: 'Run the same command again. What is already done is not done again.',
    },
  ],
};

/** Sorts environments by name: parts that are joined again give the same fleet. */
export function fleetOf(members: readonly FleetMember[]): Fleet {
  const environments = members.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const plans = environments.flatMap(({ plan }) => plan ?? []);
  const sum = (name: keyof Summary) => plans.reduce((total, { summary }) => total + (summary[name] ?? 0), 0);
  return {
    formatVersion: formats.fleet,
    digest: fleetDigest(environments),
    summary: {
      environments: environments.length,
      failed: environments.filter(isFailed).length,
      create: sum('create'),
      update: sum('update'),
      delete: sum('delete'),
      manual: sum('manual'),
      unchanged: sum('unchanged'),
      undeclared: sum('undeclared'),
    },
    environments,
  };
}

/** Covers the environments and the plan of each, as an approval of the fleet does. */
export function fleetDigest(environments: readonly Pick<FleetMember, 'name' | 'plan'>[]): string {
  return sha256(environments.map(({ name, plan }) => [name, plan?.digest ?? null]));
}

/** True when an environment was not planned, or not applied as a whole. */
export function isFailed({ plan, result, error }: FleetMember): boolean {
  if (error !== null) return true;
  return result ? exitCodeOf(result) !== ExitCode.done : plan !== null && isRefused(plan);
}

/** The worst first: the exit code of several runs is the first that one of them has. */
const worst = [
  ExitCode.interrupted,
  ExitCode.incomplete,
  ExitCode.refused,
  ExitCode.couldNotRun,
  ExitCode.changes,
  ExitCode.done,
] as const satisfies readonly ExitCode[];

export function worstExitCode<Code extends ExitCode>(codes: readonly Code[]): Code | typeof ExitCode.done {
  const [first] = codes.toSorted((a, b) => worst.indexOf(a) - worst.indexOf(b));
  return first ?? ExitCode.done;
}

/**
 * If one environment was changed and another could not run, the apply is incomplete, although the code of the latter says that
 * nothing was written. With `detailed` (`--detailed-exitcode`), planned changes count.
 */
export function exitCodeOfFleet({ environments }: Fleet, detailed: boolean): ExitCode {
  const hasWritten = environments.some(({ result }) => result && result.summary.done > 0);
  return worstExitCode(
    environments.map(({ plan, result, error }) => {
      if (error?.exitCode === ExitCode.couldNotRun && hasWritten) return ExitCode.incomplete;
      if (error) return error.exitCode;
      if (result) return exitCodeOf(result);
      if (plan && isRefused(plan)) return ExitCode.refused;
      return detailed && plan && hasChanges(plan) ? ExitCode.changes : ExitCode.done;
    }),
  );
}

/** Joins the remarks on several environments, each once. `wordsFor` names the owners of one that not all share. */
export function shareDiagnostics(
  all: readonly { readonly name: string; readonly diagnostics: readonly Diagnostic[] }[],
  wordsFor: (names: readonly string[]) => string,
): Diagnostic[] {
  const said = all.flatMap(({ name, diagnostics }) =>
    diagnostics.map((diagnostic) => ({ name, diagnostic })),
  );
  return groupBy(said, ({ diagnostic }) => JSON.stringify(diagnostic)).map(([, same]) => {
    const [{ diagnostic }] = same;
    const names = new Set(same.map(({ name }) => name));
    if (names.size === all.length) return diagnostic;
    const message = diagnostic.message.replace(/[.]$/, '');
    return { ...diagnostic, message: `${message} (only in ${wordsFor([...names])}).` };
  });
}

/** The kinds whose objects the mail provider verifies, in the order of a mail set-up. */
export const verifiedKinds = ['VerifiedDomain', 'MailFrom', 'SenderAddress'] as const;

/** `not-needed` for the vendor's own identities, `absent` for ones that are only declared, `unknown` for an undocumented state. */
type Verification = 'verified' | 'not-needed' | 'pending' | 'failed' | 'absent' | 'unknown';

/** A DNS record that has to be published; names and hosts are absolute, in lower case, without the last dot. */
export type DnsRecord =
  | { readonly type: 'CNAME'; readonly name: string; readonly value: string }
  | { readonly type: 'MX'; readonly name: string; readonly priority: number; readonly value: string }
  | { readonly type: 'TXT'; readonly name: string; readonly value: string };

/** A record in public DNS; `unknown` if the resolver gave no usable answer. */
export interface Publication {
  readonly state: 'published' | 'missing' | 'wrong' | 'unknown';
  readonly found: readonly string[];
  readonly detail: string | null;
}

export function recordText(record: DnsRecord): string {
  return record.type === 'MX' ? `${record.priority} ${record.value}` : record.value;
}

export interface IdentityStatus {
  readonly address: Address;
  readonly kind: (typeof verifiedKinds)[number];
  readonly name: string;
  readonly declared: boolean;
  readonly verification: Verification;
  readonly reported: string | null;
  readonly mailFromDomain: string | null;
  readonly remarks: readonly string[];
  /** The records to publish, with their states in public DNS; `null` if that was not checked. */
  readonly records: readonly { readonly record: DnsRecord; readonly publication: Publication | null }[];
  /** The reasons why values of the tenant are not valid DNS records. */
  readonly refused: readonly string[];
}

export interface Status {
  readonly formatVersion: 1;
  readonly environment: string;
  readonly tenant: TenantName;
  readonly checkedAt: string;
  readonly identities: readonly IdentityStatus[];
  readonly summary: Readonly<Record<Verification, number>>;
}
