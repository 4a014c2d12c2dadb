import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { type Output, terminalWidth } from '../../src/commands/io.ts';

const output = (more: Partial<Output>): Output => Object.assign(new PassThrough(), more);

it.each<[string, Partial<Output>, number]>([
  ['a terminal', { isTTY: true, columns: 132 }, 132],
  ['a terminal that does not know its size', { isTTY: true, columns: 0 }, 80],
  ['a terminal that says nothing of it', { isTTY: true }, 80],
  ['a file', {}, 100],
])('%s is as wide as it can be read', (_name, stream, width) => {
  expect(terminalWidth(output(stream))).toBe(width);
});
