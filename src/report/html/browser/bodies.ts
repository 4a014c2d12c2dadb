import { findAll, searchedTexts } from './dom.ts';

type PackedBody = readonly [body: string, summary: string];

/** How much of an entry is made: its title alone, its body without pictures and requests, or all of it. */
type BodyForm = 'title' | 'brief' | 'whole';

/** Beyond so many changes, pictures and requests are left out: they would take more memory than a browser has. */
const maxWhole = 100;

/** The bodies of a page's entries: in the page from the start, or packed at its end in a long report. */
export class Bodies {
  readonly #entries: readonly HTMLDetailsElement[];
  readonly #markup = new Packs<PackedBody>(findAll('template.markup', HTMLTemplateElement));
  /** Searched in addition to titles. */
  readonly #packedTexts = new Packs<string>(findAll('template.texts', HTMLTemplateElement));
  readonly #texts = new Map<Element, string>();
  readonly #indexes: ReadonlyMap<Element, number>;

  constructor(entries: readonly HTMLDetailsElement[]) {
    this.#entries = entries;
    this.#indexes = new Map(entries.map((entry, index) => [entry, index]));
  }

  get isPacked(): boolean {
    return !this.#markup.isEmpty;
  }

  /** Builds the missing parts of an entry. */
  async fill(entry: HTMLDetailsElement, form: BodyForm): Promise<void> {
    await this.#markup.open(this.#indexOf(entry));
    this.#fillNow(entry, form);
  }

  /** The same, for an entry that was unpacked before. */
  #fillNow(entry: HTMLDetailsElement, form: BodyForm): void {
    const [title, body] = [entry.querySelector(':scope > summary'), bodyOf(entry)];
    const packed = this.#markup.at(this.#indexOf(entry));
    if (!packed || !title || !body) return;
    // The same templates wrote this markup and the rest of the page, so it is as safe: the policy runs none of it.
    const [markup, summary] = packed;
    if (!title.firstChild) title.innerHTML = summary;
    if (form === 'title' || (body.firstChild && (form === 'brief' || !isBrief(body)))) return;
    const parts = document.createElement('template');
    parts.innerHTML = markup;
    const left = form === 'brief' ? parts.content.querySelectorAll('.rendered, .requests') : [];
    for (const part of left) part.remove();
    body.replaceChildren(parts.content);
    if (form === 'brief') body.dataset.brief = '';
    else delete body.dataset.brief;
  }

  /** Prepares everything that the search covers, so that the first search is as fast as later ones. */
  async unpackTexts(): Promise<void> {
    this.#texts.clear();
    for (const [at, entry] of this.#entries.entries()) {
      await this.#packedTexts.open(at);
      this.textOf(entry);
    }
  }

  /** Unpacks everything else in idle time: printing cannot wait for it. */
  async unpackMarkup(): Promise<void> {
    for (const at of this.#entries.keys()) await this.#markup.open(at, untilIdle);
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
      const form = isBrief ? 'brief' : 'whole';
      for (const entry of printed) this.#fillNow(entry, entry.open ? form : 'title');
      if (!isBrief) onWhole(printed.filter(({ open }) => open).flatMap((entry) => bodyOf(entry) ?? []));
    });
    addEventListener('afterprint', () => {
      for (const fold of closed) fold.open = false;
      for (const body of this.#entries.map(bodyOf)) {
        if (!body || !isBrief(body)) continue;
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
    const shown = [...entry.querySelectorAll(selector)].map((part) =>
      searchedTexts(part)
        .map(({ textContent }) => textContent)
        .join(''),
    );
    const packed = this.#packedTexts.at(this.#indexOf(entry)) ?? '';
    const text = [entry.dataset.address ?? '', ...shown, packed].join('\n').toLowerCase();
    this.#texts.set(entry, text);
    return text;
  }

  #indexOf(entry: Element): number {
    return this.#indexes.get(entry) ?? -1;
  }
}

const isBrief = ({ dataset }: HTMLElement): boolean => dataset.brief !== undefined;

export function bodyOf(entry: Element): HTMLElement | null {
  return entry.querySelector<HTMLElement>(':scope > .body');
}

/** Milliseconds after which a pack is opened even if the page is busy. */
const longestWait = 100;

/** Values of the entries of a long report, in packs at its end; there at once after their pack was opened. */
class Packs<T> {
  readonly #packs: readonly HTMLTemplateElement[];
  readonly #size: number;
  readonly #opened = new Map<number, Promise<void>>();
  readonly #values: T[] = [];

  constructor(packs: readonly HTMLTemplateElement[]) {
    this.#packs = packs;
    this.#size = Number(packs[0]?.dataset.size ?? 1);
  }

  get isEmpty(): boolean {
    return this.#packs.length === 0;
  }

  /** The value of the entry with that number, if its pack is open. */
  at(index: number): T | undefined {
    return this.#values[index];
  }

  /**
   * Opens the pack of the entry with that number, unless it is open.
   *
   * @param ready waits before the pack is opened
   */
  open(index: number, ready = () => Promise.resolve()): Promise<void> {
    const pack = Math.floor(index / this.#size);
    const opened = this.#opened.get(pack) ?? ready().then(() => this.#unpack(pack));
    this.#opened.set(pack, opened);
    return opened;
  }

  async #unpack(index: number): Promise<void> {
    const text = this.#packs[index]?.content.textContent;
    if (!text) return;
    const letters = atob(text);
    const bytes = new Uint8Array(letters.length);
    // A loop takes a fraction of the time of `Uint8Array.from`.
    for (let at = 0; at < letters.length; at += 1) bytes[at] = letters.charCodeAt(at);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    const values: readonly T[] = await new Response(stream).json();
    for (const [at, value] of values.entries()) this.#values[index * this.#size + at] = value;
  }
}

/** Safari has no idle callback: there, waiting work comes first. */
function untilIdle(): Promise<void> {
  return new Promise((idle) => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(() => idle(), { timeout: longestWait });
    else setTimeout(idle);
  });
}
