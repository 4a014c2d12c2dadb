import { groupBy } from '../../../model/basics.ts';
import { type Run, runsOf } from '../../../model/runs.ts';
import { cutShort, namesAndMore } from '../../../model/words.ts';
import { element, findAll, isPressed, onClick, press, startSwitch } from './dom.ts';

/** Up to this many rendered templates are all loaded, also for printing. Of more, only those in sight are. */
const maxFrames = 100;
const maxHeight = 4000;
const chatWidth = 640;
const phoneWindow = 640;

/** Loads the frames of rendered templates when they come into sight, each as high as its content. */
export class Frames {
  readonly #observer = new IntersectionObserver((seen) => this.#follow(seen), { rootMargin: '100% 0px' });

  #count = 0;

  constructor() {
    addEventListener('resize', () => fitAll(document));
    startSwitch('button[data-width]', (button) => {
      const rendered = renderedOf(button);
      rendered.dataset.width = button.dataset.width ?? '';
      fitAll(rendered);
    });
    // Dark, or without images: each of these buttons stands for itself.
    onClick('button[data-look]', (button) => {
      const rendered = renderedOf(button);
      press(button, !isPressed(button));
      for (const frames of framesIn(rendered)) applyLooks(frames);
      fitAll(rendered);
    });
    onClick('button[data-step]', (button) => showStep(renderedOf(button), Number(button.dataset.step)));
  }

  add(within: Element): void {
    const places = findPlaces(within);
    // On a phone, e-mails are as wide as there.
    if (innerWidth <= phoneWindow)
      for (const button of within.querySelectorAll<HTMLElement>('[data-width="375"]')) button.click();
    for (const place of places) this.#observer.observe(place);
    this.#count += places.length;
    if (this.#count <= maxFrames) places.forEach(load);
  }

  /** Loads all frames in these elements. Afterwards, frames out of sight are removed again. */
  print(within: readonly Element[]): void {
    const places = within.flatMap(findPlaces).filter((place) => place.firstChild === null);
    for (const place of places) load(place);
    addEventListener('afterprint', () => places.forEach((place) => void place.replaceChildren()), {
      once: true,
    });
  }

  #follow(seen: readonly IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of seen) {
      if (!(target instanceof HTMLElement)) continue;
      if (isIntersecting) load(target);
      else if (findAll('iframe', HTMLIFrameElement).length > maxFrames) target.replaceChildren();
      fitFrame(target);
    }
  }
}

function findPlaces(within: ParentNode): HTMLElement[] {
  return [...within.querySelectorAll<HTMLElement>('.frame')];
}

/** The document is written and not left to load: printing does not wait. */
function load(place: HTMLElement): void {
  if (place.firstChild) return;
  const frame = document.createElement('iframe');
  // Without scripts in the frame, "same origin" only lets this page write and measure it.
  frame.setAttribute('sandbox', 'allow-same-origin');
  frame.title = place.dataset.title ?? '';
  place.append(frame);
  const { contentDocument: of, contentWindow } = frame;
  of?.open();
  of?.write(place.dataset.document ?? '');
  of?.close();
  // A mail that is higher than its frame scrolls together with its other side.
  contentWindow?.addEventListener('scroll', () => {
    for (const other of frame.closest('.frames')?.querySelectorAll('iframe') ?? [])
      if (other !== frame) other.contentWindow?.scrollTo(0, contentWindow.scrollY);
  });
  // With Ctrl, Shift or Alt, or the middle button, browsers follow a link of a frame that may not open a window.
  for (const type of ['click', 'auxclick'])
    contentWindow?.addEventListener(type, (event) => event.preventDefault(), { capture: true });
  show(place);
  // Pictures have their size only now.
  if (of?.images.length) frame.addEventListener('load', () => show(place));
}

function show(place: HTMLElement): void {
  const frames = place.closest<HTMLElement>('.frames');
  if (frames) applyLooks(frames);
  fitFrame(place);
  if (frames) markChanges(frames);
}

function renderedOf(button: HTMLButtonElement): HTMLElement {
  return button.closest<HTMLElement>('.rendered') ?? document.documentElement;
}

/** The pairs of frames of one template, which may be shown with several values. */
function framesIn(rendered: Element): HTMLElement[] {
  return [...rendered.querySelectorAll<HTMLElement>('.frames')];
}

function applyLooks(frames: HTMLElement): void {
  const isChosen = (look: string) =>
    isPressed(frames.closest('.rendered')?.querySelector(`[data-look="${look}"]`));
  const isDark = isChosen('dark');
  for (const place of findPlaces(frames)) {
    const of = place.querySelector('iframe')?.contentDocument;
    const hasDark = of ? applyLook(of, isDark, !isChosen('images')) : false;
    place.dataset.note = isDark && !hasDark ? ', has no dark style' : '';
  }
}

export function fitAll(within: ParentNode): void {
  findPlaces(within).forEach(fitFrame);
}

/** A frame has the chosen width, or that of its content if wider, and is scaled to fit. */
function fitFrame(place: HTMLElement): void {
  const frame = place.querySelector('iframe');
  const root = frame?.contentDocument?.documentElement;
  const room = place.clientWidth;
  if (!frame || !root || room === 0) return;
  clearMarks(frame);
  const isMail = place.dataset.kind === 'mail';
  const chosen = isMail
    ? Number(place.closest<HTMLElement>('.rendered')?.dataset.width ?? 600)
    : Math.min(room, chatWidth);
  frame.style.width = `${chosen}px`;
  frame.style.height = '60px';
  const width = Math.max(chosen, root.scrollWidth);
  frame.style.width = `${width}px`;
  const height = Math.min(maxHeight, root.scrollHeight);
  const scale = Math.min(1, room / width);
  frame.style.height = `${height}px`;
  frame.style.transform = `scale(${scale})`;
  place.style.height = `${Math.ceil(height * scale)}px`;
  drawMarks(frame);
  const label = place.parentElement?.querySelector('.scale');
  if (!label || !isMail) return;
  const wider = width > chosen ? `, wider than ${chosen} px` : '';
  const scaled = scale < 1 ? `, shown at ${Math.round(scale * 100)} %` : '';
  label.textContent = `${width} px${wider}${scaled}${place.dataset.note ?? ''}`;
}

const schemes = /\(\s*prefers-color-scheme\s*:\s*(dark|light)\s*\)/gi;

/** Media conditions as the e-mail has them. */
const original = new WeakMap<CSSMediaRule, string>();

/** Shows an e-mail in a dark or imageless mail program. Returns whether it has a dark style of its own. */
function applyLook(of: Document, isDark: boolean, hasImages: boolean): boolean {
  const root = of.documentElement;
  let hasDark = false;
  for (const rule of mediaRulesOf(of)) {
    const text = original.get(rule) ?? rule.media.mediaText;
    original.set(rule, text);
    rule.media.mediaText = text.replace(schemes, (_all, scheme: string) =>
      (scheme.toLowerCase() === 'dark') === isDark ? '(min-width: 0px)' : '(max-width: 0px)',
    );
    hasDark ||= /scheme\s*:\s*dark/i.test(text);
  }
  root.style.colorScheme = isDark && hasDark ? 'dark' : 'light';
  root.dataset.images = hasImages ? 'on' : 'off';
  const [from, to] = hasImages ? ['data-src', 'src'] : ['src', 'data-src'];
  for (const image of root.querySelectorAll(`img[${from}]`)) {
    image.setAttribute(to, image.getAttribute(from) ?? '');
    image.removeAttribute(from);
  }
  return hasDark;
}

/** The rules with a condition about the color scheme. The browser's own scheme does not count for them. */
function mediaRulesOf({ styleSheets, defaultView }: Document): CSSMediaRule[] {
  const Media = defaultView?.CSSMediaRule;
  const Group = defaultView?.CSSGroupingRule;
  if (!Media || !Group) return [];
  const within = (rules: CSSRuleList): CSSMediaRule[] =>
    [...rules].flatMap((rule) => [
      ...(rule instanceof Media && (original.get(rule) ?? rule.media.mediaText).match(schemes) ? [rule] : []),
      ...(rule instanceof Group ? within(rule.cssRules) : []),
    ]);
  return [...styleSheets].flatMap((sheet) => within(sheet.cssRules));
}

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
function markChanges(frames: Element): void {
  const [before, after] = [...frames.querySelectorAll('iframe')];
  const [old, fresh] = [before, after].map((frame) => frame && tokensIn(frame));
  if (!before || !after || !old || !fresh) return;
  // Texts that nobody sees, such as the first words for an inbox, are no replacement of texts that everybody sees.
  const runs = runsOf(old, fresh, maxEdits, ({ isHidden, text }) => `${isHidden} ${text}`);
  const styles = stylesOf(runs);
  const topOf = ({ marks }: Passage) => marks.at(-1)?.range.getBoundingClientRect().top ?? 0;
  const passages = [...passagesOf(runs), ...styles].toSorted((a, b) => topOf(a) - topOf(b));
  // A picture that arrives late makes them anew: the reader stays at the same one.
  const at = current ? known.get(frames)?.indexOf(current) : undefined;
  current = passages[at ?? -1] ?? current;
  known.set(frames, passages);
  tellStyles(frames, styles);
  const changed = runs.filter(({ isEqual }) => !isEqual);
  tellHidden(before, old, new Set(changed.flatMap((run) => run.before)));
  tellHidden(after, fresh, new Set(changed.flatMap((run) => run.after)));
  for (const frame of [before, after]) drawMarks(frame);
}

/** Goes to the next passage of the messages in an element, or with -1 to the previous one. After the last comes the first. */
export function showStep(within: Element, step: number): void {
  const pairs = framesIn(within);
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

function clearMarks({ contentDocument }: HTMLIFrameElement): void {
  contentDocument?.querySelector('x-marks')?.remove();
}

/** Draws outlines with a white edge, and a bar at the left: visible on every background, also without colour vision. */
function drawMarks(frame: HTMLIFrameElement): void {
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
    const outer = node.parentElement;
    // Not displayed, transparent, without size, or cut off.
    const isHidden =
      !outer?.checkVisibility({ opacityProperty: true, visibilityProperty: true }) ||
      Number.parseFloat(styleOf(outer)?.fontSize ?? '') < 2 ||
      isCutOff(outer, cutOff);
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
 * True inside an element without height, which shows none of its content.
 *
 * @param cutOff remembers elements, since the texts of an e-mail share most of what is around them
 */
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
