import type { Problem } from '../protocol.ts';

/** A child of an element; what is missing is left out. */
type Child = Node | string | false | null;

/** A new element. Its attributes and texts are set as such, never read as HTML. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Readonly<Record<string, string>>,
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.filter((child) => child !== false && child !== null));
  return made;
}

/** A key whose lines break after its underscores. */
export function breakableKey(key: string): Node[] {
  return key
    .split(/(?<=_)/)
    .flatMap((part) => [document.createTextNode(part), document.createElement('wbr')]);
}

/** One problem as an item of a list. */
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

/** A medium as people call it. */
export function mediumName(medium: string): string {
  return mediumNames[medium] ?? medium;
}
