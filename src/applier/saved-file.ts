import { validators } from '../generated/validators.js';
import {
  changeOutcomes,
  countOutcomes,
  type Fleet,
  fleetDigest,
  fleetOf,
  formats,
  type Plan,
  planDigest,
  type Result,
} from '../model/documents.ts';
import { type Diagnostic, ExitCode, Failure, fail } from '../model/failure.ts';
import { get, getText, isObject, isTooDeep, type JsonObject, parseJson, sameJson } from '../model/json.ts';

interface Forms {
  readonly plan: Plan;
  readonly result: Result;
  readonly fleet: Fleet;
}

type FormName = keyof Forms;

/** `hint` says where such a file comes from, and `otherHint` what to do with a file of the other type. */
const forms = {
  plan: {
    format: formats.plan,
    exitCode: ExitCode.refused,
    hint: 'Make a new plan with `tenantctl plan --out FILE`.',
    otherHint: 'Use `tenantctl show` to see a plan, and `tenantctl apply` to apply it.',
  },
  result: {
    format: formats.result,
    exitCode: ExitCode.couldNotRun,
    hint: 'A result file is what `tenantctl apply --result FILE` writes.',
    otherHint: 'Use `tenantctl show` to see a result, and `tenantctl rollback` to undo it.',
  },
  fleet: {
    format: formats.fleet,
    exitCode: ExitCode.refused,
    hint: 'Make a new one with `tenantctl plan --env … --out FILE`.',
    otherHint:
      'It holds several environments: use `tenantctl show` to see it, and `tenantctl apply` to apply its plans. The results of each environment are in `.tenantctl/ENVIRONMENT/results`.',
  },
} as const satisfies Record<
  FormName,
  { format: number; exitCode: Failure['exitCode']; hint: string; otherHint: string }
>;

const checks: { readonly [Name in FormName]: (value: unknown) => value is Forms[Name] } = validators;

export const runUnfinished = {
  code: 'run-unfinished',
  severity: 'warning',
  message:
    'This result was written while the run was still going. It does not list changes that had not started.',
  hint: 'If the run was killed, apply the same plan again to finish it, or roll this result back.',
} as const satisfies Diagnostic;

const maxDepth = 200;

/** Throws a Failure (exit 4) for a file that is not a plan, was cut or edited, or has another version. The apply checks requests. */
export function readPlanFile(text: string, file: string): Plan {
  const plan = readSavedFile(text, file, 'plan');
  if (planDigest(plan) !== plan.digest) throw new Failure([editedPlan(file)], ExitCode.refused);
  return plan;
}

export function editedPlan(name: string): Diagnostic {
  return {
    code: 'plan-edited',
    severity: 'error',
    message: `${name} does not match its own digest: it was edited after it was made.`,
    hint: 'Change the manifests instead, and make a new plan.',
  };
}

/** Throws a Failure for a file that is not a result, is cut, or has the format of another version. */
export function readResultFile(text: string, file: string): Result {
  return readSavedFile(text, file, 'result');
}

/** Reads the plans of several environments, or their results. Throws a Failure (exit 4) as for a plan file. */
export function readFleetFile(text: string, file: string): Fleet {
  const fleet = readSavedFile(text, file, 'fleet');
  const isSound =
    fleetDigest(fleet.environments) === fleet.digest &&
    fleet.environments.every(({ plan }) => plan === null || planDigest(plan) === plan.digest);
  if (!isSound) throw new Failure([editedPlan(file)], ExitCode.refused);
  const wrong = untruthOf(fleet);
  if (wrong !== null)
    throw fail('fleet-inconsistent', `${file} ${wrong}.`, { hint: forms.fleet.hint }, ExitCode.refused);
  return fleet;
}

/** The mistakes in what a fleet says about its plans, as the end of a sentence. The digests do not cover them. */
function untruthOf({ environments, summary }: Fleet): string | null {
  const names = environments.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) return `has the environment ${JSON.stringify(twice)} twice`;
  for (const { name, plan, result, error } of environments) {
    if (!plan && !result && !error) return `has nothing for ${JSON.stringify(name)}`;
    const other = [plan, result].find((part) => part && part.environment !== name);
    if (other)
      return `shows a plan for ${JSON.stringify(other.environment)} as the plan for ${JSON.stringify(name)}`;
  }
  const isCounted = sameJson({ ...summary }, { ...fleetOf(environments).summary });
  return isCounted ? null : 'has counts that do not match its plans';
}

function readSavedFile<Name extends FormName>(text: string, file: string, name: Name): Forms[Name] {
  const form = forms[name];
  const refusal = (what: string, message: string, hint: string = form.hint) =>
    fail(`${name}-${what}`, message, { hint }, form.exitCode);
  // The writer of a result may have been stopped in the middle of it.
  const value =
    parseJson(text.replace(/^\uFEFF/, '')) ?? (name === 'result' ? salvageResult(text) : undefined);
  if (value === undefined) {
    const message = `${file} is not JSON: it was cut off or edited, or it is not a ${name} file.`;
    throw refusal('unreadable', message);
  }
  if (isTooDeep(value, maxDepth)) throw refusal('unreadable', `${file} is nested too deeply for a ${name}.`);
  const found = isObject(value) ? get(value, 'formatVersion') : undefined;
  if (!isObject(value) || found === undefined) throw refusal('unreadable', `${file} is not a ${name} file.`);
  const written = formOf(value);
  if (written !== null && written !== name)
    throw refusal('invalid', `${file} is a ${written}, not a ${name}.`, forms[written].otherHint);
  if (written === null && Object.hasOwn(value, 'diagnostics')) {
    const message = `${file} holds the errors of a command that failed, not a ${name}.`;
    throw refusal('invalid', message, 'Fix those errors, and run that command again.');
  }
  if (found !== form.format) {
    const shown = JSON.stringify(found).slice(0, 40);
    const message = `${file} has the ${name} format ${shown}; this version reads format ${form.format}.`;
    throw refusal('format', message);
  }
  const isForm: (value: unknown) => value is Forms[Name] = checks[name];
  if (!isForm(value)) {
    const reasons = (validators[name].errors ?? [])
      .slice(0, 10)
      .map(({ instancePath, message }) => `${instancePath || '/'} ${message ?? 'is wrong'}`);
    throw refusal('invalid', `${file} is not a valid ${name}: ${reasons.join('; ')}.`);
  }
  return value;
}

/** Keeps the head, and the changes up to the first incomplete one (see result-file.ts). `undefined` for any other text. */
function salvageResult(text: string): JsonObject | undefined {
  const [first = '', ...lines] = text.split('\n');
  const head = first.endsWith('"changes":[') ? parseJson(`${first}]}`) : undefined;
  if (!isObject(head)) return undefined;
  const rows = lines.map((line) => parseJson(line.replace(/,$/, '')));
  const end = rows.findIndex((row) => !isObject(row));
  const changes = rows.slice(0, end < 0 ? rows.length : end).filter(isObject);
  const outcomes = changes.flatMap((change) => {
    const outcome = changeOutcomes.find((name) => name === getText(change, 'outcome'));
    return outcome === undefined ? [] : [{ outcome }];
  });
  const endedAt = get(head, 'startedAt') ?? null;
  const summary = countOutcomes(outcomes);
  return { ...head, changes, endedAt, outcome: 'interrupted', summary, diagnostics: [runUnfinished] };
}

/** The document that a value is meant to be; `null` if that is unclear. */
function formOf(value: JsonObject): FormName | null {
  if (Object.hasOwn(value, 'planDigest')) return 'result';
  if (Object.hasOwn(value, 'environments')) return 'fleet';
  return Object.hasOwn(value, 'digest') ? 'plan' : null;
}

export function formOfText(text: string): FormName | null {
  const value = parseJson(text) ?? salvageResult(text);
  return isObject(value) ? formOf(value) : null;
}
