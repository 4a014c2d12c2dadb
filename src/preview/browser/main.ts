import { groupBy } from '../../model/basics.ts';
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
  type ListedTemplate,
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
const mediumName = (medium: string): string => mediumNames[medium] ?? medium;
const pictures = find('rendered', HTMLElement);
const sides = find('sides', HTMLElement);
const frames = new Frames();
const field = find('context', HTMLTextAreaElement);
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
let shown = '';
let shownAddress = '';
const typed = new Map<string, TypedContext>();
/** Where the page was before it was loaded again. Only this page of this origin writes it. */
let last = {
  address: '',
  top: 0,
  filter: '',
  isChangedOnly: false,
  ...JSON.parse(sessionStorage.getItem(storage) ?? '{}'),
};

startTheme();
filter.value = last.filter;
changedOnly.checked = last.isChangedOnly;
history.scrollRestoration = 'manual';
addEventListener('pagehide', () => {
  last = { address: selected ?? '', top: scrollY, filter: filter.value, isChangedOnly: changedOnly.checked };
  sessionStorage.setItem(storage, JSON.stringify(last));
});
filter.addEventListener('input', showList);
changedOnly.addEventListener('change', showList);
focusOnSlash(filter);
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
frames.add(pictures);
startSwitch('[data-pane]', ({ dataset }) => {
  pictures.dataset.pane = dataset.pane ?? '';
  fitAll(pictures);
});
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
    showLive('The preview has ended', 'The preview has ended. The files may have changed since.');
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
    showList();
    showTemplate();
  } catch (error) {
    showLive(messageOf(error), `${messageOf(error)} This page may be out of date.`);
  }
}

function showState({ isBroken, isReading, problems }: TemplateList): void {
  if (!isBroken) showLive(isReading ? 'Reading again …' : 'Live');
  else if (oldSince === '') showLive('Nothing loaded yet', 'The project does not load.');
  else {
    const shown = `This page shows the last state that did, of ${oldSince}, and none of your later changes.`;
    showLive(isReading ? 'Reading again …' : `State of ${oldSince}`, `The project does not load. ${shown}`);
  }
  const alerts = find('alerts', HTMLElement);
  alerts.hidden = problems.count === 0;
  alerts.classList.toggle('broken', isBroken);
  const title = isBroken ? 'Why the project does not load' : 'Problems';
  alerts.replaceChildren(
    element('h2', {}, title),
    showProblems(element('ul', { class: 'notices' }), problems),
  );
}

/** Says "Live" only if the page shows the files as they are now. Empty: it is not out of date. */
function showLive(text: string, stale = ''): void {
  find('live', HTMLElement).textContent = text;
  root.classList.toggle('on', text === 'Live');
  const banner = find('stale', HTMLElement);
  banner.hidden = stale === '';
  banner.textContent = stale;
}

/** The server escaped all that is not its own in this markup; the policy runs none of it. */
function showProblems(list: HTMLElement, { count, markup }: ListedTemplate['problems']): HTMLElement {
  list.hidden = count === 0;
  list.innerHTML = markup;
  return list;
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
  find('medium', HTMLElement).textContent = mediumName(medium);
  find('locale', HTMLElement).textContent = locale;
  const place = find('place', HTMLAnchorElement);
  place.textContent = template.place;
  place.href = template.editor;
  const state = find('state', HTMLElement);
  state.textContent = oldSince === '' ? stateWords(template) : `state of ${oldSince}`;
  state.classList.toggle('changed', template.differs);
  showProblems(find('problems', HTMLElement), problems);
  showContext(address);
  document.title = `${key} (${medium}, ${locale}) · tenantctl preview`;
  void render(template);
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
  const headers = { [tokenHeader]: token, 'content-type': 'application/json' };
  const response = await (question
    ? fetch(path, { method: 'POST', headers, body: JSON.stringify(question) })
    : fetch(path, { headers }));
  if (!response.ok) {
    const { error }: { error: string } = await response.json();
    throw new Error(error);
  }
  return response.json();
}

/** The templates that match the filters, by key. A link that had the focus keeps it. */
function showList(): void {
  const words = wordsIn(filter);
  const shown = templates.filter(({ key, medium, locale, differs }) => {
    const text = [key, medium, mediumName(medium), locale].join(' ').toLowerCase();
    return (differs || !changedOnly.checked) && words.every((word) => text.includes(word));
  });
  const focused = findLinks().find((link) => link === document.activeElement)?.dataset.address;
  const sections = groupBy(shown, ({ key }) => key).map(([key, group], index) =>
    element(
      'section',
      { 'aria-labelledby': `k${index}` },
      element('h2', { id: `k${index}` }, ...breakableKey(key)),
      element('ul', {}, ...group.map(templateItem)),
    ),
  );
  const isUnknown = changedOnly.checked && templates.every(({ base }) => base === 'not-read');
  const reason = isUnknown ? 'The tenant was not read, so changes are not known.' : 'No template matches.';
  const none = element('p', { class: 'none' }, reason);
  listed.replaceChildren(...(sections.length > 0 ? sections : [none]));
  if (focused !== undefined)
    findLinks()
      .find(({ dataset }) => dataset.address === focused)
      ?.focus();
}

function findLinks(): HTMLAnchorElement[] {
  return findAll('#list a', HTMLAnchorElement);
}

function templateItem(template: ListedTemplate): HTMLLIElement {
  const { address, medium, locale, problems, differs } = template;
  const words = problems.count === 1 ? ' remark' : ' remarks';
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
        problems.count > 0 &&
          element(
            'span',
            { class: 'count', title: `${problems.count}${words}` },
            `${problems.count}`,
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

function showSides(template: ListedTemplate, { markup }: RenderedTemplate): void {
  const { address, medium, base } = template;
  if (markup === shown) return;
  shown = markup;
  // Another template than that before the page was loaded again begins at its top.
  const top = address === shownAddress ? scrollY : address === last.address ? last.top : 0;
  shownAddress = address;
  last = { ...last, top: 0 };
  pictures.classList.toggle('single', base === 'not-read');
  for (const mail of pictures.querySelectorAll<HTMLElement>('.mail')) mail.hidden = medium !== 'EMAIL';
  // The page keeps its height until the frames have theirs, so that it does not scroll.
  sides.style.minHeight = `${sides.offsetHeight}px`;
  // The server's templates wrote this markup and escaped all that is not theirs; the policy runs none of it.
  sides.innerHTML = markup;
  frames.add(sides);
  sides.style.minHeight = '';
  scrollTo(0, top);
}

interface TypedContext {
  readonly text: string;
  /** The last text that was a JSON object. */
  readonly value: RenderQuestion['context'];
  readonly error: string;
}

function contextOf(address: string): RenderQuestion['context'] {
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
function readField(kept: RenderQuestion['context']): TypedContext {
  const text = field.value;
  try {
    const value: Json = JSON.parse(text);
    if (isObject(value)) return { text, value, error: '' };
    return { text, value: kept, error: 'It must be a JSON object.' };
  } catch (error) {
    return { text, value: kept, error: messageOf(error) };
  }
}
