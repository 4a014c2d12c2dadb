import { oneLine } from '../safe.ts';
import { html, type Markup } from './markup.ts';

/** Something the page lists, filters and expands. */
export interface Entry {
  /** What it is grouped and filtered by: its kind. */
  readonly group: string;
  /** What its tile filters by: an action or an outcome. */
  readonly category: string;
  readonly isOpen: boolean;
  readonly summary: Markup;
  readonly body: Markup;
}

export function entry({ group, category, isOpen, summary, body }: Entry): Markup {
  const open = isOpen ? html` open` : '';
  return html`<details class="entry" data-group="${group}" data-category="${category}"${open}><summary>${summary}</summary><div class="body">${body}</div></details>
`;
}

/** An address with its kind set back, so that the key is what one reads. */
export function addressMarkup(address: string): Markup {
  const [kind = '', ...key] = oneLine(address).split('/');
  return html`<code class="address"><span>${kind}/</span>${key.join('/')}</code>`;
}
