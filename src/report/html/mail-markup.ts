import type { Rendered, RenderedSide } from '../options.ts';
import { quoteHtml } from '../safe.ts';
import { html, Markup, withCode } from './markup.ts';

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

function sideFigure(
  name: string,
  caption: string,
  side: RenderedSide | null,
  previous: RenderedSide['head'],
): Markup {
  if (side === null)
    return html`<figure><figcaption>${caption}</figcaption><p class="none">nothing</p></figure>`;
  const { head, document } = side;
  return html`<figure><figcaption>${caption} <span class="scale"></span></figcaption>${head === null ? '' : inboxMarkup(head, previous)}<div class="frame" data-kind="${head === null ? 'chat' : 'mail'}" data-title="${`${name}, rendered: ${caption}`}" data-document="${new Markup(quoteHtml(frameHead + document))}"></div></figure>`;
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
