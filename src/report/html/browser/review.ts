import { find } from './dom.ts';

/** The entries that a reader has ticked off, kept in the browser for this plan. */
export class Review {
  readonly #entries: readonly HTMLDetailsElement[];
  readonly #key = `tenantctl-reviewed ${document.documentElement.dataset.digest ?? ''}`;
  readonly #done: Set<string>;

  constructor(entries: readonly HTMLDetailsElement[]) {
    this.#entries = entries;
    this.#done = new Set(readList(this.#key));
    for (const entry of entries) this.show(entry);
    this.#count();
    document.addEventListener('change', ({ target }) => {
      if (!(target instanceof HTMLInputElement) || !target.matches('.tools input')) return;
      const entry = target.closest<HTMLDetailsElement>('.entry');
      if (entry) this.#set(entry, target.checked);
    });
  }

  /** Shows whether an entry is ticked off, also in its box where that is made. */
  show(entry: HTMLDetailsElement): void {
    entry.classList.toggle('reviewed', this.#done.has(entry.id));
    const box = entry.querySelector<HTMLInputElement>(':scope > .body > .tools input');
    if (box) box.checked = this.#done.has(entry.id);
  }

  isDone({ id }: Element): boolean {
    return this.#done.has(id);
  }

  toggle(entry: HTMLDetailsElement): void {
    this.#set(entry, !this.isDone(entry));
  }

  #set(entry: HTMLDetailsElement, isDone: boolean): void {
    // The same in other objects is reviewed with it.
    for (const each of [entry, ...entry.querySelectorAll<HTMLDetailsElement>('.entry')]) {
      if (isDone) this.#done.add(each.id);
      else this.#done.delete(each.id);
      this.show(each);
    }
    try {
      localStorage.setItem(this.#key, JSON.stringify([...this.#done]));
    } catch {
      // The ticks then last until the page is closed.
    }
    this.#count();
  }

  #count(): void {
    const { length } = this.#entries.filter(({ id }) => this.#done.has(id));
    find('reviewed', HTMLElement).textContent = `${length} of ${this.#entries.length} reviewed`;
  }
}

function readList(key: string): string[] {
  try {
    const list: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];
  } catch {
    // Storage may be off, and anything may be stored.
    return [];
  }
}
