import type { Diagnostic } from '../model/diagnostic.ts';
import type { Plan } from '../model/plan.ts';
import { safeJson } from './safe.ts';
import { countSeverities } from './words.ts';

/** The format of `validate --format json` and of errors in JSON. */
const diagnosticsFormat = 1;

/** A plan or a result as the JSON its schema describes. */
export function json(value: unknown): string {
  return `${safeJson(value)}\n`;
}

/** `{formatVersion, diagnostics, summary: {error, warning, info}}` */
export function diagnosticsJson(diagnostics: readonly Diagnostic[]): string {
  return json({ formatVersion: diagnosticsFormat, diagnostics, summary: countSeverities(diagnostics) });
}

/** The counts that GitLab reads as a Terraform report (`artifacts: reports: terraform`). */
export function planGitlab({ summary }: Plan): string {
  return `${JSON.stringify({ create: summary.create, update: summary.update, delete: summary.delete })}\n`;
}
