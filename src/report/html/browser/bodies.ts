import { findAll, searchedTexts } from './dom.ts';

/** What a packed entry holds: its markup, what the search finds besides its title, and its title. */
type Packed = readonly [body: string, text: string, summary: string];

/** The bodies of a page's entries: in the page from the start, or packed at its end in a long report. */
export class Bodies {
  readonly entries: readonly HTMLDetailsElement[];
  readonly isPacked: boolean;
  readonly #packs: readonly HTMLTemplateElement[];
  readonly #size: number;
  readonly #opened = new Map<number, Promise<void>>();
  readonly #packed: Packed[] = [];
  readonly #texts = new Map<Element, string>();
  readonly #indexes: ReadonlyMap<Element, number>;

  constructor(entries: readonly HTMLDetailsElement[]) {
    this.entries = entries;
    this.#indexes = new Map(entries.map((entry, index) => [entry, index]));
    this.#packs = findAll('template.pack', HTMLTemplateElement);
    this.#size = Number(this.#packs[0]?.dataset.size ?? 1);
    this.isPacked = this.#packs.length > 0;
  }

  /** Makes the body of an entry, unless it is there. */
  async fill(entry: HTMLDetailsElement): Promise<void> {
    await this.#open(Math.floor(this.#indexOf(entry) / this.#size));
    this.fillNow(entry);
  }

  /** The same, for an entry that was unpacked before. */
  fillNow(entry: HTMLDetailsElement): void {
    const body = bodyOf(entry);
    const packed = this.#packed[this.#indexOf(entry)];
    // The same templates wrote this markup and the rest of the page, so it is as safe: the policy runs none of it.
    if (packed && body && !body.firstChild) body.innerHTML = packed[0];
    this.#fillTitleNow(entry);
  }

  /** Makes the title of an entry in a fold, unless it is there. */
  async fillTitle(entry: HTMLDetailsElement): Promise<void> {
    await this.#open(Math.floor(this.#indexOf(entry) / this.#size));
    this.#fillTitleNow(entry);
  }

  #fillTitleNow(entry: HTMLDetailsElement): void {
    const title = entry.querySelector(':scope > summary');
    const packed = this.#packed[this.#indexOf(entry)];
    if (packed && title && !title.firstChild) title.innerHTML = packed[2];
  }

  /** Unpacks everything, a pack at a time, so that the page stays usable. */
  async unpackAll(): Promise<void> {
    for (const index of this.#packs.keys()) await this.#open(index);
    this.#texts.clear();
  }

  /** What the search looks at, in lower case: title, fields and texts, but no requests. */
  textOf(entry: HTMLDetailsElement): string {
    const known = this.#texts.get(entry);
    if (known !== undefined) return known;
    const packed = this.#packed[this.#indexOf(entry)];
    const parts = entry.querySelectorAll(packed ? ':scope > summary' : ':scope > summary, :scope > .body');
    const shown = [...parts].map((part) =>
      searchedTexts(part)
        .map(({ textContent }) => textContent)
        .join(''),
    );
    const text = [entry.dataset.address ?? '', ...shown, packed?.[1] ?? ''].join('\n').toLowerCase();
    this.#texts.set(entry, text);
    return text;
  }

  #indexOf(entry: Element): number {
    return this.#indexes.get(entry) ?? -1;
  }

  #open(index: number): Promise<void> {
    const known = this.#opened.get(index);
    if (known) return known;
    const opened = this.#unpack(index);
    this.#opened.set(index, opened);
    return opened;
  }

  async #unpack(index: number): Promise<void> {
    const text = this.#packs[index]?.content.textContent;
    if (!text) return;
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    const items: readonly Packed[] = await new Response(stream).json();
    for (const [at, item] of items.entries()) this.#packed[index * this.#size + at] = item;
  }
}

/** The element that holds the body of an entry. */
export function bodyOf(entry: Element): HTMLElement | null {
  return entry.querySelector<HTMLElement>(':scope > .body');
}
