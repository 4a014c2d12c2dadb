/** A word or a picture of a message. */
export interface Token {
  readonly frame: HTMLIFrameElement;
  readonly node: Node;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Nobody sees it: it is for inboxes, which show the first words of an e-mail. */
  readonly isHidden: boolean;
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** The words and pictures of a message, from its first to its last; `null` while it is loading. */
export function tokensIn(frame: HTMLIFrameElement): Token[] | null {
  const { contentDocument: of } = frame;
  const Image = of?.defaultView?.HTMLImageElement;
  if (!of?.body || !Image) return null;
  const walker = of.createTreeWalker(of.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  const cutOff = new Map<Element, boolean>();
  const tokens: Token[] = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const words = node instanceof Image ? [imageToken(node)] : wordsOf(node);
    if (words.length === 0) continue;
    const isHidden = isUnseen(node.parentElement, cutOff);
    for (const word of words) tokens.push({ ...word, frame, node, isHidden });
  }
  return tokens;
}

type Word = Pick<Token, 'start' | 'end' | 'text'>;

/** A look without pictures keeps their addresses elsewhere. */
function imageToken(image: HTMLImageElement): Word {
  const source = image.getAttribute('src') ?? image.dataset.src ?? '';
  return { start: 0, end: 0, text: `image ${source} ${image.alt}` };
}

function wordsOf(node: Node): Word[] {
  if (node.nodeType !== Node.TEXT_NODE || node.parentElement?.matches('style, script')) return [];
  return [...segmenter.segment(node.textContent ?? '')]
    .filter(({ segment }) => /[\p{L}\p{N}\p{P}\p{S}]/u.test(segment))
    .map(({ segment: text, index: start }) => ({ text, start, end: start + text.length }));
}

/**
 * True for what is not displayed, is transparent, has no size, or is cut off.
 *
 * @param cutOff remembers elements, since the texts of an e-mail share most of what is around them
 */
function isUnseen(element: Element | null, cutOff: Map<Element, boolean>): boolean {
  if (!element?.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return true;
  return Number.parseFloat(styleOf(element)?.fontSize ?? '') < 2 || isCutOff(element, cutOff);
}

/** True inside of an element that shows nothing of what is in it, since it has no height. */
function isCutOff(element: Element, cutOff: Map<Element, boolean>): boolean {
  const { parentElement: outer } = element;
  const isEmpty = () =>
    styleOf(element)?.overflowY !== 'visible' && element.getBoundingClientRect().height < 1;
  const answer = cutOff.get(element) ?? (isEmpty() || (outer !== null && isCutOff(outer, cutOff)));
  cutOff.set(element, answer);
  return answer;
}

export function styleOf(element: Element): CSSStyleDeclaration | undefined {
  return element.ownerDocument.defaultView?.getComputedStyle(element);
}
