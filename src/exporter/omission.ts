import { type Pointer, segmentsOf } from '../model/pointer.ts';

/** Why a value of the tenant does not stand in a manifest. */
export type Reason = 'notShown' | 'credential' | 'notWritable' | 'notValid';

/** A value that is left out, and so left as it is in the tenant. */
export interface Omission {
  readonly at: Pointer;
  readonly reason: Reason;
}

/** The remark below a manifest that tells of an omission. */
export function remarkOf({ at, reason }: Omission): string {
  return `${shownPlace(at)} is left out: ${reasons[reason]}`;
}

/** A place as a comment can show it: member names are the tenant's, so nothing of them may end the comment. */
export function shownPlace(at: Pointer): string {
  const path = segmentsOf(at).join('.');
  return path.replace(/[^\x20-\x7e]/g, '?').slice(0, 120);
}

const reasons: Readonly<Record<Reason, string>> = {
  notShown: 'the tenant does not show it. Declare it here to manage it.',
  credential: 'it may hold a credential where none can be compared.',
  notWritable: 'it holds what YAML manifests do not allow.',
  notValid: 'the schema of this kind does not accept what the tenant has.',
};
