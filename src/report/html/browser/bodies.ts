import { findAll, searchedTexts } from './dom.ts';

/** Beyond so many changes, pictures and requests are left out: they would take more memory than a browser has. */
const maxWhole = 100;

/** The bodies of a page's entries: in the page from the start, or packed at its end in a long report. */
export class Bodies {
  readonly #entries: readonly HTMLDetailsElement[];
  readonly markup = new Packs(findAll('template.markup', HTMLTemplateElement));
  readonly isPacked = this.markup.packs.length > 0;
  readonly #packedTexts = new Packs(findAll('template.texts', HTMLTemplateElement));
  readonly #texts = new Map<Element, string>();
  readonly #indexes: ReadonlyMap<Element, number>;

  constructor(entries: readonly HTMLDetailsElement[]) {
    this.#entries = entries;
    this.#indexes = new Map(entries.map((entry, index) => [entry, index]));
  }

  async fill(entry: HTMLDetailsElement): Promise<void> {
    await this.markup.open(this.#indexes.get(entry) ?? -1);
    this.#fillNow(entry, false);
  }

  /** The same, for an entry that was unpacked before; in brief, without pictures and requests. */
  #fillNow(entry: HTMLDetailsElement, isBrief: boolean): void {
    const body = bodyOf(entry);
    const markup = this.markup.values[this.#indexes.get(entry) ?? -1];
    if (!markup || !body || (body.firstChild && (isBrief || !('brief' in body.dataset)))) return;
    const parts = document.createElement('template');
    // The same templates wrote this markup and the rest of the page, so it is as safe: the policy runs none of it.
    parts.innerHTML = markup;
    if (isBrief) for (const part of parts.content.querySelectorAll('.rendered, .requests')) part.remove();
    body.replaceChildren(parts.content);
    body.toggleAttribute('data-brief', isBrief);
  }

  /** Prepares everything that the search covers, so that the first search is as fast as later ones. */
  async unpackTexts(): Promise<void> {
    this.#texts.clear();
    await this.#packedTexts.openAll();
    this.#entries.forEach(this.textOf, this);
  }

  /**
   * Expands all that the filter shows while the page is printed. Equal entries are only named.
   *
   * @param onWhole gets the bodies that are printed whole
   */
  startPrinting(onWhole: (bodies: readonly Element[]) => void): void {
    const { dataset } = document.documentElement;
    let closed: HTMLDetailsElement[] = [];
    addEventListener('beforeprint', () => {
      const printed = this.#entries.filter(({ hidden }) => !hidden);
      const isBrief = this.isPacked && printed.length > maxWhole;
      dataset.print = isBrief ? 'brief' : 'whole';
      closed = findAll('.members, .remarks, .group > .entry:not([hidden])', HTMLDetailsElement).filter(
        ({ open }) => !open,
      );
      for (const fold of closed) fold.open = true;
      for (const entry of printed) if (entry.open) this.#fillNow(entry, isBrief);
      if (!isBrief) onWhole(printed.filter(({ open }) => open).flatMap((entry) => bodyOf(entry) ?? []));
    });
    addEventListener('afterprint', () => {
      for (const fold of closed) fold.open = false;
      for (const body of findAll('[data-brief]', HTMLElement)) {
        body.replaceChildren();
        delete body.dataset.brief;
      }
    });
  }

  /** The searched text, in lower case: title, fields and values, but no requests. */
  textOf(entry: HTMLDetailsElement): string {
    const known = this.#texts.get(entry);
    if (known !== undefined) return known;
    const selector = this.isPacked ? ':scope > summary' : ':scope > summary, :scope > .body';
    const shown = [...entry.querySelectorAll(selector)].flatMap(searchedTexts);
    const texts = shown.map(({ textContent }) => textContent).join('');
    const packed = this.#packedTexts.values[this.#indexes.get(entry) ?? -1] ?? '';
    const text = [entry.dataset.address ?? '', texts, packed].join('\n').toLowerCase();
    this.#texts.set(entry, text);
    return text;
  }
}

export function bodyOf(entry: Element): HTMLElement | null {
  return entry.querySelector<HTMLElement>(':scope > .body');
}

/** Texts of the entries of a long report, in packs at its end; there at once after their pack was opened. */
class Packs {
  readonly packs: readonly HTMLTemplateElement[];
  readonly #size: number;
  readonly #opened = new Map<number, Promise<void>>();
  readonly values: string[] = [];

  constructor(packs: readonly HTMLTemplateElement[]) {
    this.packs = packs;
    this.#size = Number(packs[0]?.dataset.size ?? 1);
  }

  /** Opens the pack of the entry with that number, unless it is open. */
  open(index: number): Promise<void> {
    const pack = Math.floor(index / this.#size);
    const opened = this.#opened.get(pack) ?? this.#unpack(pack);
    this.#opened.set(pack, opened);
    return opened;
  }

  /** Opens all packs one by one, after other work of the page. */
  async openAll(): Promise<void> {
    for (const pack of this.packs.keys()) {
      await new Promise((done) => setTimeout(done));
      await this.open(pack * this.#size);
    }
  }

  async #unpack(index: number): Promise<void> {
    const text = this.packs[index]?.content.textContent;
    if (!text) return;
    const letters = atob(text);
    const bytes = new Uint8Array(letters.length);
    // A loop takes a fraction of the time of `Uint8Array.from`.
    for (let at = 0; at < letters.length; at += 1) bytes[at] = letters.charCodeAt(at);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    const values: readonly string[] = await new Response(stream).json();
    for (const [at, value] of values.entries()) this.values[index * this.#size + at] = value;
  }
}
