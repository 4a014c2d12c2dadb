import type { Address } from '../model/address.ts';
import type { Action } from '../model/plan.ts';
import type { ChangeResult } from '../model/result.ts';

/** What happens during an apply, for whoever shows progress. */
export type ApplyEvent =
  | { readonly type: 'checking'; readonly objects: number }
  /** The plan holds; `resumed` changes were begun or made by an earlier run of it. */
  | { readonly type: 'checked'; readonly changes: number; readonly resumed: number }
  | { readonly type: 'started'; readonly address: Address; readonly action: Action }
  /** The answer is no proof either way, so the object is looked up before anything else. */
  | { readonly type: 'waiting'; readonly address: Address; readonly why: string }
  | {
      readonly type: 'finished';
      readonly result: ChangeResult;
      readonly finished: number;
      readonly total: number;
    };
