import type { Rendered } from '../options.ts';
import { quoteHtml } from '../safe.ts';
import { html, Markup } from './markup.ts';

/** Nothing runs in a frame and nothing leaves it; styles and embedded pictures are all it may use. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/**
 * A rendered template before and after, each in a frame without scripts or network. The page's script makes the frames:
 * a browser loads a thousand of them and no more, seen or not.
 */
export function renderedMarkup(address: string, { before, after }: Rendered): Markup {
  return html`<div class="frames" role="group" aria-label="Rendered">
${frame(`${address}, rendered before`, 'Before', before)}
${frame(`${address}, rendered after`, 'After', after)}
</div>`;
}

function frame(title: string, caption: string, content: string | null): Markup {
  const view =
    content === null
      ? html`<p class="none">nothing</p>`
      : html`<div class="frame" data-title="${title}" data-document="${documentOf(content)}"></div>`;
  return html`<figure><figcaption>${caption}</figcaption>${view}</figure>`;
}

function documentOf(content: string): Markup {
  const head = `<meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="color-scheme" content="light">`;
  return new Markup(quoteHtml(`<!doctype html><meta charset="utf-8">${head}${content}`));
}
