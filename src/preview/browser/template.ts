import { messageOf } from '../../model/failure.ts';
import { isObject, type Json } from '../../model/json.ts';
import { find, startSwitch } from '../../report/html/browser/dom.ts';
import { Frames, fitAll } from '../../report/html/browser/frames.ts';
import type { Base, ListedTemplate, RenderedTemplate, RenderQuestion } from '../protocol.ts';

const baseWords: Readonly<Record<Base, string>> = {
  tenant: 'in the tenant',
  default: "the vendor's default",
  nothing: '',
  'not-read': '',
};

const rendered = find('rendered', HTMLElement);
const sides = find('sides', HTMLElement);
const frames = new Frames();
/** What is shown, so that frames are not loaded again when nothing has changed. */
let shown = '';
let shownAddress = '';

/** Lets people choose the width and the look of e-mails, and one side or both. */
export function startSides(): void {
  frames.add(rendered);
  startSwitch('[data-pane]', ({ dataset }) => {
    rendered.dataset.pane = dataset.pane ?? '';
    fitAll(rendered);
  });
}

/**
 * Shows a template before and after; only after where the tenant was not read.
 *
 * @param oldSince the time of the state that is shown where the files do not load; otherwise empty
 */
export function showSides(template: ListedTemplate, { markup }: RenderedTemplate, oldSince: string): void {
  const { address, medium, base, isRemoved } = template;
  const wanted = JSON.stringify([address, base, isRemoved, oldSince, markup]);
  if (wanted === shown) return;
  shown = wanted;
  const top = address === shownAddress ? scrollY : takePlace(address);
  shownAddress = address;
  rendered.classList.toggle('single', base === 'not-read');
  for (const mail of rendered.querySelectorAll<HTMLElement>('.mail')) mail.hidden = medium !== 'EMAIL';
  // The page keeps its height until the frames have theirs, so that it does not scroll.
  sides.style.minHeight = `${sides.offsetHeight}px`;
  // The server's templates wrote this markup and escaped all that is not theirs; the policy runs none of it.
  sides.innerHTML = markup;
  showWords(template, oldSince);
  frames.add(sides);
  sides.style.minHeight = '';
  scrollTo(0, top);
}

/** Says of each side where it comes from. */
function showWords({ base, isRemoved }: ListedTemplate, oldSince: string): void {
  const after = isRemoved
    ? baseWords.default
    : oldSince === ''
      ? 'as declared'
      : `as declared at ${oldSince}`;
  for (const pair of sides.querySelectorAll('.frames')) {
    const captions = pair.querySelectorAll('.words');
    for (const [at, words] of [baseWords[base], after].entries()) {
      const caption = captions[at];
      if (caption) caption.textContent = words;
    }
  }
  const absent = sides.querySelector('figure:last-child .none');
  if (isRemoved && absent) absent.textContent = "The vendor's default takes its place.";
}

type Context = RenderQuestion['context'];

interface TypedContext {
  readonly text: string;
  /** The last text that was a JSON object. */
  readonly value: Context;
  readonly error: string;
}

/** Milliseconds without typing after which the template is rendered again. */
const typingPause = 250;

const field = find('context', HTMLTextAreaElement);
/** What was typed, by the address of the template that it stays with. */
const typed = new Map<string, TypedContext>();

/**
 * Lets people type the context of the selected template, or return to sample values.
 *
 * @param selectedAddress returns the address of that template
 * @param onChange is called when the context has changed
 */
export function startContext(selectedAddress: () => string | null, onChange: () => void): void {
  let timer = 0;
  field.addEventListener('input', () => {
    clearTimeout(timer);
    const address = selectedAddress();
    if (address === null) return;
    const context = readField(contextOf(address));
    typed.set(address, context);
    showContext(address);
    if (context.error === '') timer = setTimeout(onChange, typingPause);
  });
  find('reset', HTMLButtonElement).addEventListener('click', () => {
    clearTimeout(timer);
    const address = selectedAddress();
    if (address !== null) typed.delete(address);
    onChange();
  });
}

/** The context of a template: what was typed for it, or `null` for sample values. */
export function contextOf(address: string): Context {
  return typed.get(address)?.value ?? null;
}

/** Shows what was typed for a template. Without that, the field keeps its text until {@link showSamples}. */
export function showContext(address: string): void {
  const context = typed.get(address);
  if (context && field.value !== context.text) field.value = context.text;
  find('context-state', HTMLElement).textContent = context ? 'your values' : 'sample values';
  find('context-error', HTMLElement).textContent = context?.error ?? '';
  field.setAttribute('aria-invalid', String(Boolean(context?.error)));
}

/** Shows the sample values that a template was rendered with, unless values were typed for it. */
export function showSamples(address: string, context: Context): void {
  if (!typed.has(address)) field.value = JSON.stringify(context, null, 2);
}

function readField(last: Context): TypedContext {
  const text = field.value;
  try {
    const value: Json = JSON.parse(text);
    if (isObject(value)) return { text, value, error: '' };
    return { text, value: last, error: 'It must be a JSON object.' };
  } catch (error) {
    return { text, value: last, error: messageOf(error) };
  }
}

/** The key of a page's memory while it is loaded again, by the tab. */
const storage = 'preview';

interface ScrollPlace {
  readonly address: string;
  readonly top: number;
  readonly filter: string;
  readonly isChangedOnly: boolean;
}

let last = read();

/** Restores the filter of the page before it was loaded again, and remembers the place when it is left. */
export function startPlace(selectedAddress: () => string | null): void {
  const [filter, only] = [find('filter', HTMLInputElement), find('changed-only', HTMLInputElement)];
  filter.value = last.filter;
  only.checked = last.isChangedOnly;
  history.scrollRestoration = 'manual';
  addEventListener('pagehide', () => {
    const address = selectedAddress() ?? '';
    const place: ScrollPlace = { address, top: scrollY, filter: filter.value, isChangedOnly: only.checked };
    sessionStorage.setItem(storage, JSON.stringify(place));
  });
}

/** How far down the page was at a template before it was loaded again. Another template begins at its top. */
function takePlace(address: string): number {
  const top = address === last.address ? last.top : 0;
  last = { ...last, top: 0 };
  return top;
}

function read(): ScrollPlace {
  const none: ScrollPlace = { address: '', top: 0, filter: '', isChangedOnly: false };
  // Only this page of this origin writes it.
  return { ...none, ...JSON.parse(sessionStorage.getItem(storage) ?? '{}') };
}
