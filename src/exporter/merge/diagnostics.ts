import type { LiveObject } from '../../kinds/kind.ts';
import type { Resource } from '../../kinds/resource.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { pointer, segmentsOf } from '../../model/pointer.ts';
import { notExported, printPlace } from '../omission.ts';
import type { Note, NoteReason } from './document-merge.ts';

/** Diagnostics for the notes about one merged manifest. */
export function noteDiagnostics(resource: Resource, notes: readonly Note[]): Diagnostic[] {
  return notes.map(({ at, reason }) => {
    const { code, severity, what } = texts[reason];
    const [field = ''] = segmentsOf(at);
    return {
      code,
      severity,
      message: `${printPlace(at)} ${what}`,
      // The whole manifest where it does not declare the field.
      source: resource.locate(Object.hasOwn(resource.fields, field) ? at : pointer()),
      address: resource.address,
    };
  });
}

const texts: Readonly<Record<NoteReason, Pick<Diagnostic, 'code' | 'severity'> & { what: string }>> = {
  overlay: {
    code: 'set-by-overlay',
    severity: 'warning',
    what: 'differs from the tenant, but an overlay sets it; it was not changed.',
  },
  secret: {
    code: 'secret-kept',
    severity: 'warning',
    what: 'holds a secret and may differ from the tenant; it was not changed.',
  },
  tag: {
    code: 'tag-replaced',
    severity: 'info',
    what: 'no longer has the value that its tag gives; the tag was replaced with a plain value.',
  },
  sideFile: {
    code: 'side-file-left',
    severity: 'info',
    what: 'has its text in the manifest now, because others use its side file unchanged.',
  },
  rename: {
    code: 'rename-kept',
    severity: 'warning',
    what: 'is the name that the tenant still has; it was not changed, so a plan renames the object.',
  },
  unwritable: {
    code: 'not-declarable',
    severity: 'warning',
    what: "differs from the tenant, but a manifest cannot express the tenant's value.",
  },
};

/** For a declared object that the tenant does not have. */
export function goneDiagnostic({ address, source }: Resource, isDeleted: boolean): Diagnostic {
  return {
    code: 'object-gone',
    severity: 'warning',
    message: `The tenant no longer has ${address}${isDeleted ? '; its document was removed' : ''}.`,
    ...(isDeleted ? {} : { hint: 'Remove the document, or use `export --merge --delete`.' }),
    source: source(),
    address,
  };
}

/** For an object with `ensure: absent` that the tenant has. */
export function absentDiagnostic({ address, source }: Resource): Diagnostic {
  return {
    code: 'object-still-there',
    severity: 'info',
    message: `${address} is declared absent, but the tenant has it; the manifest was not changed.`,
    source: source(),
    address,
  };
}

/** For an object that gets no manifest, because that of another one names it as the object to rename. */
export function formerDiagnostic({
  object,
  resource,
}: {
  readonly object: LiveObject;
  readonly resource: Resource;
}): Diagnostic {
  const why = `${resource.address} exists too, and its manifest says \`renamedFrom\` with this name.`;
  return {
    ...notExported(object.address, why, 'Remove `renamedFrom`, and export again.'),
    source: resource.locate('/lifecycle/renamedFrom'),
  };
}

/** For a document that could not be edited. */
export function refusedDiagnostic({ address, source }: Resource): Diagnostic {
  return {
    code: 'cannot-edit',
    severity: 'error',
    message: `The manifest of ${address} could not be edited without losing content; it was not changed.`,
    hint: 'Make the changes by hand: `tenantctl plan` shows them.',
    source: source(),
    address,
  };
}
