import { findAll, searchedTexts } from './dom.ts';
import { Packs } from './packs.ts';

/** The markup of a packed entry. */
type Packed = readonly [body: string, summary: string];

/** The bodies of a page's entries: in the page from the start, or packed at its end in a long report. */
export class Bodies {
  readonly entries: readonly HTMLDetailsElement[];
  readonly #markup = new Packs<Packed>(findAll('template.markup', HTMLTemplateElement));
  /** What the search finds in addition to titles. */
  readonly #packedTexts = new Packs<string>(findAll('template.texts', HTMLTemplateElement));
  readonly #texts = new Map<Element, string>();
  readonly #indexes: ReadonlyMap<Element, number>;

  constructor(entries: readonly HTMLDetailsElement[]) {
    this.entries = entries;
    this.#indexes = new Map(entries.map((entry, index) => [entry, index]));
  }

  get isPacked(): boolean {
    return !this.#markup.isEmpty;
  }

  /** Makes the body of an entry, unless it is there. */
  async fill(entry: HTMLDetailsElement): Promise<void> {
    await this.#markup.open(this.#indexOf(entry));
    this.fillNow(entry);
  }

  /** The same, for an entry that was unpacked before. */
  fillNow(entry: HTMLDetailsElement): void {
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
  fillBriefly(entry: HTMLDetailsElement): void {
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

  /** Takes the body of an entry back that was made briefly. */
  emptyBrief(entry: HTMLDetailsElement): void {
    const body = bodyOf(entry);
    if (!body || !isBrief(body)) return;
    body.replaceChildren();
    delete body.dataset.brief;
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
      for (const entry of this.entries.slice(first, end)) this.textOf(entry);
    });
  }

  /** Unpacks everything else in idle time: printing cannot wait for it. */
  unpackMarkup(): Promise<void> {
    return this.#markup.openAllInIdleTime();
  }

  /** What the search looks at, in lower case: title, fields and texts, but no requests. */
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

/** The element that holds the body of an entry. */
export function bodyOf(entry: Element): HTMLElement | null {
  return entry.querySelector<HTMLElement>(':scope > .body');
}
