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

/** A text in which the edit is marked as by `git diff --word-diff`: `[-old-]{+new+}`. Without a mark, it cannot be made. */
type Case = [title: string, marked: string, edit: Edit];

const marks = /\[-(.*?)-\]|\{\+(.*?)\+\}/gs;

export function check(cases: readonly Case[]) {
  it.each(cases)('%s', (_, marked, edit) => {
    const after = marked.replaceAll(marks, (_mark, _old, added = '') => added);
    const before = marked.replaceAll(marks, (_mark, old = '') => old);
    expect(applyEdits(before, [edit])).toBe(before === after ? null : after);
  });
}
