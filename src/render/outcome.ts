import type { JsonObject } from '../model/json.ts';

/** Texts by name: `subject`, `body`, or the pointer of a text inside a chat message. */
export type Texts = Readonly<Record<string, string>>;

/** What became of the texts of one template. */
export type Outcome<T> =
  | { readonly is: 'rendered'; readonly value: T }
  /** `reason` is a sentence for people; it may quote the template. */
  | { readonly is: 'failed'; readonly reason: string };

/** What the renderer's process is asked. */
export type Job =
  | { readonly asks: 'render'; readonly texts: Texts; readonly context: JsonObject }
  | {
      readonly asks: 'sample';
      readonly texts: readonly string[];
      /** The tenant's context attributes; `null` where they are not known. */
      readonly attributes: JsonObject | null;
    };

export const failed = (reason: string): Outcome<never> => ({ is: 'failed', reason });
