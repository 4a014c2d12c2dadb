import type { JsonObject } from '../model/json.ts';
import { type Draft, draftOf, isEmptyDraft, type Message } from './message.ts';
import type { Outcome } from './outcome.ts';
import type { Renderer } from './renderer.ts';

/** A template before and after a change; `null` where there is none. */
export interface Sides<T> {
  readonly before: T | null;
  readonly after: T | null;
}

/** What a template is rendered with. */
export type ContextChoice =
  /** Made-up values for what both sides use, beside the tenant's attributes where they are known. */
  | { readonly from: 'samples'; readonly attributes: JsonObject | null }
  | { readonly from: 'user'; readonly context: JsonObject };

export interface RenderedSides extends Sides<Outcome<Message>> {
  readonly context: JsonObject;
}

/**
 * Renders both sides of a template with one context. Never rejects: a side that cannot be rendered says why.
 *
 * @param medium EMAIL, SLACK or TEAMS
 * @param fields of the NotificationTemplate, in the manifest's shape
 */
export async function renderTemplate(
  renderer: Renderer,
  medium: string,
  fields: Sides<JsonObject>,
  choice: ContextChoice,
): Promise<RenderedSides> {
  const [before, after] = [fields.before, fields.after].map((side) => side && draftOf(medium, side));
  const context = await contextFor(renderer, [before, after], choice);
  return {
    context,
    before: await renderSide(renderer, before ?? null, context),
    after: await renderSide(renderer, after ?? null, context),
  };
}

async function contextFor(
  renderer: Renderer,
  drafts: readonly (Draft | null | undefined)[],
  choice: ContextChoice,
): Promise<JsonObject> {
  if (choice.from === 'user') return choice.context;
  const { attributes } = choice;
  const texts = drafts.flatMap((draft) => Object.values(draft?.texts ?? {}));
  const sampled = await renderer.sample(texts, attributes);
  return sampled.is === 'rendered' ? sampled.value : attributes ? { __global: attributes } : {};
}

async function renderSide(
  renderer: Renderer,
  draft: Draft | null,
  context: JsonObject,
): Promise<Outcome<Message> | null> {
  if (!draft || isEmptyDraft(draft)) return null;
  const rendered = await renderer.render(draft.texts, context);
  return rendered.is === 'failed' ? rendered : { is: 'rendered', value: draft.message(rendered.value) };
}
