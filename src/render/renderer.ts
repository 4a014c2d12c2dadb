import { type ChildProcess, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isTooDeep, type JsonObject } from '../model/json.ts';

/** Texts by name: `subject`, `body`, or the number of a text inside a chat message. */
type Texts = Readonly<Record<string, string>>;

/** The rendered texts, or a sentence that says why rendering failed. It may quote the template. */
export type Outcome<T> =
  | { readonly is: 'rendered'; readonly value: T }
  | { readonly is: 'failed'; readonly reason: string };

export interface Rendering {
  readonly texts: Texts;
  readonly literals: readonly string[];
}

export interface Job {
  readonly texts: Texts;
  readonly context: JsonObject;
  /** `true` or `false` decides all conditions, whatever the context says. */
  readonly conditions: boolean | null;
}

/** Those of one template; characters for all texts together, before and after rendering. */
const defaultLimits = { milliseconds: 2000, megabytes: 96, characters: 1_000_000 };
type RenderLimits = Readonly<typeof defaultLimits>;

/** Renders templates one by one in a process of its own, which starts again after a template that had to be stopped. */
export class Renderer {
  readonly #limits: RenderLimits;
  #worker: Worker | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(limits: Partial<RenderLimits> = {}) {
    this.#limits = { ...defaultLimits, ...limits };
  }

  /** The texts with their Velocity evaluated. Never rejects, whatever the texts do. */
  render(texts: Texts, context: JsonObject, conditions: boolean | null = null): Promise<Outcome<Rendering>> {
    const { characters } = this.#limits;
    const length = Object.values(texts).reduce((sum, text) => sum + text.length, 0);
    if (length > characters) return Promise.resolve(failWith(`It has more than ${characters} characters.`));
    // Deeper values exhaust the stack on their way to the process.
    if (isTooDeep(context)) return Promise.resolve(failWith('Its values are nested too deeply.'));
    const result = this.#last.then(() => {
      if (this.#isClosed) return failWith('Rendering has ended.');
      if (!this.#worker?.isAlive) this.#worker = new Worker(this.#limits);
      return this.#worker.ask({ texts, context, conditions });
    });
    this.#last = result.catch(() => {});
    return result;
  }

  close(): void {
    this.#isClosed = true;
    this.#worker?.end();
  }
}

/** One process, without environment variables and unable to make code from text. */
class Worker {
  isAlive = true;
  readonly #process: ChildProcess;
  readonly #ready: Promise<void>;
  readonly #limits: RenderLimits;

  constructor(limits: RenderLimits) {
    this.#limits = limits;
    const { megabytes, characters } = limits;
    // The file beside the program. From source it is the one that was built last.
    const places = ['./render-worker.cjs', './render-worker.js', '../../dist/bin/render-worker.cjs'];
    const files = places.map((place) => fileURLToPath(new URL(place, import.meta.url)));
    const file = files.find((each) => existsSync(each)) ?? '';
    this.#process = fork(file, [String(characters)], {
      execArgv: [`--max-old-space-size=${megabytes}`, '--disallow-code-generation-from-strings'],
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#ready = new Promise((ready) => {
      for (const event of ['message', 'exit', 'error']) this.#process.once(event, () => ready());
    });
    this.#process.once('exit', () => {
      this.isAlive = false;
    });
    // A program that does not close its renderer can still end.
    this.#process.unref();
    this.#process.channel?.unref();
  }

  async ask(job: Job): Promise<Outcome<Rendering>> {
    // If the process ends without an answer, its channel no longer keeps the program waiting.
    this.#process.ref();
    this.#process.channel?.ref();
    await this.#ready;
    const answer = await this.#exchange(job);
    this.#process.channel?.unref();
    this.#process.unref();
    return answer;
  }

  end(): void {
    this.isAlive = false;
    this.#process.kill('SIGKILL');
  }

  #exchange(job: Job): Promise<Outcome<Rendering>> {
    const { milliseconds, megabytes } = this.#limits;
    return new Promise((resolve) => {
      if (!this.#process.connected) return resolve(failWith('The renderer cannot be started.'));
      const finish = (answer: Outcome<Rendering>) => {
        clearTimeout(timer);
        this.#process.off('message', finish).off('exit', onExit);
        resolve(answer);
      };
      const onExit = () => finish(failWith(`It takes more than ${megabytes} MB of memory.`));
      const timer = setTimeout(() => {
        this.end();
        finish(failWith(`It takes longer than ${milliseconds / 1000} s.`));
      }, milliseconds);
      this.#process.once('message', finish).once('exit', onExit);
      this.#process.send(job, (error) => {
        if (error) finish(failWith('The renderer cannot be reached.'));
      });
    });
  }
}

function failWith(reason: string): Outcome<never> {
  return { is: 'failed', reason };
}
