import { expect, it } from 'vitest';
import { applyEdits } from '../../src/exporter/edit/apply-edits.ts';
import type { Edit } from '../../src/exporter/edit/document.ts';
import { printableOf } from '../../src/loader/print.ts';
import type { Json } from '../../src/model/json.ts';

const pathOf = (place: string) => place.split('.');

/** In a value, `$secret` and `$lookup` stand for tags. */
const editing =
  (op: 'set' | 'insert') =>
  (place: string, value: Json): Edit => ({ op, path: pathOf(place), value: printableOf(value) });
export const [set, insert] = [editing('set'), editing('insert')];
export const remove = (place: string): Edit => ({ op: 'remove', path: pathOf(place) });

/** The same with a name beside the id at a place in the value. */
export const named = (edit: Edit, at = ''): Edit =>
  !('value' in edit) ? edit : { ...edit, names: new Map([[at, 'New']]) };

type Case = [title: string, before: string, edit: Edit, after: string | null];

export function check(cases: readonly Case[]) {
  it.each(cases)('%s', (_, before, edit, after) => expect(applyEdits(before, [edit])).toBe(after));
}
