// A session in a terminal as an SVG that plays once: commands are typed, their output appears, the screen scrolls. Each line
// is in the file once. With reduced motion, the end of the session stands still.
import { frame, lineOf, row } from './terminal.mjs';

const rows = 26;
const [typing, pause] = [0.9, 2.4];

/**
 * @param steps the commands with what they printed
 * @param label what the recording shows, for those who do not see it
 * @param columns of the terminal; what does not fit is cut
 */
export function recording(steps, label, columns) {
  const shown = steps.flatMap(({ command, output }, at) => {
    const start = 0.5 + at * (typing + pause);
    const lines = ['', ...output.trimEnd().split('\n'), ''];
    return [
      { lines: [`$ ${command}`], start, isTyped: true },
      { lines, start: start + typing, isTyped: false },
    ];
  });
  let end = 0;
  const parts = shown.map((part) => {
    const first = end;
    end += part.lines.length;
    return { ...part, first, scrolled: Math.max(0, end - rows) };
  });
  const lines = shown.flatMap((part) => part.lines);
  const last = Math.max(0, lines.length - rows);
  const seconds = (parts.at(-1)?.start ?? 0) + 0.1;
  const style = `
.part { opacity: 0; animation: show 1ms forwards; }
.typed { clip-path: inset(0 100% 0 0); animation: type ${typing}s steps(24) forwards; }
.screen { animation: scroll ${seconds}s step-end forwards; }
@keyframes show { to { opacity: 1; } }
@keyframes type { to { clip-path: inset(0); } }
@keyframes scroll { ${scrolling(parts, seconds)} to { transform: translateY(${-last * row}px); } }
@media (prefers-reduced-motion: reduce) {
  .part, .typed, .screen { animation: none; opacity: 1; clip-path: none; }
  .screen { transform: translateY(${-last * row}px); }
}`;
  const body = parts.map(({ lines: texts, first, start, isTyped }) => {
    const drawn = texts.map((text, at) => lineOf(text, (first + at + 1) * row)).filter(Boolean);
    return `<g class="${isTyped ? 'typed' : 'part'}" style="animation-delay:${start.toFixed(1)}s">${drawn.join('\n')}</g>`;
  });
  return frame({ columns, rows, label, style }, `<g class="screen">\n${body.join('\n')}\n</g>`);
}

/** Where the screen is from which time on. */
const scrolling = (parts, seconds) =>
  parts
    .map(
      ({ start, scrolled }) =>
        `${((100 * start) / seconds).toFixed(1)}% { transform: translateY(${-scrolled * row}px); }`,
    )
    .join(' ');
