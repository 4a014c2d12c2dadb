import { readRecords } from '../client/records.ts';
import { readTemplateContext } from '../client/template-context.ts';
import { kindNamed } from '../kinds/index.ts';
import { notificationTemplate } from '../kinds/notification-template.ts';
import { type LintKnowledge, lint, needsContext, questionsOf } from '../lint/index.ts';
import { type Diagnostic, hasErrors } from '../model/diagnostic.ts';
import { planDigest } from '../model/digest.ts';
import { Failure } from '../model/failure.ts';
import { textOf } from '../model/json.ts';
import type { LiveObject, TenantState } from '../model/live.ts';
import type { Plan } from '../model/plan.ts';
import type { Project } from '../model/project.ts';
import type { Resource } from '../model/resource.ts';
import type { Kept } from '../planner/index.ts';
import type { Tenant } from './tenant.ts';

/** What a plan was computed from, besides the project. */
interface Planned {
  readonly state: TenantState<Kept>;
  /** The resources with their lookups filled. */
  readonly resources: readonly Resource[];
}

/**
 * The plan with what the lint says of the objects it writes. The tenant is asked only for what judging them takes: a
 * plan without changes asks nothing. Throws a Failure where a finding is an error.
 */
export async function withLint(
  plan: Plan,
  project: Project,
  tenant: Tenant,
  { state, resources }: Planned,
): Promise<Plan> {
  const writes = plan.changes.filter(({ action }) => action === 'create' || action === 'update');
  const written = new Set(writes.map(({ address }) => address));
  // A template that nobody has customised and that equals its default changes nothing, and is told all the same.
  const live = new Set(state.objects.map(({ address }) => address));
  const standard = state.defaults.map(({ address }) => address).filter((address) => !live.has(address));
  const about = new Set([...written, ...standard]);
  if (about.size === 0) return plan;
  const changed = project.resources.filter(({ address }) => written.has(address));
  const { known, missed } = await ask(changed, project.resources, state.defaults, tenant);
  const findings = lint({ resources, known, levels: project.lint, about });
  if (hasErrors(findings)) throw new Failure([...findings, ...missed]);
  const told = [...findings, ...missed].filter(({ severity }) => severity !== 'info');
  const linted = { ...plan, diagnostics: [...plan.diagnostics, ...told] };
  return { ...linted, digest: planDigest(linted) };
}

/** A part that the tenant does not tell is not judged, which is said: no plan fails for want of advice. */
async function ask(
  changed: readonly Resource[],
  declared: readonly Resource[],
  defaults: readonly LiveObject[],
  { client, environment: { settings }, readWanted, readDefaults }: Tenant,
): Promise<{ known: LintKnowledge; missed: readonly Diagnostic[] }> {
  const missed: Diagnostic[] = [];
  const part = async (isAsked: boolean, read: () => Promise<LintKnowledge>): Promise<LintKnowledge> => {
    if (!isAsked) return {};
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof Failure) || error.diagnostics.some(({ code }) => code === 'interrupted'))
        throw error;
      missed.push(...error.diagnostics.map(asRemark));
      return {};
    }
  };
  const questions = questionsOf(changed, declared, defaults);
  const templates = async (): Promise<LintKnowledge> => {
    const { defaults: keys } = questions;
    const { defaults: more = [] } = await part(keys.length > 0, async () => ({
      defaults: await readDefaults([{ kind: notificationTemplate, keys, ids: [], complete: false }]),
    }));
    const all = [...defaults, ...more];
    // Mostly the defaults know every variable.
    const context = await part(needsContext(changed, all), async () => ({
      context: Object.keys(await readTemplateContext(client, settings)),
    }));
    return { defaults: all, ...context };
  };
  const collection = async (name: string) => (await readRecords(client, [name])).get(name) ?? [];
  const [texts, senders, attributes, types] = await Promise.all([
    templates(),
    part(questions.senders, async () => {
      const whole = ['SenderAddress', 'VerifiedDomain'].map(kindNamed);
      return sendersIn(await readWanted(whole.map((kind) => ({ kind, keys: [], ids: [], complete: true }))));
    }),
    part(questions.attributes, async () => ({ attributes: await collection('ne_attributes') })),
    part(questions.profileTypes, async () => ({ profileTypes: await collection('profile_types') })),
  ]);
  // The answers come in another order each time.
  const sorted = missed.toSorted((one, other) => (one.message < other.message ? -1 : 1));
  return { known: { ...texts, ...senders, ...attributes, ...types }, missed: sorted };
}

/** Without the tracking id, which is another for every answer: the plan would never have the same digest twice. */
function asRemark({ message, hint }: Diagnostic): Diagnostic {
  const said = message.replace(/ \(tracking id [^)]*\)/, '');
  return {
    code: 'lint-not-asked',
    severity: 'warning',
    message: `Some checks of what is written were left out. ${said}`,
    ...(hint === undefined ? {} : { hint }),
  };
}

/** A sender counts until its verification has failed; a domain counts once it is verified. */
function sendersIn({ objects }: TenantState): LintKnowledge {
  const keys = (kind: string, counts: (object: LiveObject) => boolean) =>
    objects.filter((object) => object.kind === kind && counts(object)).map(({ key: [first = ''] }) => first);
  return {
    senders: keys('SenderAddress', ({ raw }) => textOf(raw, 'verificationStatus') !== 'FAILED'),
    verifiedDomains: keys('VerifiedDomain', ({ raw }) => textOf(raw, 'dkimVerificationStatus') === 'SUCCESS'),
  };
}
