import { messageOf } from '../../model/failure.ts';
import { isObject, type Json } from '../../model/json.ts';
import {
  decodePart,
  element,
  find,
  findAll,
  focusOnSlash,
  startSwitch,
  startTheme,
  wordsIn,
} from '../../report/html/browser/dom.ts';
import { Frames, fitAll } from '../../report/html/browser/frames.ts';
import {
  type Base,
  type ListedTemplate,
  type PreviewError,
  type Problem,
  type RenderedTemplate,
  type RenderQuestion,
  type TemplateList,
  tokenHeader,
} from '../protocol.ts';

const root = document.documentElement;
const busy = find('busy', HTMLElement);
const listed = find('list', HTMLElement);
const filter = find('filter', HTMLInputElement);
const changedOnly = find('changed-only', HTMLInputElement);
const mediumNames: Readonly<Record<string, string>> = { EMAIL: 'E-mail', SLACK: 'Slack', TEAMS: 'Teams' };
const pictures = find('rendered', HTMLElement);
const sides = find('sides', HTMLElement);
const frames = new Frames();
const field = find('context', HTMLTextAreaElement);
const baseWords: Readonly<Record<Base, string>> = {
  tenant: 'in the tenant',
  default: "the vendor's default",
  nothing: '',
  'not-read': '',
};

/** The key of a page's memory while it is loaded again, by the tab. */
const storage = 'preview';
/** Milliseconds without typing after which the template is rendered again. */
const typingPause = 250;

let templates: readonly ListedTemplate[] = [];
/** When the displayed templates were loaded; empty if they are those of the files as they are now. */
let oldSince = '';
let selected = addressInUrl();
/** Counts renderings, to drop an answer that arrives after a later question. */
let turn = 0;
let events: EventSource | null = null;
/** The current content, so that frames only reload after a change. */
let shown = '';
let shownAddress = '';
/** The typed contexts, by the address of their template. */
const typed = new Map<string, TypedContext>();
/** Where the page was before it was loaded again. */
// Only this page of this origin writes it.
let last: ScrollPlace = {
  address: '',
  top: 0,
  filter: '',
  isChangedOnly: false,
  ...JSON.parse(sessionStorage.getItem(storage) ?? '{}'),
};

startTheme();
startPlace();
startList();
startContext();
startSides();
addEventListener('hashchange', () => {
  const address = addressInUrl();
  if (address === selected) return;
  selected = address;
  showList();
  showTemplate();
});
document.addEventListener('visibilitychange', followServer);
followServer();
// A link that was opened in the background gets its title.
if (document.hidden) void refresh();

/** Browsers open six connections to one server for all tabs together: a tab that nobody sees holds none. */
function followServer(): void {
  events?.close();
  if (document.hidden) return;
  events = new EventSource('/events');
  events.addEventListener('message', refresh);
  events.addEventListener('error', () => {
    showLive('The preview has ended', false);
    showStale('The preview has ended. The files may have changed since.');
  });
}

function addressInUrl(): string | null {
  return decodePart(location.hash.slice(1)) || null;
}

async function refresh(): Promise<void> {
  try {
    const list = await request<TemplateList>('/api/templates');
    templates = list.templates;
    selected ??= templates[0]?.address ?? null;
    find('environment', HTMLElement).textContent = list.environment;
    const { isBroken, loadedAt } = list;
    oldSince = isBroken && loadedAt !== null ? new Date(loadedAt).toLocaleTimeString() : '';
    showState(list);
    showAlerts(list);
    showList();
    showTemplate();
  } catch (error) {
    showLive(messageOf(error), false);
    showStale(`${messageOf(error)} This page may be out of date.`);
  }
}

/** Says "Live" only if the page shows the files as they are now. */
function showState({ isBroken, isReading, problems }: TemplateList): void {
  if (isReading) showLive('Reading again …', false);
  else if (isBroken) showLive(oldSince === '' ? 'Nothing loaded yet' : `State of ${oldSince}`, false);
  else showLive('Live', true);
  if (!isBroken) {
    showStale('');
    return;
  }
  const shown =
    oldSince === ''
      ? 'Nothing has loaded yet.'
      : `This page shows the last state that did, of ${oldSince}, and none of your later changes.`;
  const [first, ...others] = problems;
  const where = first ? ` ${first.place === '' ? '' : `${first.place}: `}${first.message}` : '';
  const more = others.length > 0 ? ` (and ${others.length} more)` : '';
  showStale(`The project does not load. ${shown}${where}${more}`);
}

/** Empty means that the page is current. */
function showStale(text: string): void {
  const stale = find('stale', HTMLElement);
  stale.hidden = text === '';
  stale.textContent = text;
}

function showLive(text: string, isOn: boolean): void {
  find('live', HTMLElement).textContent = text;
  root.classList.toggle('on', isOn);
}

function showAlerts({ isBroken, problems }: TemplateList): void {
  const alerts = find('alerts', HTMLElement);
  const hasError = problems.some(({ severity }) => severity === 'error');
  const title = isBroken ? 'Why the project does not load' : hasError ? 'Problems' : 'Remarks';
  alerts.hidden = problems.length === 0;
  alerts.classList.toggle('broken', hasError);
  alerts.replaceChildren(
    element('h2', {}, title),
    element('ul', { class: 'notices' }, ...problems.map(problemItem)),
  );
}

function showTemplate(): void {
  const template = templates.find(({ address }) => address === selected);
  const empty = find('empty', HTMLElement);
  find('template', HTMLElement).hidden = !template;
  empty.hidden = Boolean(template);
  if (!template) {
    const words = selected === null ? 'Choose a template.' : 'This template is no longer declared.';
    empty.textContent = templates.length === 0 ? 'The project declares no notification templates.' : words;
    return;
  }
  const { address, key, medium, locale, problems } = template;
  find('key', HTMLElement).replaceChildren(...breakableKey(key));
  showFacts(template);
  const list = find('problems', HTMLElement);
  list.hidden = problems.length === 0;
  list.replaceChildren(...problems.map(problemItem));
  showContext(address);
  document.title = `${key} (${medium}, ${locale}) · tenantctl preview`;
  void render(template);
}

function showFacts(template: ListedTemplate): void {
  find('medium', HTMLElement).textContent = mediumName(template.medium);
  find('locale', HTMLElement).textContent = template.locale;
  const place = find('place', HTMLAnchorElement);
  place.textContent = template.place;
  place.href = template.editor;
  const state = find('state', HTMLElement);
  state.textContent = oldSince === '' ? stateWords(template) : `state of ${oldSince}`;
  state.classList.toggle('changed', template.differs);
}

function stateWords({ base, differs, isRemoved }: ListedTemplate): string {
  if (base === 'not-read') return 'tenant not read';
  if (isRemoved) return 'goes back to the default';
  return differs ? 'differs from the tenant' : 'as in the tenant';
}

async function render(template: ListedTemplate): Promise<void> {
  turn += 1;
  const mine = turn;
  busy.textContent = 'Rendering …';
  root.classList.add('rendering');
  try {
    const { address } = template;
    const rendered = await request<RenderedTemplate>('/api/render', { address, context: contextOf(address) });
    if (mine !== turn) return;
    if (!typed.has(address)) field.value = JSON.stringify(rendered.context, null, 2);
    showSides(template, rendered);
    busy.textContent = '';
  } catch (error) {
    if (mine === turn) busy.textContent = messageOf(error);
  } finally {
    if (mine === turn) root.classList.remove('rendering');
  }
}

/** The answer to a question, typed by its path: page and server come from one build. Rejects with the server's message. */
async function request<T>(path: string, question?: RenderQuestion): Promise<T> {
  const token = document.querySelector<HTMLMetaElement>('meta[name="token"]')?.content ?? '';
  const headers = { [tokenHeader]: token };
  const body = JSON.stringify(question);
  const response = await (question === undefined
    ? fetch(path, { headers })
    : fetch(path, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body }));
  if (!response.ok) {
    const { error }: PreviewError = await response.json();
    throw new Error(error);
  }
  return response.json();
}

/** Lets the filters, the slash and the arrow keys work. */
function startList(): void {
  filter.addEventListener('input', showList);
  changedOnly.addEventListener('change', showList);
  focusOnSlash(filter);
  listed.addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    const step = event.key === 'ArrowDown' ? 1 : -1;
    const links = findLinks();
    links[links.findIndex(isFocused) + step]?.focus();
  });
}

/** The templates that match the filters, by key. A link that had the focus keeps it. */
function showList(): void {
  const words = wordsIn(filter);
  const keys = new Map<string, ListedTemplate[]>();
  for (const template of templates.filter((one) => matches(one, words)))
    keys.set(template.key, [...(keys.get(template.key) ?? []), template]);
  const focused = findLinks().find(isFocused)?.dataset.address;
  const sections = [...keys].map(([key, group], index) =>
    element(
      'section',
      { 'aria-labelledby': `k${index}` },
      element('h2', { id: `k${index}` }, ...breakableKey(key)),
      element('ul', {}, ...group.map(templateItem)),
    ),
  );
  const none = element('p', { class: 'none' }, emptyListWords());
  listed.replaceChildren(...(sections.length > 0 ? sections : [none]));
  if (focused !== undefined)
    findLinks()
      .find(({ dataset }) => dataset.address === focused)
      ?.focus();
}

function emptyListWords(): string {
  if (templates.length === 0) return 'Nothing to list.';
  if (!changedOnly.checked) return 'No template matches.';
  const isRead = templates.some(({ base }) => base !== 'not-read');
  return isRead
    ? 'No template that matches has changed.'
    : 'The tenant was not read, so changes are not known.';
}

function findLinks(): HTMLAnchorElement[] {
  return findAll('#list a', HTMLAnchorElement);
}

function isFocused(link: Element): boolean {
  return link === document.activeElement;
}

function matches(template: ListedTemplate, words: readonly string[]): boolean {
  const { key, medium, locale, differs } = template;
  if (changedOnly.checked && !differs) return false;
  const text = [key, medium, mediumName(medium), locale].join(' ').toLowerCase();
  return words.every((word) => text.includes(word));
}

function templateItem(template: ListedTemplate): HTMLLIElement {
  const { address, medium, locale, problems, differs } = template;
  const words = problems.length === 1 ? ' remark' : ' remarks';
  return element(
    'li',
    {},
    element(
      'a',
      {
        href: `#${encodeURIComponent(address)}`,
        'data-address': address,
        ...(address === selected && { 'aria-current': 'page' }),
      },
      element('span', { class: 'medium' }, mediumName(medium)),
      element('span', { class: 'locale' }, locale),
      element(
        'span',
        { class: 'marks' },
        // A number, with a word for tooltips and screen readers.
        problems.length > 0 &&
          element(
            'span',
            { class: 'count', title: `${problems.length}${words}` },
            `${problems.length}`,
            element('span', { class: 'hidden' }, words),
          ),
        differs && element('span', { class: 'changed' }, 'changed'),
      ),
    ),
  );
}

/** A key whose lines break after its underscores. */
function breakableKey(key: string): Node[] {
  return key
    .split(/(?<=_)/)
    .flatMap((part) => [document.createTextNode(part), document.createElement('wbr')]);
}

function problemItem(problem: Problem): HTMLLIElement {
  const { code, severity, message, place, editor, excerpt, hint } = problem;
  return element(
    'li',
    { class: severity === 'error' ? 'danger' : severity },
    element('strong', {}, severity === 'info' ? 'note' : severity),
    ' ',
    place !== '' && element('a', { href: editor, class: 'place', title: 'Open in VS Code' }, place),
    place !== '' && ' ',
    `${message} `,
    element('code', { class: 'slug' }, code),
    excerpt !== '' && severity !== 'info' && element('pre', {}, excerpt),
    hint !== '' && element('p', {}, hint),
  );
}

function mediumName(medium: string): string {
  return mediumNames[medium] ?? medium;
}

/** Lets people choose the width and the look of e-mails, and one side or both. */
function startSides(): void {
  frames.add(pictures);
  startSwitch('[data-pane]', ({ dataset }) => {
    pictures.dataset.pane = dataset.pane ?? '';
    fitAll(pictures);
  });
}

/** Shows a template before and after; without before if the tenant was not read. */
function showSides(template: ListedTemplate, { markup }: RenderedTemplate): void {
  const { address, medium, base, isRemoved } = template;
  const wanted = JSON.stringify([address, base, isRemoved, oldSince, markup]);
  if (wanted === shown) return;
  shown = wanted;
  const top = address === shownAddress ? scrollY : takePlace(address);
  shownAddress = address;
  pictures.classList.toggle('single', base === 'not-read');
  for (const mail of pictures.querySelectorAll<HTMLElement>('.mail')) mail.hidden = medium !== 'EMAIL';
  // The page keeps its height until the frames have theirs, so that it does not scroll.
  sides.style.minHeight = `${sides.offsetHeight}px`;
  // The server's templates wrote this markup and escaped all that is not theirs; the policy runs none of it.
  sides.innerHTML = markup;
  showWords(template);
  frames.add(sides);
  sides.style.minHeight = '';
  scrollTo(0, top);
}

/** Says where each side comes from. */
function showWords({ base, isRemoved }: ListedTemplate): void {
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

/** Lets people type the context of the selected template, or return to sample values. */
function startContext(): void {
  let timer = 0;
  field.addEventListener('input', () => {
    clearTimeout(timer);
    if (selected === null) return;
    const context = readField(contextOf(selected));
    typed.set(selected, context);
    showContext(selected);
    if (context.error === '') timer = setTimeout(showTemplate, typingPause);
  });
  find('reset', HTMLButtonElement).addEventListener('click', () => {
    clearTimeout(timer);
    if (selected !== null) typed.delete(selected);
    showTemplate();
  });
}

/** The context of a template: what was typed for it, or `null` for sample values. */
function contextOf(address: string): Context {
  return typed.get(address)?.value ?? null;
}

/** Shows the typed context of a template. Otherwise the field keeps its text until an answer has sample values. */
function showContext(address: string): void {
  const context = typed.get(address);
  if (context && field.value !== context.text) field.value = context.text;
  find('context-state', HTMLElement).textContent = context ? 'your values' : 'sample values';
  find('context-error', HTMLElement).textContent = context?.error ?? '';
  field.setAttribute('aria-invalid', String(Boolean(context?.error)));
}

/** @param kept the value that counts until the text is a JSON object again */
function readField(kept: Context): TypedContext {
  const text = field.value;
  try {
    const value: Json = JSON.parse(text);
    if (isObject(value)) return { text, value, error: '' };
    return { text, value: kept, error: 'It must be a JSON object.' };
  } catch (error) {
    return { text, value: kept, error: messageOf(error) };
  }
}

interface ScrollPlace {
  readonly address: string;
  readonly top: number;
  readonly filter: string;
  readonly isChangedOnly: boolean;
}

/** Restores the filter of the page before it was loaded again, and remembers the place when it is left. */
function startPlace(): void {
  filter.value = last.filter;
  changedOnly.checked = last.isChangedOnly;
  history.scrollRestoration = 'manual';
  addEventListener('pagehide', () => {
    const place: ScrollPlace = {
      address: selected ?? '',
      top: scrollY,
      filter: filter.value,
      isChangedOnly: changedOnly.checked,
    };
    sessionStorage.setItem(storage, JSON.stringify(place));
  });
}

/** How far down the page was at a template before it was loaded again. Another template begins at its top. */
function takePlace(address: string): number {
  const top = address === last.address ? last.top : 0;
  last = { ...last, top: 0 };
  return top;
}
