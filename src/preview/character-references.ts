/** The names that HTML has for U+00A0 to U+00FF, in this order. */
const latin =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml';

/** Others that are common in e-mails. */
const others: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  ndash: '\u2013',
  mdash: '\u2014',
  lsquo: '\u2018',
  rsquo: '\u2019',
  sbquo: '\u201a',
  ldquo: '\u201c',
  rdquo: '\u201d',
  bdquo: '\u201e',
  bull: '\u2022',
  hellip: '\u2026',
  euro: '\u20ac',
  trade: '\u2122',
  rarr: '\u2192',
  zwnj: '\u200c',
};

const named = new Map([
  ...latin.split(' ').map((name, at) => [name, String.fromCodePoint(0xa0 + at)] as const),
  ...Object.entries(others),
]);

/** Blanks, and what e-mails put between their first words and the rest so that an inbox shows only these. */
const filler = /^(?:\u034f|[\s\u00ad\u200b-\u200d\u2060])$/;

/**
 * The character that a reference in HTML such as `&uuml;` or `&#252;` stands for; a blank for one that fills a line. A
 * reference that is not known stays as it is.
 *
 * @param code `252` or `xfc`
 * @param name `uuml`
 */
export function readReference(reference: string, code: string | undefined, name: string | undefined): string {
  const character =
    code === undefined ? named.get(name ?? '') : characterOf(Number(code.replace(/^x/i, '0x')));
  return character?.replace(filler, ' ') ?? reference;
}

function characterOf(code: number): string | undefined {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}
