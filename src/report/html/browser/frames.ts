import { diffArrays } from 'diff';
import { findAll, isPressed, onClick, press, startSwitch } from './dom.ts';

/** Up to this many rendered templates are all loaded, also for printing. Of more, only those in sight are. */
const maxFrames = 100;
const maxHeight = 4000;
const chatWidth = 640;

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
    onClick('button[data-step]', (button) =>
      showStep(framesIn(renderedOf(button)), Number(button.dataset.step)),
    );
  }

  add(within: Element): void {
    const places = findPlaces(within);
    for (const place of places) this.#observer.observe(place);
    this.#count += places.length;
    if (this.#count <= maxFrames) places.forEach(load);
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

function load(place: HTMLElement): void {
  if (place.firstChild) return;
  const frame = document.createElement('iframe');
  // Without scripts in the frame, "same origin" only lets this page measure it.
  frame.setAttribute('sandbox', 'allow-same-origin');
  frame.title = place.dataset.title ?? '';
  frame.srcdoc = place.dataset.document ?? '';
  frame.addEventListener('load', () => {
    const frames = place.closest<HTMLElement>('.frames');
    if (frames) applyLooks(frames);
    fitFrame(place);
    if (frames) markChanges(frames);
    frame.contentWindow?.addEventListener('scroll', () => scrollOthers(frame));
    for (const type of clicks) frame.contentWindow?.addEventListener(type, ignore, { capture: true });
  });
  place.append(frame);
}

/** With Ctrl, Shift or Alt, or the middle button, browsers follow a link of a frame that may not open a window. */
const clicks = ['click', 'auxclick'];

function ignore(event: Event): void {
  event.preventDefault();
}

/** The template of a button, before and after, or the page of the preview. */
function renderedOf(button: HTMLButtonElement): HTMLElement {
  return button.closest<HTMLElement>('.rendered') ?? document.documentElement;
}

/** The pairs of frames of one template, which may be shown with several values. */
function framesIn(rendered: HTMLElement): HTMLElement[] {
  return [...rendered.querySelectorAll<HTMLElement>('.frames')];
}

function applyLooks(frames: HTMLElement): void {
  const isChosen = (look: string) =>
    isPressed(frames.closest('.rendered')?.querySelector(`[data-look="${look}"]`));
  const isDark = isChosen('dark');
  for (const place of findPlaces(frames)) {
    const of = place.querySelector('iframe')?.contentDocument;
    // Firefox begins the document of a frame that is loading without a root.
    const hasDark = of?.documentElement ? applyLook(of, { isDark, hasImages: !isChosen('images') }) : false;
    place.dataset.note = isDark && !hasDark ? ', has no dark style' : '';
  }
}

/** A mail that is higher than its frame scrolls together with its other side. */
function scrollOthers(frame: HTMLIFrameElement): void {
  for (const other of frame.closest('.frames')?.querySelectorAll('iframe') ?? [])
    if (other !== frame && frame.contentWindow) other.contentWindow?.scrollTo(0, frame.contentWindow.scrollY);
}

export function fitAll(within: ParentNode): void {
  findPlaces(within).forEach(fitFrame);
}

/** A frame is as wide as chosen, or as its content where that is wider; it is scaled to the room there is. */
function fitFrame(place: HTMLElement): void {
  const frame = place.querySelector('iframe');
  const root = frame?.contentDocument?.documentElement;
  const room = place.clientWidth;
  if (!frame || !root || room === 0) return;
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
  const label = place.parentElement?.querySelector('.scale');
  if (label && isMail) label.textContent = `${widthWords(width, chosen, scale)}${place.dataset.note ?? ''}`;
}

function widthWords(width: number, chosen: number, scale: number): string {
  const wider = width > chosen ? `, wider than ${chosen} px` : '';
  return `${width} px${wider}${scale < 1 ? `, shown at ${Math.round(scale * 100)} %` : ''}`;
}

interface Look {
  readonly isDark: boolean;
  readonly hasImages: boolean;
}

const schemes = /\(\s*prefers-color-scheme\s*:\s*(dark|light)\s*\)/gi;

/** Media conditions as the e-mail has them. */
const original = new WeakMap<CSSMediaRule, string>();

/**
 * Shows an e-mail as a mail program does that is dark or loads no images. Returns whether the e-mail has a dark style of its
 * own; one without stays light.
 */
function applyLook(of: Document, { isDark, hasImages }: Look): boolean {
  const root = of.documentElement;
  const hasDark = mediaRulesOf(of)
    .map((rule) => chooseScheme(rule, isDark))
    .includes(true);
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

function chooseScheme(rule: CSSMediaRule, isDark: boolean): boolean {
  const text = original.get(rule) ?? rule.media.mediaText;
  original.set(rule, text);
  rule.media.mediaText = text.replace(schemes, (_all, scheme: string) =>
    (scheme.toLowerCase() === 'dark') === isDark ? '(min-width: 0px)' : '(max-width: 0px)',
  );
  return /scheme\s*:\s*dark/i.test(text);
}

interface Passage {
  readonly frame: HTMLIFrameElement;
  readonly range: Range;
}

/** The changed passages of each pair of frames, from top to bottom. */
const known = new WeakMap<Element, readonly Passage[]>();
/** The index of the current passage, by the first of the pairs that belong together. */
const shown = new WeakMap<Element, number>();

/** Marks the passages of both sides that the other one does not have in the same place. */
function markChanges(frames: Element): void {
  const [before, after] = [...frames.querySelectorAll('iframe')];
  const [old, fresh] = [before, after].map((frame) => frame && textsIn(frame));
  if (!before || !after || !old || !fresh) return;
  const passages: Passage[] = [];
  let [oldAt, freshAt] = [0, 0];
  for (const { added, removed, count } of diffArrays(signaturesOf(old), signaturesOf(fresh))) {
    if (removed) passages.push(...old.slice(oldAt, oldAt + count).map((node) => passageOf(before, node)));
    if (added) passages.push(...fresh.slice(freshAt, freshAt + count).map((node) => passageOf(after, node)));
    if (!added) oldAt += count;
    if (!removed) freshAt += count;
  }
  passages.sort((a, b) => topOf(a) - topOf(b));
  known.set(frames, passages);
  for (const frame of [before, after]) highlight(frame, 'changed', passages);
}

/** Goes to the next changed passage, or with -1 to the previous one. After the last comes the first. */
function showStep(pairs: readonly Element[], step: number): void {
  const passages = pairs.flatMap((frames) => known.get(frames) ?? []).filter(isSeen);
  const [first] = pairs;
  if (!first || passages.length === 0) return;
  const last = shown.get(first) ?? -1;
  const at = last < 0 && step < 0 ? passages.length - 1 : (last + step + passages.length) % passages.length;
  shown.set(first, at);
  const current = passages[at];
  if (!current) return;
  for (const frames of pairs)
    for (const frame of frames.querySelectorAll('iframe')) highlight(frame, 'current', [current]);
  moveTo(current);
}

/** Scrolls a mail that is higher than its frame, and then the page. Frames are scaled, so a browser cannot do it alone. */
function moveTo({ frame, range }: Passage): void {
  const middle = frame.clientHeight / 2;
  frame.contentWindow?.scrollBy(0, range.getBoundingClientRect().top - middle);
  const { top, width } = frame.getBoundingClientRect();
  const scale = width / frame.offsetWidth;
  scrollBy(0, top + range.getBoundingClientRect().top * scale - innerHeight / 2);
}

const isSeen = ({ range }: Passage): boolean => !isHidden(range.startContainer);

function topOf({ range }: Passage): number {
  return range.getBoundingClientRect().top;
}

function textsIn({ contentDocument: of }: HTMLIFrameElement): Node[] | null {
  if (!of?.body) return null;
  const walker = of.createTreeWalker(of.body, NodeFilter.SHOW_TEXT);
  const texts: Node[] = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if (wordsOf(node) !== '' && !node.parentElement?.matches('style, script')) texts.push(node);
  return texts;
}

function wordsOf({ textContent }: Node): string {
  return (textContent ?? '').replace(/\s+/g, ' ').trim();
}

/** Texts that nobody sees, such as the first words for an inbox, are no replacement of texts that everybody sees. */
function signaturesOf(texts: readonly Node[]): string[] {
  const cutOff = new Map<Element, boolean>();
  return texts.map((node) => `${isHidden(node, cutOff) ? 'hidden' : 'shown'} ${wordsOf(node)}`);
}

/**
 * True for a text that is not displayed, is transparent, has no size, or is cut off.
 *
 * @param cutOff remembers elements, since the texts of an e-mail share most of what is around them
 */
function isHidden({ parentElement: element }: Node, cutOff = new Map<Element, boolean>()): boolean {
  if (!element?.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return true;
  return Number.parseFloat(styleOf(element)?.fontSize ?? '') < 2 || isCutOff(element, cutOff);
}

/** True inside of an element that shows nothing of what is in it, since it has no height. */
function isCutOff(element: Element, known: Map<Element, boolean>): boolean {
  const { parentElement: outer } = element;
  const isEmpty = () =>
    styleOf(element)?.overflowY !== 'visible' && element.getBoundingClientRect().height < 1;
  const answer = known.get(element) ?? (isEmpty() || (outer !== null && isCutOff(outer, known)));
  known.set(element, answer);
  return answer;
}

function styleOf(element: Element): CSSStyleDeclaration | undefined {
  return element.ownerDocument.defaultView?.getComputedStyle(element);
}

function passageOf(frame: HTMLIFrameElement, node: Node): Passage {
  const range = new Range();
  range.selectNodeContents(node);
  return { frame, range };
}

function highlight(frame: HTMLIFrameElement, name: string, passages: readonly Passage[]): void {
  const view = frame.contentDocument?.defaultView;
  if (!view?.CSS.highlights) return;
  const own = passages.filter((passage) => passage.frame === frame).map(({ range }) => range);
  view.CSS.highlights.set(name, new view.Highlight(...own));
}
