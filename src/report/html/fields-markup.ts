import type { SideDifference } from '../../model/diff.ts';
import { pathWords, sensitiveWords, type View, viewOf } from '../difference.ts';
import { textsOfBlock } from '../line-diff.ts';
import { oneLine } from '../safe.ts';
import { diffInline, type Part } from '../word-diff.ts';
import { diffFigure } from './diff-markup.ts';
import { html, type Markup } from './markup.ts';

/** More lines of one value are cut in a page. */
export const maxLines = 400;

/** A field that differs, and how it is shown. */
export interface Field<T extends SideDifference = SideDifference> {
  readonly difference: T;
  readonly view: View;
}

/** The fields of an object that differ. */
export function fieldsOf<T extends SideDifference>(differences: readonly T[]): Field<T>[] {
  return differences.map((difference) => ({ difference, view: viewOf(difference, maxLines) }));
}

/** The field and the texts of a difference, for the search. */
export function textsOf({ difference, view }: Field): string[] {
  const name = pathWords(difference.path);
  switch (view.is) {
    case 'sensitive':
      return [name];
    case 'inline':
      return [name, view.before ?? '', view.after ?? ''];
    case 'lines':
      return [name, ...view.diff.hunks.flat().flatMap(textsOfBlock)];
  }
}

/** How the fields of an object are called. */
interface FieldNames<T> {
  /** What the values before and after are, above their columns. */
  readonly sides: readonly [before: string, after: string];
  /** The name of a field beside its values. */
  nameOf(difference: T): Markup;
  /** The same above a long text. */
  captionOf(difference: T): Markup;
}

/** Fields that differ: short values in a table, and each long text in a figure of its own. */
export function fieldsMarkup<T extends SideDifference>(
  fields: readonly Field<T>[],
  { sides: [first, second], nameOf, captionOf }: FieldNames<T>,
): Markup {
  const rows = fields
    .filter(({ view }) => view.is !== 'lines')
    .map(({ difference, view }) => {
      return html`<tr><th scope="row">${nameOf(difference)}</th>${valueCells(view)}</tr>`;
    });
  const table = html`<div class="scroll"><table class="fields"><thead><tr><th scope="col">Field</th><th scope="col">${first}</th><th scope="col">${second}</th></tr></thead>
<tbody>${rows}</tbody></table></div>`;
  const figures = fields.map(({ difference, view }) =>
    view.is === 'lines' ? diffFigure(captionOf(difference), view.diff) : '',
  );
  return html`${rows.length === 0 ? '' : table}
${figures}`;
}

/** The cells of both values in the row of a field. */
function valueCells(view: View): Markup {
  if (view.is !== 'inline') return html`<td colspan="2"><em>${sensitiveWords}</em></td>`;
  const [before, after] = diffInline(view.before, view.after);
  return html`<td>${cell(before, 'del')}</td><td>${cell(after, 'ins')}</td>`;
}

function cell(parts: readonly Part[] | null, side: 'del' | 'ins'): Markup {
  if (parts === null) return html`<span class="none">not set</span>`;
  const shown = parts.map(({ text, changed }) =>
    changed ? html`<mark>${oneLine(text)}</mark>` : oneLine(text),
  );
  return side === 'del' ? html`<del class="old">${shown}</del>` : html`<ins class="new">${shown}</ins>`;
}
