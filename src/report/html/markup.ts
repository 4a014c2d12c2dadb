import type { Rendered, RenderedSide } from '../page.ts';
import { escapeHtml, quoteHtml } from '../safe.ts';

/** HTML that was put together by {@link html}; anything else is text and gets escaped. */
export class Markup {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

type Child = Markup | string | number | readonly Child[];

/** A template whose values are escaped unless they are {@link Markup}; lists are joined. */
export function html(strings: TemplateStringsArray, ...values: readonly Child[]): Markup {
  return new Markup(strings.reduce((text, part, index) => `${text}${write(values[index - 1] ?? '')}${part}`));
}

/** A text with the matches of a global expression marked up by `mark`. */
export function markMatches(text: string, pattern: RegExp, mark: (match: RegExpExecArray) => Markup): Markup {
  const parts: Child[] = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    parts.push(text.slice(end, match.index), mark(match));
    end = match.index + match[0].length;
  }
  return html`${parts}${text.slice(end)}`;
}

/** A text with the parts in backticks as code. */
export function withCode(text: string): Markup {
  return markMatches(text, /`([^`]*)`/g, ([, code = '']) => html`<code>${code}</code>`);
}

function write(value: Child): string {
  if (value instanceof Markup) return value.toString();
  if (typeof value === 'string' || typeof value === 'number') return escapeHtml(String(value));
  return value.map(write).join('');
}

/**
 * Nothing runs in a frame and no request leaves it. It may use styles and embedded pictures only. Like a mail program, it
 * cuts nothing off at the height of the window: the frame gets the height of what is in it.
 */
const framePolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";
const frameHead = `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${framePolicy}"><style>:root:root,:root:root>body{overflow:visible!important}:root[data-images="off"] *{background-image:none!important}</style>`;

export function controlsMarkup({ isMail, hasBoth }: { isMail: boolean; hasBoth: boolean }): Markup {
  const mail = html`<div class="switch mail" role="group" aria-label="Width of the e-mail"><button type="button" data-width="600" aria-pressed="true">600 px</button><button type="button" data-width="375" aria-pressed="false">375 px</button></div><div class="switch mail" role="group" aria-label="Look of the e-mail"><button type="button" data-look="dark" aria-pressed="false">Dark</button><button type="button" data-look="images" aria-pressed="false">No images</button></div>`;
  const steps = html`<div class="switch" role="group" aria-label="Changed passages"><button type="button" data-step="-1">Previous change</button><button type="button" data-step="1">Next change</button></div>`;
  return html`${isMail ? mail : ''}${hasBoth ? steps : ''}`;
}

/**
 * A template before and after, each in a frame without scripts or network, below its inbox line. The page's script creates the
 * frames, since browsers load at most a thousand in a page, visible or not.
 */
export function picturesMarkup(address: string, rendered: Rendered): Markup {
  const { further = [], remark = '' } = rendered;
  const others = further.map(
    // Sides with titles of their own are not those of the change.
    (each) => html`<p class="further">${withCode(each.title)}</p>
${framesMarkup(`${address}: ${each.title}`, each, each.captions && 'frames others')}`,
  );
  return html`${framesMarkup(address, rendered)}${others}${remark === '' ? '' : html`<p class="unseen">${remark}</p>`}`;
}

function framesMarkup(name: string, sides: Pick<Rendered, 'before' | 'after' | 'captions'>, look = 'frames') {
  const { before, after, captions = ['Before', 'After'] } = sides;
  return html`<div class="${look}" role="group" aria-label="Rendered">
${sideFigure(name, captions[0], before, null)}
${sideFigure(name, captions[1], after, before?.head ?? null)}
</div>`;
}

function sideFigure(name: string, caption: string, side: RenderedSide | null, before: RenderedSide['head']) {
  if (side === null)
    return html`<figure><figcaption>${caption}</figcaption><p class="none">nothing</p></figure>`;
  const { head, document } = side;
  return html`<figure><figcaption>${caption} <span class="scale"></span></figcaption>${head === null ? '' : inboxMarkup(head, before)}<div class="frame" data-kind="${head === null ? 'chat' : 'mail'}" data-title="${`${name}, rendered: ${caption}`}" data-document="${new Markup(quoteHtml(frameHead + document))}"></div></figure>`;
}

/** Sender, subject and first words, as an inbox lists an e-mail. What is new is marked. */
function inboxMarkup(head: NonNullable<RenderedSide['head']>, previous: RenderedSide['head']): Markup {
  const part = (name: keyof typeof head, absence: string) => {
    const text = head[name];
    const isNew = previous !== null && previous[name] !== text;
    return text === ''
      ? html`<span class="${name} missing">${absence}</span>`
      : html`<span class="${name}">${isNew ? html`<ins>${text}</ins>` : text}</span>`;
  };
  return html`<p class="inbox">${part('from', "the tenant's sender")} <strong>${part('subject', 'No subject')}</strong> ${part('preheader', 'no text')}${head.replyTo === '' ? '' : html` <span class="reply">Reply to ${part('replyTo', '')}</span>`}</p>`;
}
