import type { Resource } from '../kinds/resource.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { secretName, secretNamesIn } from '../model/marker.ts';
import { notComparableWords } from '../model/not-comparable.ts';
import { type Pointer, valueAt } from '../model/pointer.ts';
import type { Outcome } from './change.ts';

/** Remarks on values that the tenant does not show. Such a value is still written where a change writes what contains it. */
export function notComparableRemarks(
  resource: Resource,
  { change, notComparable: places }: Outcome,
): Diagnostic[] {
  const { address, fields } = resource;
  const sent = new Set(change?.requests.flatMap(({ body }) => secretNamesIn(body)));
  const isSent = (at: Pointer) => sent.has(secretName(valueAt(fields, at)) ?? '');
  const remark = (found: readonly Pointer[], written: string, hint: Pick<Diagnostic, 'hint'>) => {
    const [first] = found;
    if (first === undefined) return [];
    const message = `${notComparableWords(address, found)}${written}`;
    const source = resource.locate(first);
    return [{ code: 'not-comparable', severity: 'info', message, ...hint, address, source } as const];
  };
  const left = places.filter((at) => !isSent(at));
  return [
    ...remark(places.filter(isSent), ' It is written, because this plan writes what contains it.', {}),
    ...remark(left, '', { hint: `Write it with --rotate ${address}.` }),
  ];
}
