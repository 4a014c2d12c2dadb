import { ageWords } from '../../../model/words.ts';
import { Bodies, bodyOf } from './bodies.ts';
import {
  decodePart,
  find,
  findAll,
  focusOnSlash,
  isPressed,
  isTyping,
  onClick,
  press,
  searchedTexts,
  startSwitch,
  startTheme,
  wordsIn,
} from './dom.ts';
import { Frames, fitAll, showStep } from './frames.ts';

const typingPause = 40;

/** The list of entries: filters, details that are made when they are opened, and keys. The page itself holds its state. */
class List {
  readonly #entries = findAll('.entry', HTMLDetailsElement);
  readonly #bodies = new Bodies(this.#entries);
  readonly #review = new Review(this.#entries);
  readonly #frames = new Frames();
  readonly #text = find('text', HTMLInputElement);
  readonly #group = find('group', HTMLSelectElement);
  readonly #sight = new IntersectionObserver((seen) => void this.#fill(seen), { rootMargin: '50% 0px' });
  readonly #filters = findAll('button[data-filter]', HTMLButtonElement);
  readonly #ready = new Set<Element>();
  #at = '';
  /** The entry that a link led to, until the reader moves on. */
  #target: Element | null = null;

  start(): void {
    this.#startFilters();
    document.addEventListener(
      'toggle',
      ({ target }) => {
        if (target instanceof HTMLDetailsElement && target.open && target.matches('.entry'))
          this.#sight.observe(target);
      },
      true,
    );
    onClick('#expand, #collapse', ({ id }) => {
      for (const entry of this.#entries) if (!entry.hidden) entry.open = id === 'expand';
    });
    this.#bodies.startPrinting((bodies) => this.#frames.print(bodies));
    focusOnSlash(this.#text);
    this.#startKeys();
    // The entry that a link led to stays in sight while others open above it.
    new ResizeObserver(() => this.#target?.scrollIntoView()).observe(document.body);
    for (const move of ['wheel', 'touchstart', 'pointerdown', 'keydown'])
      addEventListener(
        move,
        () => {
          this.#target = null;
        },
        { capture: true, passive: true },
      );
    this.#restore();
    if (this.#bodies.isPacked) void this.#unpack();
  }

  #restore(): void {
    const { at, parameters } = readPlace();
    this.#text.value = parameters.get('q') ?? '';
    this.#group.value = parameters.get('kind') ?? '';
    this.#press(parameters.getAll('only'));
    this.#at = at;
    if (parameters.has('view')) document.querySelector<HTMLElement>('button[data-view="split"]')?.click();
    for (const entry of this.#entries) {
      if (entry.open) this.#sight.observe(entry);
      // Printing cannot wait for frames to load.
      if (!this.#bodies.isPacked) this.#prepare(entry);
    }
    this.#filter();
    this.#goTo(at);
    addEventListener('hashchange', () => this.#follow());
  }

  /** Until all is unpacked, the search finds titles only. */
  async #unpack(): Promise<void> {
    await this.#bodies.unpackTexts();
    document.documentElement.dataset.searchable = '';
    if (this.#text.value !== '') this.#filter();
    // Printing cannot wait for it.
    await this.#bodies.markup.openAll();
    document.documentElement.dataset.unpacked = '';
  }

  #startFilters(): void {
    let timer = 0;
    this.#text.addEventListener('input', () => {
      clearTimeout(timer);
      timer = setTimeout(() => this.#filter(), typingPause);
    });
    this.#group.addEventListener('change', () => this.#filter());
    onClick('button[data-filter]', (button) => {
      const { filter = '' } = button.dataset;
      const others = this.#pressed().filter((name) => name !== filter);
      this.#press(isPressed(button) ? others : [...others, filter]);
      this.#filter();
    });
    startSwitch('button[data-view]', ({ dataset }) => {
      document.documentElement.dataset.view = dataset.view ?? '';
      this.#save();
    });
  }

  #pressed(): string[] {
    return [...new Set(this.#filters.filter(isPressed).map(({ dataset }) => dataset.filter ?? ''))];
  }

  /** A tile and a point may have the same filter. */
  #press(names: readonly string[]): void {
    for (const button of this.#filters) press(button, names.includes(button.dataset.filter ?? ''));
  }

  #filter(): void {
    const [words, filters] = [wordsIn(this.#text), this.#pressed()];
    const group = JSON.stringify(this.#group.value);
    const matching = new Set<Element>(
      this.#entries.filter((entry) => {
        const categories = (entry.dataset.categories ?? '').split(' ');
        const names = entry.closest<HTMLElement>('.group')?.dataset.names ?? '';
        return (
          (this.#group.value === '' || names.includes(group)) &&
          (filters.length === 0 || categories.some((category) => filters.includes(category))) &&
          words.every((word) => this.#bodies.textOf(entry).includes(word))
        );
      }),
    );
    for (const entry of this.#entries)
      if (entry.hidden === matching.has(entry)) entry.hidden = !matching.has(entry);
    for (const entry of this.#entries) if (matching.has(entry)) showLead(entry, matching);
    countGroups(matching);
    find('nothing', HTMLElement).hidden = matching.size > 0;
    find('count', HTMLElement).textContent = `${matching.size} of ${this.#entries.length}`;
    markHits(words, this.#entries);
    this.#save();
  }

  /** Follows the page's address, and clears filters that hide the entry. */
  #follow(): void {
    const { at } = readPlace();
    const entry = this.#entries.find(({ id }) => id === at);
    if (entry?.hidden) {
      this.#text.value = '';
      this.#group.value = '';
      this.#press([]);
    }
    this.#filter();
    this.#goTo(at);
  }

  #goTo(id: string): void {
    const entry = this.#entries.find((one) => one.id === id);
    if (!entry) return;
    this.#at = id;
    for (let outer = entry.parentElement; outer; outer = outer.parentElement)
      if (outer instanceof HTMLDetailsElement) outer.open = true;
    entry.open = true;
    // The scroll position before a reload is elsewhere once entries have opened.
    history.scrollRestoration = 'manual';
    this.#target = entry;
    entry.scrollIntoView();
    entry.querySelector('summary')?.focus({ preventScroll: true });
    this.#save();
  }

  /** The place is in the page's address, so that it survives a reload and can be passed on: `#change/KEY?q=words`. */
  #save(): void {
    const { view } = document.documentElement.dataset;
    const parameters = new URLSearchParams([
      ...(this.#text.value === '' ? [] : [['q', this.#text.value]]),
      ...(this.#group.value === '' ? [] : [['kind', this.#group.value]]),
      ...this.#pressed().map((filter) => ['only', filter]),
      ...(view === 'split' ? [['view', view]] : []),
    ]);
    const query = parameters.size === 0 ? '' : `?${parameters}`;
    const path = this.#at.split('/').map(encodeURIComponent).join('/');
    history.replaceState(null, '', path + query === '' ? location.pathname : `#${path}${query}`);
  }

  /** Fills open entries that have come into sight. All of a long report at once would take minutes. */
  async #fill(seen: readonly IntersectionObserverEntry[]): Promise<void> {
    const entries = seen.flatMap(({ isIntersecting, target }) =>
      isIntersecting && target instanceof HTMLDetailsElement ? [target] : [],
    );
    for (const entry of entries) this.#sight.unobserve(entry);
    await Promise.all(entries.map((entry) => this.#bodies.fill(entry)));
    for (const entry of entries) {
      this.#prepare(entry);
      fitAll(entry);
    }
    if (entries.length > 0) markHits(wordsIn(this.#text), this.#entries);
  }

  #prepare(entry: HTMLDetailsElement): void {
    const body = bodyOf(entry);
    if (!body || this.#ready.has(entry)) return;
    this.#ready.add(entry);
    this.#frames.add(body);
    this.#review.show(entry);
  }

  /** The keys of `?`, but for those that the browser knows. */
  #startKeys(): void {
    addEventListener('keydown', (event) => {
      const { key } = event;
      if (isTyping(event)) return;
      const current = document.activeElement?.closest<HTMLDetailsElement>('.entry') ?? null;
      if (key === '?') find('keys', HTMLDialogElement).showModal();
      else if (key === 'x' && current) this.#tick(current);
      else if ((key === 'n' || key === 'p') && current) showStep(current, key === 'n' ? 1 : -1);
      else if (key === 'j' || key === 'k') this.#go(current, key === 'j' ? 1 : -1)?.focus();
    });
    onClick('#help', () => find('keys', HTMLDialogElement).showModal());
    // Screen readers ignore a control inside a title: they use the box below, and this is for the mouse.
    addEventListener('click', (event) => {
      const { target } = event;
      const entry = target instanceof Element ? target.closest('.tick')?.closest('details') : null;
      if (!entry) return;
      event.preventDefault();
      this.#tick(entry);
    });
  }

  /** Ticks an entry off, or takes the tick back. After a tick, the next entry without one is opened. */
  #tick(entry: HTMLDetailsElement): void {
    const { done } = this.#review;
    this.#review.set(entry, !done.has(entry.id));
    if (!done.has(entry.id)) return;
    entry.open = false;
    const title = this.#go(entry, 1, ({ id }) => !done.has(id));
    if (title?.parentElement instanceof HTMLDetailsElement) title.parentElement.open = true;
    title?.focus();
  }

  /** The title of the next entry, or with -1 of the previous one, that is shown. */
  #go(from: HTMLDetailsElement | null, step: 1 | -1, isWanted = (_entry: HTMLDetailsElement) => true) {
    const at = from ? this.#entries.indexOf(from) : -1;
    const others =
      step === 1 ? this.#entries.slice(at + 1) : this.#entries.slice(0, Math.max(0, at)).reverse();
    // Checking whether an entry is shown takes long for thousands of them.
    const entry = others.find((each) => isWanted(each) && !each.hidden && each.checkVisibility());
    return entry?.querySelector('summary') ?? null;
  }
}

/** An entry is shown for the sake of one below it too. */
function showLead(entry: HTMLDetailsElement, matching: ReadonlySet<Element>): void {
  const lead = entry.parentElement?.closest<HTMLElement>('.entry');
  if (!lead || matching.has(lead)) return;
  lead.hidden = false;
  const fold = entry.closest<HTMLDetailsElement>('.members');
  if (fold) fold.open = true;
}

function countGroups(matching: ReadonlySet<Element>): void {
  for (const section of findAll('.group', HTMLElement)) {
    const all = [...section.querySelectorAll('.entry')];
    const { length } = all.filter((entry) => matching.has(entry));
    section.hidden = length === 0;
    const label = section.querySelector('h2 .shown');
    if (label) label.textContent = length === all.length ? '' : `${length} of ${all.length} shown`;
  }
}

function readPlace() {
  const [path = '', query = ''] = location.hash.slice(1).split('?');
  return { at: decodePart(path), parameters: new URLSearchParams(query) };
}

/** Marking more would take longer than the search itself. */
const maxMarked = 100;
const maxHits = 500;

function markHits(words: readonly string[], entries: readonly HTMLElement[]): void {
  if (!CSS.highlights) return;
  const pattern = new RegExp(
    words.map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|'),
    'gi',
  );
  const ranges: Range[] = [];
  let marked = 0;
  for (const entry of words.length === 0 ? [] : entries) {
    if (ranges.length >= maxHits || marked >= maxMarked) break;
    if (entry.hidden || !entry.checkVisibility()) continue;
    marked += 1;
    for (const node of searchedTexts(entry))
      for (const { 0: hit, index } of (node.textContent ?? '').matchAll(pattern)) {
        const range = new Range();
        range.setStart(node, index);
        range.setEnd(node, index + hit.length);
        ranges.push(range);
      }
  }
  CSS.highlights.set('hit', new Highlight(...ranges.slice(0, maxHits)));
}

/** The entries that a reader has ticked off, kept in the browser for this plan. */
class Review {
  readonly #entries: readonly HTMLDetailsElement[];
  readonly #key = `tenantctl-reviewed ${document.documentElement.dataset.digest ?? ''}`;
  readonly done: Set<string>;

  constructor(entries: readonly HTMLDetailsElement[]) {
    this.#entries = entries;
    try {
      this.done = new Set(localStorage.getItem(this.#key)?.split('\n'));
    } catch {
      // Storage may be off.
      this.done = new Set();
    }
    for (const entry of entries) this.show(entry);
    this.#count();
    document.addEventListener('change', ({ target }) => {
      if (!(target instanceof HTMLInputElement) || !target.matches('.tools input')) return;
      const entry = target.closest<HTMLDetailsElement>('.entry');
      if (entry) this.set(entry, target.checked);
    });
  }

  show(entry: HTMLDetailsElement): void {
    entry.classList.toggle('reviewed', this.done.has(entry.id));
    const box = entry.querySelector<HTMLInputElement>(':scope > .body > .tools input');
    if (box) box.checked = this.done.has(entry.id);
  }

  set(entry: HTMLDetailsElement, isDone: boolean): void {
    // The same in other objects is reviewed with it.
    for (const each of [entry, ...entry.querySelectorAll<HTMLDetailsElement>('.entry')]) {
      if (isDone) this.done.add(each.id);
      else this.done.delete(each.id);
      this.show(each);
    }
    try {
      localStorage.setItem(this.#key, [...this.done].join('\n'));
    } catch {
      // The ticks then last until the page is closed.
    }
    this.#count();
  }

  #count(): void {
    const { length } = this.#entries.filter(({ id }) => this.done.has(id));
    find('reviewed', HTMLElement).textContent = `${length} of ${this.#entries.length} reviewed`;
  }
}

/** Buttons that copy a text, or the link to a place in the page. */
function startCopying(): void {
  onClick('[data-copy]', (button) => {
    const say = (text: string) => {
      const before = button.dataset.name ?? button.textContent ?? '';
      button.dataset.name = before;
      button.textContent = text;
      setTimeout(() => {
        button.textContent = before;
      }, 1500);
    };
    const { copy = '' } = button.dataset;
    const text = copy.startsWith('#') ? new URL(copy, location.href).href : copy;
    // Some browsers refuse it in pages that are files.
    Promise.resolve(navigator.clipboard?.writeText(text)).then(
      () => say('Copied'),
      () => say('Not allowed here'),
    );
  });
}

document.documentElement.classList.add('live');
startTheme();
startCopying();
for (const time of findAll('time', HTMLTimeElement)) {
  time.title = time.dateTime;
  time.textContent = ageWords(time.dateTime, Date.now()) || 'just now';
}
// A page without entries has no toolbar.
if (document.getElementById('text')) new List().start();
