import { decodePart, encodePath, findAll, press, searchedTexts, wordsIn } from './dom.ts';

/** What a reader has chosen: the filters, the view, and the change that was last looked at. */
export interface Place {
  /** The id of an entry; empty for none. */
  readonly at: string;
  readonly words: string;
  readonly group: string;
  readonly filters: readonly string[];
  readonly view: string;
}

/** The place in the page's address, so that it survives a reload and can be passed on: `#change/KEY?q=words`. */
export function readPlace(): Place {
  const [path = '', query = ''] = location.hash.slice(1).split('?');
  const parameters = new URLSearchParams(query);
  return {
    at: decodePart(path),
    words: parameters.get('q') ?? '',
    group: parameters.get('kind') ?? '',
    filters: parameters.getAll('only'),
    view: parameters.get('view') ?? '',
  };
}

/** Keeps a place in the page's address. */
export function writePlace({ at, words, group, filters, view }: Place): void {
  const parameters = new URLSearchParams([
    ...(words === '' ? [] : [['q', words]]),
    ...(group === '' ? [] : [['kind', group]]),
    ...filters.map((filter) => ['only', filter]),
    ...(view === '' || view === 'unified' ? [] : [['view', view]]),
  ]);
  const query = parameters.size === 0 ? '' : `?${parameters}`;
  const path = encodePath(at);
  history.replaceState(null, '', path + query === '' ? location.pathname : `#${path}${query}`);
}

/** Shows which filters are chosen, on every button that stands for one of them. */
export function pressFilters(filters: readonly string[]): void {
  for (const button of findAll('button[data-filter]', HTMLButtonElement))
    press(button, filters.includes(button.dataset.filter ?? ''));
}

/** Marking more would take longer than the search itself. */
const maxMarked = 100;
const maxHits = 500;

/** Marks the words of a search where they are in sight. */
export function markHits(field: HTMLInputElement, entries: readonly HTMLElement[]): void {
  if (!CSS.highlights) return;
  const words = wordsIn(field);
  const ranges: Range[] = [];
  let marked = 0;
  for (const entry of words.length === 0 ? [] : entries) {
    if (ranges.length >= maxHits || marked >= maxMarked) break;
    if (entry.hidden || !entry.checkVisibility()) continue;
    marked += 1;
    ranges.push(...searchedTexts(entry).flatMap((node) => hitsIn(node, words)));
  }
  CSS.highlights.set('hit', new Highlight(...ranges.slice(0, maxHits)));
}

function hitsIn(node: Node, words: readonly string[]): Range[] {
  const text = (node.textContent ?? '').toLowerCase();
  return words.flatMap((word) => {
    const ranges: Range[] = [];
    // Lower case may be longer than the text itself: such a hit is not marked.
    const { length } = node.textContent ?? '';
    for (
      let at = text.indexOf(word);
      at >= 0 && at + word.length <= length;
      at = text.indexOf(word, at + word.length)
    ) {
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + word.length);
      ranges.push(range);
    }
    return ranges;
  });
}
