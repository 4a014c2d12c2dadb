import { messageStyle } from '../generated/preview-page.ts';
import type { Json } from '../model/json.ts';
import type { Message, Outcome } from '../render/index.ts';
import { html, Markup } from '../report/html/markup.ts';
import { type ChatPart, chatNotice, chatParts } from './chat.ts';
import { formatted } from './markdown.ts';

/** Nothing runs in the document and nothing leaves it; styles and embedded pictures are all it may use. */
const policy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/**
 * A rendered template as a whole HTML document for a frame without scripts; `null` where there is no template.
 *
 * @param withHead whether an e-mail's subject and sender stand above its text
 */
export function documentOf(outcome: Outcome<Message> | null, withHead: boolean): string | null {
  if (outcome === null) return null;
  if (outcome.is === 'failed')
    return page(html`<p class="failed"><strong>Not rendered.</strong> ${outcome.reason}</p>`);
  const message = outcome.value;
  switch (message.is) {
    case 'email':
      return page(html`${withHead ? mailHead(message) : ''}${new Markup(inert(message.html))}`, 'mail');
    case 'chat':
      return page(chatMarkup(message.content));
  }
}

/**
 * The policy lets nothing load, yet browsers look up and connect to the hosts of frames and of clicked links before
 * they ask it. So such elements become unknown ones, as in most mail programs, and links keep to the `base` of the
 * document: a new window, which a sandboxed frame may not open.
 */
function inert(content: string): string {
  return content
    .replaceAll(/<(?=(?:link|i?frame|frameset|object|embed|portal|fencedframe|svg|math)\b)/gi, '<x-')
    .replaceAll(/\btarget(?=\s*=)/gi, 'data-target');
}

/** An e-mail's own document is read as a continuation: its attributes of html and body are taken over. */
function page(content: Markup, kind: 'mail' | 'plain' = 'plain'): string {
  const base = kind === 'mail' ? '' : html`<style>${new Markup(messageStyle)}</style>`;
  return html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><meta http-equiv="x-dns-prefetch-control" content="off"><base target="_blank"><meta name="color-scheme" content="light"><meta name="viewport" content="width=device-width"><title>Rendered template</title>${base}</head>${content}`.toString();
}

function mailHead({ subject, from, replyTo }: Extract<Message, { is: 'email' }>): Markup {
  const rows = [
    ['From', from],
    ['Reply to', replyTo],
  ].filter(([, text]) => text !== '');
  return html`<div style="margin:-8px -8px 12px;padding:10px 12px;border-bottom:1px solid #dde2e9;background:#f5f6f8;color:#1a2029;font:14px/1.4 system-ui,sans-serif"><strong>${subject === '' ? 'No subject' : subject}</strong>${rows.map(([name = '', text = '']) => html`<div style="color:#566070">${name}: ${text}</div>`)}</div>`;
}

function chatMarkup(content: Json): Markup {
  const notice = chatNotice(content);
  const parts = chatParts(content);
  const repeated = parts.length === 1 && parts[0]?.is === 'text' && parts[0].text === notice;
  return html`<main class="message">${parts.map(partMarkup)}</main>${notice === '' || repeated ? '' : html`<p class="notice"><span>Notification text</span> ${formatted(notice)}</p>`}`;
}

function partMarkup(part: ChatPart): Markup {
  switch (part.is) {
    case 'heading':
      return html`<p class="heading">${formatted(part.text)}</p>`;
    case 'text':
      return html`<p>${formatted(part.text)}</p>`;
    case 'note':
      return html`<p class="note">${formatted(part.text)}</p>`;
    case 'button':
      return html`<span class="button">${part.text}</span>`;
    case 'image':
      return html`<p class="image">${part.text}</p>`;
    case 'fact':
      return html`<p><strong>${part.name}</strong> ${formatted(part.text)}</p>`;
    case 'divider':
      return html`<hr>`;
  }
}
