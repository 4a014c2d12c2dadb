/** Text inside a Markdown table. */
function cell(text) {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ').trim();
}

export function table(head, rows) {
  const line = (cells) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

/** A sentence with its full stop. */
export function sentence(text) {
  return /[.!?:]$/.test(text) ? text : `${text}.`;
}
