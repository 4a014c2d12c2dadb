import { diffArrays } from 'diff';
import { namesAndMore } from '../../../model/words.ts';

/** One difference between both sides of a message: its marks, and what it says of a change of style. */
interface Passage {
  readonly marks: readonly Mark[];
  readonly style: string;
}

interface Mark {
  readonly frame: HTMLIFrameElement;
  readonly range: Range;
  /** Changed words, the place where the other side has more, or words that look different. */
  readonly is: 'words' | 'place' | 'style';
}

/** A word or a picture of a message. */
interface Token {
  readonly frame: HTMLIFrameElement;
  readonly node: Node;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly isHidden: boolean;
}

/** Messages with more differences count as rewritten. */
const maxEdits = 3000;
const maxStyles = 12;
const maxHidden = 300;
const maxQuote = 60;
const maxQuotes = 3;

/** The passages of each pair of frames, from top to bottom. */
const known = new WeakMap<Element, readonly Passage[]>();
/** Where the reader is. */
let current: Passage | null = null;

/** Finds the words that differ and those that look different, marks them on both sides, and tells what nobody would see. */
export function markChanges(frames: Element): void {
  const [before, after] = [...frames.querySelectorAll('iframe')];
  const [old, fresh] = [before, after].map((frame) => frame && tokensIn(frame));
  if (!before || !after || !old || !fresh) return;
  const { passages, changed, equal } = compare(old, fresh);
  const styles = stylesOf(equal);
  const all = [...passages, ...styles].filter(({ marks }) => marks.length > 0);
  known.set(
    frames,
    all.toSorted((a, b) => topOf(a) - topOf(b)),
  );
  tellStyles(frames, styles);
  for (const [frame, tokens] of [[before, old] as const, [after, fresh] as const]) {
    tellHidden(frame, tokens, changed);
    drawMarks(frame);
  }
}

/** Goes to the next passage of messages that belong together, or with -1 to the previous one. After the last comes the first. */
export function showStep(pairs: readonly Element[], step: number): void {
  const passages = pairs.flatMap((frames) => known.get(frames) ?? []);
  const last = current === null ? -1 : passages.indexOf(current);
  const at = last < 0 && step < 0 ? passages.length - 1 : (last + step + passages.length) % passages.length;
  current = passages[at] ?? null;
  for (const frames of pairs) frames.querySelectorAll('iframe').forEach(drawMarks);
  const mark = current?.marks.at(-1);
  if (mark) moveTo(mark);
}

/** Scrolls a mail that is higher than its frame, and then the page. Frames are scaled, so a browser cannot do it alone. */
function moveTo({ frame, range }: Mark): void {
  const middle = frame.clientHeight / 2;
  frame.contentWindow?.scrollBy(0, range.getBoundingClientRect().top - middle);
  const { top, width } = frame.getBoundingClientRect();
  const scale = width / frame.offsetWidth;
  scrollBy(0, top + range.getBoundingClientRect().top * scale - innerHeight / 2);
}

const topOf = ({ marks }: Passage): number => marks.at(-1)?.range.getBoundingClientRect().top ?? 0;

interface Comparison {
  readonly passages: readonly Passage[];
  readonly changed: ReadonlySet<Token>;
  readonly equal: readonly (readonly [Token, Token])[];
}

function compare(old: readonly Token[], fresh: readonly Token[]): Comparison {
  const passages: Passage[] = [];
  const changed = new Set<Token>();
  const equal: [Token, Token][] = [];
  const [oldKeys, freshKeys] = [old, fresh].map((tokens) => tokens.map(keyOf));
  const rewritten = [
    { added: false, removed: true, count: old.length },
    { added: true, removed: false, count: fresh.length },
  ];
  const runs = diffArrays(oldKeys ?? [], freshKeys ?? [], { maxEditLength: maxEdits }) ?? rewritten;
  /** From where on, and up to where, each side differs. */
  let [oldFrom, freshFrom, oldAt, freshAt] = [0, 0, 0, 0];
  const finish = () => {
    const marks = [...marksOf(old, oldFrom, oldAt), ...marksOf(fresh, freshFrom, freshAt)];
    for (const token of [...old.slice(oldFrom, oldAt), ...fresh.slice(freshFrom, freshAt)])
      changed.add(token);
    if (marks.some(({ is }) => is === 'words')) passages.push({ marks, style: '' });
  };
  for (const { added, removed, count } of runs) {
    const isEqual = !added && !removed;
    if (isEqual) finish();
    for (let at = 0; isEqual && at < count; at += 1) {
      const [one, other] = [old[oldAt + at], fresh[freshAt + at]];
      if (one && other) equal.push([one, other]);
    }
    if (!added) oldAt += count;
    if (!removed) freshAt += count;
    if (isEqual) [oldFrom, freshFrom] = [oldAt, freshAt];
  }
  finish();
  return { passages, changed, equal };
}

/** Texts that nobody sees, such as the first words for an inbox, are no replacement of texts that everybody sees. */
const keyOf = ({ isHidden, text }: Token): string => `${isHidden ? 'hidden' : 'shown'} ${text}`;

/** The words from one token up to another, joined in each text; or their place, where this side has none. */
function marksOf(tokens: readonly Token[], from: number, to: number): Mark[] {
  const seen = tokens.slice(from, to).filter(({ isHidden }) => !isHidden);
  const nodes = [...new Set(seen.map(({ node }) => node))];
  const last = tokens[from - 1];
  if (nodes.length === 0) return last && !last.isHidden ? [markOf(last, last, 'place')] : [];
  return nodes.flatMap((node) => {
    const own = seen.filter((token) => token.node === node);
    const [first, end] = [own[0], own.at(-1)];
    return first && end ? [markOf(first, end, 'words')] : [];
  });
}

function markOf({ frame, node, start }: Token, { end }: Token, is: Mark['is']): Mark {
  const range = new Range();
  if (node.nodeType === Node.TEXT_NODE) {
    range.setStart(node, start);
    range.setEnd(node, end);
  } else range.selectNode(node);
  return { frame, range, is };
}

/** What the elements inside of one have as well, unless they say otherwise. */
const inherited = [
  'link',
  'color',
  'font-family',
  'font-size',
  'font-style',
  'font-weight',
  'text-align',
  'text-decoration-line',
];
const looks = [
  ...inherited,
  'background-color',
  'background-image',
  'padding',
  'border-width',
  'border-radius',
];

/** The changes of style around equal words: each once, with all its places. */
function stylesOf(equal: Comparison['equal']): Passage[] {
  const compared = new Set<Element>();
  const places = new Map<string, [Token, Token][]>();
  for (const [old, fresh] of equal.filter(([{ isHidden }]) => !isHidden)) {
    const others = chainOf(fresh.node);
    for (const [at, element] of chainOf(old.node).entries()) {
      const other = others[at];
      if (compared.has(element) || other?.tagName !== element.tagName) break;
      compared.add(element);
      for (const words of looksThatDiffer(element, other))
        places.set(words, [...(places.get(words) ?? []), [old, fresh]]);
    }
  }
  return [...places].map(([words, pairs]) => {
    const quotes = new Set(pairs.map(([, fresh]) => `“${quoteOf(fresh)}”`));
    return {
      marks: pairs.flatMap(([old, fresh]) => [markOf(old, old, 'style'), markOf(fresh, fresh, 'style')]),
      style: `${words} (${namesAndMore([...quotes].slice(0, maxQuotes), quotes.size - maxQuotes)})`,
    };
  });
}

/** `color #0b539b → #7a1fa2`. What an element only has of the one around it is a change of that one. */
function looksThatDiffer(old: Element, fresh: Element): string[] {
  return looks.flatMap((name) => {
    const [before, after] = [lookOf(old, name), lookOf(fresh, name)];
    const [outer, otherOuter] = [old.parentElement, fresh.parentElement];
    const isInherited =
      inherited.includes(name) &&
      outer !== null &&
      otherOuter !== null &&
      lookOf(outer, name) === before &&
      lookOf(otherOuter, name) === after;
    return before === after || isInherited ? [] : [`${name} ${before} → ${after}`];
  });
}

function quoteOf({ node }: Token): string {
  const text = (node.textContent ?? '').trim();
  return text.length > maxQuote ? `${text.slice(0, maxQuote)}…` : text;
}

function chainOf(node: Node): Element[] {
  const chain: Element[] = [];
  for (let element = node.parentElement; element; element = element.parentElement) chain.push(element);
  return chain;
}

function lookOf(element: Element, name: string): string {
  if (name === 'link') return element.closest('a')?.getAttribute('href') ?? 'none';
  const value = styleOf(element)?.getPropertyValue(name) ?? '';
  if (value === 'rgba(0, 0, 0, 0)') return 'none';
  // As mails write colours.
  return value.replace(
    /\brgb\((\d+), (\d+), (\d+)\)/g,
    (_all, ...parts: string[]) =>
      `#${parts
        .slice(0, 3)
        .map((part) => Number(part).toString(16).padStart(2, '0'))
        .join('')}`,
  );
}

function tellStyles(frames: Element, styles: readonly Passage[]): void {
  frames.querySelector(':scope > .styles')?.remove();
  if (styles.length === 0) return;
  const list = document.createElement('ul');
  list.className = 'styles';
  const more = styles.length - maxStyles;
  const lines = [
    ...styles.slice(0, maxStyles).map(({ style }) => `Looks different: ${style}`),
    ...(more > 0 ? [`and ${more} more changes of style`] : []),
  ];
  for (const line of lines) list.append(Object.assign(document.createElement('li'), { textContent: line }));
  frames.append(list);
}

/** What an e-mail hides, and inboxes show behind its subject. */
function tellHidden(frame: HTMLIFrameElement, tokens: readonly Token[], changed: ReadonlySet<Token>): void {
  const figure = frame.closest('figure');
  figure?.querySelector('.unshown')?.remove();
  const hidden = tokens.filter(({ isHidden, node }) => isHidden && node.nodeType === Node.TEXT_NODE);
  if (hidden.length === 0) return;
  const line = Object.assign(document.createElement('p'), { className: 'inbox unshown' });
  line.append('Hidden text: ');
  for (const node of new Set(hidden.map((token) => token.node))) {
    const isNew = hidden.some((token) => token.node === node && changed.has(token));
    const text = document.createElement(isNew ? 'mark' : 'span');
    text.textContent = (node.textContent ?? '').trim().slice(0, maxHidden);
    line.append(text, ' ');
  }
  frame.closest('.frame')?.before(line);
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

function tokensIn(frame: HTMLIFrameElement): Token[] | null {
  const { contentDocument: of } = frame;
  const Image = of?.defaultView?.HTMLImageElement;
  if (!of?.body || !Image) return null;
  const walker = of.createTreeWalker(of.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  const cutOff = new Map<Element, boolean>();
  const tokens: Token[] = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const words = node instanceof Image ? [imageToken(node)] : wordsOf(node);
    if (words.length === 0) continue;
    const isHidden = isUnseen(node.parentElement, cutOff);
    for (const word of words) tokens.push({ ...word, frame, node, isHidden });
  }
  return tokens;
}

type Word = Pick<Token, 'start' | 'end' | 'text'>;

/** A look without pictures keeps their addresses elsewhere. */
function imageToken(image: HTMLImageElement): Word {
  const source = image.getAttribute('src') ?? image.dataset.src ?? '';
  return { start: 0, end: 0, text: `image ${source} ${image.alt}` };
}

function wordsOf(node: Node): Word[] {
  if (node.nodeType !== Node.TEXT_NODE || node.parentElement?.matches('style, script')) return [];
  return [...segmenter.segment(node.textContent ?? '')]
    .filter(({ segment }) => /[\p{L}\p{N}\p{P}\p{S}]/u.test(segment))
    .map(({ segment: text, index: start }) => ({ text, start, end: start + text.length }));
}

/**
 * True for what is not displayed, is transparent, has no size, or is cut off.
 *
 * @param cutOff remembers elements, since the texts of an e-mail share most of what is around them
 */
function isUnseen(element: Element | null, cutOff: Map<Element, boolean>): boolean {
  if (!element?.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return true;
  return Number.parseFloat(styleOf(element)?.fontSize ?? '') < 2 || isCutOff(element, cutOff);
}

/** True inside of an element that shows nothing of what is in it, since it has no height. */
function isCutOff(element: Element, cutOff: Map<Element, boolean>): boolean {
  const { parentElement: outer } = element;
  const isEmpty = () =>
    styleOf(element)?.overflowY !== 'visible' && element.getBoundingClientRect().height < 1;
  const answer = cutOff.get(element) ?? (isEmpty() || (outer !== null && isCutOff(outer, cutOff)));
  cutOff.set(element, answer);
  return answer;
}

function styleOf(element: Element): CSSStyleDeclaration | undefined {
  return element.ownerDocument.defaultView?.getComputedStyle(element);
}

export function clearMarks({ contentDocument }: HTMLIFrameElement): void {
  contentDocument?.querySelector('x-marks')?.remove();
}

/** Outlines with a white edge, and a bar at the left: they are seen on every background, whoever sees which colours. */
export function drawMarks(frame: HTMLIFrameElement): void {
  clearMarks(frame);
  const of = frame.contentDocument;
  const frames = frame.closest('.frames');
  const passages = (frames && known.get(frames)) ?? [];
  if (!of?.documentElement || passages.length === 0) return;
  const layer = of.createElement('x-marks');
  layer.setAttribute('aria-hidden', 'true');
  setStyle(layer, 'position:absolute;top:0;left:0;z-index:2147483647');
  of.documentElement.append(layer);
  const origin = layer.getBoundingClientRect();
  for (const passage of passages) {
    const marks = passage.marks.filter((mark) => mark.frame === frame);
    for (const { is, box } of marks.flatMap(boxesOf)) {
      const look = passage === current ? 'current' : is;
      const place = `position:absolute;top:${box.top - origin.top}px;height:${box.height}px`;
      layer.append(
        markElement(
          of,
          look,
          `${place};left:${box.left - origin.left}px;width:${box.width}px;${lines[look]}`,
        ),
        markElement(of, 'gutter', `${place};left:${-origin.left}px;width:5px;${lines.gutter}`),
      );
    }
  }
}

const lines = {
  words: 'outline:2px solid #c2410c;box-shadow:0 0 0 3px #fff',
  place: 'outline:2px solid #c2410c;box-shadow:0 0 0 3px #fff',
  style: 'outline:2px dashed #c2410c;box-shadow:0 0 0 3px #fff',
  current: 'outline:3px solid #8f1d14;box-shadow:0 0 0 5px #ffb84d',
  gutter: 'background:#c2410c;border-right:1px solid #fff',
} as const;

/** One for each line of the words. A place is at the end of the word before it. */
function boxesOf({ range, is }: Mark): { readonly is: Mark['is']; readonly box: DOMRect }[] {
  const boxes = [...range.getClientRects()].filter(({ width }) => width > 0);
  const end = boxes.at(-1);
  if (is !== 'place') return boxes.map((box) => ({ is, box }));
  return end ? [{ is, box: new DOMRect(end.right, end.top, 0, end.height) }] : [];
}

function markElement(of: Document, name: string, style: string): HTMLElement {
  const mark = of.createElement('x-mark');
  mark.dataset.is = name;
  setStyle(mark, style);
  return mark;
}

/** Stronger than whatever an e-mail says. */
function setStyle(element: HTMLElement, style: string): void {
  element.style.cssText = ['all:initial', 'pointer-events:none', ...style.split(';')]
    .map((each) => `${each}!important`)
    .join(';');
}
