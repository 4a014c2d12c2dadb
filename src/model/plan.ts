import type { Address, Key } from './address.ts';
import { type Diagnostic, hasErrors } from './diagnostic.ts';
import type { Json, JsonObject } from './json.ts';
import { secretNamesIn } from './marker.ts';
import type { TenantName } from './network.ts';
import type { Pointer } from './pointer.ts';

/** The format of plan files; schemas/plan.schema.json describes it. */
export const planFormat = 2;

export const actions = ['create', 'update', 'delete', 'manual'] as const;
export type Action = (typeof actions)[number];

/** One HTTP request as it will be sent, without the token, and with markers in the body (see marker.ts). */
export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** From the base URL on, segments percent-encoded: `/v2025/notification-templates`. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** `null` where the request has no body. */
  readonly body: Json;
}

/** Which side has changed since a git revision. */
export type Origin = 'repo' | 'tenant' | 'both';

/** One difference between the tenant and the manifests. A sensitive value is never present. */
export interface Difference {
  /** Into the manifest's fields: `/attributes/url`. */
  readonly path: Pointer;
  readonly op: 'add' | 'remove' | 'replace';
  readonly before: Json;
  readonly after: Json;
  readonly sensitive: boolean;
  /** Known only with `--since`. */
  readonly origin: Origin | null;
  /**
   * What ids in the values stand for, by id: the address of an object, as far as the tenant showed it, or the `!lookup` that
   * found the record.
   */
  readonly named?: Readonly<Record<string, string>>;
  /** The place of the overlay that sets the value; left out where the manifest does. */
  readonly overlay?: { readonly file: string; readonly line: number };
}

/** What a reviewer should notice apart from the fields. */
export const risks = ['lockout', 'delete', 'back-to-default', 'undoes-tenant-change', 'sends-mail'] as const;
export type Risk = (typeof risks)[number];

/** Profiles that a search finds on one side only: their number, and the names of the first. */
export interface Moved {
  readonly count: number;
  readonly first: readonly string[];
}

/** How many profiles a changed search finds before and after, or why it was not run. */
export type Impact =
  | { readonly before: number; readonly after: number; readonly enter: Moved; readonly leave: Moved }
  | { readonly notRun: string };

/** An object that differs, and the requests that make it equal. */
export interface Change {
  readonly address: Address;
  readonly kind: string;
  readonly key: Key;
  readonly action: Action;
  readonly source: { readonly file: string; readonly line: number } | null;
  readonly id: string | null;
  /** The fingerprint of the live object; `null` where there is none. */
  readonly fingerprint: string | null;
  readonly diff: readonly Difference[];
  /**
   * The fields as they were declared, with secrets as markers; `null` for a delete. From them and the live object, the planner
   * makes the change again: before it is sent, to see that it does what it shows, and after it, to see that it was done.
   */
  readonly declared: JsonObject | null;
  /** Places that are left as the tenant has them (`lifecycle.ignore`). */
  readonly ignored?: readonly Pointer[];
  /** Places of declared secrets and of values that the tenant does not show, which stay as they are. */
  readonly left?: readonly Pointer[];
  /** Places that manifests, overlays or the revision mark as secrets, changed or not: no output shows them. */
  readonly secrets?: readonly Pointer[];
  /** In the order they are sent. A manual change has none. */
  readonly requests: readonly Request[];
  /** For a manual change, the first one says what to do by hand. */
  readonly warnings: readonly string[];
  readonly risk: readonly Risk[];
  /** Information for reviewers, only with `--impact`. Not part of the digest. */
  readonly impact?: Impact;
}

export interface Scope {
  readonly only: readonly string[];
  readonly except: readonly string[];
  readonly prune: boolean;
  readonly since: string | null;
}

/** What `--max-deletes` and `--allow-delete-all` allow in a plan. */
export interface Allowed {
  readonly maxDeletes: number | null;
  readonly deleteAll: readonly string[];
}

/** The number of objects that need each action, or none. */
export interface Summary extends Readonly<Record<Action | 'unchanged', number>> {
  /** Objects in the tenant that no manifest names, of the lists that were read. Absent in a rollback. */
  readonly undeclared?: number;
}

/** Everything a run will do, as one JSON value (design, section 5). */
export interface Plan {
  readonly formatVersion: typeof planFormat;
  readonly tool: { readonly name: string; readonly version: string };
  readonly createdAt: string;
  readonly environment: string;
  readonly tenant: TenantName;
  readonly scope: Scope;
  /** The guards that options of the plan lifted; absent where there were none. */
  readonly allowed?: Allowed;
  /** The apply that a rollback undoes; absent in other plans. Not part of the digest. */
  readonly undoes?: { readonly startedAt: string; readonly planDigest: string };
  /** Covers everything except `tool`, `createdAt`, each `impact`, what is undeclared, `undoes`, and itself. */
  readonly digest: string;
  readonly summary: Summary;
  /**
   * What the repository declares of each object in the scope, before variables and overlays, as a digest. With
   * `scope.since`, also that it does not declare an object any more.
   */
  readonly desired: Readonly<Record<Address, string>>;
  /** The objects of which this environment decides whether they exist: an apply proves nothing of them. Absent where there are none. */
  readonly ensuredHere?: readonly Address[];
  readonly changes: readonly Change[];
  /** The objects that `summary.undeclared` counts; absent where there are none. */
  readonly undeclared?: readonly Address[];
  /** An error here (a guard) refuses the plan: it can be shown, but not applied. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Whether a guard refused the plan. */
export function isRefused(plan: Pick<Plan, 'diagnostics'>): boolean {
  return hasErrors(plan.diagnostics);
}

export function hasChanges(plan: Pick<Plan, 'changes'>): boolean {
  return plan.changes.length > 0;
}

/** The names of the secrets that the requests of a change are filled with, each once. */
export function secretsSentBy({ requests }: Pick<Change, 'requests'>): string[] {
  return [...new Set(requests.flatMap(({ body }) => secretNamesIn(body)))];
}
