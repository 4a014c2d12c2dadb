import type { Address } from '../model/address.ts';
import type { Diff, Fleet, Plan, Result } from '../model/documents.ts';
import type { Diagnostic } from '../model/failure.ts';

export type Document =
  | { readonly is: 'plan'; readonly plan: Plan }
  | { readonly is: 'result'; readonly result: Result }
  | { readonly is: 'fleet'; readonly fleet: Fleet }
  | { readonly is: 'diff'; readonly diff: Diff }
  | { readonly is: 'diagnostics'; readonly diagnostics: readonly Diagnostic[] };

export type Redact = (text: string) => string;

/** How a report is laid out, and how much of it. */
export interface ReportView {
  readonly colour: boolean;
  readonly width: number;
  /** Show long values whole, the requests, and every remark. */
  readonly verbose?: boolean;
  /** Leave out remarks: warnings and information that are not part of a change. */
  readonly quiet?: boolean;
}

/** The context of a report besides its document, the same in all formats. */
export interface ReportContext {
  /** The project's folder in its repository, with `/` at its end: CI systems look for files from the top. */
  readonly folder?: string;
  /** The commit that a document was made of. What is not known is empty. */
  readonly commit?: Readonly<Record<'id' | 'branch' | 'author' | 'url', string>>;
  /** Milliseconds since 1970, for the age of a saved document. Left out: a terminal shows no age. */
  readonly now?: number;
  /** The web address of a line in a manifest: `https://host/blob/REV/{file}#L{line}`. */
  readonly sourceUrl?: string;
  /** The web address of the HTML report of the same plan. The Markdown report links to the changes in it. */
  readonly reportUrl?: string;
  /** The arguments of `tenantctl apply` for this document. Left out: the report names no command. */
  readonly applyWith?: readonly string[];
  /** Removes secrets from what is shown, before the report is made of it. Plans and results as JSON stay as they are. */
  readonly redact?: Redact;
  /** Templates that were rendered before, for the HTML report. */
  readonly rendered?: Readonly<Record<Address, Rendered>>;
}

export interface ReportOptions extends ReportView, ReportContext {}

export interface RenderedSide {
  /** An HTML document or a part of one, for a frame without scripts. */
  readonly document: string;
  /** An e-mail in the list of an inbox: empty texts stand for missing ones. `null` for another message. */
  readonly head: Readonly<Record<'subject' | 'from' | 'replyTo' | 'preheader', string>> | null;
}

/** A notification template as recipients see it, or `null`. */
export interface Rendered {
  readonly before: RenderedSide | null;
  readonly after: RenderedSide | null;
  /** With other values, if these show otherwise hidden changed lines. */
  readonly further?: readonly (Pick<Rendered, 'before' | 'after' | 'captions'> & {
    /** Names the difference; code stands in backticks. */
    readonly title: string;
  })[];
  /** A sentence about changed lines that no rendering shows; empty or left out if there are none. */
  readonly remark?: string;
  /** The titles of both sides, if they are not only before and after a change. */
  readonly captions?: readonly [before: string, after: string];
}
