import type { Client } from '../client/client.ts';
import { readRecords } from '../client/lookups.ts';
import { readDefaults, readObjects } from '../client/read.ts';
import { readTemplateContext, readVariables } from '../client/template-variables.ts';
import type { LiveObject } from '../kinds/kind.ts';
import type { Project } from '../kinds/project.ts';
import type { ReadRequest } from '../kinds/read-request.ts';
import type { Resource } from '../kinds/resource.ts';
import { type LintKnowledge, lint } from '../lint/index.ts';
import { collectionsFor } from '../lint/searches.ts';
import { findOrphaned, templateQuestions, withOtherVariables } from '../lint/templates.ts';
import { scopeFilter } from '../model/address.ts';
import { type Diagnostic, hasErrors } from '../model/diagnostic.ts';
import type { DraftPlan } from '../model/digest.ts';
import { Failure, isInterruption, onFailure } from '../model/failure.ts';
import type { PlanInput } from '../planner/input.ts';

interface Planned {
  readonly input: PlanInput;
  readonly defaults: readonly LiveObject[];
  readonly client: Client;
}

/**
 * Adds to the plan what the lint finds in the objects that it writes. Reads from the tenant only what the lint needs for
 * them, so a plan without changes sends no request. Throws a Failure when a finding is an error.
 */
export async function lintPlan(plan: DraftPlan, project: Project, planned: Planned): Promise<DraftPlan> {
  const { input, defaults } = planned;
  const writes = plan.changes.filter(({ action }) => action === 'create' || action === 'update');
  // Templates with a sender that the plan deletes are checked too, though they do not change, in scope or not.
  const { deleted, orphaned } = findOrphaned(plan.changes, project.resources);
  const affected = new Set([...writes, ...orphaned].map(({ address }) => address));
  // A declared template that equals its default, and is not customised, is not a change. Its findings are shown too.
  const live = new Set(input.objects.map(({ address }) => address));
  const isInScope = scopeFilter(plan.scope);
  const standard = defaults.filter(({ address }) => !live.has(address) && isInScope(address));
  const about = new Set([...affected, ...standard.map(({ address }) => address)]);
  if (about.size === 0) return plan;
  const asked = project.resources.filter(({ address }) => affected.has(address));
  const { known, problems } = await readKnowledge(asked, project.resources, planned);
  const findings = lint({
    resources: input.resources,
    known: { ...known, customised: live, deleted },
    levels: project.lint,
    about,
  });
  if (hasErrors(findings)) throw new Failure([...findings, ...problems]);
  const shown = [...findings, ...problems].filter(({ severity }) => severity !== 'info');
  return { ...plan, diagnostics: [...plan.diagnostics, ...shown] };
}

/** `problems`: why parts could not be read. Their checks are skipped: a plan does not fail because the lint cannot run. */
async function readKnowledge(
  changed: readonly Resource[],
  declared: readonly Resource[],
  planned: Planned,
): Promise<{ known: LintKnowledge; problems: readonly Diagnostic[] }> {
  const { client } = planned;
  const problems: Diagnostic[] = [];
  const skip: Skip = onFailure((failure): undefined => {
    if (isInterruption(failure)) throw failure;
    for (const { message, hint } of failure.diagnostics) {
      // It is new in each answer, and would change the digest of the plan.
      const reason = message.replace(/ \(tracking id [^)]*\)/, '');
      const told = `Some checks of the changes were skipped. ${reason}`;
      problems.push({ code: 'lint-not-asked', severity: 'warning', message: told, ...(hint && { hint }) });
    }
  });
  const asked = templateQuestions(changed, declared);
  const [texts, senders, ...collections] = await Promise.all([
    readTexts(changed, asked.defaults, planned, skip),
    asked.senders.length > 0 ? readObjects(client, asked.senders).catch(skip) : undefined,
    ...collectionsFor(changed).map((name) => readRecords(client, [name]).catch(skip)),
  ]);
  const records = new Map(collections.flatMap((read) => [...(read ?? [])]));
  return {
    known: { ...texts, ...(senders && { senders }), records },
    // The order of the answers is random, and the problems are part of the digest.
    problems: problems.toSorted((one, other) => (one.message < other.message ? -1 : 1)),
  };
}

type Skip = (error: unknown) => undefined;

async function readTexts(
  changed: readonly Resource[],
  asked: readonly ReadRequest[],
  { defaults, client }: Planned,
  skip: Skip,
): Promise<LintKnowledge> {
  // The defaults of a key are read for all media and locales.
  const read = new Set(defaults.map(({ key: [name] }) => name));
  const missing = asked
    .map((request) => ({ ...request, keys: request.keys.filter(([name]) => !read.has(name ?? '')) }))
    .filter(({ keys }) => keys.length > 0);
  // The context is likely to be needed as well. Equal requests of a plan are sent once, so it costs no wait below.
  const [more = []] = await Promise.all([
    readDefaults(client, missing).catch(skip),
    missing.length > 0 && readTemplateContext(client).catch(onFailure(() => null)),
  ]);
  const all = [...defaults, ...more];
  // Most variables occur in the defaults. Then the context is not needed.
  const others = withOtherVariables(changed, all).map(({ key }) => key);
  if (others.length === 0) return { defaults: all };
  const [attributes, listed] = await Promise.all([
    readTemplateContext(client).catch(skip),
    readVariables(client, others).catch(skip),
  ]);
  return {
    defaults: all,
    ...(attributes && { context: Object.keys(attributes) }),
    ...(listed && { listed }),
  };
}
