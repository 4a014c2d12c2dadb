/** A changed passage in one of the frames. */
interface Passage {
  readonly frame: HTMLIFrameElement;
  readonly range: Range;
}

/** The changed passages of each pair of frames, from top to bottom, and which one is shown. */
const known = new WeakMap<Element, { readonly passages: readonly Passage[]; at: number }>();

/** Marks the passages of both sides that the other one does not have. */
export function markChanges(frames: Element): void {
  const sides = [...frames.querySelectorAll('iframe')].map((frame) => ({ frame, texts: textsIn(frame) }));
  const [before, after] = sides;
  if (!before?.texts || !after?.texts) return;
  const passages = [...changedIn(before, after.texts), ...changedIn(after, before.texts)].sort(
    (a, b) => topOf(a) - topOf(b),
  );
  known.set(frames, { passages, at: -1 });
  for (const { frame } of [before, after]) highlight(frame, 'changed', passages);
}

/** Goes to the next changed passage, or with -1 to the previous one. After the last comes the first. */
export function showStep(frames: Element, step: number): void {
  const state = known.get(frames);
  if (!state || state.passages.length === 0) return;
  const { length } = state.passages;
  state.at = state.at < 0 && step < 0 ? length - 1 : (state.at + step + length) % length;
  const current = state.passages[state.at];
  if (!current) return;
  for (const frame of frames.querySelectorAll('iframe')) highlight(frame, 'current', [current]);
  current.range.startContainer.parentElement?.scrollIntoView({ block: 'center' });
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

function changedIn(
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
