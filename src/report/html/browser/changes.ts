/** A changed passage in one of the frames. */
interface Passage {
  readonly frame: HTMLIFrameElement;
  readonly range: Range;
}

/** The changed passages of each pair of frames, from top to bottom. */
const known = new WeakMap<Element, readonly Passage[]>();
/** Which of them is shown, by the first of the pairs that belong together. */
const shown = new WeakMap<Element, number>();

/** Marks the passages of both sides that the other one does not have. */
export function markChanges(frames: Element): void {
  const sides = [...frames.querySelectorAll('iframe')].map((frame) => ({ frame, texts: textsIn(frame) }));
  const [before, after] = sides;
  if (!before?.texts || !after?.texts) return;
  const passages = [...findChanged(before, after.texts), ...findChanged(after, before.texts)].sort(
    (a, b) => topOf(a) - topOf(b),
  );
  known.set(frames, passages);
  for (const { frame } of [before, after]) highlight(frame, 'changed', passages);
}

/**
 * Goes to the next changed passage, or with -1 to the previous one. After the last comes the first.
 *
 * @param pairs the frames of one template, which may be shown with several values
 */
export function showStep(pairs: readonly Element[], step: number): void {
  const passages = pairs.flatMap((frames) => known.get(frames) ?? []);
  const [first] = pairs;
  if (!first || passages.length === 0) return;
  const last = shown.get(first) ?? -1;
  const at = last < 0 && step < 0 ? passages.length - 1 : (last + step + passages.length) % passages.length;
  shown.set(first, at);
  const current = passages[at];
  if (!current) return;
  for (const frames of pairs)
    for (const frame of frames.querySelectorAll('iframe')) highlight(frame, 'current', [current]);
  moveTo(current);
}

/** Scrolls a mail that is higher than its frame, and then the page. Frames are scaled, so a browser cannot do it alone. */
function moveTo({ frame, range }: Passage): void {
  const middle = frame.clientHeight / 2;
  frame.contentWindow?.scrollBy(0, range.getBoundingClientRect().top - middle);
  const { top, width } = frame.getBoundingClientRect();
  const scale = width / frame.offsetWidth;
  scrollBy(0, top + range.getBoundingClientRect().top * scale - innerHeight / 2);
}

function topOf({ range }: Passage): number {
  return range.getBoundingClientRect().top;
}

function textsIn({ contentDocument: of }: HTMLIFrameElement): Node[] | null {
  if (!of?.body) return null;
  const walker = of.createTreeWalker(of.body, NodeFilter.SHOW_TEXT);
  const texts: Node[] = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if (wordsOf(node) !== '' && !node.parentElement?.matches('style, script')) texts.push(node);
  return texts;
}

function wordsOf({ textContent }: Node): string {
  return (textContent ?? '').replace(/\s+/g, ' ').trim();
}

function findChanged(
  { frame, texts }: { readonly frame: HTMLIFrameElement; readonly texts: readonly Node[] | null },
  others: readonly Node[],
): Passage[] {
  const same = new Set(others.map(wordsOf));
  return (texts ?? [])
    .filter((node) => !same.has(wordsOf(node)))
    .map((node) => {
      const range = new Range();
      range.selectNodeContents(node);
      return { frame, range };
    });
}

function highlight(frame: HTMLIFrameElement, name: string, passages: readonly Passage[]): void {
  const view = frame.contentDocument?.defaultView;
  if (!view?.CSS.highlights) return;
  const own = passages.filter((passage) => passage.frame === frame).map(({ range }) => range);
  view.CSS.highlights.set(name, new view.Highlight(...own));
}
