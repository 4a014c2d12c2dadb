import type { LiveObject } from '../kinds/kind.ts';
import type { Resource } from '../kinds/resource.ts';
import type { Address } from '../model/address.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { type Pointer, pointer, segmentsOf } from '../model/pointer.ts';

type Reason = 'notShown' | 'credential' | 'notWritable' | 'notValid';

/** A value that is left out of a manifest, so that it stays as it is in the tenant. */
export interface Omission {
  readonly at: Pointer;
  readonly reason: Reason;
  /** The part that the schema does not accept, if it is not the whole value. */
  readonly within?: Pointer;
}

/** An object that is not exported, and why: no manifest can declare it, or its kind says so. */
export interface Refusal {
  readonly object: LiveObject;
  readonly refused: string;
  readonly by: 'schema' | 'kind';
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

/** The comment below a manifest that explains an omission. */
export function remarkOf(omission: Omission): string {
  return `${printPlace(omission.at)} is left out: ${whyOf(omission)}.`;
}

function whyOf({ at, reason, within = at }: Omission): string {
  return within === at ? reasons[reason] : `${reasons[reason]} of ${printPlace(within)}`;
}

export function omissionDiagnostics(
  drafts: readonly { readonly object: LiveObject; readonly omissions: readonly Omission[] }[],
): Diagnostic[] {
  return drafts.flatMap(({ object, omissions }) =>
    omissions
      .filter(({ reason }) => reason === 'notValid')
      .map((omission) => {
        return notDeclarable(object, `is exported without ${printPlace(omission.at)}: ${whyOf(omission)}.`);
      }),
  );
}

export function refusalDiagnostics(refusals: readonly Refusal[]): Diagnostic[] {
  return refusals.map(({ object, refused, by }) =>
    by === 'kind'
      ? notExported(object.address, refused, 'Export again later, or declare it by hand.')
      : notDeclarable(object, `is not exported, because no manifest can declare it: ${refused}.`),
  );
}

function notDeclarable({ address }: LiveObject, what: string): Diagnostic {
  const hint = 'What is left out stays as it is in the tenant.';
  return { code: 'not-declarable', severity: 'warning', message: `${address} ${what}`, hint, address };
}

/** The remark on an object that was left out of an export, with what to do `next`. */
export function notExported(address: Address, why: string, next: string): Diagnostic {
  return {
    code: 'not-exported',
    severity: 'warning',
    message: `${address} is not exported: ${why}`,
    hint: `It stays as it is in the tenant. ${next}`,
    address,
  };
}

/** Why a difference was not merged, or what was lost in merging it. */
type NoteReason = keyof typeof noteWords;

export interface Note {
  /** Left out: the whole manifest. */
  readonly at?: Pointer;
  readonly reason: NoteReason;
}

export function noteDiagnostic(resource: Resource, { at, reason }: Note): Diagnostic {
  const { words, ...rest } = noteWords[reason];
  const { address } = resource;
  const [field = ''] = segmentsOf(at ?? '');
  const isDeclared = at !== undefined && Object.hasOwn(resource.fields, field);
  const source = at === undefined ? resource.source() : resource.locate(isDeclared ? at : pointer());
  const message = words.replace('{}', () => (at === undefined ? address : printPlace(at)));
  return { ...rest, message, source, address };
}

const byHand = 'Make the changes by hand: `tenantctl plan` shows them.';

/** `{}` stands for the place, or for the address of the whole object. */
const noteWords = {
  overlay: say(
    'set-by-overlay',
    'warning',
    '{} differs from the tenant, but an overlay sets it; it was not changed.',
    "To keep the tenant's value, change the overlay. Otherwise the next apply writes the overlay's.",
  ),
  secret: say(
    'secret-kept',
    'warning',
    '{} holds a secret and may differ from the tenant; it was not changed.',
    "To keep the tenant's value, set the secret to it. Otherwise the next apply writes yours.",
  ),
  besideSecret: say(
    'secret-kept',
    'error',
    '{} differs from the tenant and holds a secret, which could be any of the values there; it was not changed.',
    byHand,
  ),
  tag: say(
    'tag-replaced',
    'info',
    "{} no longer has the value that its tag gives; the tag was replaced with the tenant's value.",
    'Every environment that reads the manifest gets that value. If only one should, take the tag back and change what it gives there, such as a variable.',
  ),
  rename: say(
    'rename-kept',
    'warning',
    '{} is the name that the tenant still has; it was not changed, so a plan renames the object.',
    'Apply to rename it. To keep the former name, declare that one and remove `renamedFrom`.',
  ),
  unwritable: say(
    'not-declarable',
    'warning',
    "{} differs from the tenant, but a manifest cannot express the tenant's value.",
    "To keep the tenant's value, remove the field from the manifest. Otherwise the next apply writes the manifest's.",
  ),
  gone: say(
    'object-gone',
    'warning',
    'The tenant no longer has {}.',
    'Remove the document, or use `export --merge --delete`.',
  ),
  removed: say(
    'object-gone',
    'warning',
    'The tenant no longer has {}; its document was removed.',
    'To create the object again, take the document back from git, and apply.',
  ),
  absent: say(
    'object-still-there',
    'info',
    '{} is declared absent, but the tenant has it; the manifest was not changed.',
    'Apply to delete it. To keep it, remove `ensure: absent`.',
  ),
  refused: say(
    'cannot-edit',
    'error',
    'The manifest of {} could not be edited without losing content; it was not changed.',
    byHand,
  ),
};

/** If a plan after the merge is not empty, people have to know why. */
function say(code: string, severity: Diagnostic['severity'], words: string, hint: string) {
  return { code, severity, words, hint };
}
