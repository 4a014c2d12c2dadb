import { readJsonText } from '../kinds/jsontext.ts';
import { get, getText, type Json, type JsonObject, mapJson, mapMembers } from '../model/json.ts';
import { lookupOf, secretName } from '../model/marker.ts';
import type { Outcome, Renderer, Rendering } from './renderer.ts';
import { sampleContext } from './sample.ts';

type Message =
  | {
      readonly is: 'email';
      readonly subject: string;
      readonly from: string;
      readonly replyTo: string;
      readonly html: string;
    }
  | { readonly is: 'chat'; readonly content: Json };

/** A template before and after a change, or `null`. */
export interface Sides<T> {
  readonly before: T | null;
  readonly after: T | null;
}

type ContextChoice =
  /** Sample values for the variables of both sides; the tenant's attributes and examples if known. */
  | { readonly from: 'samples'; readonly attributes: JsonObject | null; readonly examples?: JsonObject }
  | { readonly from: 'user'; readonly context: JsonObject };

export interface RenderedSides extends Sides<Outcome<Message>> {
  readonly context: JsonObject;
  /** With all conditions true or all false, if that shows otherwise hidden changed texts. */
  readonly further: readonly (Sides<Outcome<Message>> & { readonly title: string })[];
  /** A sentence about changed texts that no rendering shows; empty if there are none. */
  readonly remark: string;
}

/**
 * Renders both sides of a template with one context. Never rejects: the outcome of a side says why it could not be
 * rendered.
 *
 * @param medium EMAIL, SLACK or TEAMS
 * @param fields of the NotificationTemplate, in the shape of the manifest; they may hold markers
 */
export async function renderTemplate(
  renderer: Renderer,
  medium: string,
  fields: Sides<JsonObject>,
  choice: ContextChoice,
): Promise<RenderedSides> {
  const drafts = mapSides(fields, (side) => draftOf(medium, side));
  const texts = [drafts.before, drafts.after].flatMap((draft) => Object.values(draft?.texts ?? {}));
  const context =
    choice.from === 'user' ? choice.context : sampleContext(texts, choice.attributes, choice.examples);
  const pictures = await renderBoth(renderer, drafts, context);
  const sides = mapSides(pictures, ({ message }) => message);
  const isWhole = [sides.before, sides.after].every((side) => side?.is !== 'failed');
  // Values that somebody chose are kept.
  if (!isWhole || choice.from === 'user') return { context, ...sides, further: [], remark: '' };
  return { context, ...sides, ...(await renderHidden(renderer, drafts, context, pictures)) };
}

function mapSides<T extends object, U>({ before, after }: Sides<T>, map: (side: T) => U): Sides<U> {
  return { before: before && map(before), after: after && map(after) };
}

interface Picture extends Rendering {
  readonly message: Outcome<Message>;
}

async function renderBoth(
  renderer: Renderer,
  { before, after }: Sides<TemplateDraft>,
  context: JsonObject,
  conditions: boolean | null = null,
): Promise<Sides<Picture>> {
  const render = async (draft: TemplateDraft | null): Promise<Picture | null> => {
    if (!draft || Object.values(draft.texts).every((text) => text === '')) return null;
    const outcome = await renderer.render(draft.texts, context, conditions);
    if (outcome.is === 'failed') return { texts: {}, literals: [], message: outcome };
    const { value } = outcome;
    return { ...value, message: { is: 'rendered', value: draft.message(value.texts) } };
  };
  return { before: await render(before), after: await render(after) };
}

/** Renders variants that show changed texts that the usual values hide. */
async function renderHidden(
  renderer: Renderer,
  drafts: Sides<TemplateDraft>,
  context: JsonObject,
  usual: Sides<Picture>,
): Promise<Pick<RenderedSides, 'further' | 'remark'>> {
  const [old, wanted] = [new Set(usual.before?.literals), new Set(usual.after?.literals)];
  const changed = [
    ...[...old].filter((text) => !wanted.has(text)).map((text) => ({ side: 'before', text }) as const),
    ...[...wanted].filter((text) => !old.has(text)).map((text) => ({ side: 'after', text }) as const),
  ];
  const hiddenIn = (pictures: Sides<Picture>, texts: typeof changed) =>
    texts.filter(
      ({ side, text }) => !Object.values(pictures[side]?.texts ?? {}).some((each) => each.includes(text)),
    );
  let hidden = hiddenIn(usual, changed);
  const further: RenderedSides['further'][number][] = [];
  for (const conditions of [false, true]) {
    if (hidden.length === 0) break;
    const title = `where ${conditions ? 'every' : 'no'} condition holds`;
    const sides = await renderBoth(renderer, drafts, context, conditions);
    const left = hiddenIn(sides, hidden);
    if (left.length < hidden.length) further.push({ title, ...mapSides(sides, ({ message }) => message) });
    hidden = left;
  }
  if (hidden.length === 0) return { further, remark: '' };
  const texts = hidden.length === 1 ? '1 changed text is' : `${hidden.length} changed texts are`;
  const remark = `${texts} not in any of these pictures, because of the conditions around them: read the template.`;
  return { further, remark };
}

/** The texts of a template that hold Velocity, and how a message is made of the rendered texts. */
interface TemplateDraft {
  readonly texts: Rendering['texts'];
  message(rendered: Rendering['texts']): Message;
}

const mailFields = ['subject', 'from', 'replyTo', 'header', 'body', 'footer'] as const;
const chatFields: Readonly<Record<string, string>> = { SLACK: 'slackTemplate', TEAMS: 'teamsTemplate' };

function draftOf(medium: string, fields: JsonObject): TemplateDraft {
  const show = (value: Json) => {
    const secret = secretName(value);
    if (secret !== null) return `(secret ${secret})`;
    return lookupOf(value) === null ? value : '(looked up)';
  };
  const readable = mapMembers(fields, (value) => mapJson(value, show));
  const chat = get(chatFields, medium);
  if (chat !== undefined) return chatDraft(get(readable, chat) ?? null);
  return {
    texts: Object.fromEntries(mailFields.map((name) => [name, getText(readable, name) ?? ''])),
    message({ subject = '', from = '', replyTo = '', header = '', body = '', footer = '' }) {
      return { is: 'email', subject, from, replyTo, html: `${header}${body}${footer}` };
    },
  };
}

/** Members may hold JSON as text, and some of it becomes JSON only when its directives are evaluated. */
function chatDraft(field: Json): TemplateDraft {
  const content = parseTexts(field);
  const texts: string[] = [];
  mapTexts(content, (text) => {
    texts.push(text);
    return text;
  });
  return {
    texts: Object.fromEntries(texts.entries()),
    message(rendered) {
      const values = texts.map((text, index) => rendered[index] ?? text).values();
      return { is: 'chat', content: mapTexts(content, (text) => parseTexts(values.next().value ?? text)) };
    },
  };
}

/** A copy of `value` in which `replace` has replaced all texts, in their order. */
function mapTexts(value: Json, replace: (text: string) => Json): Json {
  return mapJson(value, (item) => (typeof item === 'string' ? replace(item) : item));
}

function parseTexts(value: Json): Json {
  const parsed = readJsonText(value);
  return parsed === value || typeof parsed !== 'object' ? value : mapJson(parsed, parseTexts);
}

/** The fields of a template with the JSON that stands as text in its messages, such as the blocks of Slack. */
export function parseMessages(fields: JsonObject): JsonObject {
  const names = Object.values(chatFields);
  return mapMembers(fields, (field, name) => (names.includes(name) ? mapJson(field, parseTexts) : field));
}
