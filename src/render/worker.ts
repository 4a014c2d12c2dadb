/**
 * The renderer's process. Templates are evaluated here, since one may never end or take all memory; the program then
 * ends this process. A thread is not enough: a list such as `[1..99999999]` aborts the whole process.
 */
import { parse } from 'velocityjs';
import { messageOf } from '../model/failure.ts';
import type { JsonObject } from '../model/json.ts';
import { renderFurther } from './further.ts';
import { failWith, type Job, type Outcome, type Texts } from './outcome.ts';
import { sampleContext } from './sample.ts';
import { evaluate, type Tree } from './velocity.ts';

const maxReason = 400;
const maxCharacters = Number(process.argv[2]);

function answer(job: Job): Outcome<unknown> {
  try {
    switch (job.asks) {
      case 'sample':
        return { is: 'rendered', value: sampleContext(job.texts.flatMap(parseOrSkip), job) };
      case 'further':
        return { is: 'rendered', value: renderFurther(job, maxCharacters) };
      case 'render':
        return renderAll(job.texts, job.context);
    }
  } catch (error) {
    return failWith(`It cannot be rendered: ${reasonOf(error)}`);
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

function renderAll(texts: Texts, context: JsonObject): Outcome<Texts> {
  let left = maxCharacters;
  const rendered: [string, string][] = [];
  for (const [name, text] of Object.entries(texts)) {
    const result = evaluate(parse(text), context);
    left -= result.length;
    if (left < 0) return failWith(`It renders to more than ${maxCharacters} characters.`);
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
