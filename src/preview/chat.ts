import { isArray, isObject, type Json, type JsonObject, own, textOf } from '../model/json.ts';

/** One line or element of a chat message, as plain text. */
export type ChatPart =
  | { readonly is: 'heading' | 'text' | 'note' | 'button' | 'image'; readonly text: string }
  | { readonly is: 'fact'; readonly name: string; readonly text: string }
  | { readonly is: 'divider' };

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
  'fields',
  'elements',
  'inlines',
  'items',
  'columns',
  'rows',
  'cells',
  'facts',
  'accessory',
  'actions',
  'potentialAction',
] as const;

/**
 * What a Slack or Teams message shows: the blocks of Slack, the cards of Teams, and the texts of anything else. The
 * message's own text is shown only where there is nothing else: it is meant for the notification.
 */
export function chatParts(content: Json): ChatPart[] {
  if (!isObject(content)) return ownText(content);
  const title = textOf(content, 'title');
  const shown = partsWithin(content, 0);
  const parts = shown.length > 0 ? shown : ownText(own(content, 'text') ?? null);
  return [...(title ? [{ is: 'heading', text: title } as const] : []), ...parts].slice(0, maxParts);
}

/** What a phone shows of the message before it is opened. */
export function chatNotice(content: Json): string {
  return isObject(content) ? (textOf(content, 'text') ?? '') : '';
}

function partsWithin(element: JsonObject, depth: number): ChatPart[] {
  if (depth > maxDepth) return [];
  return containers.flatMap((name) => {
    const value = own(element, name) ?? null;
    const items = isArray(value) ? value : [value];
    return items.flatMap((item) => (isObject(item) ? partsOf(item, depth + 1) : ownText(item)));
  });
}

function partsOf(element: JsonObject, depth: number): ChatPart[] {
  const type = textOf(element, 'type') ?? textOf(element, '@type') ?? '';
  const text = labelOf(element);
  const alternative = textOf(element, 'alt_text') ?? textOf(element, 'altText') ?? 'image';
  if (type === 'divider') return [{ is: 'divider' }];
  if (/^image$/i.test(type)) return [{ is: 'image', text: alternative }];
  if (type === 'button' || /^(Action\.|OpenUri|HttpPOST)/.test(type)) return [{ is: 'button', text }];
  const name = textOf(element, 'title') ?? textOf(element, 'name');
  const value = textOf(element, 'value');
  if (name !== null && value !== null) return [{ is: 'fact', name, text: value }];
  const ownParts = text === '' ? [] : [{ is: styleOf(element, type), text } as const];
  return [...ownParts, ...partsWithin(element, depth)].map((part) =>
    type === 'context' && part.is === 'text' ? { ...part, is: 'note' } : part,
  );
}

function styleOf(element: JsonObject, type: string): 'heading' | 'text' {
  const isLarge = ['Large', 'ExtraLarge', 'large', 'extraLarge'].includes(textOf(element, 'size') ?? '');
  const isBold = /^bolder$/i.test(textOf(element, 'weight') ?? '');
  return type === 'header' || isLarge || isBold ? 'heading' : 'text';
}

/** Slack writes `text: {type, text}`, Teams `text` or `title`. */
function labelOf(element: JsonObject): string {
  const text = own(element, 'text') ?? null;
  if (isObject(text)) return textOf(text, 'text') ?? '';
  return typeof text === 'string' ? text : (textOf(element, 'title') ?? '');
}

function ownText(value: Json): ChatPart[] {
  return typeof value === 'string' && value.trim() !== '' ? [{ is: 'text', text: value }] : [];
}
