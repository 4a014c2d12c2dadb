import { findAll, isPressed, onClick, press, startSwitch } from './dom.ts';
import { clearMarks, drawMarks, markChanges, showStep } from './passages.ts';

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
    onClick('button[data-step]', (button) =>
      showStep(framesIn(renderedOf(button)), Number(button.dataset.step)),
    );
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
export function framesIn(rendered: Element): HTMLElement[] {
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
