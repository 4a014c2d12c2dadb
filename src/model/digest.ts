import { hash } from 'node:crypto';
import { canonicalJson } from './json.ts';
import type { Plan } from './plan.ts';

export type DraftPlan = Omit<Plan, 'digest'>;

/** `sha256:` and the hex digest of the value's canonical JSON. */
export function sha256(value: unknown, spell?: (text: string) => string): string {
  return `sha256:${hash('sha256', canonicalJson(value, spell))}`;
}

/** The digest of a checked-out file: git may change line endings, so they do not count. */
export function checkoutDigest(value: unknown): string {
  return sha256(value, (text) => text.replaceAll('\r\n', '\n'));
}

/** The first hex digits of a value's digest, for a unique name. */
export function digestStart(value: unknown, digits = 8): string {
  return sha256(value).slice('sha256:'.length, 'sha256:'.length + digits);
}

/** The hex digits of a digest. They name a file, so of any other text its digest is used. */
export function fileStem(digest: string): string {
  return /^sha256:([0-9a-f]{64})$/.exec(digest)?.[1] ?? hash('sha256', digest);
}

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
