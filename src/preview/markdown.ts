import { html, type Markup } from '../report/html/markup.ts';

/** Slack's `*bold*`, `_italic_`, `<url|label>`, both kinds of `code`, and Teams' `**bold**` and `[label](url)`. */
const spans =
  /\*\*(?<strong>[^*\n]{1,500})\*\*|(?<![\w*])\*(?<bold>[^*\n]{1,500})\*(?![\w*])|(?<!\w)_(?<italic>[^_\n]{1,500})_(?!\w)|`(?<code>[^`\n]{1,500})`|<(?<url>(?:https?|mailto):[^|>\s]{1,2000})(?:\|(?<label>[^>\n]{1,500}))?>|\[(?<name>[^\]\n]{1,500})\]\((?<target>(?:https?|mailto):[^)\s]{1,2000})\)/g;

/** A chat text with its emphasis; links are shown with where they lead, and lead nowhere. */
export function formatted(text: string): Markup {
  const parts: Markup[] = [];
  let end = 0;
  for (const match of text.matchAll(spans)) {
    parts.push(html`${text.slice(end, match.index)}${span(match.groups ?? {})}`);
    end = match.index + match[0].length;
  }
  return html`${parts}${text.slice(end)}`;
}

function span(groups: Readonly<Record<string, string | undefined>>): Markup {
  const { strong, bold = strong, italic, code, url, label, name, target } = groups;
  if (bold !== undefined) return html`<strong>${bold}</strong>`;
  if (italic !== undefined) return html`<em>${italic}</em>`;
  if (code !== undefined) return html`<code>${code}</code>`;
  return html`<span class="link" title="${target ?? url ?? ''}">${name ?? label ?? url ?? ''}</span>`;
}
