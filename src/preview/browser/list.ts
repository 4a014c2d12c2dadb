import { element, find, findAll, focusOnSlash, wordsIn } from '../../report/html/browser/dom.ts';
import type { ListedTemplate, Problem } from '../protocol.ts';

const list = find('list', HTMLElement);
const filter = find('filter', HTMLInputElement);
const changedOnly = find('changed-only', HTMLInputElement);

/** Calls `onFilter` when a filter changes, and lets the slash and the arrow keys move the focus. */
export function startList(onFilter: () => void): void {
  filter.addEventListener('input', onFilter);
  changedOnly.addEventListener('change', onFilter);
  focusOnSlash(filter);
  list.addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    const step = event.key === 'ArrowDown' ? 1 : -1;
    const links = findLinks();
    links[links.findIndex(isFocused) + step]?.focus();
  });
}

/** The templates that match the filters, by key. A link that had the focus keeps it. */
export function showList(templates: readonly ListedTemplate[], selected: string | null): void {
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
      element('ul', {}, ...group.map((template) => templateItem(template, selected))),
    ),
  );
  const none = element('p', { class: 'none' }, absenceWords(templates));
  list.replaceChildren(...(sections.length > 0 ? sections : [none]));
  if (focused !== undefined)
    findLinks()
      .find(({ dataset }) => dataset.address === focused)
      ?.focus();
}

function absenceWords(templates: readonly ListedTemplate[]): string {
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

function templateItem(template: ListedTemplate, selected: string | null): HTMLLIElement {
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
export function breakableKey(key: string): Node[] {
  return key
    .split(/(?<=_)/)
    .flatMap((part) => [document.createTextNode(part), document.createElement('wbr')]);
}

export function problemItem(problem: Problem): HTMLLIElement {
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

const mediumNames: Readonly<Record<string, string>> = { EMAIL: 'E-mail', SLACK: 'Slack', TEAMS: 'Teams' };

export function mediumName(medium: string): string {
  return mediumNames[medium] ?? medium;
}
