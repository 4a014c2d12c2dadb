import type { Kind, LiveObject } from '../kinds/kind.ts';
import type { Address } from '../model/address.ts';
import { groupBy } from '../model/basics.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { type Pointer, segmentsOf } from '../model/pointer.ts';

/** Why a value of the tenant is not in its manifest. */
export type Reason = 'notShown' | 'credential' | 'notWritable' | 'notValid';

/** A value that is left out of a manifest, so that it stays as it is in the tenant. */
export interface Omission {
  readonly at: Pointer;
  readonly reason: Reason;
  /** What the schema does not accept, where that is a part of it. */
  readonly within?: Pointer;
}

/** The comment below a manifest that explains an omission. */
export function remarkOf(omission: Omission): string {
  return `${printPlace(omission.at)} is left out: ${whyOf(omission)}.`;
}

function whyOf({ at, reason, within = at }: Omission): string {
  return within === at ? reasons[reason] : `${reasons[reason]} of ${printPlace(within)}`;
}

/**
 * The remarks on fields that no manifest can declare, one for each field of a kind: a wrong description of a field concerns
 * all objects. They are as likely to be missed as a whole object.
 */
export function omissionDiagnostics(
  drafts: readonly { readonly object: LiveObject; readonly omissions: readonly Omission[] }[],
): Diagnostic[] {
  const omitted = drafts.flatMap(({ object, omissions }) =>
    omissions.filter(({ reason }) => reason === 'notValid').map((omission) => ({ object, omission })),
  );
  const fields = groupBy(omitted, ({ object, omission }) => `${object.kind.name}${omission.at}`);
  return fields.map(([, group]): Diagnostic => {
    const [{ object, omission }, ...others] = group;
    const [code, severity] = ['not-declarable', 'warning'] as const;
    if (others.length === 0) {
      const message = `${object.address}: ${remarkOf(omission)}`;
      const hint = 'It stays as it is in the tenant. All else of the object is exported.';
      return { code, severity, message, hint, address: object.address };
    }
    const count = countOf(object.kind, group);
    const message = `${count}: ${printPlace(omission.at)} is left out. The first: ${whyOf(omission)}.`;
    const hint =
      'They stay as they are in the tenant, and a comment in each manifest says why. All else is exported.';
    return { code, severity, message, hint };
  });
}

/** A place for a comment. Member names come from the tenant and must not be able to end the comment. */
export function printPlace(at: Pointer): string {
  const path = segmentsOf(at).join('.');
  return path.replace(/[^\x20-\x7e]/g, '?').slice(0, 120);
}

const reasons: Readonly<Record<Reason, string>> = {
  notShown: 'the tenant does not show it. Declare it here to manage it',
  credential: 'it may hold a credential, in a place where secrets cannot be compared',
  notWritable: 'it holds a value that a manifest cannot express',
  notValid: 'the schema of this kind does not accept the value',
};

/** An object that is not exported, and why: no manifest can declare it, or its kind says so. */
export interface Refusal {
  readonly object: LiveObject;
  readonly refused: string;
  readonly by: 'schema' | 'kind';
}

/** The remarks about objects that are not exported. */
export function refusalDiagnostics(refusals: readonly Refusal[]): Diagnostic[] {
  const byKind = refusals.filter(({ by }) => by === 'kind');
  return [
    ...undeclarable(refusals.filter(({ by }) => by === 'schema')),
    ...byKind.map(({ object, refused }) =>
      notExported(object.address, refused, 'Export again later, or declare it by hand.'),
    ),
  ];
}

/**
 * The remark on an object that was left out of an export.
 *
 * @param next what to do
 */
export function notExported(address: Address, why: string, next: string): Diagnostic {
  return {
    code: 'not-exported',
    severity: 'warning',
    message: `${address} is not exported: ${why}`,
    hint: `It stays as it is in the tenant. ${next}`,
    address,
  };
}

/** One remark about all objects that no manifest can declare: how many of each kind, and the first of them by name. */
function undeclarable(refusals: readonly Refusal[]): Diagnostic[] {
  const [first] = refusals;
  if (!first) return [];
  const [code, severity] = ['not-declarable', 'warning'] as const;
  if (refusals.length === 1) {
    const { address } = first.object;
    const message = `${address} is not exported, because no manifest can declare it: ${first.refused}.`;
    return [{ code, severity, message, hint: 'It stays as it is in the tenant.', address }];
  }
  const kinds = [...new Set(refusals.map(({ object }) => object.kind))];
  const counts = kinds.map((kind) => countOf(kind, refusals));
  const message = `${refusals.length} objects are not exported, because no manifest can declare them: ${counts.join(', ')}.`;
  return [
    {
      code,
      severity,
      message: `${message} The first: ${first.refused}.`,
      hint: 'They stay as they are in the tenant.',
    },
  ];
}

/** How many objects of a kind a remark names. */
const longestList = 3;

function countOf(kind: Kind, objects: readonly Pick<Refusal, 'object'>[]): string {
  const addresses = objects.filter(({ object }) => object.kind === kind).map(({ object }) => object.address);
  const more = addresses.length > longestList ? ', …' : '';
  return `${addresses.length} × ${kind.name} (${addresses.slice(0, longestList).join(', ')}${more})`;
}
