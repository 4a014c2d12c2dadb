/** Milliseconds after which a pack is opened even where the page has something to do. */
const longestWait = 100;

/**
 * Values that belong to the entries of a long report, in their order, compressed in packs at its end. They can be had at
 * once after the pack that holds them was opened.
 */
export class Packs<T> {
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

  /** Opens the pack with the value of that entry. */
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
      await new Promise((idle) => requestIdleCallback(idle, { timeout: longestWait }));
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

/** The bytes that a text in base64 stands for. A loop takes a fraction of the time of `Uint8Array.from`. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; at += 1) bytes[at] = letters.charCodeAt(at);
  return bytes;
}
