/**
 * The renderer's process: carries out templates apart from the program, which ends this process when a template
 * takes too long. A thread would not do: a list such as `[1..99999999]` aborts the whole process that it is made in.
 */
import { parse } from 'velocityjs';
import { evaluate } from './evaluate.ts';
import { failed, type Job, type Outcome, type Texts } from './outcome.ts';
import { sampleContext } from './sample.ts';

const longestReason = 400;

function answer(job: Job, longest: number): Outcome<unknown> {
  try {
    return job.asks === 'sample'
      ? { is: 'rendered', value: sampleContext(job.texts.flatMap(parsed), job.attributes) }
      : renderAll(job.texts, (text) => evaluate(text, job.context), longest);
  } catch (error) {
    return failed(`It cannot be rendered: ${reasonOf(error)}`);
  }
}

/** What cannot be read is told when it is rendered. */
function parsed(text: string): unknown[] {
  try {
    return parse(text);
  } catch {
    return [];
  }
}

function renderAll(texts: Texts, render: (text: string) => string, longest: number): Outcome<Texts> {
  let left = longest;
  const rendered: [string, string][] = [];
  for (const [name, text] of Object.entries(texts)) {
    const result = String(render(text));
    left -= result.length;
    if (left < 0) return failed(`It renders to more than ${longest} characters.`);
    rendered.push([name, result]);
  }
  return { is: 'rendered', value: Object.fromEntries(rendered) };
}

function reasonOf(error: unknown): string {
  if (error instanceof RangeError) return 'it repeats itself without end, or is too long.';
  const message = error instanceof Error ? error.message : String(error);
  return message.length > longestReason ? `${message.slice(0, longestReason)} …` : message;
}

const longest = Number(process.argv[2]);
// The program at the other end is the only one who can write to this channel.
process.on('message', (job: Job) => process.send?.(answer(job, longest)));
process.on('disconnect', () => process.exit());
process.send?.('ready');
