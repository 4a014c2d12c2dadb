import type { Kind, LiveObject } from '../kinds/kind.ts';
import type { Resource } from '../kinds/resource.ts';
import type { Address } from '../model/address.ts';
import { groupBy } from '../model/basics.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { type Pointer, pointer, segmentsOf } from '../model/pointer.ts';

export type Reason = 'notShown' | 'credential' | 'notWritable' | 'notValid';

/** A value that is left out of a manifest, so that it stays as it is in the tenant. */
export interface Omission {
  readonly at: Pointer;
  readonly reason: Reason;
  /** What the schema does not accept, where that is a part of it. */
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

const notDeclarable = { code: 'not-declarable', severity: 'warning' } as const;

/** Remarks on fields that no manifest can declare: one for each field, whose description is wrong for all objects. */
export function omissionDiagnostics(
  drafts: readonly { readonly object: LiveObject; readonly omissions: readonly Omission[] }[],
): Diagnostic[] {
  const omitted = drafts.flatMap(({ object, omissions }) =>
    omissions.filter(({ reason }) => reason === 'notValid').map((omission) => ({ object, omission })),
  );
  const fields = groupBy(omitted, ({ object, omission }) => `${object.kind.name}${omission.at}`);
  return fields.map(([, group]): Diagnostic => {
    const [{ object, omission }, ...others] = group;
    if (others.length === 0) {
      const message = `${object.address}: ${remarkOf(omission)}`;
      const hint = 'It stays as it is in the tenant. The rest of the object is exported.';
      return { ...notDeclarable, message, hint, address: object.address };
    }
    const count = countOf(object.kind, group);
    const message = `${count}: ${printPlace(omission.at)} is left out. The first: ${whyOf(omission)}.`;
    const hint =
      'They stay as they are in the tenant, and a comment in each manifest says why. Everything else is exported.';
    return { ...notDeclarable, message, hint };
  });
}

/** The remarks about objects that are not exported: one for all that no manifest can declare, with the first of each kind by name. */
export function refusalDiagnostics(refusals: readonly Refusal[]): Diagnostic[] {
  const next = 'Export again later, or declare it by hand.';
  const byKind = refusals
    .filter(({ by }) => by === 'kind')
    .map(({ object, refused }) => notExported(object.address, refused, next));
  const bySchema = refusals.filter(({ by }) => by === 'schema');
  const [first] = bySchema;
  if (!first) return byKind;
  if (bySchema.length === 1) {
    const { address } = first.object;
    const message = `${address} is not exported, because no manifest can declare it: ${first.refused}.`;
    return [{ ...notDeclarable, message, hint: 'It stays as it is in the tenant.', address }, ...byKind];
  }
  const kinds = [...new Set(bySchema.map(({ object }) => object.kind))];
  const counts = kinds.map((kind) => countOf(kind, bySchema)).join(', ');
  const message = `${bySchema.length} objects are not exported, because no manifest can declare them: ${counts}. The first: ${first.refused}.`;
  return [{ ...notDeclarable, message, hint: 'They stay as they are in the tenant.' }, ...byKind];
}

/** The first objects of a kind are named. */
const longestList = 3;

function countOf(kind: Kind, objects: readonly Pick<Refusal, 'object'>[]): string {
  const addresses = objects.filter(({ object }) => object.kind === kind).map(({ object }) => object.address);
  const more = addresses.length > longestList ? ', …' : '';
  return `${addresses.length} × ${kind.name} (${addresses.slice(0, longestList).join(', ')}${more})`;
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

/** Why a difference was not merged, or what was lost in merging it. */
export type NoteReason = keyof typeof noteWords;

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
  ),
  secret: say(
    'secret-kept',
    'warning',
    '{} holds a secret and may differ from the tenant; it was not changed.',
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
    '{} no longer has the value that its tag gives; the tag was replaced with a plain value.',
  ),
  sideFile: say(
    'side-file-left',
    'info',
    '{} has its text in the manifest now, because others use its side file unchanged.',
  ),
  rename: say(
    'rename-kept',
    'warning',
    '{} is the name that the tenant still has; it was not changed, so a plan renames the object.',
  ),
  unwritable: say(
    'not-declarable',
    'warning',
    "{} differs from the tenant, but a manifest cannot express the tenant's value.",
  ),
  gone: say(
    'object-gone',
    'warning',
    'The tenant no longer has {}.',
    'Remove the document, or use `export --merge --delete`.',
  ),
  removed: say('object-gone', 'warning', 'The tenant no longer has {}; its document was removed.'),
  absent: say(
    'object-still-there',
    'info',
    '{} is declared absent, but the tenant has it; the manifest was not changed.',
  ),
  refused: say(
    'cannot-edit',
    'error',
    'The manifest of {} could not be edited without losing content; it was not changed.',
    byHand,
  ),
};

function say(code: string, severity: Diagnostic['severity'], words: string, hint?: string) {
  return { code, severity, words, ...(hint && { hint }) };
}

/** For an object that gets no manifest, because that of another one names it as the object to rename. */
export function formerDiagnostic(object: LiveObject, { address, locate }: Resource): Diagnostic {
  const why = `${address} exists as well, and its manifest has this name in \`renamedFrom\`.`;
  return {
    ...notExported(object.address, why, 'Remove `renamedFrom`, and export again.'),
    source: locate('/lifecycle/renamedFrom'),
  };
}
