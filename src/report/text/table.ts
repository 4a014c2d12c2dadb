import { graphemesOf, padTo, type Row, span, widthOf } from './layout.ts';

/** Wider cells are cut. */
const widest = 36;
const gap = '  ';

/** Rows of a table, as many columns as fit into `width`; `left` is how many do not. Cells are single lines. */
export function table(
  header: readonly string[],
  cells: readonly (readonly string[])[],
  width: number,
): { rows: Row[]; left: number } {
  const widths = header.map((title, at) => {
    const all = [title, ...cells.map((line) => line[at] ?? '')];
    return all.reduce((most, text) => Math.max(most, Math.min(widest, widthOf(text))), 0);
  });
  const count = fitting(widths, width);
  const lines = [header, ...cells].map((line) =>
    line
      .slice(0, count)
      .map((text, at) => padTo(cut(text, widths[at] ?? 0), widths[at] ?? 0))
      .join(gap)
      .trimEnd(),
  );
  const rows = lines.map((text, at): Row => {
    return { indent: 0, hang: 0, spans: [at === 0 ? span(text, 'bold') : span(text)] };
  });
  return { rows, left: header.length - count };
}

/** How many columns fit; at least one. */
function fitting(widths: readonly number[], width: number): number {
  let used = 0;
  const count = widths.findIndex((column, at) => {
    used += column + (at === 0 ? 0 : gap.length);
    return used > width;
  });
  return count === -1 ? widths.length : Math.max(1, count);
}

function cut(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let shown = '';
  for (const { segment } of graphemesOf(text)) {
    if (widthOf(shown + segment) >= columns) break;
    shown += segment;
  }
  return `${shown}…`;
}
