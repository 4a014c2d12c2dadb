import { decodeHTML } from 'entities';
import { messageStyle } from '../generated/preview-page.ts';
import type { Outcome } from '../render/outcome.ts';
import type { Message, RenderedSides } from '../render/template.ts';
import { html, Markup } from '../report/html/markup.ts';
import type { MailHead, Rendered, RenderedSide } from '../report/options.ts';
import { oneLine, takeFirst } from '../report/safe.ts';
import { chatMarkup } from './chat-message.ts';

/** Nothing runs in the document and no request leaves it. It may use styles and embedded pictures only. */
const policy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/** A template as a page shows it. */
export function toRendered({ before, after, further, remark }: RenderedSides): Required<Rendered> {
  const sideOf = (message: Message | null) => renderedSide(message && { is: 'rendered', value: message });
  return {
    before: renderedSide(before),
    after: renderedSide(after),
    further: further.map((each) => ({
      title: `The same ${oneLine(each.title)}`,
      before: sideOf(each.before),
      after: sideOf(each.after),
    })),
    remark: oneLine(remark),
  };
}

/** One side of a template as a page shows it; `null` where there is none. */
export function renderedSide(outcome: Outcome<Message> | null): RenderedSide | null {
  const document = documentOf(outcome);
  if (outcome === null || document === null) return null;
  const mail = outcome.is === 'rendered' && outcome.value.is === 'email' ? outcome.value : null;
  return { document, head: mail && headOf(mail) };
}

function headOf({ subject, from, replyTo, html: text }: Extract<Message, { is: 'email' }>): MailHead {
  return {
    subject: oneLine(subject),
    from: oneLine(from),
    replyTo: oneLine(replyTo),
    preheader: oneLine(firstWords(text)),
  };
}

/** Blanks, and what e-mails put between their first words and the rest, so that an inbox shows only these. */
const filler = /^(?:\u034f|[\s\u00ad\u200b-\u200d\u2060])$/;

/** The first words of an e-mail, as inboxes show them after the subject. Those that are hidden in it count too. */
function firstWords(content: string): string {
  const text = content
    .slice(0, maxSearched)
    .replace(/<!--.*?-->|<(style|script|title)\b.*?<\/\1\s*>/gis, ' ')
    .replace(/<[^>]{0,2000}>/g, ' ')
    .replace(/&#?\w{1,31};?/g, (reference) => decodeHTML(reference).replace(filler, ' '))
    .replace(/\s+/g, ' ')
    .trim();
  return text.length > maxPreheader ? `${takeFirst(text, maxPreheader)} …` : text;
}

/**
 * A rendered template, or why there is none, as a whole HTML document for a frame without scripts; `null` where there
 * is not a template. The sender and the subject of an e-mail are shown outside of it, where its style does not reach.
 */
function documentOf(outcome: Outcome<Message> | null): string | null {
  if (outcome === null) return null;
  if (outcome.is === 'failed')
    return page(html`<p class="failed"><strong>Not rendered.</strong> ${outcome.reason}</p>`);
  const message = outcome.value;
  switch (message.is) {
    case 'email':
      return page(new Markup(renameActive(message.html)), 'mail');
    case 'chat':
      return page(chatMarkup(message.content));
  }
}

const maxPreheader = 110;
/** Only the beginning of a long e-mail is searched for its first words. */
const maxSearched = 20_000;

/**
 * The policy lets nothing load, but browsers resolve and connect to the hosts of frames and of clicked links before
 * they check it. So such elements are renamed to unknown ones, as in most mail programs. Links open a new window, as
 * the `base` of the document says, and a sandboxed frame may not open one: no link has a `target` of its own. An escape
 * means nothing in the name of an attribute, and leaves a text as it is.
 */
function renameActive(content: string): string {
  return content
    .replaceAll(/<(?=(?:link|i?frame|frameset|object|embed|portal|fencedframe|svg|math)\b)/gi, '<x-')
    .replaceAll(/\b(targe)t(?=\s*=)/gi, '$1&#116;');
}

/** An e-mail may be a document of its own: browsers then merge its html and body elements into these. */
function page(content: Markup, kind: 'mail' | 'plain' = 'plain'): string {
  const base = kind === 'mail' ? '' : html`<style>${new Markup(messageStyle)}</style>`;
  return html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><meta http-equiv="x-dns-prefetch-control" content="off"><base target="_blank"><meta name="color-scheme" content="light"><meta name="viewport" content="width=device-width"><title>Rendered template</title>${base}</head>${content}`.toString();
}
