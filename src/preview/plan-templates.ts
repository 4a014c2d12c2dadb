import { listedFor, type VariableLists } from '../kinds/template-variables.ts';
import type { Address } from '../model/address.ts';
import { interruption } from '../model/failure.ts';
import { isObject, type JsonObject } from '../model/json.ts';
import { renderBody } from '../model/marker.ts';
import type { Change, Plan } from '../model/plan.ts';
import { setMember } from '../model/pointer.ts';
import { redacted } from '../model/sensitive.ts';
import { Renderer } from '../render/renderer.ts';
import { parseMessages, renderTemplate, type Sides } from '../render/template.ts';
import type { Rendered } from '../report/options.ts';
import { toRendered } from './document.ts';

/** A longer page is slow to open, and nobody reads it. */
const maxCharacters = 20_000_000;
/** The time limit in milliseconds: each endless template takes its own time limit. */
const maxDuration = 60_000;

/**
 * The notification templates that a plan changes, rendered before and after, by address. What exceeds
 * a limit of size or time is left out. Throws a Failure (exit 130) once the signal aborts.
 *
 * @param attributes the tenant's context; without them sample values are used
 * @param defaults the fields of the vendor's templates that deletes go back to
 */
export async function renderPlanTemplates(
  plan: Plan,
  {
    attributes = null,
    listed,
    defaults,
    renderer,
    signal,
  }: {
    attributes?: JsonObject | null;
    listed?: VariableLists;
    defaults?: ReadonlyMap<Address, JsonObject>;
    renderer?: Renderer;
    signal?: AbortSignal;
  } = {},
): Promise<Readonly<Record<Address, Rendered>>> {
  const changes = plan.changes.filter(
    ({ kind, action }) => kind === 'NotificationTemplate' && action !== 'manual',
  );
  if (changes.length === 0) return {};
  const used = renderer ?? new Renderer();
  const rendered: [Address, Rendered][] = [];
  const end = performance.now() + maxDuration;
  let left = maxCharacters;
  // A template may take its whole time limit.
  const stop = () => used.close();
  signal?.addEventListener('abort', stop);
  try {
    for (const change of changes) {
      if (signal?.aborted) throw interruption();
      if (left <= 0 || performance.now() > end) break;
      const fields = sidesOf(change, defaults?.get(change.address));
      if (!fields.before && !fields.after) continue;
      const examples = listed?.get(listedFor(change.key))?.examples ?? {};
      const choice = { from: 'samples', attributes, examples } as const;
      const sides = toRendered(await renderTemplate(used, change.key[1] ?? '', fields, choice));
      left -= [sides, ...sides.further]
        .flatMap(({ before, after }) => [before, after])
        .reduce((sum, side) => sum + (side?.document.length ?? 0), 0);
      rendered.push([change.address, sides]);
    }
    if (signal?.aborted) throw interruption();
  } finally {
    signal?.removeEventListener('abort', stop);
    if (!renderer) used.close();
  }
  return Object.fromEntries(rendered);
}

/**
 * The fields of a NotificationTemplate before and after a planned change. After is the body of its request, or the vendor's
 * default after a delete. Before is the same with every difference reverted. Both are `null` if the plan does not say: for a
 * delete it only has differences from the default.
 *
 * @param base the fields of the vendor's default that a delete goes back to
 */
export function sidesOf(change: Change, base: JsonObject | null = null): Sides<JsonObject> {
  const { action, diff, requests } = change;
  // Only if there is no default, and it had a text, do the differences of a delete hold the whole template.
  const isWhole =
    diff.every(({ after }) => after === null) &&
    diff.some(({ path }) => ['/body', '/slackTemplate', '/teamsTemplate'].includes(path));
  if (action === 'delete' && base === null && !isWhole) return { before: null, after: null };
  const body = requests[0]?.body;
  const sent = isObject(body) ? renderBody(body, (name) => `(secret ${name})`) : null;
  const written = action === 'delete' ? base : sent;
  // Paths lead into JSON that is written as text, such as the blocks of a Slack message.
  const after = isObject(written) ? parseMessages(written) : null;
  // Differences count list items from the end, so they are reverted in the opposite order.
  const reverted = [
    ...diff.filter(({ op }) => op === 'add'),
    ...diff.filter(({ op }) => op !== 'add').reverse(),
  ];
  const before = reverted.reduce<JsonObject>((value, each) => {
    const earlier = each.op === 'add' ? null : each.before;
    return setMember(value, each.path, each.sensitive ? redacted : earlier);
  }, after ?? {});
  return { before, after };
}
