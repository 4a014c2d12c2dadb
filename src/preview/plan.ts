import type { Address } from '../model/address.ts';
import type { JsonObject } from '../model/json.ts';
import type { Plan } from '../model/plan.ts';
import { createRenderer, type Renderer, renderTemplate, type Sides, sidesOf } from '../render/index.ts';
import { documentOf } from './document.ts';

/** A page with more than this is no longer read, and slow to open. */
const mostCharacters = 20_000_000;
/** Templates that never end cost their time limit each; after so much of it the rest stays as it is written. */
const longest = 60_000;

export interface PlanRenderOptions {
  /** The tenant's context attributes; left out or `null`: made-up values. */
  readonly attributes?: JsonObject | null;
  /** The fields of the vendor's templates that deletes go back to. */
  readonly defaults?: ReadonlyMap<Address, JsonObject>;
  readonly renderer?: Renderer;
}

/** Every notification template that a plan changes, rendered before and after, as HTML documents by address. */
export async function renderPlanTemplates(
  plan: Plan,
  { attributes = null, defaults, renderer }: PlanRenderOptions = {},
): Promise<Readonly<Record<Address, Sides<string>>>> {
  const changes = plan.changes.filter(
    ({ kind, action }) => kind === 'NotificationTemplate' && action !== 'manual',
  );
  if (changes.length === 0) return {};
  const used = renderer ?? createRenderer();
  const rendered: [Address, Sides<string>][] = [];
  const end = performance.now() + longest;
  let left = mostCharacters;
  try {
    for (const change of changes) {
      if (left <= 0 || performance.now() > end) break;
      const fields = sidesOf(change, defaults?.get(change.address));
      if (!fields.before && !fields.after) continue;
      const { before, after } = await renderTemplate(used, change.key[1] ?? '', fields, {
        from: 'samples',
        attributes,
      });
      const sides = { before: documentOf(before, true), after: documentOf(after, true) };
      left -= (sides.before?.length ?? 0) + (sides.after?.length ?? 0);
      rendered.push([change.address, sides]);
    }
  } finally {
    if (!renderer) used.close();
  }
  return Object.fromEntries(rendered);
}
