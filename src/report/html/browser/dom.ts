/** The element of the page with this id. Throws where the page has none, or one of another type. */
export function find<T extends Element>(id: string, type: new () => T): T {
  const element = document.getElementById(id);
  if (element instanceof type) return element;
  throw new Error(`The page has no ${type.name} with the id "${id}".`);
}

export function findAll<T extends Element>(selector: string, type: new () => T): T[] {
  return [...document.querySelectorAll(selector)].filter((element): element is T => element instanceof type);
}

export function press(button: HTMLButtonElement, isPressed: boolean): void {
  button.setAttribute('aria-pressed', String(isPressed));
}

/** Lets one of the buttons that a selector matches be pressed at a time, and passes it to `onPress`. */
export function startSwitch(
  selector: string,
  onPress: (button: HTMLButtonElement) => void,
): readonly HTMLButtonElement[] {
  const buttons = findAll(selector, HTMLButtonElement);
  for (const button of buttons) {
    button.addEventListener('click', () => {
      for (const other of buttons) press(other, other === button);
      onPress(button);
    });
  }
  return buttons;
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
  button.addEventListener('click', () => show(dataset.theme !== 'dark'));
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

/** The texts below an element that the search finds. */
export function searchedTexts(within: Node): Node[] {
  const walker = document.createTreeWalker(within, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) =>
    node instanceof Element && node.matches(unsearched) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  );
  const texts: Node[] = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if (node.nodeType === Node.TEXT_NODE) texts.push(node);
  return texts;
}

export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

/** Part of an address as it was before it was encoded; `''` where it was cut. */
export function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}

const copiedTime = 1500;

export function startCopying(): void {
  addEventListener('click', (event) => {
    const button = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-copy]') : null;
    if (!button) return;
    const say = (text: string) => {
      const before = button.dataset.name ?? button.textContent ?? '';
      button.dataset.name = before;
      button.textContent = text;
      setTimeout(() => {
        button.textContent = before;
      }, copiedTime);
    };
    // Some browsers refuse it in pages that are files.
    Promise.resolve(navigator.clipboard?.writeText(button.dataset.copy ?? '')).then(
      () => say('Copied'),
      () => say('Not allowed here'),
    );
  });
}

export function copyButton(text: string, value: string): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.dataset.copy = value;
  button.textContent = text;
  return button;
}
