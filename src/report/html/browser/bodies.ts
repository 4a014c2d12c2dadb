import { findAll, searchedTexts } from './dom.ts';

type Packed = readonly [body: string, summary: string];

/**
 * Of more changes in a long report, pictures and requests are left out: a browser needs more memory for the pages of thousands
 * of them than it may have.
 */
const maxWhole = 100;

/** The bodies of a page's entries: in the page from the start, or packed at its end in a long report. */
export class Bodies {
  readonly #entries: readonly HTMLDetailsElement[];
  readonly #markup = new Packs<Packed>(findAll('template.markup', HTMLTemplateElement));
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

  /** Makes the body of an entry, unless it is there. */
  async fill(entry: HTMLDetailsElement): Promise<void> {
    await this.#markup.open(this.#indexOf(entry));
    this.#fillNow(entry);
  }

  /** The same, for an entry that was unpacked before. */
  #fillNow(entry: HTMLDetailsElement): void {
    const body = bodyOf(entry);
    const packed = this.#markup.at(this.#indexOf(entry));
    // The same templates wrote this markup and the rest of the page, so it is as safe: the policy runs none of it.
    if (packed && body && (!body.firstChild || isBrief(body))) {
      body.innerHTML = packed[0];
      delete body.dataset.brief;
    }
    this.#fillTitleNow(entry);
  }

  /** Makes the body of an entry without pictures and requests, unless it is there. */
  #fillBriefly(entry: HTMLDetailsElement): void {
    const body = bodyOf(entry);
    const packed = this.#markup.at(this.#indexOf(entry));
    if (packed && body && !body.firstChild) {
      const parts = document.createElement('template');
      parts.innerHTML = packed[0];
      for (const part of parts.content.querySelectorAll('.rendered, .requests')) part.remove();
      body.append(parts.content);
      body.dataset.brief = '';
    }
    this.#fillTitleNow(entry);
  }

  /** Makes the title of an entry in a fold, unless it is there. */
  async fillTitle(entry: HTMLDetailsElement): Promise<void> {
    await this.#markup.open(this.#indexOf(entry));
    this.#fillTitleNow(entry);
  }

  #fillTitleNow(entry: HTMLDetailsElement): void {
    const title = entry.querySelector(':scope > summary');
    const packed = this.#markup.at(this.#indexOf(entry));
    if (packed && title && !title.firstChild) title.innerHTML = packed[1];
  }

  /** Makes everything known that the search finds, so that the first search is as fast as the others. */
  unpackTexts(): Promise<void> {
    this.#texts.clear();
    return this.#packedTexts.openAll((first, end) => {
      for (const entry of this.#entries.slice(first, end)) this.textOf(entry);
    });
  }

  /** Unpacks everything else in idle time: printing cannot wait for it. */
  unpackMarkup(): Promise<void> {
    return this.#markup.openAllInIdleTime();
  }

  /** Expands all that the filter shows while the page is printed. */
  startPrinting(): void {
    const { dataset } = document.documentElement;
    let closed: HTMLDetailsElement[] = [];
    addEventListener('beforeprint', () => {
      const printed = this.#entries.filter(({ hidden }) => !hidden);
      const isBrief = this.isPacked && printed.length > maxWhole;
      dataset.print = isBrief ? 'brief' : 'whole';
      closed = findAll('.members, .remarks, .entry:not([hidden])', HTMLDetailsElement).filter(
        ({ open }) => !open,
      );
      for (const fold of closed) fold.open = true;
      for (const entry of printed) {
        if (isBrief) this.#fillBriefly(entry);
        else this.#fillNow(entry);
      }
    });
    addEventListener('afterprint', () => {
      for (const fold of closed) fold.open = false;
      for (const entry of this.#entries) emptyBrief(entry);
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

function emptyBrief(entry: HTMLDetailsElement): void {
  const body = bodyOf(entry);
  if (!body || !isBrief(body)) return;
  body.replaceChildren();
  delete body.dataset.brief;
}

export function bodyOf(entry: Element): HTMLElement | null {
  return entry.querySelector<HTMLElement>(':scope > .body');
}

/** Milliseconds after which a pack is opened even where the page has something to do. */
const longestWait = 100;

/**
 * Values that belong to the entries of a long report, in their order, compressed in packs at its end. They can be had at
 * once after the pack that holds them was opened.
 */
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

  open(index: number): Promise<void> {
    return this.#openPack(Math.floor(index / this.#size));
  }

  /** Opens all, one after the other, and passes the numbers of the entries of each. */
  async openAll(onOpen: (first: number, end: number) => void): Promise<void> {
    for (const index of this.#packs.keys()) {
      await this.#openPack(index);
      onOpen(index * this.#size, Math.min((index + 1) * this.#size, this.#values.length));
    }
  }

  /** The same, whenever the page has nothing else to do. */
  async openAllInIdleTime(): Promise<void> {
    for (const index of this.#packs.keys()) {
      await untilIdle();
      await this.#openPack(index);
    }
  }

  #openPack(index: number): Promise<void> {
    const opened = this.#opened.get(index) ?? this.#unpack(index);
    this.#opened.set(index, opened);
    return opened;
  }

  async #unpack(index: number): Promise<void> {
    const text = this.#packs[index]?.content.textContent;
    if (!text) return;
    const stream = new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream('gzip'));
    const values: readonly T[] = await new Response(stream).json();
    for (const [at, value] of values.entries()) this.#values[index * this.#size + at] = value;
  }
}

/** Safari cannot tell when it is idle: there, whatever is waiting comes first. */
function untilIdle(): Promise<unknown> {
  return new Promise((idle) => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(idle, { timeout: longestWait });
    else setTimeout(idle);
  });
}

/** The bytes that a text in base64 stands for. A loop takes a fraction of the time of `Uint8Array.from`. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; at += 1) bytes[at] = letters.charCodeAt(at);
  return bytes;
}
