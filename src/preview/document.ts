import { decodeHTML } from 'entities';
import { messageStyle } from '../generated/preview-page.ts';
import { get, getText, isArray, isObject, type Json, type JsonObject } from '../model/json.ts';
import type { RenderedSides } from '../render/template.ts';
import { html, Markup, markMatches } from '../report/html/markup.ts';
import type { RenderedSide } from '../report/page.ts';
import { oneLine, takeFirst } from '../report/safe.ts';

/** Nothing runs in the document and no request leaves it. It may use styles and embedded pictures only. */
const policy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

export function toRendered({ before, after, further, remark }: RenderedSides) {
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
 * A rendered template, or why it was not, as a whole HTML document for a frame without scripts. The sender and the subject of an
 * e-mail are shown outside of it, unaffected by its style.
 */
function renderedSide(outcome: RenderedSides['before']): RenderedSide | null {
  if (outcome === null) return null;
  if (outcome.is === 'failed')
    return {
      document: page(html`<p class="failed"><strong>Not rendered.</strong> ${outcome.reason}</p>`),
      head: null,
    };
  const message = outcome.value;
  if (message.is === 'chat') return { document: page(chatMarkup(message.content)), head: null };
  const head = {
    subject: oneLine(message.subject),
    from: oneLine(message.from),
    replyTo: oneLine(message.replyTo),
    preheader: oneLine(firstWords(message.html)),
  };
  return { document: page(new Markup(renameActive(message.html)), 'mail'), head };
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

/**
 * A Slack or Teams message in plain HTML: the blocks of Slack, the cards of Teams, and other texts. The message's own text is
 * only for the notification on a phone, unless there is nothing else.
 */
function chatMarkup(content: Json): Markup {
  const message = isObject(content) ? content : { text: content };
  const text = getText(message, 'text') ?? '';
  const shown = partsWithin(message, '');
  const parts = [
    ...textPart(getText(message, 'title'), 'heading'),
    ...(shown.length > 0 ? shown : textPart(text, '')),
  ];
  const notice = html`<p class="notice"><span>Notification text</span> ${formatChat(text)}</p>`;
  return html`<main class="message">${parts}</main>${shown.length === 0 || text === '' ? '' : notice}`;
}

/** Slack's `*bold*`, `_italic_`, `~struck~`, `<url|label>`, both kinds of `code`, and Teams' `**bold**` and `[label](url)`. */
const spans =
  /\*\*(?<strong>[^*\n]{1,500})\*\*|(?<![\w*])\*(?<bold>[^*\n]{1,500})\*(?![\w*])|(?<![\w~])~(?<struck>[^~\n]{1,500})~(?![\w~])|(?<!\w)_(?<italic>[^_\n]{1,500})_(?!\w)|`(?<code>[^`\n]{1,500})`|<(?<url>(?:https?|mailto):[^|>\s]{1,2000})(?:\|(?<label>[^>\n]{1,500}))?>|\[(?<name>[^\]\n]{1,500})\]\((?<target>(?:https?|mailto):[^)\s]{1,2000})\)/g;

/** Lines that begin with `>`, which some templates escape. */
const quoted = /^((?:(?:>|&gt;).*(?:\n|$))+)/m;

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

/** Members that hold further elements, in the order of display. */
const containers =
  'blocks attachments messageJSON content body sections elements inlines items rows facts actions potentialAction'.split(
    ' ',
  );

const rows = ['columns', 'cells'] as const;

/** @param look of the texts, as a class */
function partsWithin(element: JsonObject, look: string): Markup[] {
  const partsIn = (name: string) => {
    const value = get(element, name) ?? null;
    return (isArray(value) ? value : [value]).map((item) => partsOf(item, look));
  };
  const fields = partsIn('fields');
  return [
    ...containers.flatMap((name) => partsIn(name).flat()),
    ...rows.flatMap((name) => rowOf(partsIn(name))),
    // Slack shows fields in two columns.
    ...fields.flatMap((_, at) => (at % 2 === 0 ? rowOf(fields.slice(at, at + 2)) : [])),
  ];
}

/** Columns side by side; a single one is not a row. */
function rowOf(columns: readonly (readonly Markup[])[]): readonly Markup[] {
  const shown = columns.filter(({ length }) => length > 0);
  if (shown.length < 2) return shown.flat();
  return [html`<div class="row">${shown.map((parts) => html`<div>${parts}</div>`)}</div>`];
}

function textPart(text: Json, look: string): Markup[] {
  if (typeof text !== 'string' || text.trim() === '') return [];
  const shown = formatChat(text);
  return [look === '' ? html`<p>${shown}</p>` : html`<p class="${look}">${shown}</p>`];
}

const imagePart = (text: string | null): Markup => html`<p class="image">${text ?? 'image'}</p>`;

/** A text, or an element as Slack and Teams name it. */
function partsOf(element: Json, outer: string): readonly Markup[] {
  if (!isObject(element)) return textPart(element, outer);
  const type = getText(element, 'type') ?? getText(element, '@type') ?? '';
  const text = labelOf(element);
  if (type === 'divider') return [html`<hr>`];
  if (/^image$/i.test(type)) return [imagePart(getText(element, 'alt_text') ?? getText(element, 'altText'))];
  if (controls.test(type))
    return [html`<span class="${`button ${buttonStyleOf(element)}`.trim()}">${text}</span>`];
  const name = getText(element, 'title') ?? getText(element, 'name');
  const value = getText(element, 'value');
  if (name !== null && value !== null) return [html`<p><strong>${name}</strong> ${formatChat(value)}</p>`];
  const look = type === 'context' ? 'note' : outer;
  const [size, weight] = [getText(element, 'size') ?? '', getText(element, 'weight') ?? ''];
  const isHeading = type === 'header' || /^(?:extra)?large$/i.test(size) || /^bolder$/i.test(weight);
  const parts = [...textPart(text, isHeading ? 'heading' : look), ...partsWithin(element, look)];
  const pictures = getText(element, 'activityImage') ? [imagePart(getText(element, 'activityTitle'))] : [];
  // Slack's accessory stands right of its section, and the picture of a section in Teams left of it.
  return rowOf([pictures, parts, partsOf(get(element, 'accessory') ?? null, look)]);
}

/** Buttons and fields of Slack, and the actions of Teams. */
const controls = /^(button$|overflow$|.+_select$|.+picker$|Action\.|OpenUri|HttpPOST)/;

function buttonStyleOf(element: JsonObject): '' | 'primary' | 'danger' {
  const style = getText(element, 'style') ?? '';
  if (/^(?:primary|positive)$/i.test(style)) return 'primary';
  return /^(?:danger|destructive)$/i.test(style) ? 'danger' : '';
}

/** Slack writes `text: {type, text}`, or `placeholder` for a field; Teams `text`, `title` or `activityTitle`. */
function labelOf(element: JsonObject): string {
  const text = get(element, 'text') ?? get(element, 'placeholder') ?? null;
  if (isObject(text)) return getText(text, 'text') ?? '';
  return typeof text === 'string'
    ? text
    : (getText(element, 'title') ?? getText(element, 'activityTitle') ?? '');
}
