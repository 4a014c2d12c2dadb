import { canonicalJson, type Json } from '../../model/json.ts';

/** A range in which two lists differ: the items `from…to` of one correspond to `liveFrom…liveTo` of the other. */
export interface Gap {
  readonly from: number;
  readonly to: number;
  readonly liveFrom: number;
  readonly liveTo: number;
}

/** Of longer lists only the common beginning and end are found. */
const maxLength = 1000;

/** The ranges in which two lists differ, with as many items in common as possible; last range first. */
export function findGaps(declared: readonly Json[], live: readonly Json[]): Gap[] {
  const [a, b] = [declared.map(canonicalJson), live.map(canonicalJson)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end])
    end += 1;
  const [aEnd, bEnd] = [a.length - end, b.length - end];
  if (start === aEnd && start === bEnd) return [];
  if ((aEnd - start) * (bEnd - start) > maxLength * maxLength)
    return [{ from: start, to: aEnd, liveFrom: start, liveTo: bEnd }];
  const common = findCommonItems(a.slice(start, aEnd), b.slice(start, bEnd));
  const gaps: Gap[] = [];
  let [from, liveFrom] = [start, start];
  for (const [i, j] of [...common, [aEnd - start, bEnd - start] as const]) {
    const [to, liveTo] = [start + i, start + j];
    if (to > from || liveTo > liveFrom) gaps.unshift({ from, to, liveFrom, liveTo });
    [from, liveFrom] = [to + 1, liveTo + 1];
  }
  return gaps;
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
