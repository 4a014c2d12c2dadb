import { groupBy } from '../../../model/basics.ts';
import { type Run, runsOf } from '../../../model/runs.ts';
import { cutShort, namesAndMore } from '../../../model/words.ts';
import { element } from './dom.ts';

/** One difference between both sides of a message: its marks, and a note on changed style. */
interface Passage {
  readonly marks: readonly Mark[];
  readonly style: string;
}

interface Mark {
  readonly frame: HTMLIFrameElement;
  readonly range: Range;
  /** Changed words, the place of words that only the other side has, or words that look different. */
  readonly is: 'words' | 'place' | 'style';
}

/** Messages with more differences count as rewritten. */
const maxEdits = 3000;
const maxStyles = 12;
const maxHidden = 300;
const maxQuotes = 3;

const known = new WeakMap<Element, readonly Passage[]>();
let current: Passage | null = null;

/** Finds the words that differ and those that look different, marks them on both sides, and describes invisible changes. */
export function markChanges(frames: Element): void {
  const [before, after] = [...frames.querySelectorAll('iframe')];
  const [old, fresh] = [before, after].map((frame) => frame && tokensIn(frame));
  if (!before || !after || !old || !fresh) return;
  // Texts that nobody sees, such as the first words for an inbox, are no replacement of texts that everybody sees.
  const runs = runsOf(old, fresh, maxEdits, ({ isHidden, text }) => `${isHidden} ${text}`);
  const styles = stylesOf(runs);
  const topOf = ({ marks }: Passage) => marks.at(-1)?.range.getBoundingClientRect().top ?? 0;
  const passages = [...passagesOf(runs), ...styles].toSorted((a, b) => topOf(a) - topOf(b));
  known.set(frames, passages);
  tellStyles(frames, styles);
  const changed = runs.filter(({ isEqual }) => !isEqual);
  tellHidden(before, old, new Set(changed.flatMap((run) => run.before)));
  tellHidden(after, fresh, new Set(changed.flatMap((run) => run.after)));
  for (const frame of [before, after]) drawMarks(frame);
}

/** Goes to the next passage of messages that belong together, or with -1 to the previous one. After the last comes the first. */
export function showStep(pairs: readonly Element[], step: number): void {
  const passages = pairs.flatMap((frames) => known.get(frames) ?? []);
  const last = current === null ? -1 : passages.indexOf(current);
  const at = last < 0 && step < 0 ? passages.length - 1 : (last + step + passages.length) % passages.length;
  current = passages[at] ?? null;
  for (const frames of pairs) frames.querySelectorAll('iframe').forEach(drawMarks);
  const mark = current?.marks.at(-1);
  if (!mark) return;
  // Scrolls a mail that is higher than its frame, and then the page. Frames are scaled, so a browser cannot do it alone.
  const { frame, range } = mark;
  const middle = frame.clientHeight / 2;
  frame.contentWindow?.scrollBy(0, range.getBoundingClientRect().top - middle);
  const { top, width } = frame.getBoundingClientRect();
  const scale = width / frame.offsetWidth;
  scrollBy(0, top + range.getBoundingClientRect().top * scale - innerHeight / 2);
}

function passagesOf(runs: readonly Run<Token>[]): Passage[] {
  return runs.flatMap(({ isEqual, before, after }, at) => {
    const last = runs[at - 1];
    const marks = isEqual
      ? []
      : [...marksOf(before, last?.before.at(-1)), ...marksOf(after, last?.after.at(-1))];
    return marks.some(({ is }) => is === 'words') ? [{ marks, style: '' }] : [];
  });
}

/** The words, joined in each text; or their place after the previous word, if this side has none. */
function marksOf(tokens: readonly Token[], before: Token | undefined): Mark[] {
  const seen = tokens.filter(({ isHidden }) => !isHidden);
  if (seen.length === 0) return before && !before.isHidden ? [markOf(before, before, 'place')] : [];
  return groupBy(seen, ({ node }) => node).map(([, own]) => markOf(own[0], own.at(-1) ?? own[0], 'words'));
}

function markOf({ frame, node, start }: Token, { end }: Token, is: Mark['is']): Mark {
  const range = new Range();
  if (node.nodeType === Node.TEXT_NODE) {
    range.setStart(node, start);
    range.setEnd(node, end);
  } else range.selectNode(node);
  return { frame, range, is };
}

const looks =
  'link color font-family font-size font-style font-weight text-align text-decoration-line background-color background-image padding border-width border-radius'.split(
    ' ',
  );

/** The changes of style around equal words: each once, with all its places. */
function stylesOf(runs: readonly Run<Token>[]): Passage[] {
  const compared = new Map<Element, readonly string[]>();
  /** `font-size 16px → 20px`, and the first text of each element that has this change. */
  const found: { words: string; old: Token; fresh: Token }[] = [];
  /** The differences between two elements. A difference that the elements around them share belongs to those. */
  const visit = (one: Element | null, other: Element | null, old: Token, fresh: Token): readonly string[] => {
    if (!one || one.tagName !== other?.tagName) return [];
    const before = compared.get(one);
    if (before) return before;
    const outer = visit(one.parentElement, other.parentElement, old, fresh);
    const all = looks.flatMap((name) => {
      const [was, is] = [lookOf(one, name), lookOf(other, name)];
      return was === is ? [] : `${name} ${was} → ${is}`;
    });
    for (const words of all) if (!outer.includes(words)) found.push({ words, old, fresh });
    compared.set(one, all);
    return all;
  };
  for (const { before, after } of runs.filter(({ isEqual }) => isEqual))
    for (const [at, token] of before.entries()) {
      const other = after[at];
      if (other && !token.isHidden) visit(token.node.parentElement, other.node.parentElement, token, other);
    }
  return groupBy(found, ({ words }) => words).map(([words, places]) => {
    const texts = places.map(({ fresh }) => (fresh.node.textContent ?? '').trim());
    const quotes = new Set(texts.map((text) => `“${cutShort(text)}”`));
    return {
      marks: places.flatMap(({ old, fresh }) => [old, fresh].map((token) => markOf(token, token, 'style'))),
      style: `${words} (${namesAndMore([...quotes].slice(0, maxQuotes), quotes.size - maxQuotes)})`,
    };
  });
}

function lookOf(of: Element, name: string): string {
  if (name === 'link') return of.closest('a')?.getAttribute('href') ?? 'none';
  const value = styleOf(of)?.getPropertyValue(name) ?? '';
  return value === 'rgba(0, 0, 0, 0)' ? 'none' : value;
}

function tellStyles(frames: Element, styles: readonly Passage[]): void {
  frames.querySelector(':scope > .styles')?.remove();
  const more = styles.length - maxStyles;
  const lines = styles.slice(0, maxStyles).map(({ style }) => `Looks different: ${style}`);
  if (more > 0) lines.push(`and ${more} more changes of style`);
  if (lines.length > 0)
    frames.append(element('ul', { class: 'styles' }, ...lines.map((line) => element('li', {}, line))));
}

/** Hidden text of an e-mail, which inboxes show after its subject. */
function tellHidden(frame: HTMLIFrameElement, tokens: readonly Token[], changed: ReadonlySet<Token>): void {
  frame.closest('figure')?.querySelector('.unshown')?.remove();
  const hidden = tokens.filter(({ isHidden, node }) => isHidden && node.nodeType === Node.TEXT_NODE);
  const texts = groupBy(hidden, ({ node }) => node).flatMap(([node, words]) => {
    const isNew = words.some((word) => changed.has(word));
    return [element(isNew ? 'mark' : 'span', {}, (node.textContent ?? '').trim().slice(0, maxHidden)), ' '];
  });
  if (texts.length > 0)
    frame.closest('.frame')?.before(element('p', { class: 'inbox unshown' }, 'Hidden text: ', ...texts));
}

export function clearMarks({ contentDocument }: HTMLIFrameElement): void {
  contentDocument?.querySelector('x-marks')?.remove();
}

/** Draws outlines with a white edge, and a bar at the left: visible on every background, also without colour vision. */
export function drawMarks(frame: HTMLIFrameElement): void {
  clearMarks(frame);
  const root = frame.contentDocument?.documentElement;
  const frames = frame.closest('.frames');
  const passages = (frames && known.get(frames)) ?? [];
  if (!root || passages.length === 0) return;
  const layer = overlay('x-marks', 'top:0;left:0;z-index:2147483647');
  layer.setAttribute('aria-hidden', 'true');
  root.append(layer);
  const origin = layer.getBoundingClientRect();
  for (const passage of passages)
    for (const mark of passage.marks.filter((each) => each.frame === frame))
      for (const { top, left, width, height } of boxesOf(mark)) {
        const is = passage === current ? 'current' : mark.is;
        const place = `top:${top - origin.top}px;height:${height}px`;
        const box = overlay('x-mark', `${place};left:${left - origin.left}px;width:${width}px;${lines[is]}`);
        box.dataset.is = is;
        layer.append(box, overlay('x-mark', `${place};left:${-origin.left}px;width:5px;${lines.gutter}`));
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
function boxesOf({ range, is }: Mark): DOMRect[] {
  const boxes = [...range.getClientRects()].filter(({ width }) => width > 0);
  const end = boxes.at(-1);
  return is === 'place' && end ? [new DOMRect(end.right, end.top, 0, end.height)] : boxes;
}

/** Overrides any style of an e-mail. */
function overlay(name: string, style: string): HTMLElement {
  const made = document.createElement(name);
  made.style.cssText = `all:initial;pointer-events:none;position:absolute;${style}`.replaceAll(
    /;|$/g,
    '!important;',
  );
  return made;
}

interface Token {
  readonly frame: HTMLIFrameElement;
  readonly node: Node;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Nobody sees it: it is for inboxes, which show the first words of an e-mail. */
  readonly isHidden: boolean;
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** The words and pictures of a message, from its first to its last; `null` while it is loading. */
function tokensIn(frame: HTMLIFrameElement): Token[] | null {
  const { contentDocument: of } = frame;
  const Image = of?.defaultView?.HTMLImageElement;
  if (!of?.body || !Image) return null;
  const walker = of.createTreeWalker(of.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  const cutOff = new Map<Element, boolean>();
  const tokens: Token[] = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const words = wordsOf(node, Image);
    if (words.length === 0) continue;
    const isHidden = isUnseen(node.parentElement, cutOff);
    for (const word of words) tokens.push({ ...word, frame, node, isHidden });
  }
  return tokens;
}

function wordsOf(node: Node, Image: typeof HTMLImageElement): Pick<Token, 'start' | 'end' | 'text'>[] {
  if (node instanceof Image) {
    // A look without pictures keeps their addresses elsewhere.
    const source = node.getAttribute('src') ?? node.dataset.src ?? '';
    return [{ start: 0, end: 0, text: `image ${source} ${node.alt}` }];
  }
  if (node.nodeType !== Node.TEXT_NODE || node.parentElement?.matches('style, script')) return [];
  return [...segmenter.segment(node.textContent ?? '')]
    .filter(({ segment }) => /[\p{L}\p{N}\p{P}\p{S}]/u.test(segment))
    .map(({ segment: text, index: start }) => ({ text, start, end: start + text.length }));
}

/**
 * True for elements that are not displayed, transparent, without size, or cut off.
 *
 * @param cutOff remembers elements, since the texts of an e-mail share most of what is around them
 */
function isUnseen(element: Element | null, cutOff: Map<Element, boolean>): boolean {
  if (!element?.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return true;
  return Number.parseFloat(styleOf(element)?.fontSize ?? '') < 2 || isCutOff(element, cutOff);
}

/** True inside an element without height, which shows none of its content. */
function isCutOff(element: Element, cutOff: Map<Element, boolean>): boolean {
  const { parentElement: outer } = element;
  const known = cutOff.get(element);
  if (known !== undefined) return known;
  const isEmpty = styleOf(element)?.overflowY !== 'visible' && element.getBoundingClientRect().height < 1;
  const answer = isEmpty || (outer !== null && isCutOff(outer, cutOff));
  cutOff.set(element, answer);
  return answer;
}

function styleOf(element: Element): CSSStyleDeclaration | undefined {
  return element.ownerDocument.defaultView?.getComputedStyle(element);
}
