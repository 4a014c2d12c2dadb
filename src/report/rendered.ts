/** An e-mail in the list of an inbox. Empty texts stand for missing ones. */
export interface MailHead {
  readonly subject: string;
  readonly from: string;
  readonly replyTo: string;
  /** The first words of the text. */
  readonly preheader: string;
}

/** One side of a notification template as recipients see it. */
export interface RenderedSide {
  /** An HTML document or a part of one, for a frame without scripts. */
  readonly document: string;
  /** `null` for a message that is not an e-mail. */
  readonly head: MailHead | null;
}

/** A notification template as recipients see it; `null` where there is none. */
export interface Rendered {
  readonly before: RenderedSide | null;
  readonly after: RenderedSide | null;
  /** With other values, where these show changed lines that are not seen otherwise. */
  readonly further?: readonly FurtherRendered[];
  /** A sentence about changed lines that are seen nowhere; empty or left out where there are none. */
  readonly remark?: string;
}

export interface FurtherRendered {
  /** Names the difference; code stands in backticks. */
  readonly title: string;
  readonly before: RenderedSide | null;
  readonly after: RenderedSide | null;
  /** The titles of both sides, where these are not before and after a change. */
  readonly captions?: readonly [before: string, after: string];
}
