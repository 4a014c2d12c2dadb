import type { Address } from '../model/address.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Plan } from '../model/plan.ts';
import type { Result } from '../model/result.ts';

/** What can be shown. */
export type Document =
  | { readonly is: 'plan'; readonly plan: Plan }
  | { readonly is: 'result'; readonly result: Result }
  | { readonly is: 'diagnostics'; readonly diagnostics: readonly Diagnostic[] };

export const formats = ['text', 'json', 'markdown', 'html', 'junit', 'github', 'sarif', 'gitlab'] as const;
export type Format = (typeof formats)[number];

/** A notification template as recipients see it: a whole HTML document or fragment, `null` where there is none. */
export interface Rendered {
  readonly before: string | null;
  readonly after: string | null;
}

export interface ReportOptions {
  /** Whether text may hold terminal colours. */
  readonly colour: boolean;
  /** Columns of the terminal. */
  readonly width: number;
  /** Show long values whole, and the requests. */
  readonly verbose?: boolean;
  /** Where a manifest can be read on the web: `https://host/blob/REV/{file}#L{line}`. */
  readonly sourceUrl?: string;
  /** Templates rendered elsewhere, shown by the HTML report. */
  readonly rendered?: Readonly<Record<Address, Rendered>>;
}
