import { find, findAll, focusOnSlash, press, startSwitch, startTheme, wordsIn } from './dom.ts';

/** Up to this many rendered templates are all loaded, also for printing. Of more, only those in sight are. */
const maxFrames = 100;
/** Milliseconds without typing after which the filter is applied. */
const typingPause = 120;

const root = document.documentElement;
root.classList.add('live');
startTheme();
loadFrames(findAll('.frame', HTMLElement));
// A page without entries has no toolbar.
if (document.getElementById('text')) startToolbar();

function loadFrames(places: readonly HTMLElement[]): void {
  if (places.length <= maxFrames) {
    places.forEach(loadFrame);
    return;
  }
  const observer = new IntersectionObserver(
    (seen) => {
      for (const { target, isIntersecting } of seen) {
        if (isIntersecting && target instanceof HTMLElement) loadFrame(target);
        else target.replaceChildren();
      }
    },
    { rootMargin: '100% 0px' },
  );
  for (const place of places) observer.observe(place);
}

function loadFrame(place: HTMLElement): void {
  if (place.firstChild) return;
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', '');
  frame.title = place.dataset.title ?? '';
  frame.srcdoc = place.dataset.document ?? '';
  place.append(frame);
}

function startToolbar(): void {
  const entries = findAll('.entry', HTMLDetailsElement);
  const groups = findAll('.group', HTMLElement);
  const tiles = findAll('button[data-filter]', HTMLButtonElement);
  const text = find('text', HTMLInputElement);
  const group = find('group', HTMLSelectElement);
  const contents = new Map<Element, string>();

  const contentOf = (entry: Element): string => {
    const content = contents.get(entry) ?? (entry.textContent ?? '').toLowerCase();
    contents.set(entry, content);
    return content;
  };
  const filter = () => {
    const words = wordsIn(text);
    const categories = tiles.filter(isPressed).map(({ dataset }) => dataset.filter);
    for (const entry of entries) {
      const { dataset } = entry;
      entry.hidden = !(
        (group.value === '' || dataset.group === group.value) &&
        (categories.length === 0 || categories.includes(dataset.category)) &&
        words.every((word) => contentOf(entry).includes(word))
      );
    }
    for (const section of groups) section.hidden = !section.querySelector('.entry:not([hidden])');
    const { length } = entries.filter(({ hidden }) => !hidden);
    find('nothing', HTMLElement).hidden = length > 0;
    find('count', HTMLElement).textContent = `${length} of ${entries.length}`;
  };

  let timer = 0;
  text.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(filter, typingPause);
  });
  group.addEventListener('change', filter);
  for (const tile of tiles) {
    tile.addEventListener('click', () => {
      press(tile, !isPressed(tile));
      filter();
    });
  }
  focusOnSlash(text);
  startExpanding(entries);
  startSwitch('button[data-view]', ({ dataset }) => {
    root.dataset.view = dataset.view ?? '';
  });
  filter();
}

function isPressed(button: HTMLButtonElement): boolean {
  return button.getAttribute('aria-pressed') === 'true';
}

/** Lets people expand or collapse all entries. Printing expands them too. */
function startExpanding(entries: readonly HTMLDetailsElement[]): void {
  const expandShown = (isOpen: boolean) => {
    for (const entry of entries) if (!entry.hidden) entry.open = isOpen;
  };
  find('expand', HTMLButtonElement).addEventListener('click', () => expandShown(true));
  find('collapse', HTMLButtonElement).addEventListener('click', () => expandShown(false));

  let closed: HTMLDetailsElement[] = [];
  addEventListener('beforeprint', () => {
    closed = entries.filter((entry) => !entry.hidden && !entry.open);
    for (const entry of closed) entry.open = true;
  });
  addEventListener('afterprint', () => {
    for (const entry of closed) entry.open = false;
  });
}
