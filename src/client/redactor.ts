import { type Json, mapJson, objectFrom } from '../model/json.ts';
import type { Answer } from './answer.ts';

/** Removes secrets from a tenant's texts, which may repeat what the tenant was sent. */
export interface Redactor {
  /** From now on `secret` is replaced wherever it occurs. */
  learn(secret: string): void;
  text(text: string): string;
  /** The answer without secrets in the text of an error; the body of a success stays as it is. */
  answer<T extends Answer>(answer: T): T;
}

export function createRedactor(): Redactor {
  const forms = new Set<string>();
  let longestFirst: readonly string[] = [];

  const text = (value: string): string =>
    longestFirst.reduce((clean, form) => clean.replaceAll(form, '[secret]'), value);
  const json = (value: Json): Json =>
    mapJson(value, (item) => {
      if (typeof item === 'string') return text(item);
      if (typeof item !== 'object' || item === null || Array.isArray(item)) return item;
      return objectFrom(Object.entries(item).map(([key, inner]) => [text(key), inner]));
    });

  return {
    learn(secret) {
      if (secret === '' || forms.has(secret)) return;
      for (const form of formsOf(secret)) forms.add(form);
      // A secret may be part of another one.
      longestFirst = [...forms].sort((a, b) => b.length - a.length);
    },
    text,
    answer(answer) {
      if (answer.outcome !== 'answered') return { ...answer, detail: text(answer.detail) };
      const headers = Object.fromEntries(
        Object.entries(answer.headers).map(([name, value]) => [name, text(value)]),
      );
      const clean = { ...answer, headers, text: answer.text === null ? null : text(answer.text) };
      return answer.status < 300 ? clean : { ...clean, body: json(answer.body) };
    },
  };
}

/** The ways in which an answer may spell a secret: as it is, inside JSON (and JSON inside JSON), a URL, a form, HTML. */
function formsOf(secret: string): string[] {
  const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);
  const once = inJson(secret);
  const twice = inJson(once);
  const inForm = new URLSearchParams([['', secret]]).toString().slice(1);
  const inHtml = secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const quoted = inHtml.replaceAll('"', '&quot;');
  // Half a surrogate pair has no form in a URL or in UTF-8: another character is sent in its place.
  const sent = secret.toWellFormed();
  return [secret, sent, once, twice, inJson(twice), encodeURIComponent(sent), inForm, inHtml, quoted];
}
