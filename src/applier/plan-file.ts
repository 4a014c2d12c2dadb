import type { Diagnostic } from '../model/diagnostic.ts';
import { planDigest } from '../model/digest.ts';
import { ExitCode } from '../model/exit.ts';
import { Failure } from '../model/failure.ts';
import { isObject, type Json, own, parseJson } from '../model/json.ts';
import { type Plan, planFormat } from '../model/plan.ts';

/** Tells whether a value has the form of schemas/plan.schema.json; afterwards `errors` says where not. */
export interface PlanValidator {
  (value: unknown): value is Plan;
  errors?: readonly { readonly instancePath: string; readonly message?: string | undefined }[] | null;
}

const maxCharacters = 256 * 1024 * 1024;
const maxDepth = 200;

/**
 * The text of a plan file as a plan. Throws a Failure (exit 4) for a file that is no plan, was cut or edited, or has
 * the format of another version.
 *
 * @param file the file's name, for messages
 */
export function readPlanFile(text: string, file: string, isPlan: PlanValidator): Plan {
  if (text.length > maxCharacters) throw refused('plan-too-large', `${file} is larger than any plan.`);
  const value = parseJson(text.replace(/^\uFEFF/, ''));
  if (value === undefined) {
    throw refused('plan-unreadable', `${file} is not JSON: it was cut or edited, or it is no plan file.`);
  }
  if (isTooDeep(value)) throw refused('plan-unreadable', `${file} is nested deeper than any plan.`);
  const format = isObject(value) ? own(value, 'formatVersion') : undefined;
  if (format === undefined) throw refused('plan-unreadable', `${file} is no plan file.`);
  if (format !== planFormat) {
    throw refused(
      'plan-format',
      `${file} has the plan format ${JSON.stringify(format).slice(0, 40)}; this version applies format ${planFormat}.`,
    );
  }
  if (!isPlan(value)) {
    const places = (isPlan.errors ?? []).slice(0, 10);
    const reasons = places.map(
      ({ instancePath, message }) => `${instancePath || '/'} ${message ?? 'is wrong'}`,
    );
    throw refused('plan-invalid', `${file} is not as a plan is: ${reasons.join('; ')}.`);
  }
  if (planDigest(value) !== value.digest) throw new Failure([editedPlan(file)], ExitCode.refused);
  return value;
}

/** What to say about a plan whose digest is not that of its content. */
export function editedPlan(name: string): Diagnostic {
  return {
    code: 'plan-edited',
    severity: 'error',
    message: `${name} does not have the digest it carries: it was edited after it was made.`,
    hint: 'Change the manifests instead, and make a new plan.',
  };
}

/** Level by level, since a hostile file may nest deeper than a call stack goes. */
function isTooDeep(value: Json): boolean {
  let level: Json[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return true;
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
  return false;
}

function refused(code: string, message: string): Failure {
  return new Failure(
    [{ code, severity: 'error', message, hint: 'Make a new plan with `tenantctl plan --out FILE`.' }],
    ExitCode.refused,
  );
}
