import type { Client } from '../client/client.ts';
import { readRecords } from '../client/lookups.ts';
import { readDefaults, readObjects, readTemplateContext } from '../client/read.ts';
import type { ReadRequest } from '../kinds/kind.ts';
import { type LintKnowledge, lint, needsContext, questionsOf, recordsIn, sendersIn } from '../lint/index.ts';
import { type Diagnostic, hasErrors } from '../model/diagnostic.ts';
import { planDigest } from '../model/digest.ts';
import { Failure } from '../model/failure.ts';
import type { LiveObject } from '../model/live.ts';
import type { Plan } from '../model/plan.ts';
import type { Project } from '../model/project.ts';
import type { Resource } from '../model/resource.ts';
import type { PlanInput } from '../planner/input.ts';

/** What a plan was computed from. */
export interface Planned {
  readonly input: PlanInput;
  readonly defaults: readonly LiveObject[];
  readonly client: Client;
}

/**
 * The plan with the findings of the lint about the objects it writes. The tenant is asked only for what judging them
 * takes: a plan without changes asks nothing. Throws a Failure where a finding is an error.
 */
export async function lintPlan(plan: Plan, project: Project, planned: Planned): Promise<Plan> {
  const { input, defaults } = planned;
  const writes = plan.changes.filter(({ action }) => action === 'create' || action === 'update');
  const written = new Set(writes.map(({ address }) => address));
  // A template that nobody has customised and that equals its default changes nothing, and is reported all the same.
  const live = new Set(input.objects.map(({ address }) => address));
  const standard = defaults.map(({ address }) => address).filter((address) => !live.has(address));
  const about = new Set([...written, ...standard]);
  if (about.size === 0) return plan;
  const changed = project.resources.filter(({ address }) => written.has(address));
  const { known, problems } = await ask(changed, project.resources, planned);
  const findings = lint({ resources: input.resources, known, levels: project.lint, about });
  if (hasErrors(findings)) throw new Failure([...findings, ...problems]);
  const shown = [...findings, ...problems].filter(({ severity }) => severity !== 'info');
  const linted = { ...plan, diagnostics: [...plan.diagnostics, ...shown] };
  return { ...linted, digest: planDigest(linted) };
}

interface Answers {
  readonly known: LintKnowledge;
  /** Parts that the tenant did not answer: they are not judged, and no plan fails for want of advice. */
  readonly problems: readonly Diagnostic[];
}

async function ask(
  changed: readonly Resource[],
  declared: readonly Resource[],
  { input, defaults, client }: Planned,
): Promise<Answers> {
  const { settings } = input.environment;
  const problems: Diagnostic[] = [];
  const part = async <T>(isAsked: boolean, read: () => Promise<T>): Promise<T | undefined> => {
    if (!isAsked) return undefined;
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof Failure) || error.diagnostics.some(({ code }) => code === 'interrupted'))
        throw error;
      problems.push(...error.diagnostics.map(asRemark));
      return undefined;
    }
  };
  const questions = questionsOf(changed, declared);
  const templates = async (): Promise<LintKnowledge> => {
    const open = withoutKnown(questions.defaults, defaults);
    const more = await part(open.length > 0, () => readDefaults(client, open, settings));
    const all = [...defaults, ...(more ?? [])];
    // Mostly the defaults know every variable.
    const attributes = await part(needsContext(changed, all), () => readTemplateContext(client, settings));
    return { defaults: all, ...(attributes && { context: Object.keys(attributes) }) };
  };
  const [texts, objects, ...collections] = await Promise.all([
    templates(),
    part(questions.objects.length > 0, () => readObjects(client, questions.objects, settings)),
    ...questions.collections.map((name) => part(true, () => readRecords(client, [name]))),
  ]);
  const records = new Map(collections.flatMap((read) => [...(read ?? [])]));
  return {
    known: { ...texts, ...(objects && sendersIn(objects)), ...recordsIn(records) },
    // The answers come in another order each time.
    problems: problems.toSorted((one, other) => (one.message < other.message ? -1 : 1)),
  };
}

/** The requests without the keys of which defaults are known: of a key all media and locales are, or none. */
function withoutKnown(requests: readonly ReadRequest[], defaults: readonly LiveObject[]): ReadRequest[] {
  const known = new Set(defaults.map(({ key: [name] }) => name));
  return requests
    .map((request) => ({ ...request, keys: request.keys.filter(([name]) => !known.has(name ?? '')) }))
    .filter(({ keys }) => keys.length > 0);
}

/** Without the tracking id, which differs with every answer: the plan would never have the same digest twice. */
function asRemark({ message, hint }: Diagnostic): Diagnostic {
  const cause = message.replace(/ \(tracking id [^)]*\)/, '');
  return {
    code: 'lint-not-asked',
    severity: 'warning',
    message: `Some checks of the changes were skipped. ${cause}`,
    ...(hint === undefined ? {} : { hint }),
  };
}
