import { messageStyle } from '../generated/preview-page.ts';
import type { Json } from '../model/json.ts';
import type { Outcome } from '../render/outcome.ts';
import type { Message } from '../render/template.ts';
import { html, Markup, markMatches } from '../report/html/markup.ts';
import { type ChatPart, chatNotice, chatParts } from './chat.ts';

/** Nothing runs in the document and no request leaves it. It may use styles and embedded pictures only. */
const policy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/**
 * A rendered template, or why there is none, as a whole HTML document for a frame without scripts; `null` where there
 * is no template.
 *
 * @param withHead whether an e-mail's subject and sender are shown above its text
 */
export function documentOf(outcome: Outcome<Message> | null, withHead: boolean): string | null {
  if (outcome === null) return null;
  if (outcome.is === 'failed')
    return page(html`<p class="failed"><strong>Not rendered.</strong> ${outcome.reason}</p>`);
  const message = outcome.value;
  switch (message.is) {
    case 'email':
      return page(html`${withHead ? mailHead(message) : ''}${new Markup(disarm(message.html))}`, 'mail');
    case 'chat':
      return page(chatMarkup(message.content));
  }
}

/**
 * The policy lets nothing load, but browsers resolve and connect to the hosts of frames and of clicked links before
 * they check it. So such elements are renamed to unknown ones, as in most mail programs. Links open a new window, as
 * the `base` of the document says, and a sandboxed frame may not open one.
 */
function disarm(content: string): string {
  return content
    .replaceAll(/<(?=(?:link|i?frame|frameset|object|embed|portal|fencedframe|svg|math)\b)/gi, '<x-')
    .replaceAll(/\btarget(?=\s*=)/gi, 'data-target');
}

/** An e-mail may be a document of its own: browsers then merge its html and body elements into these. */
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
  return html`<main class="message">${parts.map(partMarkup)}</main>${notice === '' || repeated ? '' : html`<p class="notice"><span>Notification text</span> ${formatChat(notice)}</p>`}`;
}

function partMarkup(part: ChatPart): Markup {
  switch (part.is) {
    case 'heading':
    case 'note':
      return html`<p class="${part.is}">${formatChat(part.text)}</p>`;
    case 'text':
      return html`<p>${formatChat(part.text)}</p>`;
    case 'button':
      return html`<span class="button">${part.text}</span>`;
    case 'image':
      return html`<p class="image">${part.text}</p>`;
    case 'fact':
      return html`<p><strong>${part.name}</strong> ${formatChat(part.text)}</p>`;
    case 'divider':
      return html`<hr>`;
  }
}

/** Slack's `*bold*`, `_italic_`, `<url|label>`, both kinds of `code`, and Teams' `**bold**` and `[label](url)`. */
const spans =
  /\*\*(?<strong>[^*\n]{1,500})\*\*|(?<![\w*])\*(?<bold>[^*\n]{1,500})\*(?![\w*])|(?<!\w)_(?<italic>[^_\n]{1,500})_(?!\w)|`(?<code>[^`\n]{1,500})`|<(?<url>(?:https?|mailto):[^|>\s]{1,2000})(?:\|(?<label>[^>\n]{1,500}))?>|\[(?<name>[^\]\n]{1,500})\]\((?<target>(?:https?|mailto):[^)\s]{1,2000})\)/g;

/** A chat text with its emphasis. A link shows its address in its title and cannot be followed. */
function formatChat(text: string): Markup {
  return markMatches(text, spans, span);
}

function span({ groups = {} }: RegExpExecArray): Markup {
  const { strong, bold = strong, italic, code, url, label, name, target } = groups;
  if (bold !== undefined) return html`<strong>${bold}</strong>`;
  if (italic !== undefined) return html`<em>${italic}</em>`;
  if (code !== undefined) return html`<code>${code}</code>`;
  return html`<span class="link" title="${target ?? url ?? ''}">${name ?? label ?? url ?? ''}</span>`;
}
