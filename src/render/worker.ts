/**
 * The renderer's process. Templates are evaluated here, since one may never end or take all memory; the program then
 * ends this process. A thread is not enough: a list such as `[1..99999999]` aborts the whole process.
 */
import { parse } from 'velocityjs';
import { messageOf } from '../model/failure.ts';
import type { Job, Outcome, Texts } from './renderer.ts';
import { decideConditions, evaluate, literalsIn, type Tree } from './velocity.ts';

const maxReason = 400;
const maxCharacters = Number(process.argv[2]);

function answer(job: Job): Outcome<unknown> {
  try {
    switch (job.asks) {
      case 'literals':
        return { is: 'rendered', value: literalsIn(job.texts.flatMap(parseOrSkip)) };
      case 'render':
        return renderAll(job);
    }
  } catch (error) {
    return { is: 'failed', reason: `It cannot be rendered: ${reasonOf(error)}` };
  }
}

/** Nothing for text that is not Velocity: rendering it will say why. */
function parseOrSkip(text: string): Tree[] {
  try {
    return [parse(text)];
  } catch {
    return [];
  }
}

function renderAll({ texts, context, conditions }: Extract<Job, { asks: 'render' }>): Outcome<Texts> {
  let left = maxCharacters;
  const rendered: [string, string][] = [];
  for (const [name, text] of Object.entries(texts)) {
    const tree = parse(text);
    if (conditions !== null) decideConditions(tree, conditions);
    const result = evaluate(tree, context);
    left -= result.length;
    if (left < 0) return { is: 'failed', reason: `It renders to more than ${maxCharacters} characters.` };
    rendered.push([name, result]);
  }
  return { is: 'rendered', value: Object.fromEntries(rendered) };
}

function reasonOf(error: unknown): string {
  if (error instanceof RangeError) return 'it repeats itself without end, or is too long.';
  const message = messageOf(error);
  return message.length > maxReason ? `${message.slice(0, maxReason)} …` : message;
}

// Only the program can write to this channel, so a message is a job.
process.on('message', (job: Job) => process.send?.(answer(job)));
process.on('disconnect', () => process.exit());
process.send?.('ready');
