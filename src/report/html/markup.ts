import { escapeHtml } from '../safe.ts';

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
