import type { ErrorObject } from 'ajv';
import { validators } from '../generated/validators.js';
import type { Diagnostic } from '../model/diagnostic.ts';
import { planDigest } from '../model/digest.ts';
import { ExitCode, Failure } from '../model/failure.ts';
import { isObject, type Json, type JsonObject, own, parseJson } from '../model/json.ts';
import { type Plan, planFormat } from '../model/plan.ts';
import { type Result, resultFormat } from '../model/result.ts';

/** A format of files that tenantctl writes and reads. */
interface SavedForm<T> {
  /** Used in messages, and in the codes of failures. */
  readonly name: 'plan' | 'result';
  readonly format: number;
  readonly is: (value: Json) => value is Json & T;
  /** What is wrong with the last value that did not fit. */
  readonly errors: () => readonly ErrorObject[];
  readonly hint: string;
  readonly exitCode: ExitCode;
}

const planForm: SavedForm<Plan> = {
  name: 'plan',
  format: planFormat,
  is: (value): value is Json & Plan => validators.plan(value),
  errors: () => validators.plan.errors ?? [],
  hint: 'Make a new plan with `tenantctl plan --out FILE`.',
  exitCode: ExitCode.refused,
};

const resultForm: SavedForm<Result> = {
  name: 'result',
  format: resultFormat,
  is: (value): value is Json & Result => validators.result(value),
  errors: () => validators.result.errors ?? [],
  hint: 'A result file is what `tenantctl apply --result FILE` writes.',
  exitCode: ExitCode.couldNotRun,
};

/** In bytes, and so in characters too. */
export const largestSavedFile = 256 * 1024 * 1024;
const maxDepth = 200;

/**
 * Reads the text of a plan file. Throws a Failure (exit 4) for a file that is not a plan, is cut or edited, or has the
 * format of another version. What its requests may do is checked when it is applied.
 *
 * @param file the file's name, for messages
 */
export function readPlanFile(text: string, file: string): Plan {
  const plan = readSavedFile(text, file, planForm);
  if (planDigest(plan) !== plan.digest) throw new Failure([editedPlan(file)], ExitCode.refused);
  return plan;
}

/** The problem of a plan whose digest does not match its content. */
export function editedPlan(name: string): Diagnostic {
  return {
    code: 'plan-edited',
    severity: 'error',
    message: `${name} does not match its own digest: it was edited after it was made.`,
    hint: 'Change the manifests instead, and make a new plan.',
  };
}

/**
 * Reads the text of a result file. Throws a Failure for a file that is not a result, is cut, or has the format of another
 * version.
 *
 * @param file the file's name, for messages
 */
export function readResultFile(text: string, file: string): Result {
  return readSavedFile(text, file, resultForm);
}

function readSavedFile<T>(text: string, file: string, form: SavedForm<T>): T {
  const { name, format } = form;
  if (text.length > largestSavedFile)
    throw savedFileFailure(form, 'too-large', `${file} is too large for a ${name}.`);
  const value = parseJson(text.replace(/^\uFEFF/, ''));
  if (value === undefined) {
    throw savedFileFailure(
      form,
      'unreadable',
      `${file} is not JSON: it was cut or edited, or it is not a ${name} file.`,
    );
  }
  if (isTooDeep(value))
    throw savedFileFailure(form, 'unreadable', `${file} is nested too deeply for a ${name}.`);
  const found = isObject(value) ? own(value, 'formatVersion') : undefined;
  if (found === undefined) throw savedFileFailure(form, 'unreadable', `${file} is not a ${name} file.`);
  const written = isObject(value) ? formOf(value) : null;
  if (written !== null && written !== name) {
    throw savedFileFailure(
      { ...form, hint: otherHints[written] },
      'invalid',
      `${file} is a ${written}, not a ${name}.`,
    );
  }
  if (found !== format) {
    const shown = JSON.stringify(found).slice(0, 40);
    const message = `${file} has the ${name} format ${shown}; this version reads format ${format}.`;
    throw savedFileFailure(form, 'format', message);
  }
  if (!form.is(value)) {
    const reasons = form
      .errors()
      .slice(0, 10)
      .map(({ instancePath, message }) => `${instancePath || '/'} ${message ?? 'is wrong'}`);
    throw savedFileFailure(form, 'invalid', `${file} is not a valid ${name}: ${reasons.join('; ')}.`);
  }
  return value;
}

/** What to do with a file of the other kind. */
const otherHints: Readonly<Record<SavedForm<unknown>['name'], string>> = {
  plan: 'Use `tenantctl show` to see a plan, and `tenantctl apply` to apply it.',
  result: 'Use `tenantctl show` to see a result, and `tenantctl rollback` to undo it.',
};

/** Which of the two a value is meant to be; `null` where that is not clear. */
function formOf(value: JsonObject): SavedForm<unknown>['name'] | null {
  if (Object.hasOwn(value, 'planDigest')) return 'result';
  return Object.hasOwn(value, 'digest') ? 'plan' : null;
}

/** Level by level, since a hostile file may nest deeper than the call stack allows. */
function isTooDeep(value: Json): boolean {
  let level: Json[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return true;
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
  return false;
}

function savedFileFailure(
  { name, hint, exitCode }: Pick<SavedForm<unknown>, 'name' | 'hint' | 'exitCode'>,
  what: string,
  message: string,
): Failure {
  return new Failure([{ code: `${name}-${what}`, severity: 'error', message, hint }], exitCode);
}
