import type { LintCode } from '../model/lint.ts';
import type { Pointer } from '../model/pointer.ts';

export interface Finding {
  readonly code: LintCode;
  readonly at: Pointer;
  readonly message: string;
  readonly hint?: string | null;
  /** Characters from the start of the text at `at`. */
  readonly offset?: number;
  /** Its line is not shown, because it may contain a credential. */
  readonly isUnshown?: true;
}
