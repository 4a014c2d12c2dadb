import type { JsonObject } from '../model/json.ts';

/** Texts by name: `subject`, `body`, or the number of a text inside a chat message. */
export type Texts = Readonly<Record<string, string>>;

/** The texts of one template rendered, or the reason why they could not be. */
export type Outcome<T> =
  | { readonly is: 'rendered'; readonly value: T }
  /** The reason is a sentence for people; it may quote the template. */
  | { readonly is: 'failed'; readonly reason: string };

/** A question to the renderer's process. */
export type Job =
  | { readonly asks: 'render'; readonly texts: Texts; readonly context: JsonObject }
  | {
      readonly asks: 'sample';
      readonly texts: readonly string[];
      /** The tenant's context attributes; `null` where they are not known. */
      readonly attributes: JsonObject | null;
    }
  | ({ readonly asks: 'further' } & FurtherQuestion);

/** Both sides of a template whose changed lines are looked for. */
export interface FurtherQuestion {
  readonly before: Texts | null;
  readonly after: Texts | null;
  readonly attributes: JsonObject | null;
}

/** Renderings with other values, which show changed lines that the usual values do not reach. */
export interface Further {
  readonly renderings: readonly FurtherRendering[];
  /** How many changed lines are in no rendering. */
  readonly unseen: number;
}

export interface FurtherRendering {
  /** What is different in it, as part of a sentence: "where `$user.isManager` is set". */
  readonly title: string;
  readonly before: Texts | null;
  readonly after: Texts | null;
}

/** @param reason a sentence for people */
export function failWith(reason: string): Outcome<never> {
  return { is: 'failed', reason };
}
