import { canonicalJson, type Json } from '../../model/json.ts';

/** A declared item and the live one in its place, by their indexes; `null` where one of them is missing. */
export type ItemPair = readonly [declared: number | null, live: number | null];

/** Of longer lists only the common beginning and end are found. */
const maxLength = 1000;

/** The items of two lists in pairs, with as many equal ones as possible. */
export function alignItems(declared: readonly Json[], live: readonly Json[]): ItemPair[] {
  const [a, b] = [declared.map(canonicalJson), live.map(canonicalJson)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end])
    end += 1;
  const [aEnd, bEnd] = [a.length - end, b.length - end];
  const isLong = (aEnd - start) * (bEnd - start) > maxLength * maxLength;
  const common = isLong ? [] : findCommonItems(a.slice(start, aEnd), b.slice(start, bEnd));
  const pairs: ItemPair[] = a.slice(0, start).map((_, at) => [at, at]);
  let [from, liveFrom] = [start, start];
  for (const [i, j] of [...common, [aEnd - start, bEnd - start] as const]) {
    const [to, liveTo] = [start + i, start + j];
    while (from < to || liveFrom < liveTo)
      pairs.push([from < to ? from++ : null, liveFrom < liveTo ? liveFrom++ : null]);
    if (to < aEnd) pairs.push([from++, liveFrom++]);
  }
  return [...pairs, ...a.slice(aEnd).map((_, at): ItemPair => [aEnd + at, bEnd + at])];
}

/** What is done with the items of a list. */
interface ItemEdits {
  change(declared: number, live: number): void;
  /** @param at the index of the declared item that follows */
  insert(at: number, live: number): void;
  remove(declared: number): void;
}

/**
 * Edits a declared list from its last item on, so that the indexes of those before stay.
 *
 * @param pairs in the order of the list; pairs of equal items may be left out where nothing is inserted before them
 * @param length of the declared list
 */
export function editItems(pairs: readonly ItemPair[], length: number, edits: ItemEdits): void {
  let next = length;
  for (const [declared, live] of pairs.toReversed()) {
    if (declared === null) edits.insert(next, live ?? 0);
    else if (live === null) edits.remove(declared);
    else edits.change(declared, live);
    next = declared ?? next;
  }
}

/** The longest common subsequence, as pairs of indexes. */
function findCommonItems(a: readonly string[], b: readonly string[]): (readonly [number, number])[] {
  const width = b.length + 1;
  const lengths = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const pairs: (readonly [number, number])[] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      pairs.push([i, j]);
      [i, j] = [i + 1, j + 1];
    } else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
  return pairs;
}
