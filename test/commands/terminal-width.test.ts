import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { type Io, isInteractive, redactIo, viewOf } from '../../src/commands/io.ts';

type Output = Io['stderr'];

const output = (more: Partial<Output>): Output => Object.assign(new PassThrough(), more);

it.each<[string, Partial<Output>, number]>([
  ['a terminal', { isTTY: true, columns: 132 }, 132],
  ['a terminal that does not know its size', { isTTY: true, columns: 0 }, 80],
  ['a terminal that says nothing of it', { isTTY: true }, 80],
  ['a file', {}, 100],
])('%s is as wide as it can be read', (_name, stream, width) => {
  expect(viewOf(output(stream), redactIo(program(false, false))).width).toBe(width);
});

/** A program whose input and streams are terminals, or not. */
const program = (isTyped: boolean, isTTY: boolean, env: NodeJS.ProcessEnv = {}) => ({
  cwd: '/',
  env,
  stdin: () => Object.assign(new PassThrough(), { isTTY: isTyped }),
  stdout: output({ isTTY }),
  stderr: output({ isTTY }),
  signal: new AbortController().signal,
});

it.each<[NodeJS.ProcessEnv, terminal: boolean, file: boolean]>([
  [{}, true, false],
  [{ NO_COLOR: '1', FORCE_COLOR: '1' }, false, false],
  [{ FORCE_COLOR: '1' }, true, true],
  [{ FORCE_COLOR: '0' }, false, false],
  [{ TERM: 'dumb' }, false, false],
])('with %j a terminal has colours: %s, and a file: %s', (env, terminal, file) => {
  const isColoured = (isTTY: boolean) => {
    const io = redactIo(program(false, isTTY, env));
    return viewOf(io.stdout, io).colour;
  };
  expect([isColoured(true), isColoured(false)]).toEqual([terminal, file]);
});

it('asks only where somebody sees the question and can answer', () => {
  const both = [true, false];
  const asked = both.map((isTyped) => both.map((isTTY) => isInteractive(program(isTyped, isTTY))));
  expect(asked).toEqual([
    [true, false],
    [false, false],
  ]);
});
