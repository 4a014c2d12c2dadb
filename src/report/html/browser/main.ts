import { Bodies, bodyOf } from './bodies.ts';
import { find, findAll, focusOnSlash, startSwitch, startTheme, wordsIn } from './dom.ts';
import { Frames, fitAll } from './frames.ts';
import { markHits, pressFilters, readPlace, writePlace } from './place.ts';
import { Review, startCopying } from './review.ts';

/** Milliseconds without typing after which the filter is applied. */
const typingPause = 120;

const root = document.documentElement;
root.classList.add('live');
startTheme();
startCopying();
// A page without entries has no toolbar.
if (document.getElementById('text')) startList();

function startList(): void {
  const entries = findAll('.entry', HTMLDetailsElement);
  const bodies = new Bodies(entries);
  const review = new Review(entries);
  const frames = new Frames();
  const text = find('text', HTMLInputElement);
  const group = find('group', HTMLSelectElement);
  let { at, filters, view } = readPlace();
  /** Entries whose frames and tools are there. */
  const ready = new Set<Element>();

  const prepare = (entry: HTMLDetailsElement) => {
    const body = bodyOf(entry);
    if (!body || ready.has(entry)) return;
    ready.add(entry);
    frames.add(body);
    review.addTools(entry, body);
  };
  const opened = async (entry: HTMLDetailsElement) => {
    await bodies.fill(entry);
    prepare(entry);
    const body = bodyOf(entry);
    if (body) fitAll(body);
    hits();
  };
  const shown = () => entries.filter((entry) => !entry.hidden && entry.checkVisibility());
  const hits = () => markHits(text, entries);
  const save = () => writePlace({ at, words: text.value, group: group.value, filters, view });
  const filter = () => {
    const words = wordsIn(text);
    const matching = new Set(entries.filter((entry) => matches(entry, words)));
    for (const entry of entries)
      if (entry.hidden === matching.has(entry)) entry.hidden = !matching.has(entry);
    // An entry is shown for the sake of one below it too.
    for (const entry of matching) {
      const lead = entry.parentElement?.closest<HTMLDetailsElement>('.entry');
      if (!lead) continue;
      lead.hidden = false;
      const fold = entry.closest<HTMLDetailsElement>('.members');
      if (fold && !matching.has(lead)) fold.open = true;
    }
    countGroups(matching);
    find('nothing', HTMLElement).hidden = matching.size > 0;
    find('count', HTMLElement).textContent = `${matching.size} of ${entries.length}`;
    pressFilters(filters);
    hits();
    save();
  };
  const matches = (entry: HTMLDetailsElement, words: readonly string[]): boolean => {
    const { group: kind, categories = '' } = entry.dataset;
    return (
      (group.value === '' || kind === group.value) &&
      (filters.length === 0 || categories.split(' ').some((category) => filters.includes(category))) &&
      words.every((word) => bodies.textOf(entry).includes(word))
    );
  };
  const goTo = (id: string) => {
    const entry = entries.find((one) => one.id === id);
    if (!entry) return;
    at = id;
    for (let outer = entry.parentElement; outer; outer = outer.parentElement)
      if (outer instanceof HTMLDetailsElement) outer.open = true;
    entry.open = true;
    entry.scrollIntoView();
    entry.querySelector('summary')?.focus({ preventScroll: true });
    save();
  };

  let timer = 0;
  text.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(filter, typingPause);
  });
  group.addEventListener('change', filter);
  for (const button of findAll('button[data-filter]', HTMLButtonElement))
    button.addEventListener('click', () => {
      const { filter: name = '' } = button.dataset;
      filters = filters.includes(name) ? filters.filter((one) => one !== name) : [...filters, name];
      filter();
    });
  const views = startSwitch('button[data-view]', ({ dataset }) => {
    view = dataset.view ?? '';
    root.dataset.view = view;
    save();
  });
  document.addEventListener(
    'toggle',
    ({ target }) => {
      if (target instanceof HTMLDetailsElement && target.open && target.matches('.entry'))
        void opened(target);
    },
    true,
  );
  addEventListener('hashchange', () => {
    const place = readPlace();
    const entry = entries.find(({ id }) => id === place.at);
    if (entry && !entry.checkVisibility()) {
      text.value = group.value = '';
      filters = [];
    }
    filter();
    goTo(place.at);
  });
  focusOnSlash(text);
  startKeys(shown, (entry) => review.toggle(entry));
  startExpanding(entries, (entry) => {
    bodies.fillNow(entry);
    prepare(entry);
  });

  const place = readPlace();
  text.value = place.words;
  group.value = place.group;
  views.find(({ dataset }) => dataset.view === place.view)?.click();
  for (const entry of entries) if (entry.open || !bodies.isPacked) void opened(entry);
  filter();
  goTo(place.at);
  // Until all is unpacked, the search finds titles only.
  if (bodies.isPacked)
    void bodies.unpackAll().then(() => {
      root.dataset.unpacked = '';
      if (text.value !== '') filter();
    });
}

/** Says how many entries of each group match, where not all do. */
function countGroups(matching: ReadonlySet<Element>): void {
  for (const section of findAll('.group', HTMLElement)) {
    const all = [...section.querySelectorAll('.entry')];
    const { length } = all.filter((entry) => matching.has(entry));
    section.hidden = length === 0;
    const label = section.querySelector('h2 .shown');
    if (label) label.textContent = length === all.length ? '' : `${length} of ${all.length} shown`;
  }
}

/** `j` and `k` go to the next and the previous entry, `x` ticks one off. */
function startKeys(
  shown: () => readonly HTMLDetailsElement[],
  tick: (entry: HTMLDetailsElement) => void,
): void {
  addEventListener('keydown', (event) => {
    const { key, target, ctrlKey, metaKey, altKey } = event;
    if (!['j', 'k', 'x'].includes(key) || ctrlKey || metaKey || altKey) return;
    if (target instanceof Element && target.matches('input:not([type="checkbox"]), select, textarea')) return;
    const current = document.activeElement?.closest<HTMLDetailsElement>('.entry') ?? null;
    if (key === 'x') {
      if (current) tick(current);
      return;
    }
    const list = shown();
    const from = current ? list.indexOf(current) : -1;
    const next = list[key === 'j' ? from + 1 : from - 1];
    next?.querySelector('summary')?.focus();
  });
}

/** Lets people expand or collapse all entries. Printing expands them too. */
function startExpanding(
  entries: readonly HTMLDetailsElement[],
  fill: (entry: HTMLDetailsElement) => void,
): void {
  const expandShown = (isOpen: boolean) => {
    for (const entry of entries) if (!entry.hidden) entry.open = isOpen;
  };
  find('expand', HTMLButtonElement).addEventListener('click', () => expandShown(true));
  find('collapse', HTMLButtonElement).addEventListener('click', () => expandShown(false));

  let closed: HTMLDetailsElement[] = [];
  addEventListener('beforeprint', () => {
    const folds = findAll('.members, .remarks', HTMLDetailsElement);
    closed = [...folds, ...entries.filter((entry) => !entry.hidden)].filter(({ open }) => !open);
    for (const fold of closed) fold.open = true;
    for (const entry of entries) fill(entry);
  });
  addEventListener('afterprint', () => {
    for (const entry of closed) entry.open = false;
  });
}
