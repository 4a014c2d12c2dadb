// A terminal's colours as an SVG picture: text stays text, no font is loaded, columns stay columns in any font.
import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';

export const row = 19;
const [column, margin, bar] = [8.4, 22, 34];
const ground = '#0d1117';
const plain = '#d7dde4';
const colours = {
  30: '#6e7681',
  31: '#ff7b72',
  32: '#7ee787',
  33: '#e3b341',
  34: '#79c0ff',
  35: '#d2a8ff',
  36: '#56d4dd',
  37: plain,
  90: '#8b949e',
};

/** A picture of a command and what it printed. */
export function terminalPicture(command, output) {
  const lines = [command, '', ...output.trimEnd().split('\n')];
  const columns = Math.max(...lines.map((line) => stringWidth(wordsOf(line))));
  const body = lines.map((line, at) => lineOf(line, (at + 1) * row)).join('\n');
  return frame({ columns, rows: lines.length, label: 'A plan in a terminal', style: '' }, body);
}

/** The window of a terminal around lines that {@link lineOf} made. What does not fit is cut. */
export function frame({ columns, rows, label, style }, body) {
  const [w, h] = [Math.round(columns * column + 2 * margin), rows * row + bar + 2 * margin - 8];
  // Below the descenders of a line that has scrolled out.
  const [top, descent] = [bar + margin - row, 5];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}" role="img" aria-label="${escapeXml(label)}">
<style>text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace; white-space: pre; fill: ${plain}; }${style}</style>
<rect width="${w}" height="${h}" rx="10" fill="${ground}"/>
<circle cx="22" cy="19" r="6" fill="#ff5f57"/><circle cx="42" cy="19" r="6" fill="#febc2e"/><circle cx="62" cy="19" r="6" fill="#28c840"/>
<svg aria-hidden="true" y="${top + descent}" width="${w}" height="${h - top - descent}" viewBox="0 ${descent} ${w} ${h - top - descent}">
${body}
</svg>
</svg>
`;
}

/** The text of a line, without its colours. */
export const wordsOf = stripVTControlCharacters;

/** A line with its colours, `y` below the top of the window. */
export function lineOf(line, y) {
  const spans = spansOf(line);
  const marks = spans
    .filter(({ inverse, text }) => inverse && text.trim() !== '')
    .map((span) => markOf(span, y));
  const words = spans.filter(({ text }) => text.trim() !== '').map(spanOf);
  return words.length === 0
    ? ''
    : `${marks.join('')}<text y="${y}" xml:space="preserve">${words.join('')}</text>`;
}

/** Pieces of one style. `textLength` keeps columns where they are, whatever font the reader has. */
function spanOf({ text, at, colour, bold, dim, italic, underline, inverse }) {
  const blanks = text.length - text.trimStart().length;
  const shown = text.trim();
  const attributes = [
    `x="${number(margin + (at + blanks) * column)}"`,
    `textLength="${number(stringWidth(shown) * column)}" lengthAdjust="spacingAndGlyphs"`,
    ...(colour ? [`fill="${inverse ? plain : colour}"`] : []),
    ...(bold ? ['font-weight="bold"'] : []),
    ...(italic ? ['font-style="italic"'] : []),
    ...(underline ? ['text-decoration="underline"'] : []),
    ...(dim ? ['opacity="0.62"'] : []),
  ];
  return `<tspan ${attributes.join(' ')}>${escapeXml(shown)}</tspan>`;
}

function markOf({ text, at, colour }, y) {
  const x = number(margin + at * column);
  return `<rect x="${x}" y="${y - 14}" width="${number(stringWidth(text) * column)}" height="${row}" rx="2" fill="${colour ?? plain}" fill-opacity="0.35"/>`;
}

function spansOf(line) {
  const spans = [];
  let style = {};
  let at = 0;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is how terminals write colours
  for (const part of line.split(/(\x1b\[[\d;]*m)/)) {
    if (part.startsWith('\x1b[')) style = applyCodes(style, part.slice(2, -1).split(';').map(Number));
    else if (part !== '') {
      spans.push({ ...style, text: part, at });
      at += stringWidth(part);
    }
  }
  return spans;
}

/** What each code changes; others are none that tenantctl writes. */
const effects = {
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { underline: true },
  7: { inverse: true },
  22: { bold: false, dim: false },
  23: { italic: false },
  24: { underline: false },
  27: { inverse: false },
  39: { colour: undefined },
};

function applyCodes(style, codes) {
  let now = style;
  for (const code of codes) {
    const effect = Object.hasOwn(colours, code) ? { colour: colours[code] } : effects[code];
    if (code !== 0 && !effect) throw new Error(`The picture does not know the terminal code ${code}.`);
    now = code === 0 ? {} : { ...now, ...effect };
  }
  return now;
}

const number = (value) => String(Math.round(value * 10) / 10);
const escapeXml = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
