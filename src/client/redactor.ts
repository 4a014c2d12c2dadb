import { isObject, type Json, mapJson, objectFrom } from '../model/json.ts';
import type { Answer } from './answer.ts';

/** Removes secrets from a tenant's texts, which may repeat what the tenant was sent. */
export class Redactor {
  readonly #forms = new Set<string>();
  #longestFirst: readonly string[] = [];

  /** From now on `secret` is replaced wherever it occurs. */
  learn(secret: string): void {
    if (secret === '' || this.#forms.has(secret)) return;
    for (const form of formsOf(secret)) this.#forms.add(form);
    // A secret may be part of another one.
    this.#longestFirst = [...this.#forms].sort((a, b) => b.length - a.length);
  }

  text(text: string): string {
    return this.#longestFirst.reduce((clean, form) => clean.replaceAll(form, '[secret]'), text);
  }

  /** The answer without secrets in the text of an error; the body of a success stays as it is. */
  answer(answer: Answer): Answer {
    if (answer.outcome !== 'answered') return { ...answer, detail: this.text(answer.detail) };
    const entries = Object.entries(answer.headers).map(([name, value]) => [name, this.text(value)]);
    const text = answer.text === null ? null : this.text(answer.text);
    const clean = { ...answer, headers: Object.fromEntries(entries), text };
    return answer.status < 300 ? clean : { ...clean, body: this.#json(answer.body) };
  }

  #json(value: Json): Json {
    return mapJson(value, (item) => {
      if (typeof item === 'string') return this.text(item);
      if (!isObject(item)) return item;
      return objectFrom(Object.entries(item).map(([key, inner]) => [this.text(key), inner]));
    });
  }
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
