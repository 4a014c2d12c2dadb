import { expect, it } from 'vitest';
import { zoneLine } from '../../src/report/status.ts';
import { commandsIn } from './hostile.ts';

const txt = (value: string) => zoneLine({ type: 'TXT', name: 'acme.example', value });
/** The strings of a TXT record, each as the bytes that it stands for. */
const stringsOf = (line: string) =>
  [...line.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) =>
    text.replace(/\\(?:(\d{3})|(.))/g, (_all, code: string | undefined, char: string) =>
      code === undefined ? char : String.fromCharCode(Number(code)),
    ),
  );

it.each([
  [0, [0]],
  [255, [255]],
  [256, [255, 1]],
  [511, [255, 255, 1]],
])('a text of %i bytes stands in strings of at most 255', (length, lengths) => {
  const strings = stringsOf(txt('x'.repeat(length)));
  expect(strings.map((text) => text.length)).toEqual(lengths);
  expect(strings.join('')).toBe('x'.repeat(length));
});

it('counts bytes, and comes back as it was', () => {
  const text = `${'ä'.repeat(200)} "quoted" \\ back ##[error] 😀`;
  const strings = stringsOf(txt(text));
  expect(strings.every((part) => part.length <= 255)).toBe(true);
  expect(Buffer.from(strings.join(''), 'latin1').toString('utf8')).toBe(text);
});

it('holds no command to a CI system', () => {
  expect(commandsIn(txt('v=spf1 ##[add-mask]x ##vso[task.complete]'))).toEqual([]);
});
