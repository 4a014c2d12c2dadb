import { decodeHTML } from 'entities';
import { messageStyle } from '../generated/preview-page.ts';
import type { Address } from '../model/address.ts';
import { get, getText, isArray, isObject, type Json, type JsonObject } from '../model/json.ts';
import type { Outcome } from '../render/renderer.ts';
import type { Message, RenderedSides } from '../render/template.ts';
import { picturesMarkup } from '../report/html/mail-markup.ts';
import { html, Markup, markMatches } from '../report/html/markup.ts';
import type { FurtherRendered, Rendered, RenderedSide } from '../report/options.ts';
import { oneLine, takeFirst } from '../report/safe.ts';
import type { RenderedTemplate } from './protocol.ts';

/** Nothing runs in the document and no request leaves it. It may use styles and embedded pictures only. */
const policy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

export function toRendered({ before, after, further, remark }: RenderedSides): Required<Rendered> {
  return {
    before: renderedSide(before),
    after: renderedSide(after),
    further: further.map((each) => ({
      title: `The same ${oneLine(each.title)}`,
      before: renderedSide(each.before),
      after: renderedSide(each.after),
    })),
    remark: oneLine(remark),
  };
}

/**
 * A template that was rendered, for the page.
 *
 * @param vendor the vendor's default, if it has changed since the template was customised
 */
export function renderedTemplate(
  address: Address,
  sides: RenderedSides,
  vendor: RenderedSides | null,
): RenderedTemplate {
  const rendered = toRendered(sides);
  const further: FurtherRendered[] = [...rendered.further];
  if (vendor) {
    const { before, after } = toRendered(vendor);
    const old = before === null ? 'not known: no manifest in git has its text' : '';
    further.push({
      title: 'The vendor has changed the default that this template was customised from',
      before,
      after,
      captions: [`The vendor's old default ${old}`.trim(), "The vendor's new default"],
    });
  }
  return { context: sides.context, markup: picturesMarkup(address, { ...rendered, further }).toString() };
}

/**
 * A rendered template, or why it was not, as a whole HTML document for a frame without scripts. The sender and the subject of an
 * e-mail are shown outside of it, unaffected by its style.
 */
export function renderedSide(outcome: Outcome<Message> | null): RenderedSide | null {
  if (outcome === null) return null;
  if (outcome.is === 'failed')
    return {
      document: page(html`<p class="failed"><strong>Not rendered.</strong> ${outcome.reason}</p>`),
      head: null,
    };
  const message = outcome.value;
  switch (message.is) {
    case 'email': {
      const head = {
        subject: oneLine(message.subject),
        from: oneLine(message.from),
        replyTo: oneLine(message.replyTo),
        preheader: oneLine(firstWords(message.html)),
      };
      return { document: page(new Markup(renameActive(message.html)), 'mail'), head };
    }
    case 'chat':
      return { document: page(chatMarkup(message.content)), head: null };
  }
}

/** Blanks, and the filler that e-mails put after their first words, so that an inbox shows only these. */
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

/** A chat message as its recipients see it, in plain HTML. */
function chatMarkup(content: Json): Markup {
  // The preview of the message on a phone.
  const notice = isObject(content) ? (getText(content, 'text') ?? '') : '';
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
      return html`<span class="${`button ${part.style}`.trim()}">${part.text}</span>`;
    case 'image':
      return html`<p class="image">${part.text}</p>`;
    case 'fact':
      return html`<p><strong>${part.name}</strong> ${formatChat(part.text)}</p>`;
    case 'row': {
      const columns = part.columns.map((parts) => {
        // A button or a picture takes only the room that it needs.
        const isSmall = parts.every(({ is }) => is === 'button' || is === 'image');
        return html`<div class="${isSmall ? 'small' : 'wide'}">${parts.map(partMarkup)}</div>`;
      });
      return html`<div class="row">${columns}</div>`;
    }
    case 'divider':
      return html`<hr>`;
  }
}

/** Slack's `*bold*`, `_italic_`, `~struck~`, `<url|label>`, both kinds of `code`, and Teams' `**bold**` and `[label](url)`. */
const spans =
  /\*\*(?<strong>[^*\n]{1,500})\*\*|(?<![\w*])\*(?<bold>[^*\n]{1,500})\*(?![\w*])|(?<![\w~])~(?<struck>[^~\n]{1,500})~(?![\w~])|(?<!\w)_(?<italic>[^_\n]{1,500})_(?!\w)|`(?<code>[^`\n]{1,500})`|<(?<url>(?:https?|mailto):[^|>\s]{1,2000})(?:\|(?<label>[^>\n]{1,500}))?>|\[(?<name>[^\]\n]{1,500})\]\((?<target>(?:https?|mailto):[^)\s]{1,2000})\)/g;

/** Lines that begin with `>`, which some templates escape. */
const quoted = /^((?:(?:>|&gt;).*(?:\n|$))+)/m;

/** A chat text with its quotes. */
function formatChat(text: string): Markup {
  const parts = text.split(quoted).map((part, at) => {
    if (at % 2 === 0) return formatSpans(part);
    return html`<span class="quote">${formatSpans(part.trimEnd().replaceAll(/^(?:>|&gt;) ?/gm, ''))}</span>`;
  });
  return html`${parts}`;
}

/** A chat text with its emphasis. Links show their address, and cannot be followed. */
function formatSpans(text: string): Markup {
  const marked = markMatches(text, spans, span).toString();
  return new Markup(marked.replaceAll(/&amp;(?=(?:amp|lt|gt);)/g, '&'));
}

function span({ groups = {} }: RegExpExecArray): Markup {
  const { strong, bold = strong, italic, struck, code, url, label, name, target } = groups;
  if (bold !== undefined) return html`<strong>${bold}</strong>`;
  if (italic !== undefined) return html`<em>${italic}</em>`;
  if (struck !== undefined) return html`<s>${struck}</s>`;
  if (code !== undefined) return html`<code>${code}</code>`;
  return html`<span class="link" title="${target ?? url ?? ''}">${name ?? label ?? url ?? ''}</span>`;
}

/** One line or element of a chat message, as plain text. */
type ChatPart =
  | { readonly is: 'heading' | 'text' | 'note' | 'image'; readonly text: string }
  | { readonly is: 'button'; readonly text: string; readonly style: '' | 'primary' | 'danger' }
  | { readonly is: 'fact'; readonly name: string; readonly text: string }
  | { readonly is: 'divider' }
  /** Elements side by side. */
  | { readonly is: 'row'; readonly columns: readonly (readonly ChatPart[])[] };

const maxDepth = 40;
const maxParts = 500;

/** Members that hold further elements, in the order of display. */
const containers = [
  'blocks',
  'attachments',
  'messageJSON',
  'content',
  'body',
  'sections',
  'elements',
  'inlines',
  'items',
  'rows',
  'facts',
  'actions',
  'potentialAction',
] as const;

/** Members whose elements stand side by side. */
const rows = ['columns', 'cells'] as const;

/**
 * The visible parts of a Slack or Teams message: the blocks of Slack, the cards of Teams, and other texts. The message's own text
 * is shown only if there is nothing else: it is meant for the notification.
 */
export function chatParts(content: Json): ChatPart[] {
  if (!isObject(content)) return ownText(content);
  const title = getText(content, 'title');
  const shown = partsWithin(content, 0);
  const parts = shown.length > 0 ? shown : ownText(get(content, 'text') ?? null);
  return [...(title ? [{ is: 'heading', text: title } as const] : []), ...parts].slice(0, maxParts);
}

function partsWithin(element: JsonObject, depth: number): ChatPart[] {
  if (depth > maxDepth) return [];
  const fields = itemsOf(element, 'fields').map((item) => partsFrom(item, depth));
  return [
    ...containers.flatMap((name) => itemsOf(element, name).flatMap((item) => partsFrom(item, depth))),
    ...rows.flatMap((name) => rowOf(itemsOf(element, name).map((item) => partsFrom(item, depth)))),
    // Slack shows fields in two columns.
    ...fields.flatMap((_, at) => (at % 2 === 0 ? rowOf(fields.slice(at, at + 2)) : [])),
  ];
}

function itemsOf(element: JsonObject, name: string): readonly Json[] {
  const value = get(element, name) ?? null;
  return isArray(value) ? value : [value];
}

function partsFrom(item: Json, depth: number): ChatPart[] {
  return isObject(item) ? partsOf(item, depth + 1) : ownText(item);
}

/** Columns side by side; a single one is not a row. */
function rowOf(columns: readonly (readonly ChatPart[])[]): readonly ChatPart[] {
  const shown = columns.filter(({ length }) => length > 0);
  return shown.length > 1 ? [{ is: 'row', columns: shown }] : shown.flat();
}

function partsOf(element: JsonObject, depth: number): ChatPart[] {
  const type = getText(element, 'type') ?? getText(element, '@type') ?? '';
  const text = labelOf(element);
  const alternative = getText(element, 'alt_text') ?? getText(element, 'altText') ?? 'image';
  if (type === 'divider') return [{ is: 'divider' }];
  if (/^image$/i.test(type)) return [{ is: 'image', text: alternative }];
  if (controls.test(type)) return [{ is: 'button', text, style: buttonStyleOf(element) }];
  const name = getText(element, 'title') ?? getText(element, 'name');
  const value = getText(element, 'value');
  if (name !== null && value !== null) return [{ is: 'fact', name, text: value }];
  const ownParts = text === '' ? [] : [{ is: styleOf(element, type), text } as const];
  const parts = [...ownParts, ...partsWithin(element, depth)].map((part) =>
    type === 'context' && part.is === 'text' ? ({ ...part, is: 'note' } as const) : part,
  );
  const picture: ChatPart = { is: 'image', text: getText(element, 'activityTitle') ?? 'image' };
  const pictures = getText(element, 'activityImage') ? [picture] : [];
  // Slack's accessory stands right of its section, and the picture of a section in Teams left of it.
  return [...rowOf([pictures, parts, partsFrom(get(element, 'accessory') ?? null, depth)])];
}

/** Buttons and fields of Slack, and the actions of Teams. */
const controls = /^(button$|overflow$|.+_select$|.+picker$|Action\.|OpenUri|HttpPOST)/;

/** Named as in Slack and Teams. */
function buttonStyleOf(element: JsonObject): '' | 'primary' | 'danger' {
  const style = getText(element, 'style') ?? '';
  if (/^(?:primary|positive)$/i.test(style)) return 'primary';
  return /^(?:danger|destructive)$/i.test(style) ? 'danger' : '';
}

function styleOf(element: JsonObject, type: string): 'heading' | 'text' {
  const isLarge = ['Large', 'ExtraLarge', 'large', 'extraLarge'].includes(getText(element, 'size') ?? '');
  const isBold = /^bolder$/i.test(getText(element, 'weight') ?? '');
  return type === 'header' || isLarge || isBold ? 'heading' : 'text';
}

/** Slack writes `text: {type, text}`, or `placeholder` for a field; Teams `text`, `title` or `activityTitle`. */
function labelOf(element: JsonObject): string {
  const text = get(element, 'text') ?? get(element, 'placeholder') ?? null;
  if (isObject(text)) return getText(text, 'text') ?? '';
  return typeof text === 'string'
    ? text
    : (getText(element, 'title') ?? getText(element, 'activityTitle') ?? '');
}

function ownText(value: Json): ChatPart[] {
  return typeof value === 'string' && value.trim() !== '' ? [{ is: 'text', text: value }] : [];
}
