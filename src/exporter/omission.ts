import { type Pointer, segmentsOf } from '../model/pointer.ts';

/** Why a value of the tenant is not in its manifest. */
export type Reason = 'notShown' | 'credential' | 'notWritable' | 'notValid';

/** A value that is left out of a manifest, so that it stays as it is in the tenant. */
export interface Omission {
  readonly at: Pointer;
  readonly reason: Reason;
}

/** The comment below a manifest that explains an omission. */
export function remarkOf({ at, reason }: Omission): string {
  return `${printPlace(at)} is left out: ${reasons[reason]}`;
}

/** A place for a comment. Member names come from the tenant and must not be able to end the comment. */
export function printPlace(at: Pointer): string {
  const path = segmentsOf(at).join('.');
  return path.replace(/[^\x20-\x7e]/g, '?').slice(0, 120);
}

const reasons: Readonly<Record<Reason, string>> = {
  notShown: 'the tenant does not show it. Declare it here to manage it.',
  credential: 'it may hold a credential, in a place where secrets cannot be compared.',
  notWritable: 'it holds a value that a manifest cannot express.',
  notValid: 'the schema of this kind does not accept the value.',
};
