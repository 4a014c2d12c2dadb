/** The element of the page with this id. Throws if the page lacks it, or it has another type. */
export function find<T extends Element>(id: string, type: new () => T): T {
  const found = document.getElementById(id);
  if (found instanceof type) return found;
  throw new Error(`The page has no ${type.name} with the id "${id}".`);
}

export function findAll<T extends Element>(selector: string, type: new () => T): T[] {
  return [...document.querySelectorAll(selector)].filter((each): each is T => each instanceof type);
}

/** A new element. Its attributes and texts are set as such, never read as HTML. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Readonly<Record<string, string>>,
  ...children: readonly (Node | string | false | null)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.filter((child) => child !== false && child !== null));
  return made;
}

export function press(button: HTMLButtonElement, isPressed: boolean): void {
  button.setAttribute('aria-pressed', String(isPressed));
}

export function isPressed(button: Element | null | undefined): boolean {
  return button?.getAttribute('aria-pressed') === 'true';
}

/** Passes each button that is clicked and that the selector matches, also one that is made later. */
export function onClick(selector: string, use: (button: HTMLButtonElement) => void): void {
  addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest(selector) : null;
    if (button instanceof HTMLButtonElement) use(button);
  });
}

/** Lets one button of each group be pressed at a time, and passes it to `onPress`. */
export function startSwitch(selector: string, onPress: (button: HTMLButtonElement) => void): void {
  onClick(selector, (button) => {
    for (const other of button.closest('[role="group"]')?.querySelectorAll('button') ?? [])
      press(other, other === button);
    onPress(button);
  });
}

export function wordsIn(field: HTMLInputElement): string[] {
  return field.value.toLowerCase().split(/\s+/).filter(Boolean);
}

/** Shows the system's theme, and lets the button with the id `theme` change it. */
export function startTheme(): void {
  const { dataset } = document.documentElement;
  const button = find('theme', HTMLButtonElement);
  const show = (isDark: boolean) => {
    dataset.theme = isDark ? 'dark' : 'light';
    press(button, isDark);
  };
  onClick('#theme', () => show(dataset.theme !== 'dark'));
  show(matchMedia('(prefers-color-scheme: dark)').matches);
}

/** True for a key that types into a field or is a browser shortcut. */
export function isTyping({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  const isField =
    target instanceof Element && target.matches('input:not([type="checkbox"]), select, textarea');
  return isField || ctrlKey || metaKey || altKey;
}

/** Moves the focus to a search field when `/` is pressed outside of fields. */
export function focusOnSlash(field: HTMLInputElement): void {
  addEventListener('keydown', (event) => {
    if (event.key !== '/' || isTyping(event)) return;
    event.preventDefault();
    field.focus();
  });
}

/** The search skips requests, folded equal lines and buttons. */
const unsearched = '.requests, .gap, .tools, .copy';

export function searchedTexts(within: Node): Node[] {
  const walker = document.createTreeWalker(within, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) =>
    node instanceof Element && node.matches(unsearched) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  );
  const texts: Node[] = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if (node.nodeType === Node.TEXT_NODE) texts.push(node);
  return texts;
}

/** A decoded part of an address; `''` if it was cut. */
export function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}
