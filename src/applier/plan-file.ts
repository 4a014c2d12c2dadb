import { validators } from '../generated/validators.js';
import type { Diagnostic } from '../model/diagnostic.ts';
import { planDigest } from '../model/digest.ts';
import { ExitCode } from '../model/exit.ts';
import { Failure } from '../model/failure.ts';
import type { Json } from '../model/json.ts';
import { type Plan, planFormat } from '../model/plan.ts';
import { readSavedFile, type SavedForm } from './saved-file.ts';

const form: SavedForm<Plan> = {
  name: 'plan',
  format: planFormat,
  is: (value): value is Json & Plan => validators.plan(value),
  errors: () => validators.plan.errors ?? [],
  hint: 'Make a new plan with `tenantctl plan --out FILE`.',
  exitCode: ExitCode.refused,
};

/**
 * The text of a plan file as a plan. Throws a Failure (exit 4) for a file that is no plan, was cut or edited, or has
 * the format of another version. What its requests may do is checked when it is applied.
 *
 * @param file the file's name, for messages
 */
export function readPlanFile(text: string, file: string): Plan {
  const plan = readSavedFile(text, file, form);
  if (planDigest(plan) !== plan.digest) throw new Failure([editedPlan(file)], ExitCode.refused);
  return plan;
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
