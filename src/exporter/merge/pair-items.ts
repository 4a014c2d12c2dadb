import { diffArrays } from 'diff';
import { textOfItem } from '../../kinds/field.ts';
import { pairRecords } from '../../kinds/records.ts';
import { canonicalJson, type Json, objectsIn } from '../../model/json.ts';
import { comparableAt, type Place } from '../place.ts';

/** A declared item and the live one in its place, by their indexes; `null` where one of them is missing. */
export type ItemPair = readonly [declared: number | null, live: number | null];

/** Pairs the items of a declared list with live ones, in the declared order. Of a list without order, equal items are left out. */
export function pairItems(place: Place, declared: readonly Json[], live: readonly Json[]): ItemPair[] {
  const { is, field } = place;
  if (is === 'records' && field.is === 'records') {
    return pairRecords(objectsIn(declared), objectsIn(live), field).map((pair) => [
      pair.declared && declared.indexOf(pair.declared),
      pair.live && live.indexOf(pair.live),
    ]);
  }
  if (is === 'set' || is === 'references') {
    const textsOf = (items: readonly Json[]) => items.map((item) => textOfItem(field, item));
    return pairOthers(textsOf(declared), textsOf(live));
  }
  const textsOf = (items: readonly Json[]) => items.map((item) => canonicalJson(comparableAt(place, item)));
  return alignItems(textsOf(declared), textsOf(live));
}

/** Items that are gone with new ones, one by one; what is left over stands alone. */
function pairOthers(declared: readonly string[], live: readonly string[]): ItemPair[] {
  const missing = (texts: readonly string[], others: ReadonlySet<string>) =>
    [...texts.keys()].filter((at) => !others.has(texts[at] ?? ''));
  const [gone, added] = [missing(declared, new Set(live)), missing(live, new Set(declared))];
  const length = Math.max(gone.length, added.length);
  return Array.from({ length }, (_, turn) => [gone[turn] ?? null, added[turn] ?? null]);
}

/** Lists with more differences than this are paired by position. */
const mostDifferences = 4000;

/** The items of two lists in order, with as many equal ones in pairs as possible. */
export function alignItems(declared: readonly string[], live: readonly string[]): ItemPair[] {
  const chunks = diffArrays([...declared], [...live], { maxEditLength: mostDifferences }) ?? [
    { count: declared.length, removed: true, added: false },
    { count: live.length, removed: false, added: true },
  ];
  const pairs: ItemPair[] = [];
  let [at, liveAt, end, liveEnd] = [0, 0, 0, 0];
  const pairGap = () => {
    while (at < end || liveAt < liveEnd)
      pairs.push([at < end ? at++ : null, liveAt < liveEnd ? liveAt++ : null]);
  };
  for (const { count, removed, added } of chunks) {
    if (removed) end += count;
    else if (added) liveEnd += count;
    else {
      pairGap();
      for (let item = 0; item < count; item += 1) pairs.push([at++, liveAt++]);
      [end, liveEnd] = [at, liveAt];
    }
  }
  pairGap();
  return pairs;
}
