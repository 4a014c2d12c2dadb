import { messageOf } from '../../model/failure.ts';
import {
  decodePart,
  element,
  find,
  findAll,
  focusOnSlash,
  startTheme,
  wordsIn,
} from '../../report/html/browser/dom.ts';
import {
  type ListedTemplate,
  type PreviewError,
  type Problem,
  type RenderedTemplate,
  type RenderQuestion,
  type TemplateList,
  tokenHeader,
} from '../protocol.ts';
import {
  contextOf,
  showContext,
  showSamples,
  showSides,
  startContext,
  startPlace,
  startSides,
} from './template.ts';

const root = document.documentElement;
const busy = find('busy', HTMLElement);
const listed = find('list', HTMLElement);
const filter = find('filter', HTMLInputElement);
const changedOnly = find('changed-only', HTMLInputElement);
const mediumNames: Readonly<Record<string, string>> = { EMAIL: 'E-mail', SLACK: 'Slack', TEAMS: 'Teams' };

let templates: readonly ListedTemplate[] = [];
/** When the templates were loaded that are shown; empty where they are those of the files as they are now. */
let oldSince = '';
let selected = addressInUrl();
/** Counts renderings, to drop an answer that arrives after a later question. */
let turn = 0;
let events: EventSource | null = null;

startTheme();
startPlace(() => selected);
startList();
startContext(() => selected, showTemplate);
startSides();
addEventListener('hashchange', select);
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

function select(): void {
  const address = addressInUrl();
  if (address === selected) return;
  selected = address;
  showList();
  showTemplate();
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

/** Says "Live" only where the page shows the files as they are now. */
function showState(list: TemplateList): void {
  const { isBroken, isReading } = list;
  showStale(isBroken ? brokenWords(list) : '');
  if (isReading) showLive('Reading again …', false);
  else if (isBroken) showLive(oldSince === '' ? 'Nothing loaded yet' : `State of ${oldSince}`, false);
  else showLive('Live', true);
}

function brokenWords(list: TemplateList): string {
  const [first] = list.problems;
  const where = first ? ` ${first.place === '' ? '' : `${first.place}: `}${first.message}` : '';
  const more = list.problems.length > 1 ? ` (and ${list.problems.length - 1} more)` : '';
  const shown =
    oldSince === ''
      ? 'Nothing has loaded yet.'
      : `This page shows the last state that did, of ${oldSince}, and none of your later changes.`;
  return `The project does not load. ${shown}${where}${more}`;
}

/** An empty text means that what is shown is not old. */
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
    empty.textContent = absenceWords();
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

function absenceWords(): string {
  if (templates.length === 0) return 'The project declares no notification templates.';
  return selected === null ? 'Choose a template.' : 'This template is no longer declared.';
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
    showSamples(address, rendered.context);
    showSides(template, rendered, oldSince);
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
        problems.length > 0 && countMark(problems.length),
        differs && element('span', { class: 'changed' }, 'changed'),
      ),
    ),
  );
}

/** A number, with the word for it where it is pointed at or read out. */
function countMark(count: number): HTMLElement {
  const word = count === 1 ? ' remark' : ' remarks';
  const hidden = element('span', { class: 'hidden' }, word);
  return element('span', { class: 'count', title: `${count}${word}` }, `${count}`, hidden);
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
