import { copyButton } from './copy.ts';
import { encodePath, find } from './dom.ts';

/** Which entries a reader has ticked off, kept in the browser for this plan. */
export class Review {
  readonly #entries: readonly HTMLDetailsElement[];
  readonly #key = `tenantctl-reviewed ${document.documentElement.dataset.digest ?? ''}`;
  readonly #done: Set<string>;

  constructor(entries: readonly HTMLDetailsElement[]) {
    this.#entries = entries;
    this.#done = new Set(readList(this.#key));
    for (const entry of entries) entry.classList.toggle('reviewed', this.#done.has(entry.id));
    this.#show();
  }

  /** What a reader can do with an open entry. */
  addTools(entry: HTMLDetailsElement, body: HTMLElement): void {
    if (body.querySelector(':scope > .tools')) return;
    const tools = document.createElement('p');
    tools.className = 'tools';
    const box = document.createElement('input');
    box.type = 'checkbox';
    box.checked = this.#done.has(entry.id);
    box.addEventListener('change', () => this.#set(entry, box.checked));
    const label = document.createElement('label');
    label.append(box, ' Reviewed');
    tools.append(
      label,
      copyButton('Copy address', entry.dataset.address ?? ''),
      copyButton('Copy link', linkTo(entry)),
    );
    body.prepend(tools);
  }

  toggle(entry: HTMLDetailsElement): void {
    this.#set(entry, !this.#done.has(entry.id));
  }

  #set(entry: HTMLDetailsElement, isDone: boolean): void {
    // The same in other objects is reviewed with it.
    for (const each of [entry, ...entry.querySelectorAll<HTMLDetailsElement>('.entry')]) {
      if (isDone) this.#done.add(each.id);
      else this.#done.delete(each.id);
      each.classList.toggle('reviewed', isDone);
      const box = each.querySelector<HTMLInputElement>(':scope > .body > .tools input');
      if (box) box.checked = isDone;
    }
    writeList(this.#key, [...this.#done]);
    this.#show();
  }

  #show(): void {
    const { length } = this.#entries.filter(({ id }) => this.#done.has(id));
    const progress = find('reviewed', HTMLElement);
    progress.hidden = length === 0;
    progress.textContent = `${length} reviewed, ${this.#entries.length - length} left`;
  }
}

function linkTo({ id }: Element): string {
  return `${location.href.split('#')[0]}#${encodePath(id)}`;
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

function writeList(key: string, list: readonly string[]): void {
  try {
    localStorage.setItem(key, JSON.stringify(list));
  } catch {
    // The ticks then last until the page is closed.
  }
}
