/** One line of the table. */
export interface Row {
  readonly what: string;
  readonly goal: string;
  readonly measured: string;
  readonly met: boolean;
  /** How the figure came about: what was divided by what. */
  readonly detail: string;
}

/** A row whose figure may be at most `most`. */
export function atMost(
  what: string,
  most: number,
  value: number,
  { unit = '', detail }: { readonly unit?: string; readonly detail: string },
): Row {
  const digits = Number.isInteger(most) ? 0 : 2;
  // Judged as it is shown.
  const shown = value.toFixed(unit === '' && !Number.isInteger(value) ? 2 : digits);
  return { what, goal: `≤ ${most}${unit}`, measured: `${shown}${unit}`, met: Number(shown) <= most, detail };
}

/** A row whose figure has to be exactly `goal`. */
export function exactly(what: string, goal: number, values: readonly number[], detail: string): Row {
  const different = [...new Set(values)];
  return {
    what,
    goal: String(goal),
    measured: different.join(', '),
    met: different.every((value) => value === goal),
    detail,
  };
}

/** The rows as a Markdown table. */
export function tableOf(rows: readonly Row[]): string {
  const lines = rows.map(({ what, goal, measured, met, detail }) => [
    what,
    goal,
    measured,
    met ? 'yes' : '**no**',
    detail,
  ]);
  const cells = [['', 'goal', 'measured', 'met', 'how'], ['---', '---', '---', '---', '---'], ...lines];
  return cells.map((line) => `| ${line.join(' | ')} |\n`).join('');
}
