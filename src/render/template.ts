import { readJsonText } from '../kinds/jsontext.ts';
import { isObject, type Json, type JsonObject, mapJson, own, textOf } from '../model/json.ts';
import { lookupOf, secretName } from '../model/marker.ts';
import type { Outcome, Texts } from './outcome.ts';
import type { Renderer } from './renderer.ts';

/** A notification as its recipients get it. */
export type Message =
  | {
      readonly is: 'email';
      readonly subject: string;
      readonly from: string;
      readonly replyTo: string;
      readonly html: string;
    }
  | { readonly is: 'chat'; readonly content: Json };

/** A template before and after a change; `null` where there is none. */
export interface Sides<T> {
  readonly before: T | null;
  readonly after: T | null;
}

/** Which values a template is rendered with. */
export type ContextChoice =
  /** Sample values for the variables of both sides; the tenant's attributes where they are known. */
  | { readonly from: 'samples'; readonly attributes: JsonObject | null }
  | { readonly from: 'user'; readonly context: JsonObject };

export interface RenderedSides extends Sides<Outcome<Message>> {
  readonly context: JsonObject;
  /** With other sample values, where these show changed lines that are not seen otherwise. */
  readonly further: readonly FurtherSides[];
  /** A sentence about changed lines that are seen nowhere; empty where there are none. */
  readonly remark: string;
}

interface FurtherSides extends Sides<Message> {
  /** What is different, as part of a sentence. */
  readonly title: string;
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
  const before = fields.before && draftOf(medium, fields.before);
  const after = fields.after && draftOf(medium, fields.after);
  const context = await contextFor(renderer, [before, after], choice);
  const rendered = {
    before: await renderSide(renderer, before, context),
    after: await renderSide(renderer, after, context),
  };
  const isWhole = [rendered.before, rendered.after].every((side) => side?.is !== 'failed');
  const others = isWhole ? await renderOthers(renderer, { before, after }, choice) : none;
  return { context, ...rendered, ...others };
}

type Others = Pick<RenderedSides, 'further' | 'remark'>;

const none: Others = { further: [], remark: '' };
const hasArms = /#\{?(?:if|foreach|macro|define)\b/;

/** Values that somebody chose are not replaced by others. */
async function renderOthers(
  renderer: Renderer,
  { before, after }: Sides<Draft>,
  choice: ContextChoice,
): Promise<Others> {
  const texts = [before, after].flatMap((draft) => Object.values(draft?.texts ?? {}));
  if (choice.from === 'user' || !texts.some((text) => hasArms.test(text))) return none;
  const outcome = await renderer.further({
    before: before?.texts ?? null,
    after: after?.texts ?? null,
    attributes: choice.attributes,
  });
  if (outcome.is === 'failed')
    return { ...none, remark: `Changes below a condition may not be shown. ${outcome.reason}` };
  const { renderings, unseen } = outcome.value;
  const further = renderings.map(({ title, ...side }) => ({
    title,
    before: before && side.before && before.message(side.before),
    after: after && side.after && after.message(side.after),
  }));
  return { further, remark: remarkOf(unseen) };
}

function remarkOf(unseen: number): string {
  if (unseen === 0) return '';
  const lines = unseen === 1 ? '1 changed line is' : `${unseen} changed lines are`;
  return `${lines} in none of these pictures: read the text for them.`;
}

async function contextFor(
  renderer: Renderer,
  drafts: readonly (Draft | null)[],
  choice: ContextChoice,
): Promise<JsonObject> {
  if (choice.from === 'user') return choice.context;
  const { attributes } = choice;
  const texts = drafts.flatMap((draft) => Object.values(draft?.texts ?? {}));
  const sampled = await renderer.sample(texts, attributes);
  if (sampled.is === 'rendered') return sampled.value;
  return attributes ? { __global: attributes } : {};
}

async function renderSide(
  renderer: Renderer,
  draft: Draft | null,
  context: JsonObject,
): Promise<Outcome<Message> | null> {
  if (!draft || Object.values(draft.texts).every((text) => text === '')) return null;
  const rendered = await renderer.render(draft.texts, context);
  return rendered.is === 'failed' ? rendered : { is: 'rendered', value: draft.message(rendered.value) };
}

/** The texts of a template that hold Velocity, and how a message is made of the rendered texts. */
interface Draft {
  readonly texts: Texts;
  message(rendered: Texts): Message;
}

const mailFields = ['subject', 'from', 'replyTo', 'header', 'body', 'footer'] as const;
const chatFields: Readonly<Record<string, string>> = { SLACK: 'slackTemplate', TEAMS: 'teamsTemplate' };

function draftOf(medium: string, fields: JsonObject): Draft {
  const shown = mapJson(fields, replaceMarker);
  const readable = isObject(shown) ? shown : {};
  const chat = own(chatFields, medium);
  return chat === undefined ? mailDraft(readable) : chatDraft(own(readable, chat) ?? null);
}

/** Words in the place of a secret or a lookup. */
function replaceMarker(value: Json): Json {
  const secret = secretName(value);
  if (secret !== null) return `(secret ${secret})`;
  return lookupOf(value) === null ? value : '(looked up)';
}

function mailDraft(fields: JsonObject): Draft {
  const texts = Object.fromEntries(mailFields.map((name) => [name, textOf(fields, name) ?? '']));
  return {
    texts,
    message({ subject = '', from = '', replyTo = '', header = '', body = '', footer = '' }) {
      return { is: 'email', subject, from, replyTo, html: `${header}${body}${footer}` };
    },
  };
}

/** Members may hold JSON as text, and some of it becomes JSON only when its directives are evaluated. */
function chatDraft(field: Json): Draft {
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
