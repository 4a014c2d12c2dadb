/**
 * Words of a tenant on one line, safe for a terminal: no control characters (C0, C1, escapes) and no characters that
 * turn the reading direction or hide, and not longer than `longest`.
 */
export function inBrief(text: string, longest = 400): string {
  const clean = text
    .slice(0, 20 * longest)
    .replaceAll(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
  return clean.length > longest ? `${clean.slice(0, longest - 1)}…` : clean;
}

/** The words of an HTML page, without its tags, styles and scripts. */
export function textOfHtml(html: string): string {
  return html
    .slice(0, 50_000)
    .replaceAll(
      /<(script|style|head)\b[\s\S]*?<\/\1\s*>/gi,
      (part) => /<title[^>]*>([^<]*)/i.exec(part)?.[1] ?? ' ',
    )
    .replaceAll(/<[^>]*>/g, ' ');
}

export function looksLikeHtml(text: string): boolean {
  return /^\s*(<!doctype html|<html|<head|<body|<!--|<h1|<p>)/i.test(text.slice(0, 1000));
}
