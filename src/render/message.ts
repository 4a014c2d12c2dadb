import { readJsonText } from '../kinds/jsontext.ts';
import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  mapJson,
  objectFrom,
  own,
  textOf,
} from '../model/json.ts';
import { lookupOf, secretName } from '../model/marker.ts';
import { pointer } from '../model/pointer.ts';
import type { Texts } from './outcome.ts';

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

/** The texts of a template that Velocity works on, and how the message is made of what comes out. */
export interface Draft {
  readonly texts: Texts;
  message(rendered: Texts): Message;
}

const mailFields = ['subject', 'from', 'replyTo', 'header', 'body', 'footer'] as const;
const chatFields: Readonly<Record<string, string>> = { SLACK: 'slackTemplate', TEAMS: 'teamsTemplate' };

/**
 * @param fields of a NotificationTemplate, in the manifest's shape; markers stand for what they mark
 */
export function draftOf(medium: string, fields: JsonObject): Draft {
  const shown = mapJson(fields, withoutMarkers);
  const readable = isObject(shown) ? shown : {};
  const chat = Object.hasOwn(chatFields, medium) ? chatFields[medium] : undefined;
  return chat === undefined ? mailDraft(readable) : chatDraft(own(readable, chat) ?? null);
}

/** Whether there is any text at all. */
export const isEmptyDraft = ({ texts }: Draft): boolean => Object.values(texts).every((text) => text === '');

function withoutMarkers(value: Json): Json {
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

/** Members hold JSON in text, which may become JSON only once its directives are carried out. */
function chatDraft(field: Json): Draft {
  const content = parsedText(field);
  const texts = new Map<string, string>();
  collect(content, [], texts);
  return {
    texts: Object.fromEntries(texts),
    message: (rendered) => ({ is: 'chat', content: mapJson(putBack(content, [], rendered), parsedText) }),
  };
}

function parsedText(value: Json): Json {
  const parsed = readJsonText(value);
  return parsed === value || typeof parsed !== 'object' ? value : mapJson(parsed, parsedText);
}

type Path = readonly (string | number)[];

function collect(value: Json, at: Path, texts: Map<string, string>): void {
  if (typeof value === 'string') texts.set(pointer(...at), value);
  else if (typeof value === 'object' && value !== null)
    for (const [name, item] of Object.entries(value)) collect(item, [...at, name], texts);
}

function putBack(value: Json, at: Path, texts: Texts): Json {
  if (typeof value === 'string') return texts[pointer(...at)] ?? value;
  if (isArray(value)) return value.map((item, index) => putBack(item, [...at, index], texts));
  if (!isObject(value)) return value;
  return objectFrom(Object.entries(value).map(([name, item]) => [name, putBack(item, [...at, name], texts)]));
}
